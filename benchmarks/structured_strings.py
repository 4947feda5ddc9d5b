"""Strings for the suite "structured".

spectrum, gap-weighted, weighted degree    the Gram of DNA around splice sites, against strkernels; values are scaled to
                                           k(x, x) = 1, as the rival's are
gapped words                               against a direct count: all pairs of words, letter by letter, in NumPy
edit distances                             against the table of distances in plain Python, on a part of the pairs

Data: celegans_acceptor_2k.json.gz from --data or MERCER_DATA, else random DNA of the same length.
"""

from __future__ import annotations

import gzip
import json
import os
import time
from functools import lru_cache, partial
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival, SelfTimed, Task, close
from mercer.kernels import EditSimilarity, GappedKmer, GapWeighted, Kernel, Normalised, Spectrum, WeightedDegree
from mercer.testing.reference.strings import edits
from mercer.typing import Array

FILE = "celegans_acceptor_2k.json.gz"
LENGTH = 82
GAPPED = GappedKmer(8, k=4)
SPECTRA = Spectrum(1) + Spectrum(2) + Spectrum(3)  # the rival adds up all lengths
GAPS = GapWeighted(3, shorter=True)  # here, too
EDIT_PAIRS = 300  # of which the rival's time is scaled up to all


@lru_cache(maxsize=1)
def _sequences() -> list[str]:
    path = Path(os.environ.get(data.VARIABLE, "")) / FILE
    if path.is_file():
        with gzip.open(path) as file:
            found = json.load(file)["sequences"]
        return [found[i] for i in np.random.default_rng(0).permutation(len(found))]  # the file is sorted by class
    letters = np.random.default_rng(0).choice(list("ACGT"), (2200, LENGTH))
    return ["".join(row) for row in letters]


def _first(n: int) -> list[str]:
    return _sequences()[:n]


def _gram(kernel: Kernel, X: list[str]) -> Array:
    return kernel(X)


def _rival_gram(name: str, options: dict[str, Any], X: list[str]) -> Array:
    import strkernels

    return np.asarray(getattr(strkernels, name)(**options)(X, X))


def _against_strkernels(name: str, size: int, kernel: Kernel, rival: str, options: dict[str, Any]) -> Case:
    return Case(
        suite="structured",
        name=name,
        size=size,
        small=30,
        data=_first,
        ours=partial(_gram, Normalised(kernel)),
        rivals={"strkernels": Rival(partial(_rival_gram, rival, options), "strkernels")},
        check=lambda X, ours, theirs: close(ours, theirs, 1e-5),
    )


# ---- gapped words, one pair of strings at a time


def _all_pairs_of_words(X: list[str]) -> Array:
    """sum C(g - h, k) over pairs of words; h from one product of indicator vectors a pair of strings."""
    g, k = GAPPED.g, GAPPED.k
    worth = np.array([comb(g - h, k) for h in range(g + 1)], dtype=float)
    Z = [_indicators(s, g) for s in X]
    K = np.zeros((len(X), len(X)))
    for i, a in enumerate(Z):
        for j, b in enumerate(Z[: i + 1]):
            K[i, j] = K[j, i] = worth[g - (a @ b.T).astype(int)].sum()
    return K


def _indicators(s: str, g: int) -> Array:
    """(words, 4 g): which letter is at each place of each word."""
    letters = np.array(list(s))
    words = np.lib.stride_tricks.sliding_window_view(letters, g)
    return np.asarray((words[:, :, None] == np.array(list("ACGT"))).reshape(len(words), -1), dtype=np.float32)


def _gapped_check(X: list[str], ours: Any, theirs: Any) -> Agreement:
    words = sum(len(s) - GAPPED.g + 1 for s in X)
    same = close(ours, theirs, 1e-12)
    pairs = words * (words + 1) // 2
    return Agreement(same.same, f"{same.detail}; {pairs:.1e} pairs of words, {comb(GAPPED.g, GAPPED.k) * words:.1e} "
                                "words with gaps")  # fmt: skip


# ---- edits


def _table_of_distances(X: list[str]) -> SelfTimed:
    pairs = np.random.default_rng(0).integers(0, len(X), (min(EDIT_PAIRS, len(X) ** 2), 2))
    start = time.perf_counter()
    found = [edits(X[i], X[j]) for i, j in pairs]
    scale = len(X) * (len(X) + 1) / 2 / len(pairs)
    return SelfTimed((time.perf_counter() - start) * scale, (pairs, found), parts=round(scale))


def _edit_check(X: list[str], ours: Array, theirs: Any) -> Agreement:
    pairs, found = theirs
    same = np.array_equal(np.exp(-np.array(found, dtype=float)), ours[pairs[:, 0], pairs[:, 1]])
    return Agreement(same, f"{len(found)} pairs compared; the rival's time is that of all, scaled up")


def _plain(name: str, size: int, ours: Task, rival: str, theirs: Task, check: Any) -> Case:
    return Case(
        suite="structured",
        name=name,
        size=size,
        small=20,
        data=_first,
        ours=ours,
        rivals={rival: Rival(theirs, "numpy")},
        check=check,
    )


def cases() -> list[Case]:
    """Strings of DNA."""
    return [
        _against_strkernels("spectrum, k = 1 to 3", 2000, SPECTRA, "SpectrumStringKernel", {"order": 3}),
        _against_strkernels("gap-weighted, p = 1 to 3, decay 0.5", 500, GAPS, "SubsequenceStringKernel",
                            {"maxlen": 3, "ssk_lambda": 0.5}),
        _against_strkernels("weighted degree 3", 2000, WeightedDegree(3), "WeightedDegreeStringKernel", {"degree": 3}),
        _plain("gapped words, g = 8, k = 4", 500, partial(_gram, GAPPED), "a direct count", _all_pairs_of_words,
               _gapped_check),
        _plain("edit distances", 500, partial(_gram, EditSimilarity()), "plain Python", _table_of_distances,
               _edit_check),
    ]  # fmt: skip
