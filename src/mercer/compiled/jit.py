"""How this library compiles: machine code for this CPU, cached on disk, interpreter lock released."""

from __future__ import annotations

from numba import njit

# "contract" lets a*b + c become one rounded operation; nothing that changes the order of sums is allowed.
compiled = njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
inlined = njit(inline="always")
