"""proof: why a kernel is positive semi-definite, rule by rule through its expression.

Every kernel states its own reason (`psd_reason`): a theorem about it, or, if it is made of other kernels, the rule by
which it is positive semi-definite because they are.  The tree of these reasons is the proof.  Where one is missing,
the tree shows the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mercer.kernels.base import Kernel

_UNKNOWN = "no rule proves it; mercer.certify can refute it on data"
_REFUTED = "not a kernel: some Gram of it has a negative eigenvalue"


@dataclass(frozen=True)
class Step:
    """A kernel of the expression, whether it is positive semi-definite, why, and the steps that this rests on."""

    kernel: Kernel
    psd: bool | None
    reason: str
    steps: tuple[Step, ...] = ()

    def lines(self, depth: int = 0) -> Iterator[tuple[int, Step]]:
        """Every step with its depth in the tree, the conclusion first."""
        yield depth, self
        for step in self.steps:
            yield from step.lines(depth + 1)

    def __str__(self) -> str:
        words = {True: "positive semi-definite", False: "not positive semi-definite", None: "unknown"}
        return "\n".join(f"{'  ' * d}{step.kernel!r}: {words[step.psd]}, {step.reason}" for d, step in self.lines())


def proof(kernel: Kernel) -> Step:
    """The proof of a kernel; if there is none, the steps show where it fails."""
    steps = tuple(proof(child) for child in kernel.children)
    return Step(kernel, kernel.psd, _reason(kernel), steps)


def _reason(kernel: Kernel) -> str:
    if kernel.psd is False:
        return _REFUTED
    if kernel.psd is None:
        return _UNKNOWN
    return kernel.psd_reason


def formula(kernel: Kernel) -> str:
    """The formula of a kernel: the first line of its docstring."""
    lines = (type(kernel).__doc__ or "").strip().splitlines() or [""]
    return lines[0].rstrip(".")
