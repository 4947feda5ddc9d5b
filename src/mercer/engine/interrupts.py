"""Ctrl-C: a fit ends early with what it has found, and then raises the interrupt.

    a solver's steps      with until_interrupted() as work: ...      Ctrl-C ends them; what they have found stays
                          ... work.came()                            whether it came since they began
    between two stages    interrupted()                              what a usable model does not need is left out
    a whole fit           with one_fit(self) as interrupt: ...       remembers it, so that `fit` can raise it at its end

Only the first interrupt of a fit waits for its end.  A second one is raised at once, and so is one
outside of any fit, because nothing would raise it later.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from mercer.engine.pool import Stopped, stopped


@dataclass(eq=False)
class Interrupt:
    """`came`: Ctrl-C came during the fit of `owner`.  `ended`: its exception was caught by a context of this fit.

    The two differ while other threads see that the run has stopped, and the exception has not been caught yet.
    """

    owner: object
    came: bool = False
    ended: bool = False


_fit: ContextVar[Interrupt | None] = ContextVar("mercer_fit", default=None)


@contextmanager
def one_fit(owner: object) -> Iterator[Interrupt | None]:
    """A context for `fit` of one object; None inside a fit of the same object, which raises the interrupt."""
    outer = _fit.get()
    if outer is not None and outer.owner is owner:
        yield None
        return
    own = Interrupt(owner)
    token = _fit.set(own)
    try:
        yield own
    finally:
        _fit.reset(token)


def interrupted() -> bool:
    """Whether the current fit was interrupted, or the run of tasks that it belongs to was stopped."""
    fit = _fit.get()
    if fit is None:
        return stopped()
    fit.came = fit.came or stopped()
    return fit.came


class until_interrupted:  # noqa: N801  # reads as a statement
    """A context that the first Ctrl-C of a fit ends quietly."""

    def __init__(self) -> None:
        self._before = interrupted()

    def came(self) -> bool:
        """Whether an interrupt came since the beginning, including one that an inner context caught."""
        return not self._before and interrupted()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> bool:
        fit = _fit.get()
        if fit is None or kind is None or not issubclass(kind, (KeyboardInterrupt, Stopped)):
            return False
        again = fit.ended and issubclass(kind, KeyboardInterrupt)
        fit.came, fit.ended = True, fit.ended or issubclass(kind, KeyboardInterrupt)
        return not again
