"""The compiled loops: one submodule for each file of native/loops, sources in C++ beside `src`.

    from mercer.native import radial
    radial.exponential(S, 0.5)         # S <- exp(-S / 2), in place

Arrays are checked at the border, which releases the interpreter lock; loops know nothing of kernels or models.
"""

from __future__ import annotations

try:
    from mercer._native import (
        available_isas,
        choose_isa,
        distance,
        dual_proof,
        gather,
        growth,
        halves,
        isa,
        linear,
        path,
        polynomial,
        radial,
        rows,
        rvm,
        select,
        sigmoid,
        smo,
        smo_batch,
        smo_newton,
        sparse,
        sparse_pairs,
        subsets,
        triangles,
    )
except ImportError as error:
    raise ImportError(
        f"mercer: the compiled extension mercer._native is missing or broken ({error}). Install mercer again: "
        "`pip install --force-reinstall mercer`, or `make demo` in a checkout, which needs a C++ compiler."
    ) from error

__all__ = [
    "available_isas",
    "choose_isa",
    "distance",
    "dual_proof",
    "gather",
    "growth",
    "halves",
    "isa",
    "linear",
    "path",
    "polynomial",
    "radial",
    "rows",
    "rvm",
    "select",
    "sigmoid",
    "smo",
    "smo_batch",
    "smo_newton",
    "sparse",
    "sparse_pairs",
    "subsets",
    "triangles",
]
