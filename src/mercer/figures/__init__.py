"""The figures of textbooks on kernels: each asserts its claim, then draws it.

    made = mercer.figures.make(["E1", "E14"], "pictures")      SVG, PNG, and index.html to look at them

Read registry.py for what a figure is, and any of e01_xor.py, e02_..., for one.
"""

from mercer.figures.claim import ClaimFails, Measured
from mercer.figures.make import Made, make
from mercer.figures.registry import Entry, entries

__all__ = ["ClaimFails", "Entry", "Made", "Measured", "entries", "make"]
