"""The evidence of labels, by Laplace's approximation at the mode of the weights.

    log p(y | f) - 1/2 w'Aw - 1/2 log |I + DGD|,     G = Phi' B Phi,     B_i = omega_i (diag p_i - p_i p_i')

For two classes f is one function, the log odds of the second; for more there is one function per class under a softmax,
and a function of the basis has a weight, with a precision of its own, for every class.  Candidate c N + j is function j
of the basis in class c.

At the mode the model behaves like one of numbers with Gaussian noise of precision B, so that S = phi' C^-1 phi and
Q = phi'(omega (y - p)) give the gain of a change of one variance with B held fixed: the usual updates of the RVM.
Whether the evidence has risen is checked at the new mode, with its own B.  (The exact slope, with dB, is not used: on
classes that can be separated, Laplace's evidence favours weights so large that the curvature B vanishes.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.solvers.rvm.basis import Basis
from mercer.solvers.rvm.evidence import PosteriorFactor, View
from mercer.typing import Array

_NEWTON = 100  # steps to the mode, at most
_FLAT = 1e-13  # what another Newton step may still gain at the mode
_ROUNDING = 1e-12  # of the objective
_EPS = 4.0 * float(np.finfo(float).eps)  # of the objective and of the weights: a gain of less is rounding
_WIDEST = 1e5  # prior variance of the log odds by one function, beyond which Laplace's evidence means little


@dataclass(frozen=True, eq=False)
class Mode:
    """Active candidates, their variances, the mode of their weights and the curvature there."""

    index: Array
    tau: Array
    mean: Array
    factor: PosteriorFactor
    p: Array  # (n, C)
    evidence: float
    beta: float = 1.0


class Laplace:
    """Labels 0, 1, ... with weights; C functions, one for two classes."""

    def __init__(self, basis: Basis, codes: Array, classes: int, weight: Array) -> None:
        self.basis, self.codes, self.weight = basis, codes, weight
        self.C, self.N = (1, len(basis)) if classes == 2 else (classes, len(basis))
        self.size = np.tile(basis.squares(weight[:, None])[:, 0], self.C)
        self.scale = float(weight.sum())
        self.y = (codes[:, None] == np.arange(classes)[-self.C :]).astype(float)

    def __len__(self) -> int:
        return self.C * self.N

    def start(self) -> Mode:
        """Nothing active yet: all classes are equally probable."""
        none = np.zeros(0)
        factor = PosteriorFactor(none, np.zeros((0, 0)))
        empty = Mode(none.astype(np.intp), none, none, factor, np.zeros((0, 0)), -np.inf)
        return self.at(empty.index, none, empty)

    def held(self) -> Laplace:
        """There is no noise to hold."""
        return self

    def noise(self, fit: Mode) -> float:
        """There is no beta."""
        return 0.0

    def trusted(self, index: Array, tau: Array) -> bool:
        """Whether all variances are small enough for Laplace's approximation, also if the classes can be separated."""
        return bool((tau * self.size[index] <= _WIDEST * self.scale).all())

    def likeness(self, j: int) -> Array:
        """How much each candidate of the same class looks like candidate j."""
        out = np.zeros((self.C, self.N))
        out[j // self.N] = self.basis.likeness(j % self.N)
        return out.ravel()

    # ---- the likelihood of C functions

    def _log_p(self, f: Array) -> Array:
        """log p of every class, (n, classes)."""
        f = f if self.C > 1 else np.column_stack([np.zeros(len(f)), f])
        f = f - f.max(axis=1, keepdims=True)
        return np.asarray(f - np.log(np.exp(f).sum(axis=1, keepdims=True)))

    def _curvature(self, p: Array) -> Array:
        """B (n, C, C)."""
        B = -p[:, :, None] * p[:, None, :]
        B[:, range(self.C), range(self.C)] += p
        return np.asarray(self.weight[:, None, None] * B)

    # ---- the mode

    def at(self, index: Array, tau: Array, near: Mode) -> Mode:
        """The mode of the weights with these variances, by Newton's method from those of `near`."""
        Phi, of = self.basis.cache.rows(index % self.N), index // self.N
        D = np.sqrt(tau)
        x = np.zeros(len(index))
        x[np.isin(index, near.index)] = near.mean[np.isin(near.index, index)]
        x /= D
        value, log_p = self._objective(x, D, Phi, of)
        for _ in range(_NEWTON):
            p = np.exp(log_p[:, -self.C :])
            factor = PosteriorFactor.of(self._gram(Phi, of, self._curvature(p)), tau)
            slope = D * self._against(Phi, of, self.weight[:, None] * (self.y - p)) - x
            step = factor.solve(slope / D) / D
            if not float(slope @ step) > _FLAT + _EPS * max(abs(value), self.scale):
                break
            before = x
            x, value, log_p = self._shortened(x, step, value, log_p, D, Phi, of)
            if x is before:  # rounding: the same step would be refused again
                break
        return Mode(index, tau, D * x, factor, p, value - factor.half_logdet)

    def given(self, index: Array, tau: Array, weights: Array, beta: float) -> Mode:
        """The mode with these variances, looked for from these weights; there is no beta."""
        near = Mode(index, tau, weights, PosteriorFactor(np.zeros(0), np.zeros((0, 0))), np.zeros((0, 0)), -np.inf)
        return self.at(index, tau, near)

    def _shortened(
        self, x: Array, step: Array, value: float, log_p: Array, *where: Array
    ) -> tuple[Array, float, Array]:
        """The first of x + step, x + step / 2, ... that is better than x."""
        for halvings in range(30):
            new = x + step / 2.0**halvings
            at = self._objective(new, *where)
            if at[0] >= value - _ROUNDING * abs(value):
                return new, *at
        return x, value, log_p

    def _objective(self, x: Array, D: Array, Phi: Array, of: Array) -> tuple[float, Array]:
        """log p(y | f) - 1/2 |x|^2 for w = D x, and log p of every class."""
        f = np.column_stack([(D * x)[of == c] @ Phi[of == c] for c in range(self.C)])
        log_p = self._log_p(f)
        return float(self.weight @ log_p[np.arange(len(f)), self.codes] - 0.5 * x @ x), log_p

    def _gram(self, Phi: Array, of: Array, B: Array) -> Array:
        """Phi' B Phi between candidates of all classes; rows of Phi are functions here."""
        G = np.empty((len(of), len(of)))
        for c in range(self.C):
            G[:, of == c] = (Phi * B[:, of, c].T) @ Phi[of == c].T
        return G

    def _against(self, Phi: Array, of: Array, E: Array) -> Array:
        """phi_j' E_c for each candidate."""
        return np.asarray((Phi @ E)[np.arange(len(of)), of])

    # ---- what a change would gain

    def _residual(self, fit: Mode) -> Array:
        return np.asarray(self.weight[:, None] * (self.y - fit.p))

    def view(self, fit: Mode) -> View:
        """S and Q of all candidates."""
        Phi, of = self.basis.cache.rows(fit.index % self.N), fit.index // self.N
        B = self._curvature(fit.p)
        weighted = [(Phi * B[:, of, d].T).T for d in range(self.C)]
        product = self.basis.project(np.hstack([*weighted, self._residual(fit)]))
        *blocks, Q = np.split(product, len(of) * np.arange(1, self.C + 1), axis=1)
        rows = np.vstack(blocks).T
        size = self.basis.squares(np.einsum("icc->ic", B)).T.ravel()
        return View(size - fit.factor.squares(rows), Q.T.ravel(), size, rows, fit.factor)

    def local(self, fit: Mode, chosen: Array) -> tuple[Array, Array]:
        """P and Q of some candidates, all active ones among them."""
        Phi, of = self.basis.cache.rows(chosen % self.N), chosen // self.N
        G = self._gram(Phi, of, self._curvature(fit.p))
        half = fit.factor.half(G[np.searchsorted(chosen, fit.index)])
        return G - half.T @ half, self._against(Phi, of, self._residual(fit))
