"""Kernels from text: `parse("2*RBF(1.5) + Linear()**2")`.

The text is read as a Python expression, but only its shape: names are looked up in the list of kernels, and
anything that is not a kernel, a number, a string, a list or one of + - * / ** is refused.  Nothing is executed.
`parse(repr(k)) == k` for every kernel that holds no function of the user's.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from mercer.errors import bad
from mercer.kernels.base import Kernel
from mercer.parameters import Bounded, Fixed

LONGEST = 100_000  # characters: long enough for a 50 x 50 covariance, short enough to read at once
_NAMES = {"inf": math.inf, "nan": math.nan, "None": None, "True": True, "False": False}


def parse(text: str) -> Kernel:
    """The kernel that `text` describes."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise bad("parse", "text", f"a string of at most {LONGEST} characters", type(text).__name__, "See help(parse).")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        result = _Reader(text)(tree.body)
    except (SyntaxError, UnicodeError, RecursionError, MemoryError, OverflowError) as error:
        raise bad("parse", "text", "a kernel expression", f"{_shorten(text)} ({type(error).__name__})",
                  'Write e.g. "2*RBF(1.5) + Linear()**2".') from error  # fmt: skip
    if not isinstance(result, Kernel):
        raise bad("parse", "text", "a kernel expression", _shorten(text), 'Write e.g. "Constant(2.0)" for a constant.')
    return result


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


class _Reader:
    """Turns a syntax tree into a kernel, by the kinds of node it knows."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, node: ast.AST) -> Any:
        read = getattr(self, f"read_{type(node).__name__}", None)
        if read is None:
            raise self.refuse(node, f"a {type(node).__name__.lower()}")
        return read(node)

    def refuse(self, node: ast.AST, what: str, name: str = "") -> ValueError:
        column = getattr(node, "col_offset", 0)
        near = get_close_matches(name.lower(), map(str.lower, vocabulary()), n=3)
        meant = [repr(known) for known in vocabulary() if known.lower() in near]
        cure = f"Did you mean {' or '.join(meant)}?" if meant else f"Known kernels: {', '.join(sorted(vocabulary()))}."
        return bad("parse", "text", "made of kernels, numbers, lists and + - * / **",
                   f"{what} at column {column + 1} of {_shorten(self.text)}", cure)  # fmt: skip

    def read_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, (bool, int, float, complex, str)) or node.value is None:
            return node.value
        raise self.refuse(node, f"{node.value!r}")

    def read_Name(self, node: ast.Name) -> Any:
        if node.id in _NAMES:
            return _NAMES[node.id]
        raise self.refuse(node, f"the name {node.id!r}", node.id)

    def read_Tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self(item) for item in node.elts)

    def read_List(self, node: ast.List) -> list[Any]:
        return [self(item) for item in node.elts]

    def read_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self(node.operand)
        is_number = isinstance(operand, (int, float, complex)) and not isinstance(operand, bool)
        if isinstance(node.op, ast.USub) and (is_number or isinstance(operand, Kernel)):
            return -operand
        raise self.refuse(node, "this sign")

    def read_BinOp(self, node: ast.BinOp) -> Any:
        left, right = self(node.left), self(node.right)
        is_complex_number = isinstance(left, (int, float)) and isinstance(right, complex)
        if not any(isinstance(side, Kernel) for side in (left, right)) and not is_complex_number:
            raise self.refuse(node, "arithmetic without a kernel")
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div() if isinstance(left, Kernel):
                return left / right
            case ast.Pow() if isinstance(left, Kernel) and isinstance(right, int):
                return left**right
        raise self.refuse(node, "this operation")

    def read_Call(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in vocabulary():
            raise self.refuse(node, f"the call of {name or ast.unparse(node.func)!r}", name or "")
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise self.refuse(node, "a starred argument")
        positional = [self(a) for a in node.args]
        named = {str(k.arg): self(k.value) for k in node.keywords}
        try:
            return vocabulary()[name](*positional, **named)
        except TypeError as error:  # a wrong number or name of arguments
            raise bad("parse", f"the arguments of {name}", "those of its constructor", ast.unparse(node),
                      f"{error}.") from error  # fmt: skip


def vocabulary() -> dict[str, Callable[..., Any]]:
    """Every name the grammar knows: the public kernels, and the marks of hyper-parameters."""
    from mercer import kernels

    found = {name: getattr(kernels, name) for name in kernels.__all__}
    readable = {name: item for name, item in found.items() if _is_textual(item)}
    return {**readable, "Fixed": Fixed, "Bounded": Bounded}


def _is_textual(item: Any) -> bool:
    return isinstance(item, type) and issubclass(item, Kernel) and item.textual and item is not Kernel
