"""Suite "geometry": distances and what is built on them.  Each part has its cases in a file of its own."""

from __future__ import annotations

from benchmarks import geometry_embedding, geometry_medoids, geometry_neighbours, geometry_tests
from benchmarks.harness import Case

PARTS = (geometry_medoids, geometry_embedding, geometry_neighbours, geometry_tests)


def cases() -> list[Case]:
    """The cases of all parts."""
    return [case for part in PARTS for case in part.cases()]
