"""Polynomials of the entries of a tile, in place, row by row so that every pass runs in the first-level cache."""

from __future__ import annotations

import numpy as np

from mercer.compiled.jit import compiled


@compiled
def affine_power(G, scale, offset, degree):
    """G <- (scale G + offset)^degree, degree >= 1; returns whether every result is finite."""
    base = np.empty(G.shape[1], dtype=G.dtype)
    scale, offset = G.dtype.type(scale), G.dtype.type(offset)
    infinite = 0
    for i in range(G.shape[0]):
        row = G[i]
        for j in range(row.size):
            base[j] = scale * row[j] + offset
            row[j] = base[j]
        for _ in range(degree - 1):
            for j in range(row.size):
                row[j] *= base[j]
        for j in range(row.size):
            infinite += row[j] - row[j] != 0
    return infinite == 0


@compiled
def horner(G, coefficients):
    """G <- sum_m c_m G^m, coefficients from the highest power down; returns whether every result is finite."""
    base = np.empty(G.shape[1], dtype=G.dtype)
    infinite = 0
    for i in range(G.shape[0]):
        row = G[i]
        base[:] = row
        row[:] = 0
        for c in coefficients:
            c = G.dtype.type(c)
            for j in range(row.size):
                row[j] = row[j] * base[j] + c
        for j in range(row.size):
            infinite += row[j] - row[j] != 0
    return infinite == 0
