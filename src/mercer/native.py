"""The compiled loops: one submodule for each file of native/loops, sources in C++ beside `src`.

    from mercer.native import radial
    radial.exponential(S, 0.5)         # S <- exp(-S / 2), in place

Arrays are checked at the border, which releases the interpreter lock; loops know nothing of kernels or models.
"""

from __future__ import annotations

try:
    from mercer._native import (
        alignment,
        available_isas,
        bits,
        choose_isa,
        cubic_grid,
        distance,
        dual_proof,
        edit_distance,
        gap_weighted,
        gather,
        graph_labels,
        graph_paths,
        graph_walks,
        graphlets,
        growth,
        halves,
        inversions,
        isa,
        line_sums,
        linear,
        local_alignment,
        loess,
        lowess,
        medoids,
        minima,
        pair_sums,
        path,
        polynomial,
        radial,
        row_kernel,
        rows,
        rvm,
        select,
        sigmoid,
        signature,
        smo,
        smo_batch,
        smo_newton,
        sparse,
        sparse_pairs,
        state_space,
        subsets,
        substrings,
        tally,
        triangles,
        weighted_degree,
        window_tree,
        word_distances,
    )
except ImportError as error:
    if "this processor" in str(error):  # it works, but cannot run as asked here
        raise ImportError(f"mercer: {error}.") from None
    raise ImportError(
        f"mercer: its compiled part, mercer._native, is missing or broken ({error}). Install mercer again with "
        "`pip install --force-reinstall mercer`; in a checkout, run `make build`."
    ) from None

__all__ = [
    "alignment",
    "available_isas",
    "bits",
    "choose_isa",
    "cubic_grid",
    "distance",
    "dual_proof",
    "edit_distance",
    "gap_weighted",
    "gather",
    "graph_labels",
    "graph_paths",
    "graph_walks",
    "graphlets",
    "growth",
    "halves",
    "inversions",
    "isa",
    "line_sums",
    "linear",
    "local_alignment",
    "loess",
    "lowess",
    "medoids",
    "minima",
    "pair_sums",
    "path",
    "polynomial",
    "radial",
    "row_kernel",
    "rows",
    "rvm",
    "select",
    "sigmoid",
    "signature",
    "smo",
    "smo_batch",
    "smo_newton",
    "sparse",
    "sparse_pairs",
    "state_space",
    "subsets",
    "substrings",
    "tally",
    "triangles",
    "weighted_degree",
    "window_tree",
    "word_distances",
]
