"""Suite "smoothing": densities and local regression.  Parts of other machines have files of their own."""

from __future__ import annotations

from benchmarks import smoothing_bandwidth, smoothing_density, smoothing_local, smoothing_loess
from benchmarks.harness import Case

PARTS = (smoothing_density, smoothing_bandwidth, smoothing_local, smoothing_loess)


def cases() -> list[Case]:
    """The cases of all parts."""
    return [case for part in PARTS for case in part.cases()]
