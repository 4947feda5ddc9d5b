"""The one form of messages about a bad file, or about a model that cannot be saved."""

from __future__ import annotations

from mercer.errors import ModelFileError

_COPY = "Ask for a new copy, or save the model again."


def broken(name: str, rule: str, got: object, cure: str = _COPY) -> ModelFileError:
    """`name must be rule; got value. Cure.`"""
    shown = str(got)
    return ModelFileError(f"{name} must be {rule}; got {shown if len(shown) < 200 else shown[:200] + '...'}. {cure}")
