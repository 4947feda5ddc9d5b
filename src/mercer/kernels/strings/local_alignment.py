"""LocalAlignment: all ways to align a piece of one string with a piece of another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Strings
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.strings.letters import Letters, encode, matched, tile
from mercer.native import local_alignment
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array

FORMS = ("cosine", "sum", "logarithm")
_STEEPEST = 100.0  # largest exponent of one pair of letters, so that a row of sums stays within float64


@kernel
class LocalAlignment(Kernel):
    """l(s, t) = 1 + sum over local alignments of s and t of exp(beta score) (Vert, Saigo and Akutsu, 2004).

    The score of an alignment adds `match` for each pair of equal letters, `mismatch` for a pair that differs, and takes
    away `gap_open` for a gap and `gap_extend` for each letter more in it.  `form` says what the kernel returns:

        "cosine"       l(s, t) / sqrt(l(s, s) l(t, t)), positive semi-definite
        "sum"          l(s, t), positive semi-definite; it overflows for long strings
        "logarithm"    log l(s, t) / beta, near the best score; not positive semi-definite

    All are computed from logarithms, so that only "sum" limits the lengths.
    """

    beta: Parameter = hyper(0.5, low=1e-3, high=50.0)
    match: float = 1.0
    mismatch: float = -1.0
    gap_open: float = 2.0
    gap_extend: float = 0.5
    form: str = "cosine"

    items = Strings
    psd_reason = "a convolution of kernels: of equal letters, and of gaps by their lengths"
    costly = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("match", "mismatch", "gap_open", "gap_extend"):
            object.__setattr__(self, name, _finite(name, getattr(self, name)))
        if self.form not in FORMS:
            raise bad("LocalAlignment", "form", f"one of {list(FORMS)}", repr(self.form), "See help(LocalAlignment).")
        if self.match < self.mismatch:
            raise bad("LocalAlignment", "match", "at least mismatch", f"{self.match} < {self.mismatch}",
                      "Equal letters must score at least as much as others.")  # fmt: skip
        if min(self.gap_open, self.gap_extend) < 0.0:
            raise bad("LocalAlignment", "gap_open and gap_extend", ">= 0", f"{self.gap_open} and {self.gap_extend}",
                      "They are costs: a score falls by them.")  # fmt: skip
        if value(self.beta) * self.match > _STEEPEST:
            raise bad("LocalAlignment", "beta * match", f"at most {_STEEPEST:.0f}",
                      f"{value(self.beta) * self.match:.3g}", "Choose a smaller beta.")  # fmt: skip

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return self.form != "logarithm"

    @property
    def bound(self) -> float:  # type: ignore[override]
        return 1.0 if self.form == "cosine" else np.inf

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Letters:
        return encode(X, frame, pool, "LocalAlignment")

    def block(self, A: Letters, B: Letters) -> Array:
        L = tile(local_alignment.log_local_alignments, A, B, *self._factors())
        if self.form == "cosine":
            L -= 0.5 * self._log_diag(A)[:, None]
            L -= 0.5 * self._log_diag(B)
        return self._formed(L)

    def diag(self, A: Letters) -> Array:
        return np.ones(len(A)) if self.form == "cosine" else self._formed(self._log_diag(A))

    def _formed(self, L: Array) -> Array:
        """The values of the kernel from logarithms."""
        if self.form == "logarithm":
            return np.asarray(L / value(self.beta))
        np.exp(L, out=L)
        return np.minimum(L, 1.0, out=L) if self.form == "cosine" else L

    def _log_diag(self, A: Letters) -> Array:
        return matched(local_alignment.log_local_alignments, A, *self._factors())

    def _factors(self) -> tuple[float, ...]:
        """exp(beta score) of letters that are equal or differ, of the first letter of a gap, of a further one."""
        beta = value(self.beta)
        return tuple(math.exp(beta * s) for s in (self.match, self.mismatch, -self.gap_open, -self.gap_extend))


def _finite(name: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not math.isfinite(given):
        raise bad("LocalAlignment", name, "a finite number", repr(given), f"Leave {name} out to take its default.")
    return float(given)
