#include "subsets.h"

#include <cmath>

#include "fold.h"
#include "numbers.h"
#include "unroll.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr double BIG = 0x1p500, SMALL = 0x1p-500;  // outside of these, a product is brought back to about 1

// row_j <- row_j (1 + x y_j); returns whether some result is outside of SMALL .. BIG and not 0.
bool multiply(double* __restrict row, double x, const double* __restrict y, Index m) {
    std::int64_t outside = 0;
#pragma omp simd reduction(| : outside)
    for (Index j = 0; j < m; ++j) {
        const double v = row[j] * (1.0 + x * y[j]), size = std::abs(v);
        row[j] = v;
        outside |= (size > 0.0) & !((size > SMALL) & (size < BIG)) ? 1 : 0;
    }
    return outside != 0;
}

// row_j <- row_j 2^-e with e such that 1/2 <= |row_j| < 1, and exponent_j += e, where row_j is outside of SMALL .. BIG.
void rescale(double* row, std::int64_t* exponent, Index m) {
    for (Index j = 0; j < m; ++j) {
        const double size = std::abs(row[j]);
        if (size == 0.0 || (size > SMALL && size < BIG)) continue;
        int e = 0;
        row[j] = std::frexp(row[j], &e);
        exponent[j] += e;
    }
}

// e_s += x_q y_qj e_(s-1) for K columns q, s from DEGREE down, e_0 = 1; for m entries of each row of e.
template <int DEGREE, int K, class T>
void add_columns(const T* x, const T* y, Index stride, Index m, Matrix<T> e) {
#pragma omp simd
    for (Index j = 0; j < m; ++j) {
        T sums[DEGREE + 1] = {T(1)};
        UNROLL
        for (int s = 1; s <= DEGREE; ++s) sums[s] = e(s, j);
        UNROLL
        for (int q = 0; q < K; ++q) {
            const T product = times(x[q], y[q * stride + j]);
            UNROLL
            for (int s = DEGREE; s > 0; --s) sums[s] += times(product, sums[s - 1]);
        }
        UNROLL
        for (int s = 1; s <= DEGREE; ++s) e(s, j) = sums[s];
    }
}

// The same for all columns of x, whose number is d, and four of them at a time.
template <int DEGREE, class T>
void add_all_columns(const T* x, const T* y, Index stride, Index d, Index m, Matrix<T> e) {
    Index k = 0;
    for (; k + 4 <= d; k += 4) add_columns<DEGREE, 4>(x + k, y + k * stride, stride, m, e);
    for (; k < d; ++k) add_columns<DEGREE, 1>(x + k, y + k * stride, stride, m, e);
}

// The same for any degree.
template <class T>
void add_all_columns(const T* x, const T* y, Index stride, Index d, Index m, Matrix<T> e) {
    for (Index k = 0; k < d; ++k) {
        for (Index s = e.rows < k + 2 ? e.rows - 1 : k + 1; s > 0; --s) {
            T* above = e.row(s);
            const T* below = e.row(s - 1);
#pragma omp simd
            for (Index j = 0; j < m; ++j) above[j] += times(times(x[k], y[k * stride + j]), below[j]);
        }
    }
}

// e_sj <- the elementary symmetric polynomials of x_k y_kj, s = 0, 1, ..., for m columns j from j0 on.
template <class T>
void symmetric_polynomials(const T* x, Matrix<const T> Yt, Index j0, Index m, Matrix<T> e) {
    const T* y = Yt.data + j0;
    for (Index s = 0; s < e.rows; ++s)
        for (Index j = 0; j < m; ++j) e(s, j) = s == 0 ? 1 : 0;
    if (e.rows == 3) add_all_columns<2>(x, y, Yt.stride, Yt.rows, m, e);
    else if (e.rows == 4) add_all_columns<3>(x, y, Yt.stride, Yt.rows, m, e);
    else add_all_columns(x, y, Yt.stride, Yt.rows, m, e);
}

}  // namespace

template <class T>
void all_subsets(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out) {
    fold_columns(X, Yt, out, T(1), [](T s, T x, T y) { return times(s, T(1) + times(x, y)); });
}

template <class T, class I>
void sparse_all_subsets(Compressed<T, I> A, Compressed<T, I> C, Matrix<T> out) {
    const T one = 1;
    for (Index i = 0; i < out.rows; ++i) {
        T* row = out.row(i);
        for (Index j = 0; j < out.cols; ++j) row[j] = one;
        for (Index p = A.begin(i); p < A.end(i); ++p)
            for (Index k = A.index[p], q = C.begin(k); q < C.end(k); ++q)
                row[C.index[q]] = times(row[C.index[q]], one + times(A.value[p], C.value[q]));
    }
}

void scaled_all_subsets(Matrix<const double> X, Matrix<const double> Yt, Matrix<double> out,
                        Matrix<std::int64_t> exponent) {
    for (Index i = 0; i < out.rows; ++i) {
        double* row = out.row(i);
        for (Index j = 0; j < out.cols; ++j) {
            row[j] = 1.0;
            exponent(i, j) = 0;
        }
        for (Index k = 0; k < X.cols; ++k)
            if (multiply(row, X(i, k), Yt.row(k), out.cols)) rescale(row, exponent.row(i), out.cols);
    }
}

template <class T>
void anova(Matrix<const T> X, Matrix<const T> Yt, Index degree, Matrix<T> out, Matrix<T> scratch) {
    for (Index i = 0; i < out.rows; ++i) {
        for (Index j0 = 0; j0 < out.cols; j0 += scratch.cols) {
            const Index m = out.cols - j0 < scratch.cols ? out.cols - j0 : scratch.cols;
            symmetric_polynomials(X.row(i), Yt, j0, m, scratch);
            for (Index j = 0; j < m; ++j) out(i, j0 + j) = scratch(degree, j);
        }
    }
}

template <class T, class I>
void sparse_anova(Compressed<T, I> A, Compressed<T, I> C, Index degree, Matrix<T> out, Matrix<T> scratch) {
    for (Index i = 0; i < out.rows; ++i) {
        for (Index p = 0; p < out.cols * (degree + 1); ++p) scratch.data[p] = 0;
        for (Index j = 0; j < out.cols; ++j) scratch(j, 0) = 1;
        for (Index p = A.begin(i); p < A.end(i); ++p)
            for (Index k = A.index[p], q = C.begin(k); q < C.end(k); ++q) {
                const T product = times(A.value[p], C.value[q]);
                T* e = scratch.row(C.index[q]);
                for (Index s = degree; s > 0; --s) e[s] += times(product, e[s - 1]);
            }
        for (Index j = 0; j < out.cols; ++j) out(i, j) = scratch(j, degree);
    }
}

#define SPARSE(T, I)                                                                        \
    template void sparse_all_subsets(Compressed<T, I>, Compressed<T, I>, Matrix<T>);        \
    template void sparse_anova(Compressed<T, I>, Compressed<T, I>, Index, Matrix<T>, Matrix<T>);
#define INSTANTIATE(T)                                                              \
    template void all_subsets(Matrix<const T>, Matrix<const T>, Matrix<T>);         \
    template void anova(Matrix<const T>, Matrix<const T>, Index, Matrix<T>, Matrix<T>);    \
    SPARSE(T, std::int32_t)                                                         \
    SPARSE(T, std::int64_t)
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE
#undef SPARSE

}  // namespace mercer::MERCER_ISA
