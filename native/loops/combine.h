// Sums of rows of a stored matrix.

#include "views.h"

namespace mercer::MERCER_ISA {

// out += sum_k v_k M[J_k, :], four rows at a time, summed in double precision.
template <class K>
inline void combine_rows(Matrix<const K> M, const Index* J, const double* v, Index count, double* __restrict out) {
    Index k = 0;
    for (; k + 4 <= count; k += 4) {
        const K *__restrict r0 = M.row(J[k]), *__restrict r1 = M.row(J[k + 1]), *__restrict r2 = M.row(J[k + 2]),
                *__restrict r3 = M.row(J[k + 3]);
        const double v0 = v[k], v1 = v[k + 1], v2 = v[k + 2], v3 = v[k + 3];
        for (Index i = 0; i < M.cols; ++i)
            out[i] += (v0 * static_cast<double>(r0[i]) + v1 * static_cast<double>(r1[i])) +
                      (v2 * static_cast<double>(r2[i]) + v3 * static_cast<double>(r3[i]));
    }
    for (; k < count; ++k) {
        const K* __restrict row = M.row(J[k]);
        const double v0 = v[k];
        for (Index i = 0; i < M.cols; ++i) out[i] += v0 * static_cast<double>(row[i]);
    }
}

// out = M[I, I] for a list of places, four rows at a time, for one alone would wait for memory.
template <class K, class R>
inline void gather_square(Matrix<const K> M, const Index* places, Index count, Matrix<R> out) {
    for (Index r = 0; r < count; r += 4) {
        const Index last = count - 1;
        const Index rows[4] = {r, smaller(r + 1, last), smaller(r + 2, last), smaller(r + 3, last)};
        const K *k0 = M.row(places[rows[0]]), *k1 = M.row(places[rows[1]]), *k2 = M.row(places[rows[2]]),
                *k3 = M.row(places[rows[3]]);
        R *t0 = out.row(rows[0]), *t1 = out.row(rows[1]), *t2 = out.row(rows[2]), *t3 = out.row(rows[3]);
        for (Index c = 0; c < count; ++c) {
            const Index k = places[c];
            t0[c] = static_cast<R>(k0[k]);
            t1[c] = static_cast<R>(k1[k]);
            t2[c] = static_cast<R>(k2[k]);
            t3[c] = static_cast<R>(k3[k]);
        }
    }
}

}  // namespace mercer::MERCER_ISA
