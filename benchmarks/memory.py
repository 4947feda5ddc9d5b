"""Peak extra memory of a call, in resident bytes: the high-water mark that Linux keeps (VmHWM), set back before it.

Resident pages count whatever allocated them: numpy, BLAS buffers, compiled code.  The result of the call is
included.  Where the mark cannot be set back, a thread samples /proc/self/statm every few milliseconds; it misses what
a call does while it holds the interpreter lock.
"""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_INTERVAL = 0.002
_STATM, _STATUS = Path("/proc/self/statm"), Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")  # writing 5 sets VmHWM back to the present size


def resident() -> int:
    """Bytes of physical memory this process holds now."""
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _high_water() -> int:
    """The most bytes of physical memory this process has held since the mark was set back; 0 if unknown."""
    found = [line.split()[1] for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:")]
    return 1024 * int(found[0]) if found else 0


def _set_back() -> bool:
    """Set the high-water mark back; whether that was possible."""
    try:
        _FORGET.write_text("5")
    except OSError:
        return False
    return True


def _give_back() -> None:
    """Return freed memory to the system (glibc keeps some), so that it is counted when it is used again."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def peak_extra(call: Callable[[], Any]) -> int | None:
    """The most bytes held during `call()` above what was held before it; None where the system does not tell."""
    if not _STATM.exists():
        return None
    _give_back()
    done, before, marked = threading.Event(), resident(), _set_back()
    peak = before

    def watch() -> None:
        nonlocal peak
        while not done.wait(_INTERVAL):
            peak = max(peak, resident())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        answer = call()
        peak = max(peak, resident())
        del answer
    finally:
        done.set()
        thread.join()
    return max(peak, _high_water() if marked else 0) - before
