"""The figures of textbooks on kernels: each asserts its claim, then draws it.

    made = mercer.figures.make(["E1", "E14"], "pictures")      SVG, PNG, and index.html to look at them

Read registry.py for what a figure is, and any of e01_xor.py, e02_..., for one.

eNN_*.py                    one figure each: compute, check, draw
registry.py                 the list of figures, found by their file names
make.py, gallery.py         all that is done to make them, and the page that shows them
claim.py                    claims as numbers, each compared with its bound
measured_capabilities.py    what machines can do, measured by fitting them (E22)
_axes.py, _data.py          drawings and data that several figures share
_sparse_machines.py         what E3 and E4 share
_blobs.py, _flow.py         the data of E5 and E6, and of E7
"""

from mercer.figures.claim import ClaimFails, Measured
from mercer.figures.make import Made, make
from mercer.figures.registry import Entry, entries

__all__ = ["ClaimFails", "Entry", "Made", "Measured", "entries", "make"]
