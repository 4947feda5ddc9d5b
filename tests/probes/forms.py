"""Forms in which the same numbers may come: number types, orders in memory, frames, lists, sparse formats."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from tests.probes.machines import LARGE

EXACT = 1e-9  # of the size of the answers: all numbers are the same, only their order in memory differs
ROUNDED = 1e-7  # of sparse rows, whose variance for gamma="scale" is summed in another order
SINGLE = 2e-3  # where kernel values are computed in single precision, to the tolerance of the machines


@dataclass(frozen=True)
class Form:
    """`make` turns the plain numbers PLAIN[plain] into the form; a machine may refuse what is `refusable`."""

    make: Callable[[np.ndarray], Any]
    plain: str = "eighths"
    tolerance: float = EXACT
    refusable: bool = False


def _strided(X: np.ndarray) -> np.ndarray:
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def _read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def _on_disk(X: np.ndarray) -> np.ndarray:
    with tempfile.NamedTemporaryFile() as file:
        kept = np.memmap(file.name, dtype=float, mode="w+", shape=X.shape)
        kept[:] = X
        return kept


def _offset(X: np.ndarray) -> np.ndarray:
    """Numbers that do not start at a multiple of their size."""
    raw = np.zeros(X.nbytes + 1, dtype=np.uint8)
    moved = raw[1:].view(np.float64).reshape(X.shape)
    moved[:] = X
    return moved


def _matrix(X: np.ndarray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(X)


class Odd(np.ndarray):
    """A subclass of arrays."""


DENSE = {
    "float32": Form(lambda X: X.astype(np.float32), tolerance=SINGLE),
    "float16": Form(lambda X: X.astype(np.float16)),
    "longdouble": Form(lambda X: X.astype(np.longdouble)),
    "int8": Form(lambda X: X.astype(np.int8), "whole"),
    "int64": Form(lambda X: X.astype(np.int64), "whole"),
    "uint16": Form(lambda X: X.astype(np.uint16), "bits"),
    "bool": Form(lambda X: X.astype(bool), "bits"),
    "objects": Form(lambda X: X.astype(object)),
    "fractions": Form(lambda X: np.array([[Fraction(v) for v in row] for row in X], dtype=object)),
    "Fortran order": Form(np.asfortranarray),
    "Fortran float32": Form(lambda X: np.asfortranarray(X.astype(np.float32)), tolerance=SINGLE),
    "strided": Form(_strided),
    "rows backwards": Form(lambda X: X[::-1].copy()[::-1]),
    "columns backwards": Form(lambda X: X[:, ::-1].copy()[:, ::-1]),
    "read-only": Form(_read_only),
    "big-endian": Form(lambda X: X.astype(">f8")),
    "big-endian float32": Form(lambda X: X.astype(">f4"), tolerance=SINGLE),
    "big-endian int": Form(lambda X: X.astype(">i4"), "whole"),
    "not aligned": Form(_offset),
    "matrix": Form(_matrix, refusable=True),
    "memmap": Form(_on_disk),
    "subclass": Form(lambda X: X.view(Odd)),
    "masked": Form(np.ma.masked_array),
    "list": Form(lambda X: X.tolist()),
    "list of arrays": Form(list),
    "tuple of tuples": Form(lambda X: tuple(map(tuple, X.tolist()))),
}


# ---- frames


def _pandas(X: np.ndarray, **options: Any) -> Any:
    import pandas as pd

    names = [f"column {j}" for j in range(X.shape[1])]
    return pd.DataFrame(X, columns=names, index=[f"row {i}" for i in range(len(X))][::-1], **options)


def _mixed(X: np.ndarray) -> Any:
    frame = _pandas(X)
    return frame.astype({frame.columns[0]: "int16", frame.columns[1]: "float32"})


def _numbered(X: np.ndarray) -> Any:
    import pandas as pd

    return pd.DataFrame(X, columns=range(7, 7 + X.shape[1]), index=[5] * len(X))


def _polars(X: np.ndarray) -> Any:
    import polars as pl

    return pl.DataFrame(X, schema=[f"column {j}" for j in range(X.shape[1])])


def _repeated_names(X: np.ndarray) -> Any:
    frame = _pandas(X)
    frame.columns = ["a"] * X.shape[1]
    return frame


FRAMES = {
    "pandas": Form(_pandas),
    "pandas of several types": Form(_mixed, "whole"),
    "pandas with numbers for names": Form(_numbered),
    "pandas with one name for all": Form(_repeated_names, refusable=True),
    "pandas nullable": Form(lambda X: _pandas(X).astype("Float64")),
    "pandas nullable whole": Form(lambda X: _pandas(X).astype("Int64"), "whole"),
    "pandas bool": Form(lambda X: _pandas(X).astype(bool), "bits"),
    "pandas objects": Form(lambda X: _pandas(X).astype(object)),
    "polars": Form(_polars),
}

# ---- sparse rows

FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def _unsorted(X: np.ndarray) -> Any:
    S = sparse.csr_array(X)
    for i in range(len(X)):
        row = slice(S.indptr[i], S.indptr[i + 1])
        S.indices[row], S.data[row] = S.indices[row][::-1].copy(), S.data[row][::-1].copy()
    S.has_sorted_indices = False
    return S


def _explicit_zeros(X: np.ndarray) -> Any:
    rows, columns = np.indices(X.shape)
    return sparse.csr_array((X.ravel(), (rows.ravel(), columns.ravel())), shape=X.shape)


def _twice(X: np.ndarray) -> Any:
    """Every entry in two halves at the same place."""
    i, j = np.nonzero(X)
    return sparse.coo_array((np.tile(X[i, j] / 2.0, 2), (np.tile(i, 2), np.tile(j, 2))), shape=X.shape)


def _twice_in_rows(X: np.ndarray) -> Any:
    """As `_twice`, in compressed rows that say so."""
    S = sparse.csr_array(X)
    data, indices = np.repeat(S.data / 2.0, 2), np.repeat(S.indices, 2)
    T = sparse.csr_array((data, indices, 2 * S.indptr), shape=X.shape)
    T.has_canonical_format = False
    return T


def _wide_indices(X: np.ndarray) -> Any:
    S = sparse.csr_matrix(X)
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    return S


def _format(name: str, kind: str) -> Callable[[np.ndarray], Any]:
    return getattr(sparse, f"{name}_{kind}")


SPARSE = {
    **{
        f"{name} {kind}": Form(_format(name, kind), "bits", ROUNDED) for kind in ("matrix", "array") for name in FORMATS
    },
    "csr of eighths": Form(sparse.csr_array, tolerance=ROUNDED),
    "csr float32": Form(lambda X: sparse.csr_array(X.astype(np.float32)), "bits", SINGLE),
    "csr int": Form(lambda X: sparse.csr_array(X.astype(np.int32)), "whole", ROUNDED),
    "csr bool": Form(lambda X: sparse.csr_array(X.astype(bool)), "bits", ROUNDED),
    "csr unsorted": Form(_unsorted, tolerance=ROUNDED),
    "csr explicit zeros": Form(_explicit_zeros, "bits", ROUNDED),
    "csr wide indices": Form(_wide_indices, "bits", ROUNDED),
    "csr read-only": Form(lambda X: _frozen(sparse.csr_array(X)), "bits", ROUNDED),
    "coo twice": Form(_twice, tolerance=ROUNDED),
    "csr twice": Form(_twice_in_rows, tolerance=ROUNDED),
}


def _frozen(S: Any) -> Any:
    for part in (S.data, S.indices, S.indptr):
        part.flags.writeable = False
    return S


if not LARGE:  # one of each kind
    for rare in ("int8", "uint16", "fractions", "Fortran float32", "big-endian float32", "big-endian int", "subclass",
                 "masked", "list of arrays"):  # fmt: skip
        del DENSE[rare]
    for rare in ("pandas with numbers for names", "pandas bool", "pandas objects", "pandas nullable whole"):
        del FRAMES[rare]
    _few = ("csr array", "csc matrix", "lil array", "dok matrix", "csr float32", "csr int", "csr unsorted",
            "csr explicit zeros", "coo twice", "csr read-only")  # fmt: skip
    SPARSE = {name: SPARSE[name] for name in _few}
