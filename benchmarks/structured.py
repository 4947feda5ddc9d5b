"""Suite "structured": kernels of items that are no vectors.  Each kind of item has its cases in a file of its own."""

from __future__ import annotations

from benchmarks import structured_graphs, structured_points, structured_strings
from benchmarks.harness import Case

PARTS = (structured_strings, structured_points, structured_graphs)


def cases() -> list[Case]:
    """The cases of all parts."""
    return [case for part in PARTS for case in part.cases()]
