"""What kernel PCA and classical scaling share: axes are found, judged and kept, and new items are placed on them.

Both are the leading eigenvectors of a centred matrix H K H, with K kernel values or -1/2 squared dissimilarities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from mercer.config import config
from mercer.engine.interrupts import interrupted
from mercer.errors import NotPositiveDefinite, bad
from mercer.estimators.base import warn_open
from mercer.estimators.embedding.certificate import EigenCertificate
from mercer.solvers.landmarks import chosen
from mercer.solvers.nystroem import InMemory, PanelSums, nystroem_axes
from mercer.solvers.principal_axes import DENSE, KRYLOV, principal_axes, signed, streams_fast
from mercer.typing import Array, Gram

NYSTROEM = "nystroem"
SOLVERS = {"auto": "auto", "dense": DENSE, "krylov": KRYLOV, "arpack": KRYLOV, "randomized": KRYLOV, NYSTROEM: NYSTROEM}
NONE = 1e-12  # of the largest eigenvalue: one below that is rounding, and counts as 0
_NEGATIVE = 1e-5  # of the largest: a negative one beyond is a fault of the kernel, not of rounding
_STREAMED = 50_000  # items up to which products with all of the Gram are worth their time


@dataclass(frozen=True, eq=False)
class Placed:
    """Axes as they are kept: scores are k(x, items `index`) @ coef + constant."""

    values: Array
    vectors: Array
    index: Array
    coef: Array
    constant: Array
    solver: str
    certificate: EigenCertificate

    def some(self, chosen: Any) -> Self:
        """Some of the axes."""
        proof = replace(self.certificate, eigenvalues=self.values[chosen], residuals=self.certificate.residuals[chosen])
        return replace(self, values=self.values[chosen], vectors=self.vectors[:, chosen], coef=self.coef[:, chosen],
                       constant=self.constant[chosen], certificate=proof)  # fmt: skip

    @property
    def scores(self) -> Array:
        """Those of the training items."""
        return np.asarray(self.vectors * np.sqrt(np.maximum(self.values, 0.0)))


@dataclass(frozen=True)
class Effort:
    """How axes are looked for: `solver` of SOLVERS, residuals in units of eigenvalues, landmarks, products, seed.

    Without landmarks Nystrom's method is not taken: it needs a positive semi-definite matrix.
    """

    solver: str = "auto"
    tol: float = 0.0
    landmarks: int | None = None
    most: int | None = None
    seed: int = 0
    rule: str = "rpcholesky"


def place(owner: str, gram: Gram, count: int, effort: Effort) -> Placed:
    """The first `count` axes of the items of a Gram, their signs fixed: entries of largest size are positive."""
    solver = _chosen(gram, effort)
    found = _on_landmarks(gram, count, effort) if solver == NYSTROEM else _on_all(owner, gram, count, solver, effort)
    return _cleared(found)


def _chosen(gram: Gram, effort: Effort) -> str:
    if effort.solver != "auto" or effort.landmarks is None:
        return SOLVERS[effort.solver]
    fits = len(gram) <= _STREAMED and (streams_fast(gram) or 8 * len(gram) ** 2 <= config().memory)
    return "auto" if fits else NYSTROEM


def _on_all(owner: str, gram: Gram, count: int, solver: str, effort: Effort) -> Placed:
    axes = principal_axes(gram, count, solver=solver, tol=effort.tol, seed=effort.seed, most=effort.most)
    reason = "converged" if axes.converged else "interrupted" if interrupted() else "max_iter"
    proof = EigenCertificate(eigenvalues=axes.values, residuals=axes.residuals, total=axes.total, n_iter=axes.products,
                             converged=axes.converged, reason=reason)  # fmt: skip
    if not axes.converged:
        warn_open(f"{owner}: residuals must be within tol; got {proof.relative_residual:.1e} (relative) after "
                  f"{axes.products} products. Raise max_iter or tol, or ask for fewer components.")  # fmt: skip
    coef, constant = axes.projection()
    signs = signed(axes.vectors)
    return Placed(axes.values, axes.vectors * signs, np.arange(len(gram)), coef * signs, constant * signs, axes.solver,
                  proof)  # fmt: skip


def _on_landmarks(gram: Gram, count: int, effort: Effort) -> Placed:
    n = len(gram)
    index = np.sort(chosen(gram, min(effort.landmarks or n, n), effort.rule, effort.seed))
    W = np.asarray(gram.values(index, index), dtype=float)
    axes = nystroem_axes(_panel_sums(gram, index), W, gram.diag(), count)
    signs = signed(axes.vectors)
    proof = EigenCertificate(
        eigenvalues=axes.values, residuals=np.full(len(axes.values), axes.missed), total=axes.total + axes.missed,
        n_iter=1, converged=True, reason=f"{len(index)} landmarks", missed=axes.missed,
    )  # fmt: skip
    return Placed(axes.values, axes.vectors * signs, index, axes.coef * signs, axes.constant * signs, NYSTROEM, proof)


def _panel_sums(gram: Gram, index: Array) -> PanelSums:
    """k(all items, items `index`), where the items are."""
    if hasattr(gram, "panel_sums"):
        found: PanelSums = gram.panel_sums(index)
        return found
    return InMemory(lambda r: gram.values(np.arange(r.start, r.stop), index), len(gram))


def _cleared(found: Placed) -> Placed:
    """Eigenvalues that are rounding become 0, and the scores of their axes too."""
    zero = np.abs(found.values) <= NONE * float(np.abs(found.values).max(initial=0.0))
    if not zero.any():
        return found
    coef, constant = np.where(zero, 0.0, found.coef), np.where(zero, 0.0, found.constant)
    return replace(found, values=np.where(zero, 0.0, found.values), coef=coef, constant=constant)


def require_no_negative(owner: str, values: Array) -> None:
    """Refuse axes along which squared lengths are negative."""
    largest, least = float(np.max(values, initial=0.0)), float(np.min(values, initial=0.0))
    if least < -_NEGATIVE * largest or largest <= 0.0 > least:
        raise NotPositiveDefinite(
            f"{owner}: the kernel must be positive semi-definite on the axes that are asked for; got the eigenvalue "
            f"{least:.3g} where the largest is {largest:.3g}. There are significant negative eigenvalues: ask for at "
            f"most {int(np.count_nonzero(values > 0.0))} components, or make the Gram positive by mercer.repair."
        )


def whole(owner: str, name: str, given: Any, *, optional: bool = False) -> int | None:
    """A parameter that must be an integer >= 1, or None where that is allowed."""
    if given is None and optional:
        return None
    if not isinstance(given, Integral) or isinstance(given, bool) or given < 1:
        raise bad(owner, name, "an integer >= 1" + " or None" * optional, repr(given), "Ask for one axis or more.")
    return int(given)


def not_negative(owner: str, name: str, given: Any) -> float:
    """A parameter that must be a finite number >= 0."""
    if not isinstance(given, Real) or isinstance(given, bool) or not 0.0 <= float(given) < np.inf:
        raise bad(owner, name, "a finite number >= 0", repr(given), "0 is the default.")
    return float(given)


def seed_of(random_state: Any) -> int:
    """A seed; None is 0, so that fits are repeatable."""
    from sklearn.utils import check_random_state

    return 0 if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))
