"""Distances of sparse rows that are sums over columns, by merging two sorted rows: exact for near rows too."""

from __future__ import annotations

from mercer.compiled.jit import compiled, inlined


@inlined
def _next(acol, aval, p, p_end, bcol, bval, q, q_end):
    """The two entries (one may be 0) of the next column that is stored in either row, and the new positions."""
    left = p < p_end and (q >= q_end or acol[p] <= bcol[q])
    right = q < q_end and (p >= p_end or bcol[q] <= acol[p])
    x = aval[p] if left else aval.dtype.type(0)
    y = bval[q] if right else bval.dtype.type(0)
    return x, y, p + left, q + right


@compiled
def absolute(aptr, acol, aval, bptr, bcol, bval, out):
    """Write sum_k |a_ik - b_jk| into `out`."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            p, p_end, q, q_end = aptr[i], aptr[i + 1], bptr[j], bptr[j + 1]
            s = out.dtype.type(0)
            while p < p_end or q < q_end:
                x, y, p, q = _next(acol, aval, p, p_end, bcol, bval, q, q_end)
                s += abs(x - y)
            out[i, j] = s


@compiled
def chi_squared(aptr, acol, aval, bptr, bcol, bval, out):
    """Write sum_k (a_ik - b_jk)^2 / (a_ik + b_jk) into `out`, with 0 / 0 = 0."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            p, p_end, q, q_end = aptr[i], aptr[i + 1], bptr[j], bptr[j + 1]
            s = out.dtype.type(0)
            while p < p_end or q < q_end:
                x, y, p, q = _next(acol, aval, p, p_end, bcol, bval, q, q_end)
                if x + y > 0:
                    s += (x - y) * (x - y) / (x + y)
            out[i, j] = s
