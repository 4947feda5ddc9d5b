"""Kernels on strings: what two sequences of letters or tokens have in common.

Letters are characters, bytes or any hashable tokens, and strings have any length.

spectrum.py           words of one length: Spectrum
dictionary.py         words of a given list: Dictionary
all_substrings.py     words of all lengths: AllSubstrings
near_words.py         words that differ in a few letters: Mismatch, GappedKmer
weighted_degree.py    words at the same place: WeightedDegree
gap_weighted.py       words with gaps: GapWeighted
local_alignment.py    all ways to align two pieces: LocalAlignment
edit_similarity.py    the number of edits: EditSimilarity

letters.py            strings as numbers, in which tiles are computed
packed_words.py       all words of one length as numbers; they make Spectrum and the explicit features fast
word_features.py      explicit features: counts of numbered words in a sparse matrix
"""

from mercer.kernels.strings.all_substrings import AllSubstrings
from mercer.kernels.strings.dictionary import Dictionary
from mercer.kernels.strings.edit_similarity import EditSimilarity
from mercer.kernels.strings.gap_weighted import GapWeighted
from mercer.kernels.strings.local_alignment import LocalAlignment
from mercer.kernels.strings.near_words import GappedKmer, Mismatch
from mercer.kernels.strings.spectrum import Spectrum
from mercer.kernels.strings.weighted_degree import WeightedDegree

__all__ = [
    "AllSubstrings",
    "Dictionary",
    "EditSimilarity",
    "GapWeighted",
    "GappedKmer",
    "LocalAlignment",
    "Mismatch",
    "Spectrum",
    "WeightedDegree",
]
