"""Squared distances that keep their digits.

    s = |x|^2 + |y|^2 - 2 <x, y>

is one matrix product, but for near points it is a small difference of large numbers.  So every entry with
s < NEAR (|x|^2 + |y|^2) is computed again as sum_k (x_k - y_k)^2.  Such pairs are rare in more than a few
dimensions; in few dimensions the direct sum is the cheaper form anyway and is used throughout.
"""

from __future__ import annotations

from mercer.compiled.jit import compiled

NEAR = 1.0 / 64.0


@compiled
def from_dots(G, xx, yy, X, Y):
    """Overwrite G = X Y^T with the squared distances, from the squared norms; near pairs directly."""
    near, two = G.dtype.type(NEAR), G.dtype.type(2.0)
    for i in range(G.shape[0]):
        row, a, close = G[i], xx[i], False
        for j in range(row.size):
            total = a + yy[j]
            s = total - two * row[j]
            row[j] = s
            close |= s < near * total
        if close:
            for j in range(row.size):
                if row[j] < near * (a + yy[j]):
                    row[j] = _pair(X, Y, i, j)


@compiled
def _pair(X, Y, i, j):
    """sum_k (X_ik - Y_jk)^2."""
    s = X.dtype.type(0.0)
    for k in range(X.shape[1]):
        t = X[i, k] - Y[j, k]
        s += t * t
    return s


@compiled
def direct(X, Yt, out):
    """Write sum_k (X_ik - Yt_kj)^2 into `out`; Yt is Y transposed, so that the inner loop is contiguous."""
    for i in range(X.shape[0]):
        row = out[i]
        row[:] = 0
        for k in range(X.shape[1]):
            x = X[i, k]
            for j in range(row.size):
                t = x - Yt[k, j]
                row[j] += t * t


@compiled
def absolute(X, Yt, out):
    """Write sum_k |X_ik - Yt_kj| into `out`."""
    for i in range(X.shape[0]):
        row = out[i]
        row[:] = 0
        for k in range(X.shape[1]):
            x = X[i, k]
            for j in range(row.size):
                row[j] += abs(x - Yt[k, j])


@compiled
def absolute_moments(M, X, Yt, out):
    """Add sum_ij M_ij |X_ik - Yt_kj| to out_k."""
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            x, s = X[i, k], 0.0
            for j in range(M.shape[1]):
                s += M[i, j] * abs(x - Yt[k, j])
            out[k] += s


@compiled
def squared_products(M, X, Y, V, out):
    """Add sum_j M_ij V_jq (X_ik - Y_jk)^2 to out_iqk."""
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            for q in range(V.shape[1]):
                w = M[i, j] * V[j, q]
                for k in range(X.shape[1]):
                    t = X[i, k] - Y[j, k]
                    out[i, q, k] += w * t * t


@compiled
def chi_squared(X, Yt, out):
    """Write sum_k (X_ik - Yt_kj)^2 / (X_ik + Yt_kj) into `out`, with 0 / 0 = 0."""
    for i in range(X.shape[0]):
        row = out[i]
        row[:] = 0
        for k in range(X.shape[1]):
            x = X[i, k]
            for j in range(row.size):
                t, total = x - Yt[k, j], x + Yt[k, j]
                row[j] += t * t / total if total > 0 else total


@compiled
def mismatches(X, Yt, weight, out):
    """Write sum_k weight_k [X_ik != Yt_kj] into `out`."""
    for i in range(X.shape[0]):
        row = out[i]
        row[:] = 0
        for k in range(X.shape[1]):
            x, w = X[i, k], weight[k]
            for j in range(row.size):
                row[j] += w if x != Yt[k, j] else w * 0


@compiled
def mismatch_moments(M, X, Yt, out):
    """Add sum_ij M_ij [X_ik != Yt_kj] to out_k."""
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            x, s = X[i, k], 0.0
            for j in range(M.shape[1]):
                if x != Yt[k, j]:
                    s += M[i, j]
            out[k] += s
