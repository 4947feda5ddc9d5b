"""Peak extra memory of a call: resident bytes (/proc/self/statm) sampled by a thread every few milliseconds.

Resident pages count whatever allocated them: numpy, BLAS buffers, compiled code.  The result of the call is
included.  A peak shorter than the sampling interval can be missed, so calls should last a tenth of a second.
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
_STATM = Path("/proc/self/statm")


def resident() -> int:
    """Bytes of physical memory this process holds now."""
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


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
    done, before = threading.Event(), resident()
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
    return peak - before
