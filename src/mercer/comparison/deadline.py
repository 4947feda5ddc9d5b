"""A block of work that ends after so many seconds, as it would end by Ctrl-C."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Deadline:
    """`struck`: the time was over before the work was."""

    struck: bool = False
    over: bool = False
    lock: Any = field(default_factory=threading.Lock)

    def strike(self) -> None:
        """Interrupt the main thread, unless the work has ended."""
        with self.lock:
            if not self.over:
                self.struck = True
                _thread.interrupt_main()

    def end(self) -> None:
        """The work has ended."""
        with self.lock:
            self.over = True


_current: ContextVar[Deadline | None] = ContextVar("mercer_deadline", default=None)


@contextmanager
def deadline(seconds: float | None) -> Iterator[Deadline]:
    """KeyboardInterrupt in the block after so many seconds; in another thread than the main one nothing happens.

    Machines keep what they have found, as on Ctrl-C, and end between two steps: a product of large matrices is finished.
    """
    own = Deadline()
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield own
        return
    timer = threading.Timer(max(seconds, 0.001), own.strike)
    timer.daemon = True
    token = _current.set(own)
    timer.start()
    try:
        yield own
    finally:
        own.end()
        timer.cancel()
        _current.reset(token)


def expired() -> bool:
    """Whether an interrupt that has just come is that of the deadline."""
    own = _current.get()
    return own is not None and own.struck
