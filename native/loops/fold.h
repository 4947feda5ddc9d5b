// A tile of which every entry is a sum or product over columns: out_ij = the fold of step over X_ik and Yt_kj.

#include "unroll.h"
#include "views.h"

namespace mercer::MERCER_ISA {

// R rows from i on and K columns from k on at a time: s <- step(s, X_ik, Yt_kj), s = out_ij, or `start` if FIRST.
template <int R, int K, bool FIRST, class T, class Step>
inline void fold_block(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out, Index i, Index k, T start, Step step) {
    T x[R][K];
    for (int r = 0; r < R; ++r)
        for (int q = 0; q < K; ++q) x[r][q] = X(i + r, k + q);
    const T* y = Yt.row(k);
    T* rows = out.row(i);
#pragma omp simd
    for (Index j = 0; j < out.cols; ++j) {
        UNROLL
        for (int r = 0; r < R; ++r) {
            T s = FIRST ? start : rows[r * out.stride + j];
            UNROLL
            for (int q = 0; q < K; ++q) s = step(s, x[r][q], y[q * Yt.stride + j]);
            rows[r * out.stride + j] = s;
        }
    }
}

// R rows from i on: first so many columns that fours are left.
template <int R, class T, class Step>
inline void fold_rows(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out, Index i, T start, Step step) {
    const Index d = X.cols, first = d % 4 == 0 ? 4 : d % 4;
    if (first == 1) fold_block<R, 1, true>(X, Yt, out, i, 0, start, step);
    else if (first == 2) fold_block<R, 2, true>(X, Yt, out, i, 0, start, step);
    else if (first == 3) fold_block<R, 3, true>(X, Yt, out, i, 0, start, step);
    else fold_block<R, 4, true>(X, Yt, out, i, 0, start, step);
    for (Index k = first; k < d; k += 4) fold_block<R, 4, false>(X, Yt, out, i, k, start, step);
}

// out_ij <- step(... step(step(start, X_i0, Yt_0j), X_i1, Yt_1j) ...), in the order of the columns.  Four rows and four
// columns at a time, so that `out` is passed over once for four columns and Yt once for four rows.
template <class T, class Step>
inline void fold_columns(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out, T start, Step step) {
    if (X.cols == 0) {
        for (Index i = 0; i < out.rows; ++i)
            for (Index j = 0; j < out.cols; ++j) out(i, j) = start;
        return;
    }
    Index i = 0;
    for (; i + 4 <= out.rows; i += 4) fold_rows<4>(X, Yt, out, i, start, step);
    for (; i < out.rows; ++i) fold_rows<1>(X, Yt, out, i, start, step);
}

}  // namespace mercer::MERCER_ISA
