"""Fitted probability models as items: each item is a model of one object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.items import Items, taken
from mercer.items.symbols import listed, symbol_bytes
from mercer.typing import Index


@dataclass(frozen=True, eq=False)
class Models(Items):
    """n models of one class of mercer.models, all on the same space."""

    values: list[Any]
    kind: ClassVar[str] = "models"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        if isinstance(X, cls):
            return X
        values = listed(X, owner, "a list of models", "Make one per object, e.g. models.Gaussian.of(points).")
        for row, model in enumerate(values):
            if not hasattr(model, "log_products"):
                raise wrong_kind(owner, "models of mercer.models", f"{type(model).__name__} in row {row}",
                                 "Make one per object, e.g. models.Gaussian.of(points).")  # fmt: skip
            if type(model) is not type(values[0]):
                got = f"{type(values[0]).__name__} in row 0 and {type(model).__name__} in row {row}"
                raise wrong_kind(owner, "models of one class", got, "Fit the same model to all objects.")
            _require_width(owner, values[0], model, row)
        return cls(values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(taken(self.values, index))

    def pieces(self) -> Iterable[bytes]:
        return (_model_bytes(model) for model in self.values)


def _require_width(owner: str, first: Any, model: Any, row: int) -> None:
    widths = [getattr(one, "width", None) for one in (first, model)]
    if widths[0] != widths[1]:
        raise bad(owner, "X", f"models on the same space, of {widths[0]} columns", f"{widths[1]} in row {row}",
                  "Fit all models to objects of one form.")  # fmt: skip


def _model_bytes(model: Any) -> bytes:
    """The class and all parameters, of parts too."""
    parts = [type(model).__name__.encode()]
    for field in fields(model):
        value = getattr(model, field.name)
        if isinstance(value, np.ndarray):
            parts.append(f"{value.shape}".encode() + np.ascontiguousarray(value, dtype="<f8").tobytes())
        elif hasattr(value, "__dataclass_fields__"):
            parts.append(_model_bytes(value))
        elif field.name != "log_likelihoods":
            parts.append(symbol_bytes(value))
    return b"\0".join(parts)
