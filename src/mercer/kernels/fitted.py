"""A kernel together with what it has learned from a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mercer.kernels.base import Kernel, Pool
from mercer.kernels.composite import Unary, atom
from mercer.typing import Array


@dataclass(frozen=True, repr=False, eq=False)
class Fitted(Unary):
    """A learned kernel bound to its frame, so that k(X, Y) means the same for all X and Y."""

    kernel: Kernel
    frame: Any = None

    learned = False
    textual = False
    psd_reason = "a kernel whose frame is fixed"

    @property
    def psd(self) -> bool | None:  # type: ignore[override]
        return self.kernel.psd

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Any:
        return self.kernel.prepare_in(self.kernel.check(X), self.frame, pool)

    def input_vjp(self, A: Any, B: Any, W: Array, X: Array) -> Array:
        return self.kernel.input_vjp(A, B, W, X)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fitted) and self.kernel == other.kernel and self.frame is other.frame

    def __hash__(self) -> int:
        return hash((self.kernel, id(self.frame)))

    def __repr__(self) -> str:
        return f"{atom(self.kernel)}.fit(...)"
