"""Distances of sparse rows that are sums over columns.

A column that only one row holds contributes a term of that row alone.  So a distance is the sum of what each row
would contribute by itself, less a correction from the columns both rows hold: few, and found by columns.  For near
rows this is a small difference of large numbers, and the two sorted rows are merged instead.
"""

from __future__ import annotations

import numpy as np

from mercer.compiled.distance import NEAR
from mercer.compiled.jit import compiled


@compiled
def absolute(aptr, acol, aval, bptr, bcol, bval, cptr, crow, cval, out):
    """Write sum_k |a_ik - b_jk| into `out`; B by rows, and by columns (c)."""
    sums, others = _sums(aptr, aval), _sums(bptr, bval)
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = sums[i] + others
        for p in range(aptr[i], aptr[i + 1]):
            x = aval[p]
            for q in range(cptr[acol[p]], cptr[acol[p] + 1]):
                y = cval[q]
                row[crow[q]] += abs(x - y) - abs(x) - abs(y)
        for j in range(row.size):
            if row[j] < NEAR * (sums[i] + others[j]):
                row[j] = _merged(acol, aval, aptr[i], aptr[i + 1], bcol, bval, bptr[j], bptr[j + 1], False)


@compiled
def chi_squared(aptr, acol, aval, bptr, bcol, bval, cptr, crow, cval, out):
    """Write sum_k (a_ik - b_jk)^2 / (a_ik + b_jk) into `out`, all entries >= 0, with 0 / 0 = 0."""
    sums, others = _sums(aptr, aval), _sums(bptr, bval)
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = sums[i] + others
        for p in range(aptr[i], aptr[i + 1]):
            x = aval[p]
            for q in range(cptr[acol[p]], cptr[acol[p] + 1]):
                y = cval[q]
                if x + y > 0:
                    row[crow[q]] -= 4 * x * y / (x + y)
        for j in range(row.size):
            if row[j] < NEAR * (sums[i] + others[j]):
                row[j] = _merged(acol, aval, aptr[i], aptr[i + 1], bcol, bval, bptr[j], bptr[j + 1], True)


@compiled
def _sums(indptr, data):
    """The sum of the absolute values of each compressed row."""
    out = np.zeros(indptr.size - 1, dtype=data.dtype)
    for j in range(out.size):
        for p in range(indptr[j], indptr[j + 1]):
            out[j] += abs(data[p])
    return out


@compiled
def _merged(acol, aval, p, p_end, bcol, bval, q, q_end, relative):
    """sum_k |a_k - b_k|, or sum_k (a_k - b_k)^2 / (a_k + b_k), by merging two sorted rows."""
    s = aval.dtype.type(0)
    while p < p_end or q < q_end:
        left = p < p_end and (q >= q_end or acol[p] <= bcol[q])
        right = q < q_end and (p >= p_end or bcol[q] <= acol[p])
        x = aval[p] if left else aval.dtype.type(0)
        y = bval[q] if right else bval.dtype.type(0)
        t, total = abs(x - y), x + y
        s += t if not relative else (t * t / total if total > 0 else t)
        p += left
        q += right
    return s
