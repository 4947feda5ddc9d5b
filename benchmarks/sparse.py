"""Suite "sparse": machines that keep few vectors, each against its rivals."""

from __future__ import annotations

from benchmarks import l1_cases, rvm
from benchmarks.harness import Case


def cases() -> list[Case]:
    """L1VM and RVM."""
    return [*l1_cases.cases(), *rvm.cases()]
