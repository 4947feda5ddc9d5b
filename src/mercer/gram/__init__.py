"""Gram matrices, lazy, stored or of explicit features, with the methods of mercer.typing.Gram; and distances."""

from mercer.gram.distances import Distances, given_dissimilarities, kernel_distances
from mercer.gram.features import FeatureGram
from mercer.gram.lazy import LazyGram
from mercer.gram.stored import StoredGram

__all__ = ["Distances", "FeatureGram", "LazyGram", "StoredGram", "given_dissimilarities", "kernel_distances"]
