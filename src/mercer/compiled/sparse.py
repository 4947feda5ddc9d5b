"""Inner products and distances of compressed sparse rows, straight into a dense tile."""

from __future__ import annotations

from mercer.compiled.distance import NEAR
from mercer.compiled.jit import compiled


@compiled
def dots(indptr, indices, data, cptr, rows, cdata, out):
    """out = A B^T: A by compressed rows, B by compressed columns; only matching non-zeros are touched."""
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = 0
        for p in range(indptr[i], indptr[i + 1]):
            k, a = indices[p], data[p]
            for q in range(cptr[k], cptr[k + 1]):
                row[rows[q]] += a * cdata[q]


@compiled
def from_dots(G, xx, yy, aptr, acol, aval, bptr, bcol, bval):
    """Overwrite G = A B^T with the squared distances, as in compiled/distance.py, for sorted sparse rows."""
    near = G.dtype.type(NEAR)
    for i in range(G.shape[0]):
        for j in range(G.shape[1]):
            total = xx[i] + yy[j]
            s = total - G.dtype.type(2.0) * G[i, j]
            if s < near * total:
                s = _pair(acol, aval, aptr[i], aptr[i + 1], bcol, bval, bptr[j], bptr[j + 1])
            G[i, j] = s


@compiled
def _pair(acol, aval, p, p_end, bcol, bval, q, q_end):
    """sum_k (a_k - b_k)^2 by merging two sorted rows."""
    s = aval.dtype.type(0.0)
    while p < p_end or q < q_end:
        left = p < p_end and (q >= q_end or acol[p] <= bcol[q])
        right = q < q_end and (p >= p_end or bcol[q] <= acol[p])
        t = (aval[p] if left else 0 * aval[0]) - (bval[q] if right else 0 * bval[0])
        s += t * t
        p += 1 if left else 0
        q += 1 if right else 0
    return s
