"""From a model to a tree of JSON and a list of arrays.

None, truth values, integers, finite floats, text and lists are JSON's own.  Every other value is a JSON object whose
"is" names its kind:

    {"is": "tuple", "of": [...]}                                     also set, frozenset, dict (pairs), range, slice
    {"is": "array", "of": 3, "dtype": "<f8", "shape": [20, 5], "order": "C"}
    {"is": "object", "class": "mercer.kernels.RBF", "of": {"lengthscale": 1.5}}
    {"is": "machine", "class": "mercer.SVC", "of": {...parameters}, "fitted": {...attributes}}
    {"is": "function", "of": "numpy.log1p"}                          only as a parameter that transformers.py lists
    {"is": "again", "of": 7}                                         a reference to an earlier value

Arrays with the same bytes are stored once, and what sharing.py lists stays one object if it was one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from mercer.files import rebuilt, transformers
from mercer.files.archive import digest
from mercer.files.arrays import as_bytes, dtype_name
from mercer.files.faults import broken
from mercer.files.registry import FUNCTIONAL, name_of
from mercer.files.sharing import TOP, inner_rank, rank_of
from mercer.items.symbols import in_order
from mercer.items.vectors import is_sparse

Tree = Any
SPARSE = ("csr_array", "csr_matrix", "csc_array", "csc_matrix")
DEPTH = 100  # levels of nesting; a deeper value contains itself, or was made to overflow the stack
_CURE = (
    "Functions and other programs cannot be saved: use a kernel of mercer.kernels, a name, numbers, or one of the "
    "transformers that help(mercer.save) names."
)


class Encoder:
    """Makes the tree of one model; `members` are the bytes of its arrays."""

    def __init__(self, name: str) -> None:
        self.members: list[memoryview] = []
        self._numbers: dict[str, int] = {}  # {checksum: number of the member}
        self._known: dict[int, int] = {}  # {id of a shared value: its latest number}
        self._shared: list[Any] = []  # by number; kept alive, so that no other object gets their ids
        self._rank = TOP  # of the value that is being encoded
        self._path = [name]

    def encode(self, value: Any, step: str = "") -> Tree:
        """The tree of a value; `step` is how it is reached from the one around it."""
        self._path.append(step)
        if len(self._path) > DEPTH:
            raise self._refused(f"nested at most {DEPTH} deep", type(value).__name__, "Make it simpler.")
        rank = rank_of(value)
        if rank < self._rank and id(value) in self._known:
            tree: Tree = {"is": "again", "of": self._known[id(value)]}
        else:
            tree = self._anew(value)
            if rank < TOP:
                self._known[id(value)] = len(self._shared)
                self._shared.append(value)
        self._path.pop()
        return tree

    def _anew(self, value: Any) -> Tree:
        kind = type(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if is_sparse(value):
            return self._sparse(value)
        if value is None or kind in (bool, str) or (kind is float and math.isfinite(value)):
            return value
        if kind is int:
            return self._integer(value)
        if kind is list:
            return self._each(value)
        if kind in _SIMPLE:
            name, parts = _SIMPLE[kind]
            return {"is": name, "of": parts(self, value)}
        if isinstance(value, np.generic):
            return {"is": "scalar", "dtype": dtype_name(value.dtype), "of": as_bytes(value.reshape(1))[1].hex()}
        if isinstance(value, np.dtype):
            return {"is": "dtype", "of": _dtype(value)}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"is": "number type", "of": _dtype(np.dtype(value))}
        return self._object(value)

    # ---- containers

    def _integer(self, value: int) -> int:
        if not -(2**63) <= value < 2**64:
            raise self._refused("an integer of 64 bits", value, "Write it as text.")
        return value

    def _each(self, values: Any) -> list[Tree]:
        return [self.encode(value, f"[{i}]") for i, value in enumerate(values)]

    def _pairs(self, value: dict[Any, Any]) -> list[Tree]:
        return [[self.encode(k), self.encode(v, f"[{k!r}]")] for k, v in value.items()]

    def _in_order(self, values: Any) -> list[Tree]:
        """Elements of a set, in an order that does not change from run to run."""
        return self._each(in_order(values))

    # ---- arrays

    def _array(self, A: np.ndarray) -> Tree:
        if type(A) not in (np.ndarray, np.memmap):
            raise self._refused("a plain array", type(A).__name__, "Convert it with numpy.asarray.")
        if A.dtype == object:  # such as names of columns: stored value by value, never pickled
            return {"is": "values", "shape": list(A.shape), "of": self._each(A.ravel().tolist())}
        dtype = dtype_name(A.dtype)
        order, data = as_bytes(A)
        number = self._numbers.setdefault(digest(data), len(self.members))
        if number == len(self.members):
            self.members.append(data)
        return {"is": "array", "of": number, "dtype": dtype, "shape": list(A.shape), "order": order}

    def _sparse(self, A: Any) -> Tree:
        kind = type(A).__name__
        if kind not in SPARSE:
            raise self._refused("a CSR or CSC matrix", kind, "Convert it with tocsr().")
        parts = [self._array(part) for part in (A.data, A.indices, A.indptr)]
        return {"is": "sparse", "class": kind, "shape": list(A.shape), "of": parts}

    # ---- objects

    def _object(self, value: Any) -> Tree:
        cls = rebuilt.stored_class(value)
        name = None if isinstance(value, type) else name_of(cls)
        if name is None:
            raise self._unknown(value)
        self._path[-1] += f" ({cls.__name__})"
        if hasattr(cls, "get_params") and not is_dataclass(cls):
            return self._machine(value, name)
        parts = rebuilt.parts_of(cls)
        held = parts(value) if parts else _fields(value)
        around, self._rank = self._rank, min(self._rank, inner_rank(cls))
        tree = {"is": "object", "class": name, "of": {k: self.encode(v, f".{k}") for k, v in held.items()}}
        self._rank = around
        return tree

    def _machine(self, value: Any, name: str) -> Tree:
        given = value.get_params(deep=False)
        state = {k: v for k, v in value.__getstate__().items() if k not in given and k != "_sklearn_version"}
        return {
            "is": "machine",
            "class": name,
            "of": {k: self._parameter(v, name, k) for k, v in given.items()},
            "fitted": {k: self.encode(v, f".{k}") for k, v in transformers.packed(name, state).items()},
        }

    def _parameter(self, value: Any, name: str, key: str) -> Tree:
        """A parameter of a machine; functions are stored by name where transformers.py allows it."""
        function = transformers.function_name(value) if key in transformers.HOLDERS.get(name, ()) else None
        return {"is": "function", "of": function} if function else self.encode(value, f".{key}")

    # ---- refusals

    def _unknown(self, value: Any) -> Exception:
        if hasattr(value, "best_estimator_"):
            return self._refused("a machine", f"the search {type(value).__name__}", "Save its best_estimator_.")
        if callable(value) and not isinstance(value, FUNCTIONAL):
            what = f"the function or class {getattr(value, '__name__', repr(value))}"
            return self._refused("made of values", what, _CURE)
        return self._refused("made of what mercer can save", type(value).__name__, _CURE)

    def _refused(self, rule: str, got: object, cure: str) -> Exception:
        return broken("".join(self._path), rule, got, cure)


def _fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, from its __getstate__; nothing for a class without any."""
    state = value.__getstate__() or {}
    if not is_dataclass(value):
        assert not state, f"{type(value).__name__} must be a dataclass to be saved with a state"
        return {}
    return {f.name: state.get(f.name, getattr(value, f.name)) for f in fields(value) if f.init}


def _dtype(dtype: np.dtype) -> str:
    return "object" if dtype.hasobject else dtype_name(dtype)


Maker = Callable[[Encoder, Any], Tree]
_SIMPLE: dict[type, tuple[str, Maker]] = {
    float: ("float", lambda e, x: repr(x)),
    complex: ("complex", lambda e, x: e._each([x.real, x.imag])),
    bytes: ("bytes", lambda e, x: x.hex()),
    tuple: ("tuple", Encoder._each),
    set: ("set", Encoder._in_order),
    frozenset: ("frozenset", Encoder._in_order),
    dict: ("dict", Encoder._pairs),
    range: ("range", lambda e, x: e._each([x.start, x.stop, x.step])),
    slice: ("slice", lambda e, x: e._each([x.start, x.stop, x.step])),
}
