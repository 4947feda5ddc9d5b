"""From the tree of a file back to a model; the tree is described in encode.py.

Every step checks what it reads.  Classes come from registry.py by name.  Their constructors, and the checks of items,
get the values as if a user had passed them.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

from mercer.files import rebuilt, transformers
from mercer.files.annotations import require_fit
from mercer.files.archive import Archive, member
from mercer.files.arrays import from_bytes, named_dtype, size_of
from mercer.files.encode import DEPTH, SPARSE
from mercer.files.faults import broken
from mercer.files.registry import named
from mercer.files.sharing import TOP, inner_rank, rank_of

Tree = Any
_ATTRIBUTE = re.compile(r"(?!__)(_\w+|[A-Za-z]\w*_)", re.ASCII)


class Decoder:
    """Makes the values of one file."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._allocated = 0
        self._shared: list[Any] = []  # in the order in which they were finished
        self._rank = TOP  # of the value that is being decoded
        self._depth = 0

    def decode(self, tree: Tree) -> Any:
        """The value of a tree."""
        self._depth += 1
        if self._depth > DEPTH:
            raise broken("a value", f"nested at most {DEPTH} deep", "a deeper one")
        value = self._object(tree) if isinstance(tree, dict) else self._own(tree)
        self._depth -= 1
        return value

    def _own(self, tree: Tree) -> Any:
        """A value that JSON has a form for."""
        if isinstance(tree, list):
            return self._each(tree)
        if (type(tree) is int and not -(2**63) <= tree < 2**64) or (type(tree) is float and not math.isfinite(tree)):
            raise broken("a number", "an integer of 64 bits or a finite float", str(tree)[:30])
        return tree

    def _each(self, tree: Tree, size: int | None = None) -> list[Any]:
        if not isinstance(tree, list) or size not in (None, len(tree)):
            raise broken("a list", f"of {size or 'any number of'} values", type(tree).__name__)
        return [self.decode(entry) for entry in tree]

    def _object(self, tree: dict[str, Tree]) -> Any:
        kind = tree.get("is")
        if not isinstance(kind, str) or kind not in _KINDS:
            raise broken("a value", f"one of {sorted(_KINDS)}", repr(kind))
        keys, make = _KINDS[kind]
        if tree.keys() != {"is", *keys}:
            raise broken(f"{kind}", f"given by {list(keys)}", sorted(tree))
        value = make(self, *(tree[key] for key in keys))
        if kind != "again" and rank_of(value) < TOP:
            self._shared.append(value)
        return value

    def _again(self, number: Tree) -> Any:
        if type(number) is not int or not 0 <= number < len(self._shared):
            raise broken("a reference", f"below {len(self._shared)}", repr(number))
        value = self._shared[number]
        if rank_of(value) >= self._rank:
            raise broken("a reference", "to something simpler", type(value).__name__)
        return value

    # ---- containers

    def _dict(self, tree: Tree) -> dict[Any, Any]:
        pairs = [tuple(self._each(pair, 2)) for pair in _list(tree)]
        found = dict(pairs)
        if len(found) != len(pairs):
            raise broken("a dict", "of different keys", "a key twice")
        return found

    def _range(self, tree: Tree) -> range:
        found = range(*map(_integer, self._each(tree, 3)))
        self._archive.spend(
            found.__len__() * np.dtype(np.int64).itemsize
        )  # its size as a list: a huge range is a few bytes in the file
        return found

    def _slice(self, tree: Tree) -> slice:
        return slice(*(None if part is None else _integer(part) for part in self._each(tree, 3)))

    def _complex(self, tree: Tree) -> complex:
        return complex(*map(_number, self._each(tree, 2)))

    # ---- arrays

    def _array(self, number: Tree, dtype: Tree, shape: Tree, order: Tree) -> np.ndarray:
        kind = named_dtype(dtype)
        self._allocated += size_of(kind, shape)
        self._archive.spend(self._allocated)
        return from_bytes(self._archive.read(member(_integer(number))), kind, shape, order)

    def _values(self, shape: Tree, tree: Tree) -> np.ndarray:
        if size_of(np.dtype("u1"), shape) != len(_list(tree)):
            raise broken("an array of values", f"of shape {shape}", f"{len(tree)} values")
        A = np.empty(len(tree), dtype=object)
        for i, value in enumerate(self._each(tree)):
            A[i] = value
        return A.reshape(shape)

    def _sparse(self, kind: Tree, shape: Tree, tree: Tree) -> Any:
        from scipy import sparse

        if kind not in SPARSE:
            raise broken("a sparse matrix", f"one of {SPARSE}", repr(kind))
        size_of(np.dtype("u1"), shape)
        data, indices, indptr = (self._array(*_array_keys(part)) for part in _list(tree))
        kinds = (data.ndim, indices.ndim, indptr.ndim, indices.dtype.kind, indptr.dtype.kind, len(shape))
        if kinds != (1, 1, 1, "i", "i", 2) or data.dtype.kind not in "fcbiu":
            raise broken("a sparse matrix", "numbers, indices and pointers", "other arrays")
        A = getattr(sparse, kind)((data, indices, indptr), shape=tuple(shape))
        A.check_format(full_check=True)  # compiled code would use an index outside the matrix
        return A

    def _scalar(self, dtype: Tree, text: Tree) -> Any:
        return from_bytes(bytes.fromhex(_text(text)), named_dtype(dtype), [1], "C")[0]

    # ---- objects

    def _record(self, name: Tree, tree: Tree) -> Any:
        cls = named(name)
        around, self._rank = self._rank, min(self._rank, inner_rank(cls))
        held = {key: self.decode(part) for key, part in _dict(tree).items()}
        self._rank = around
        build = rebuilt.builder_of(cls)
        if build:
            return build(held)
        if hasattr(cls, "get_params") and not is_dataclass(cls):
            raise broken(name, "a machine with parameters", "an object")
        taken = {f.name: f for f in fields(cls) if f.init} if is_dataclass(cls) else {}
        needed = {key for key, f in taken.items() if f.default is MISSING and f.default_factory is MISSING}
        if not needed <= held.keys() <= taken.keys():
            raise broken(name, f"given by {sorted(taken)}", sorted(held))
        require_fit(cls, held)
        return cls(**held)

    def _machine(self, name: Tree, given: Tree, fitted: Tree) -> Any:
        cls = named(name)
        if not hasattr(cls, "get_params") or is_dataclass(cls):
            raise broken(name, "an object", "a machine")
        given = {key: self._parameter(part, name, key) for key, part in _dict(given).items()}
        if not given.keys() <= inspect.signature(cls).parameters.keys():
            raise broken(name, f"given by {sorted(inspect.signature(cls).parameters)}", sorted(given))
        machine = cls(**given)
        for key, part in _dict(fitted).items():
            if not _ATTRIBUTE.fullmatch(key) or hasattr(cls, key):
                raise broken(name, "fitted with attributes of its own", repr(key))
            machine.__dict__[key] = self.decode(part)
        transformers.unpacked(name, machine)
        return machine

    def _parameter(self, tree: Tree, name: str, key: str) -> Any:
        """A parameter of a machine: a value, or a function of the list where the machine takes one."""
        if isinstance(tree, dict) and tree.get("is") == "function" and key in transformers.HOLDERS.get(name, ()):
            return transformers.named_function(tree.get("of"))
        return self.decode(tree)


# ---- checks of what JSON gives


def _integer(tree: Tree) -> int:
    if type(tree) is not int:
        raise broken("a number", "an integer", repr(tree))
    return tree


def _number(tree: Any) -> float:
    if type(tree) is not float:
        raise broken("a number", "a float", repr(tree))
    return tree


def _text(tree: Tree) -> str:
    if not isinstance(tree, str):
        raise broken("a value", "text", type(tree).__name__)
    return tree


def _list(tree: Tree) -> list[Tree]:
    if not isinstance(tree, list):
        raise broken("a value", "a list", type(tree).__name__)
    return tree


def _dict(tree: Tree) -> dict[str, Tree]:
    if not isinstance(tree, dict):
        raise broken("a value", "fields by name", type(tree).__name__)
    return tree


def _special_float(text: Tree) -> float:
    if text not in ("inf", "-inf", "nan"):
        raise broken("a float", "inf, -inf or nan", repr(text))
    return float(text)


def _dtype(name: Tree) -> np.dtype:
    return np.dtype(object) if name == "object" else named_dtype(name)


def _array_keys(tree: Tree) -> list[Tree]:
    keys = ("of", "dtype", "shape", "order")
    if _dict(tree).keys() != {"is", *keys} or tree["is"] != "array":
        raise broken("a sparse matrix", "made of arrays", repr(tree.get("is")))
    return [tree[key] for key in keys]


_KINDS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "again": (("of",), Decoder._again),
    "array": (("of", "dtype", "shape", "order"), Decoder._array),
    "bytes": (("of",), lambda d, text: bytes.fromhex(_text(text))),
    "complex": (("of",), Decoder._complex),
    "dict": (("of",), Decoder._dict),
    "dtype": (("of",), lambda d, name: _dtype(name)),
    "float": (("of",), lambda d, text: _special_float(text)),
    "frozenset": (("of",), lambda d, tree: frozenset(d._each(tree))),
    "machine": (("class", "of", "fitted"), Decoder._machine),
    "number type": (("of",), lambda d, name: _dtype(name).type),
    "object": (("class", "of"), Decoder._record),
    "range": (("of",), Decoder._range),
    "scalar": (("dtype", "of"), Decoder._scalar),
    "set": (("of",), lambda d, tree: set(d._each(tree))),
    "slice": (("of",), Decoder._slice),
    "sparse": (("class", "shape", "of"), Decoder._sparse),
    "tuple": (("of",), lambda d, tree: tuple(d._each(tree))),
    "values": (("shape", "of"), Decoder._values),
}
