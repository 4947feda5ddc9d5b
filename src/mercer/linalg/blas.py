"""BLAS and LAPACK in place on parts of an array, with the interpreter lock released: our threads run in parallel.

SciPy's own wrappers hold the lock and copy parts that are not contiguous.  The routines behind them are public
(scipy.linalg.cython_blas, cython_lapack) and are called here by their addresses.  Arrays are float64 with rows that are
contiguous (any slice of a C-ordered matrix), L and T are lower triangular, and only that triangle is read or written.
`cholesky`, `substitute`, `plus_products`, `plus_square` take float32 as well.

    cholesky(A)                A -> L with A = L L'; the row where that failed, or None
    substitute(x, L)           x -> L^-1 x             (or L^-T x)
    invert(L)                  L -> L^-1
    square(T)                  T -> T'T
    minus_products(C, P, Q)    C -> C - P Q'           minus_square(C, P)        C -> C - P P'
    plus_products(C, P, Q)     C -> C + P'Q            plus_square(C, P)         C -> C + P'P
    solve_right(X, L)          X -> X L^-T
    multiply_right(X, T)       X -> X T (or X T')      multiply_left(X, T)       X -> T X     (or T'X)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from mercer.typing import Array


@cache
def _routine(name: str, arguments: int) -> Callable[..., None]:
    """A routine by its name: all arguments are pointers, and ctypes releases the lock during the call."""
    from scipy.linalg import cython_blas, cython_lapack

    module = cython_blas if name in cython_blas.__pyx_capi__ else cython_lapack
    capsule = ctypes.py_object(module.__pyx_capi__[name])
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)(address)


def _call(name: str, *arguments: Any) -> None:
    """Call a routine with letters, integers, floats and arrays; an array is passed as its address and row stride."""
    given: list[Any] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            given += [
                argument.ctypes.data,
                ctypes.byref(ctypes.c_int(max(1, argument.strides[0] // argument.itemsize))),
            ]
        elif isinstance(argument, str):
            given.append(argument.encode())
        else:
            given.append(ctypes.byref(ctypes.c_double(argument) if isinstance(argument, float) else argument))
    _routine(name, len(given))(*given)


def _int(number: int) -> ctypes.c_int:
    return ctypes.c_int(number)


def _single(number: float) -> ctypes.c_float:
    return ctypes.c_float(number)


# Our rows are Fortran's columns: it sees every matrix transposed, and our lower triangle as its upper one.


def cholesky(A: Array) -> int | None:
    """A -> L with A = L L', and the row at which that failed, if it did."""
    info = _int(0)
    _call("spotrf" if A.dtype == np.float32 else "dpotrf", "U", _int(len(A)), A, info)
    return int(info.value) - 1 if info.value else None


def substitute(x: Array, L: Array, *, transposed: bool = False) -> None:
    """x -> L^-1 x, or L^-T x."""
    name = "strsv" if L.dtype == np.float32 else "dtrsv"
    _call(name, "U", "N" if transposed else "T", "N", _int(len(L)), L, x)


def invert(L: Array) -> None:
    """L -> L^-1."""
    _call("dtrtri", "U", "N", _int(len(L)), L, _int(0))


def square(T: Array) -> None:
    """T -> T'T, on and under the diagonal."""
    _call("dlauum", "U", _int(len(T)), T, _int(0))


def minus_products(C: Array, P: Array, Q: Array) -> None:
    """C -> C - P Q'."""
    if C.size:
        _call("dgemm", "T", "N", _int(C.shape[1]), _int(len(C)), _int(P.shape[1]), -1.0, Q, P, 1.0, C)


def minus_square(C: Array, P: Array) -> None:
    """C -> C - P P', on and under the diagonal."""
    _call("dsyrk", "U", "T", _int(len(C)), _int(P.shape[1]), -1.0, P, 1.0, C)


def plus_products(C: Array, P: Array, Q: Array) -> None:
    """C -> C + P'Q."""
    if C.size:
        name, one = ("sgemm", _single(1.0)) if C.dtype == np.float32 else ("dgemm", 1.0)
        _call(name, "N", "T", _int(C.shape[1]), _int(len(C)), _int(len(P)), one, Q, P, one, C)


def plus_square(C: Array, P: Array) -> None:
    """C -> C + P'P, on and under the diagonal."""
    name, one = ("ssyrk", _single(1.0)) if C.dtype == np.float32 else ("dsyrk", 1.0)
    _call(name, "U", "N", _int(len(C)), _int(len(P)), one, P, one, C)


def solve_right(X: Array, L: Array) -> None:
    """X -> X L^-T."""
    _call("dtrsm", "L", "U", "T", "N", _int(X.shape[1]), _int(len(X)), 1.0, L, X)


def multiply_right(X: Array, T: Array, *, factor: float = 1.0, transposed: bool = False) -> None:
    """X -> factor X T, or factor X T'."""
    _call("dtrmm", "L", "U", "T" if transposed else "N", "N", _int(X.shape[1]), _int(len(X)), factor, T, X)


def multiply_left(X: Array, T: Array, *, transposed: bool = False) -> None:
    """X -> T X, or T'X."""
    _call("dtrmm", "R", "U", "T" if transposed else "N", "N", _int(X.shape[1]), _int(len(X)), 1.0, T, X)
