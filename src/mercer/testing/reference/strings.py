"""Kernels of strings: one pair of words, of subsequences or of alignments at a time."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, product
from typing import Any

from mercer.testing.reference.registry import Function, formula


def words(s: Any, length: int) -> list[Any]:
    """All words of one length, in order, repetitions included."""
    return [s[i : i + length] for i in range(len(s) - length + 1)]


@formula("Spectrum")
def spectrum(k: int) -> Function:
    """Pairs of places where both strings hold the same k letters."""
    return lambda x, y: sum(u == v for u in words(x, k) for v in words(y, k))


@formula("Dictionary")
def dictionary(weights: Any) -> Function:
    """Occurrences of each word in both strings."""
    return lambda x, y: sum(w * words(x, len(u)).count(u) * words(y, len(u)).count(u) for u, w in weights)


@formula("AllSubstrings")
def all_substrings(decay: float, max_length: int | None) -> Function:
    """Pairs of equal words of each length."""

    def k(x: Any, y: Any) -> float:
        longest = min(len(x), len(y), math.inf if max_length is None else max_length)
        return float(sum(decay**m * spectrum(m)(x, y) for m in range(1, int(longest) + 1)))

    return k


def differences(u: Any, v: Any) -> int:
    """The number of places where two words of the same length differ."""
    return sum(a != b for a, b in zip(u, v, strict=True))


@formula("Mismatch")
def mismatch(k: int, mismatches: int, letters: int) -> Function:
    """For every word of the alphabet, the words of both strings that are near it."""

    def value(x: Any, y: Any) -> float:
        alphabet = sorted(set(x) | set(y))
        alphabet += [f"letter {i}" for i in range(letters - len(alphabet))]

        def near(u: Any, s: Any) -> int:
            return sum(differences(u, w) <= mismatches for w in words(s, k))

        return float(sum(near(u, x) * near(u, y) for u in product(alphabet, repeat=k)))

    return value


@formula("GappedKmer")
def gapped_kmer(g: int, k: int) -> Function:
    """For every set of kept places, the pairs of words that are equal there."""

    def kept(u: Any, places: Any) -> list[Any]:
        return [u[p] for p in places]

    return lambda x, y: sum(
        kept(u, places) == kept(v, places)
        for places in combinations(range(g), k)
        for u in words(x, g)
        for v in words(y, g)
    )


@formula("WeightedDegree")
def weighted_degree(degree: int) -> Function:
    """Equal words at equal places, short ones weighing more."""
    return lambda x, y: sum(
        2.0 * (degree - d + 1) / (degree * (degree + 1)) * sum(u == v for u, v in zip(words(x, d), words(y, d)))  # noqa: B905
        for d in range(1, degree + 1)
    )


@formula("GapWeighted")
def gap_weighted(length: int, decay: float, shorter: bool = False) -> Function:
    """All pairs of increasing places with the same letters."""

    def places(s: Any) -> Any:
        sizes = range(1, length + 1) if shorter else (length,)
        return [p for size in sizes for p in combinations(range(len(s)), size)]

    return lambda x, y: sum(
        decay ** (p[-1] - p[0] + q[-1] - q[0] + 2)
        for p in places(x)
        for q in places(y)
        if [x[i] for i in p] == [y[j] for j in q]
    )


@formula("EditSimilarity")
def edit_similarity(gamma: float) -> Function:
    """exp(-gamma times the fewest edits)."""
    return lambda x, y: math.exp(-gamma * edits(x, y))


def edits(x: Any, y: Any) -> int:
    """The fewest edits, row by row of the table of distances of beginnings."""
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, start=1):
        above, row = row, [i]
        for j, b in enumerate(y, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


@formula("LocalAlignment")
def local_alignment(
    beta: float, match: float, mismatch: float, gap_open: float, gap_extend: float, form: str
) -> Function:
    """All increasing pairs of places, each an alignment; its score has a cost for letters that are skipped."""

    def gap(skipped: int) -> float:
        return gap_open + gap_extend * (skipped - 1) if skipped else 0.0

    def score(x: Any, y: Any, p: Any, q: Any) -> float:
        pairs = sum(match if x[i] == y[j] else mismatch for i, j in zip(p, q, strict=True))
        gaps = sum(gap(b - a - 1) for places in (p, q) for a, b in pairwise(places))
        return pairs - gaps

    def total(x: Any, y: Any) -> float:
        return 1.0 + sum(
            math.exp(beta * score(x, y, p, q))
            for n in range(1, min(len(x), len(y)) + 1)
            for p in combinations(range(len(x)), n)
            for q in combinations(range(len(y)), n)
        )

    def value(x: Any, y: Any) -> float:
        if form == "logarithm":
            return math.log(total(x, y)) / beta
        return total(x, y) / (math.sqrt(total(x, x) * total(y, y)) if form == "cosine" else 1.0)

    return value
