"""A block of work that ends after so many seconds, as it would end by Ctrl-C."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

_AGAIN = 1.0  # seconds after which an interrupt is repeated: the second one of a fit is raised at once


@dataclass(eq=False)
class Deadline:
    """`struck`: the time was over before the work was."""

    struck: bool = False
    ended: threading.Event = field(default_factory=threading.Event)
    lock: Any = field(default_factory=threading.Lock)

    def watch(self, seconds: float) -> None:
        """Wait so long, then interrupt the main thread until the work has ended."""
        while not self.ended.wait(seconds):
            self.strike()
            seconds = _AGAIN

    def strike(self) -> None:
        """Interrupt the main thread, unless the work has ended."""
        with self.lock:
            if not self.ended.is_set():
                self.struck = True
                _thread.interrupt_main()

    def end(self) -> None:
        """The work has ended."""
        with self.lock:
            self.ended.set()


_current: ContextVar[Deadline | None] = ContextVar("mercer_deadline", default=None)


@contextmanager
def deadline(seconds: float | None) -> Iterator[Deadline]:
    """KeyboardInterrupt in the block after so many seconds; in another thread than the main one nothing happens.

    Work ends between two steps: a large product or factorisation is finished first.
    """
    own = Deadline()
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield own
        return
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:  # a job in the background, which interrupts would not reach
        signal.signal(signal.SIGINT, signal.default_int_handler)
    token = _current.set(own)
    threading.Thread(target=own.watch, args=(max(seconds, 0.001),), daemon=True).start()
    try:
        yield own
    finally:
        own.end()
        if before is signal.SIG_IGN:
            signal.signal(signal.SIGINT, before)
        _current.reset(token)


def expired() -> bool:
    """Whether an interrupt that has just come is that of the deadline."""
    own = _current.get()
    return own is not None and own.struck
