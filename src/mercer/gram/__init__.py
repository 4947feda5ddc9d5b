"""Gram matrices, lazy, stored or of explicit features, behind the same few methods (mercer.typing.Gram)."""

from mercer.gram.features import FeatureGram
from mercer.gram.lazy import LazyGram
from mercer.gram.stored import StoredGram

__all__ = ["FeatureGram", "LazyGram", "StoredGram"]
