"""Products over columns: sums over subsets of columns in time linear in their number."""

from __future__ import annotations

from math import frexp

import numpy as np

from mercer.compiled.jit import compiled

_BIG, _SMALL = 2.0**500, 2.0**-500


@compiled
def all_subsets(X, Yt, out):
    """Write prod_k (1 + X_ik Yt_kj) into `out`."""
    one = out.dtype.type(1)
    for i in range(X.shape[0]):
        row = out[i]
        row[:] = one
        for k in range(X.shape[1]):
            x = X[i, k]
            for j in range(row.size):
                row[j] *= one + x * Yt[k, j]


@compiled
def sparse_all_subsets(indptr, indices, data, cptr, rows, cdata, out):
    """The same, left factor by compressed rows, right one by compressed columns: other factors are 1."""
    one = out.dtype.type(1)
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = one
        for p in range(indptr[i], indptr[i + 1]):
            k, x = indices[p], data[p]
            for q in range(cptr[k], cptr[k + 1]):
                row[rows[q]] *= one + x * cdata[q]


@compiled
def scaled_all_subsets(X, Yt, out, exponent):
    """Write prod_k (1 + X_ik Yt_kj) as out_ij 2^exponent_ij, which holds however many columns there are."""
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            x = X[i, k]
            for j in range(out.shape[1]):
                v = (1.0 if k == 0 else out[i, j]) * (1.0 + x * Yt[k, j])
                if v != 0.0 and not _SMALL < abs(v) < _BIG:
                    v, e = frexp(v)
                    exponent[i, j] += e
                out[i, j] = v


@compiled
def anova(X, Yt, degree, out):
    """Write the elementary symmetric polynomial of that degree in the products X_ik Yt_kj into `out`."""
    e = np.empty((degree + 1, out.shape[1]), dtype=out.dtype)
    for i in range(X.shape[0]):
        e[0] = 1
        e[1:] = 0
        for k in range(X.shape[1]):
            x = X[i, k]
            for s in range(min(degree, k + 1), 0, -1):
                for j in range(out.shape[1]):
                    e[s, j] += x * Yt[k, j] * e[s - 1, j]
        out[i] = e[degree]


@compiled
def sparse_anova(indptr, indices, data, cptr, rows, cdata, degree, out):
    """The same, left factor by compressed rows, right one by compressed columns: other products are 0."""
    e = np.empty((out.shape[1], degree + 1), dtype=out.dtype)
    for i in range(out.shape[0]):
        e[:] = 0
        e[:, 0] = 1
        for p in range(indptr[i], indptr[i + 1]):
            k, x = indices[p], data[p]
            for q in range(cptr[k], cptr[k + 1]):
                for s in range(degree, 0, -1):
                    e[rows[q], s] += x * cdata[q] * e[rows[q], s - 1]
        out[i] = e[:, degree]
