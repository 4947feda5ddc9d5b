"""What a machine of regularised risk proves about itself.

The objective 1/2 |h|^2 + sum_i c_i loss_i curves at least like 1/2 |h|^2 in h.  So a gap bounds more than the
objective: the function found is within `distance` = sqrt(2 gap) of the best one, in the norm of the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mercer.solvers.risk import RiskSolution
from mercer.solvers.solution import Solution, exact_sentence


@dataclass(frozen=True, kw_only=True)
class RiskCertificate(Solution):
    """The proof of one problem; of several (one class against the rest), that of the worst with all in `parts`.

    `psd` says whether the kernel is known to be positive semi-definite and `convex` whether the loss is known to be
    convex; without them the gap is half the squared norm of the gradient, and no bound.  `exact` is for a machine on
    landmarks: the optimum for the kernel itself lies between these numbers.
    """

    loss: str
    distance: float
    psd: bool | None = None
    convex: bool = True
    name: str = ""
    parts: tuple[RiskCertificate, ...] = ()
    exact: tuple[float, float] | None = None

    def __str__(self) -> str:
        return "\n".join(_sentences(self))


def certificate_of(
    found: RiskSolution, loss: object, psd: bool | None, name: str = "", missed: float | None = None
) -> RiskCertificate:
    """The certificate of a solution; functions of a user are not known to be convex.

    `missed` is b'(K - K~) b of a solution b on landmarks.
    """
    convex = hasattr(loss, "conjugate") or loss == "softmax"
    return RiskCertificate(
        primal=found.primal, dual=found.dual, n_iter=found.n_iter, converged=found.converged, reason=found.reason,
        distance=found.distance, loss=getattr(loss, "__name__", str(loss)), psd=psd,
        convex=convex, name=name, exact=found.exact_interval(missed) if convex else None,
    )  # fmt: skip


def worst_of(parts: Sequence[RiskCertificate]) -> RiskCertificate:
    """The certificate of the worst of several problems, with all of them in `parts`."""
    worst = max(parts, key=lambda part: (not part.converged, not np.isfinite(part.gap), part.relative_gap))
    return worst if len(parts) == 1 else replace(worst, parts=tuple(parts))


def _sentences(c: RiskCertificate) -> Iterable[str]:
    if c.name:
        yield f"The worst of {len(c.parts)} problems is {c.name}:" if c.parts else f"{c.name}:"
    conditions = [] if c.convex else ["the loss is convex"]
    conditions += [] if c.psd else ["the kernel is positive semi-definite on these items, which mercer.certify tells"]
    given = f" if {' and '.join(conditions)}" if conditions else ""
    if c.psd is False:
        yield f"The kernel is not positive semi-definite: the gradient has norm {c.distance:.1e}, which bounds nothing."
    else:
        yield (f"The objective is within {max(c.relative_gap, 0.0):.1e} (relative) of the best possible{given}: "
               f"primal {c.primal:.8g}, dual {c.dual:.8g}, gap {c.gap:.1e}.")  # fmt: skip
        if c.exact is not None:
            yield exact_sentence(c.exact)
        yield f"The function is within {c.distance:.1e} of the best one, in the norm of its space."
    yield f"The loss is {c.loss}. It stopped after {c.n_iter} steps: {c.reason}."
