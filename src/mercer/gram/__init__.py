"""Gram matrices: lazy ones that stream their tiles, and stored ones, behind the same few methods; and distances."""

from mercer.gram.distances import Distances, given_dissimilarities, kernel_distances
from mercer.gram.lazy import LazyGram
from mercer.gram.stored import StoredGram

__all__ = ["Distances", "LazyGram", "StoredGram", "given_dissimilarities", "kernel_distances"]
