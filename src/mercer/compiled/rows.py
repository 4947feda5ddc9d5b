"""Sums of rows of a stored matrix."""

from __future__ import annotations

from mercer.compiled.jit import compiled


@compiled
def add_rows(K, J, v, out):
    """out += sum_k v_k K[J_k, :], four rows at a time, summed in the precision of `out`."""
    k = 0
    while k + 4 <= J.shape[0]:
        r0, r1, r2, r3 = K[J[k]], K[J[k + 1]], K[J[k + 2]], K[J[k + 3]]
        v0, v1, v2, v3 = v[k], v[k + 1], v[k + 2], v[k + 3]
        for i in range(out.shape[0]):
            out[i] += (v0 * r0[i] + v1 * r1[i]) + (v2 * r2[i] + v3 * r3[i])
        k += 4
    while k < J.shape[0]:
        row, v0 = K[J[k]], v[k]
        for i in range(out.shape[0]):
            out[i] += v0 * row[i]
        k += 1
