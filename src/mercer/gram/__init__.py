"""Gram matrices: lazy ones that stream their tiles, and stored ones, behind the same few methods."""

from mercer.gram.lazy import LazyGram
from mercer.gram.stored import StoredGram

__all__ = ["LazyGram", "StoredGram"]
