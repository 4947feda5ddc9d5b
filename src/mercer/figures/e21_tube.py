"""E21: the tube of support vector regression.

Items inside the tube have no loss and are not kept; nu-SVR is given a share of the items and finds the width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._data import noisy_sinc
from mercer.figures.claim import Measured, at_least, at_most
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "The support vectors of a regression are the items on or outside its tube; nu bounds their share, "
    "and the tube of nu-SVR narrows as nu grows."
)
C, EPSILON, TOL = 5.0, 0.15, 1e-3


@dataclass(frozen=True)
class Result:
    """The items, the machine with a given tube, and for every nu the width found and the shares outside and kept."""

    X: Array
    y: Array
    machine: Any
    nu: Array
    epsilon: Array
    outside: Array
    kept: Array


def compute(seed: int = 0) -> Result:
    """80 items of a noisy sinc."""
    from mercer import SVR, NuSVR
    from mercer.kernels import RBF

    X, y = noisy_sinc(80, seed, noise=0.15)
    k, nu = RBF(2.0), np.linspace(0.1, 1.0, 10)
    machines = [NuSVR(nu=v, C=C, kernel=k, tol=1e-7).fit(X, y) for v in nu]
    widths = np.array([machine.epsilon_ for machine in machines])
    outside = [np.mean(np.abs(y - m.predict(X)) > e + 1e-5) for m, e in zip(machines, widths, strict=True)]
    kept = [len(machine.support_) / len(y) for machine in machines]
    machine = SVR(C=C, epsilon=EPSILON, kernel=k, tol=1e-7).fit(X, y)
    return Result(X, y, machine, nu, widths, np.array(outside), np.array(kept))


def check(result: Result) -> list[Measured]:
    """Coefficients and residuals of the machine with a given tube, and the bounds of nu for the sweep."""
    residual = np.abs(result.y - result.machine.predict(result.X))
    kept = np.isin(np.arange(len(result.y)), result.machine.support_)
    coef = result.machine.dual_coef_[0]
    signs = np.sign(coef) * np.sign(result.y - result.machine.predict(result.X))[result.machine.support_]
    open_tube = result.epsilon > TOL
    return [
        at_least("least |y - f| of a support vector, less epsilon", (residual[kept] - EPSILON).min(), -TOL),
        at_most("largest |y - f| of the others, less epsilon", (residual[~kept] - EPSILON).max(), TOL),
        at_most("largest |coefficient| over C", np.abs(coef).max() / C, 1.0),
        at_least("least sign of coefficient times residual", signs.min(), 1.0),
        at_most("largest growth of epsilon with nu", np.diff(result.epsilon).max(), 1e-6),
        at_most("largest of (share outside - nu)", (result.outside - result.nu)[open_tube].max(), 1e-9),
        at_least("least of (share kept - nu)", (result.kept - result.nu)[open_tube].min(), -1e-9),
    ]


def draw(result: Result) -> Figure:
    """The tube, and the sweep."""
    figure, (left, right) = plots.figure(1, 2, size=(8.6, 3.2), width_ratios=[1.4, 1.0])
    plots.regression_tube(result.machine, result.X, result.y, ax=left)
    left.set_title("epsilon-SVR")
    left.set_ylim(None, 1.75)
    left.legend(ncols=3, loc="upper center")
    right.plot(result.nu, result.epsilon, "o-", label="epsilon found")
    right.fill_between(result.nu, result.outside, result.kept, alpha=0.2, color=plots.PALETTE[1],
                       label="share outside to share kept", linewidth=0.0)  # fmt: skip
    right.plot(result.nu, result.nu, "--", color=plots.MUTED, linewidth=1.0, label="nu")
    right.set(xlabel="nu", title="nu-SVR")
    right.legend(loc="upper left")
    return figure
