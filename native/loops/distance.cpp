#include "distance.h"

#include <cmath>

#include "fold.h"
#include "fused.h"
#include "near.h"
#include "unroll.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index WIDE = 32;

// sum_k (x_k - y_k)^2: by whole vectors, then by fours, then one by one, for many pairs have few columns.
template <class T>
inline T squared_difference(const T* x, const T* y, Index d) {
    T s = 0, part[4] = {0, 0, 0, 0};
    Index k = 0;
    if (d >= WIDE) {
        const Index whole = d - d % WIDE;
#pragma omp simd reduction(+ : s)
        for (k = 0; k < whole; ++k) s += (x[k] - y[k]) * (x[k] - y[k]);
        k = whole;
    }
    for (; k + 4 <= d; k += 4) {
        UNROLL
        for (int p = 0; p < 4; ++p) part[p] += (x[k + p] - y[k + p]) * (x[k + p] - y[k + p]);
    }
    for (; k < d; ++k) s += (x[k] - y[k]) * (x[k] - y[k]);
    return s + ((part[0] + part[2]) + (part[1] + part[3]));
}

}  // namespace

template <class T>
void from_dots(Matrix<T> G, Vector<const T> xx, Vector<const T> yy, Matrix<const T> X, Matrix<const T> Y) {
    distances_from_dots(G, xx.data, yy.data,
                        [&](Index i, Index j) { return squared_difference(X.row(i), Y.row(j), X.cols); });
}

template <class T>
void direct(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out) {
    fold_columns(X, Yt, out, T(0), [](T s, T x, T y) { return fused(x - y, x - y, s); });
}

void ranked(Matrix<const double> X, Matrix<const double> Y, Matrix<Index> index, Matrix<double> out) {
    for (Index i = 0; i < out.rows; ++i) {
        Index* place = index.row(i);
        double* best = out.row(i);
        for (Index p = 0; p < out.cols; ++p) {  // a sorted list grows by one pair at a time: it is short
            const Index j = place[p];
            const double s = squared_difference(X.row(i), Y.row(j), X.cols);
            Index q = p;
            for (; q > 0 && (s < best[q - 1] || (s == best[q - 1] && j < place[q - 1])); --q) {
                best[q] = best[q - 1];
                place[q] = place[q - 1];
            }
            best[q] = s;
            place[q] = j;
        }
    }
}

template <class T>
void absolute(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out) {
    fold_columns(X, Yt, out, T(0), [](T s, T x, T y) { return s + std::abs(x - y); });
}

template <class T>
void chi_squared(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out) {
    fold_columns(X, Yt, out, T(0), [](T s, T x, T y) {
        const T t = x - y, total = x + y;
        return s + t * t / (total > 0 ? total : T(1));
    });
}

void absolute_moments(Matrix<const double> M, Matrix<const double> X, Matrix<const double> Yt, Vector<double> out) {
    for (Index i = 0; i < M.rows; ++i) {
        for (Index k = 0; k < X.cols; ++k) {
            const double *m = M.row(i), *y = Yt.row(k), x = X(i, k);
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (Index j = 0; j < M.cols; ++j) s += m[j] * std::abs(x - y[j]);
            out[k] += s;
        }
    }
}

void squared_products(Matrix<const double> M, Matrix<const double> X, Matrix<const double> Yt, Matrix<const double> Vt,
                      Matrix<double> out) {
    for (Index i = 0; i < M.rows; ++i) {
        for (Index q = 0; q < Vt.rows; ++q) {
            for (Index k = 0; k < X.cols; ++k) {
                const double *m = M.row(i), *v = Vt.row(q), *y = Yt.row(k), x = X(i, k);
                double s = 0;
#pragma omp simd reduction(+ : s)
                for (Index j = 0; j < M.cols; ++j) s += m[j] * v[j] * ((x - y[j]) * (x - y[j]));
                out(i, q * X.cols + k) += s;
            }
        }
    }
}

void mismatches(Matrix<const std::int64_t> X, Matrix<const std::int64_t> Yt, Vector<const double> weight,
                Matrix<double> out) {
    for (Index i = 0; i < out.rows; ++i) {
        double* row = out.row(i);
        for (Index j = 0; j < out.cols; ++j) row[j] = 0;
        for (Index k = 0; k < X.cols; ++k) {
            const std::int64_t x = X(i, k), *y = Yt.row(k);
            const double w = weight[k];
#pragma omp simd
            for (Index j = 0; j < out.cols; ++j) row[j] += x != y[j] ? w : 0.0;
        }
    }
}

void mismatch_moments(Matrix<const double> M, Matrix<const std::int64_t> X, Matrix<const std::int64_t> Yt,
                      Vector<double> out) {
    for (Index i = 0; i < M.rows; ++i) {
        for (Index k = 0; k < X.cols; ++k) {
            const std::int64_t x = X(i, k), *y = Yt.row(k);
            const double* m = M.row(i);
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (Index j = 0; j < M.cols; ++j) {
                const double value = m[j];
                s += x != y[j] ? value : 0.0;
            }
            out[k] += s;
        }
    }
}

#define INSTANTIATE(T)                                                                                         \
    template void from_dots(Matrix<T>, Vector<const T>, Vector<const T>, Matrix<const T>, Matrix<const T>);    \
    template void direct(Matrix<const T>, Matrix<const T>, Matrix<T>);                                         \
    template void absolute(Matrix<const T>, Matrix<const T>, Matrix<T>);                                       \
    template void chi_squared(Matrix<const T>, Matrix<const T>, Matrix<T>);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
