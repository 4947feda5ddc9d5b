"""Gram matrices, lazy, stored or of explicit features, with the methods of mercer.typing.Gram; and distances.

lazy.py                computed tile by tile, never stored
stored.py              a matrix the user has computed
features.py            the Gram ZZ' of explicit features Z
row_squares.py         the squared lengths of features, which may be on other machines
tall.py                features on other machines: when they come here, and distances by passes over them
distances.py           distances of items by a kernel, or as they are given
nearest_rows.py        the nearest dense rows, without a stored matrix
smallest_entries.py    the few smallest entries of every row of a matrix that arrives in tiles
row_centred.py         in float32, with the rows centred first
single_precision.py    prepared data in float32
"""

from mercer.gram.distances import Distances, given_dissimilarities, kernel_distances
from mercer.gram.features import FeatureGram
from mercer.gram.lazy import LazyGram
from mercer.gram.stored import StoredGram

__all__ = ["Distances", "FeatureGram", "LazyGram", "StoredGram", "given_dissimilarities", "kernel_distances"]
