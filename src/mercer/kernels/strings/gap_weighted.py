"""GapWeighted: words that two strings share with gaps between the letters."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Strings
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.strings.letters import Letters, encode, matched, natural, tile
from mercer.native import gap_weighted
from mercer.parameters import Parameter, UnitInterval, hyper, value
from mercer.typing import Array


@kernel
class GapWeighted(Kernel):
    """k(s, t) = sum over words u of `length` letters of the sum of decay^(span in s + span in t) (Lodhi et al., 2002).

    u may have gaps: the inner sum is over all places of u in s and in t, in order, and a span is the distance from the
    first to the last of them, both included.  With `shorter`, words of fewer letters count, too.  A pair costs time
    proportional to length |s| |t|.
    """

    length: int = 3
    decay: Parameter = hyper(0.5, UnitInterval, low=1e-3, high=0.999)

    shorter: bool = False

    items = Strings
    psd = True
    psd_reason = "an inner product of features: for each word, the sum of decay^span over its places"
    costly = True

    def __post_init__(self) -> None:
        super().__post_init__()
        natural("GapWeighted", "length", self.length, 1, "length = 1 compares bags of letters.")
        if not isinstance(self.shorter, (bool, np.bool_)):
            raise bad("GapWeighted", "shorter", "True or False", repr(self.shorter), "True adds up all lengths.")

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Letters:
        return encode(X, frame, pool, "GapWeighted")

    def block(self, A: Letters, B: Letters) -> Array:
        return tile(_values, A, B, *self._arguments())

    def diag(self, A: Letters) -> Array:
        return matched(_values, A, *self._arguments())

    def parameter_gradients(self, A: Letters, B: Letters, W: Array) -> dict[str, Any]:
        """The derivative of the dynamic program, computed beside it."""
        return {"decay": float(np.sum(W * tile(_slopes, A, B, *self._arguments())))}

    def _arguments(self) -> tuple[int, bool, float]:
        return int(self.length), self.shorter, value(self.decay)


def _values(*arguments: Any) -> None:
    gap_weighted.gap_weighted(*arguments, None)


def _slopes(*arguments: Any) -> None:
    *others, out = arguments
    gap_weighted.gap_weighted(*others, np.empty_like(out), out)
