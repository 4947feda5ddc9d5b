"""Classes of which less than all fields is stored: items, prepared data, what kernels learn.

Prepared data are not stored.  They are prepared again when they are first used.  So a file holds each number once, and
loading it never evaluates a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np

from mercer.estimators.training_data import KernelItems
from mercer.files.faults import broken
from mercer.items import Graphs, Items, PointLists, Table
from mercer.items.labels import Labels
from mercer.kernels import Fitted, Kernel
from mercer.kernels.centred import Training
from mercer.kernels.documents import Corpus
from mercer.kernels.fisher import FisherFrame
from mercer.kernels.prepared_rows import Centre
from mercer.models import GaussianMixture, HiddenMarkov

T = TypeVar("T")
Fields = dict[str, Any]
_FRAMES = (range, Centre, Corpus, Training, FisherFrame, GaussianMixture, HiddenMarkov)


class LoadedItems(KernelItems):
    """KernelItems of a file, prepared at their first use."""

    @classmethod
    def of_fields(cls, fields: Fields) -> Self:
        kernel, items, frame = _taken(fields, "kernel", "items", "frame")
        _require(isinstance(kernel, Kernel) and isinstance(items, Items) and not kernel.learned, "a machine's data",
                 "items with a kernel that has learned")  # fmt: skip
        return _filled(cls, kernel=kernel, items=items, _frame=checked_frame(frame))

    @cached_property
    def prepared(self) -> Any:
        return self.kernel.prepare(self.items, self.__dict__["_frame"])


class LoadedTraining(Training):
    """The training set of a centred kernel in a file, prepared at its first use."""

    @classmethod
    def of_fields(cls, fields: Fields) -> Self:
        kernel, source, frame, grand = _taken(fields, "kernel", "source", "frame", "grand")
        _require(isinstance(kernel, Kernel) and isinstance(source, Items) and isinstance(grand, float), "a mean",
                 "that of items under a kernel")  # fmt: skip
        return _filled(cls, kernel=kernel, source=source, grand=grand, _frame=checked_frame(frame))

    @cached_property
    def items(self) -> Any:
        return self.kernel.prepare(self.source, self.__dict__["_frame"])


def _filled(cls: type[T], **fields: Any) -> T:
    """An instance with these fields only; the missing ones are computed at their first use."""
    new = object.__new__(cls)
    new.__dict__.update(fields)
    return new


def _taken(fields: Fields, *names: str) -> list[Any]:
    _require(set(fields) == set(names), "the fields", f"{list(names)}")
    return [fields[name] for name in names]


def _require(fine: bool, name: str, rule: str) -> None:
    if not fine:
        raise broken(name, rule, "something else")


# ---- frames: what a kernel takes from the first dataset


def checked_frame(frame: Any) -> Any:
    """A frame of a form that kernels make; words must have the codes 0, 1, ..., which are indices into arrays."""
    if isinstance(frame, tuple):
        return tuple(map(checked_frame, frame))
    words = isinstance(frame, dict) and list(frame.values()) == list(range(len(frame)))
    _require(frame is None or words or isinstance(frame, _FRAMES), "a frame",
             "what a kernel learns from data")  # fmt: skip
    return frame


def _without_words(frame: Any) -> Any:
    """The frame without vocabularies, which change no kernel value and are made again from the items."""
    if isinstance(frame, tuple):
        return tuple(map(_without_words, frame))
    return None if isinstance(frame, dict) else frame


def _corpus(fields: Fields) -> Corpus:
    known, idf = _taken(fields, "known", "idf")
    fine = isinstance(checked_frame(known), (dict, range)) and isinstance(idf, np.ndarray)
    _require(fine and idf.dtype == np.float64 and idf.shape == (len(known),), "a corpus", "words with a number each")
    return Corpus(known, idf)


def _centre(fields: Fields) -> Centre:
    (at,) = _taken(fields, "at")
    _require(at is None or (isinstance(at, np.ndarray) and at.ndim == 1 and at.dtype.kind in "fc"), "a centre",
             "a point, or none")  # fmt: skip
    return Centre(at)


def _fitted(fields: Fields) -> Fitted:
    kernel, frame = _taken(fields, "kernel", "frame")
    return Fitted(kernel, checked_frame(frame))


# ---- items


def _items(cls: type[Items]) -> Callable[[Fields], Items]:
    """A function that makes items, with the checks of items that a user passes."""

    def build(fields: Fields) -> Items:
        (values,) = _taken(fields, "values")
        _require(
            not isinstance(values, range), "items", "written one by one"
        )  # a few bytes of a range could be a huge list
        found = cls.check(values, "model file")
        _require(type(found) is cls, "items", cls.__name__)
        return found

    return build


def _table(fields: Fields) -> Table:
    (columns,) = _taken(fields, "columns")
    _require(isinstance(columns, dict) and len(columns) > 0, "a table", "columns by name")
    for column in columns.values():
        numbers = isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "fiub"
        _require(numbers or isinstance(column, list), "a column", "an array of numbers or a list")
    _require(len(set(map(len, columns.values()))) == 1, "the columns", "of one length")
    return Table(columns)


def _point_lists(fields: Fields) -> PointLists:
    points, ends = _taken(fields, "points", "ends")
    numbers = isinstance(points, np.ndarray) and points.ndim == 2 and points.dtype == np.float64 and points.shape[1] > 0
    _require(numbers and bool(np.isfinite(points).all()), "points", "rows of finite numbers")
    places = isinstance(ends, np.ndarray) and ends.ndim == 1 and ends.dtype == np.intp and len(ends) > 0
    in_order = places and ends[0] == 0 and ends[-1] == len(points) and bool((np.diff(ends) >= 0).all())
    _require(in_order, "the ends of lists", "places among the points, in order")
    return PointLists(points, ends)


def _labels(fields: Fields) -> Labels:
    alphabet, codes = _taken(fields, "alphabet", "codes")
    _require(isinstance(alphabet, tuple) and _whole(codes, len(alphabet)), "labels", "places in an alphabet")
    _require(len(Labels.of(alphabet, "model file", "nodes or edges").alphabet) == len(alphabet), "labels", "different")
    return Labels(alphabet, codes)


def _whole(values: Any, limit: int) -> bool:
    """Whether this is a vector of integers from 0 to below a limit."""
    fine = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype == np.int64
    return fine and (not len(values) or (values.min() >= 0 and values.max() < limit))


def _graphs(fields: Fields) -> Graphs:
    """Graphs whose offsets and indices stay inside of their arrays, as compiled loops rely on."""
    found = Graphs(*_taken(fields, "nodes", "start", "neighbour", "directed", "node_labels", "edge_labels",
                           "node_attributes", "edge_attributes"))  # fmt: skip
    nodes, start, neighbour = found.nodes, found.start, found.neighbour
    for ends, total in ((start, neighbour), (nodes, start[1:] if isinstance(start, np.ndarray) else start)):
        _require(_whole(ends, 2**63 - 1) and isinstance(total, np.ndarray) and len(ends) > 0, "graphs", "three vectors")
        _require(ends[0] == 0 and ends[-1] == len(total) and bool((np.diff(ends) >= 0).all()), "graphs", "in order")
    _require(_whole(neighbour, 2**63 - 1), "neighbours", "nodes")
    inside = neighbour < np.repeat(found.orders, np.diff(start[nodes]))
    _require(bool(inside.all()) and isinstance(found.directed, bool), "neighbours", "nodes of the same graph")
    for values, count in ((found.node_labels, len(start) - 1), (found.edge_labels, len(neighbour))):
        _require(values is None or (isinstance(values, Labels) and len(values) == count), "labels", "one for each")
    for rows, count in ((found.node_attributes, len(start) - 1), (found.edge_attributes, len(neighbour))):
        numbers = isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype == np.float64 and len(rows) == count
        _require(rows is None or numbers, "attributes", "a row for each")
    return found


def _selector(fields: Fields) -> Any:
    """A selector of columns by name and type; types are stored by name."""
    from sklearn.compose import make_column_selector

    pattern, include, exclude = _taken(fields, "pattern", "dtype_include", "dtype_exclude")
    _require(pattern is None or isinstance(pattern, str), "a pattern", "text")
    for kinds in (include, exclude):
        several = isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds)
        _require(kinds is None or several, "the types of columns", "a list of names")
    return make_column_selector(pattern, dtype_include=include, dtype_exclude=exclude)


def _kinds(given: Any) -> list[str] | None:
    """The names of types of columns; scikit-learn takes them for the types."""
    if given is None:
        return None
    kinds = given if isinstance(given, (list, tuple)) else [given]
    return [kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind)) for kind in kinds]


# ---- both ways


def _frame_of(value: Any, prepared: str) -> Any:
    """The frame of prepared data; of data from a file without preparing them."""
    known = value.__dict__
    return _without_words(known[prepared].frame if prepared in known else known["_frame"])


Parts = Callable[[Any], Fields]
_PARTS: dict[type, Parts] = {
    KernelItems: lambda d: {"kernel": d.kernel, "items": d.items, "frame": _frame_of(d, "prepared")},
    Training: lambda t: {
        "kernel": t.kernel,
        "source": t.source,
        "frame": _frame_of(t, "items"),
        "grand": float(t.grand),
    },
    Fitted: lambda k: {"kernel": k.kernel, "frame": k.frame},
}
_BUILD: dict[type, Callable[[Fields], Any]] = {
    KernelItems: LoadedItems.of_fields,
    Training: LoadedTraining.of_fields,
    Fitted: _fitted,
    Corpus: _corpus,
    Centre: _centre,
    PointLists: _point_lists,
    Table: _table,
    Graphs: _graphs,
    Labels: _labels,
}
_LOADED = {LoadedItems: KernelItems, LoadedTraining: Training}


def stored_class(value: Any) -> type:
    """The class under which a value is stored."""
    return _LOADED.get(type(value), type(value))


def parts_of(cls: type) -> Parts | None:
    """What is stored of such a value, if that is not its fields."""
    return _selected if _is_selector(cls) else _PARTS.get(cls)


def _is_selector(cls: type) -> bool:
    return (cls.__module__.partition(".")[0], cls.__name__) == ("sklearn", "make_column_selector")


def _selected(selector: Any) -> Fields:
    kinds = {name: _kinds(getattr(selector, name)) for name in ("dtype_include", "dtype_exclude")}
    return {"pattern": selector.pattern} | kinds


def builder_of(cls: type) -> Callable[[Fields], Any] | None:
    """The function that makes such a value from its stored parts, if that is not the constructor."""
    if _is_selector(cls):
        return _selector
    return _items(cls) if issubclass(cls, Items) and cls not in _BUILD else _BUILD.get(cls)
