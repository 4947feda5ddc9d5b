#include "sparse_pairs.h"

#include <cmath>

#include "merge.h"
#include "near.h"

namespace mercer::MERCER_ISA {

namespace {

// sums_i <- the sum of |value| over line i.
template <class T, class I>
void absolute_sums(Compressed<T, I> A, T* sums) {
    for (Index i = 0; i < A.lines; ++i) {
        sums[i] = 0;
        for (Index p = A.begin(i); p < A.end(i); ++p) sums[i] += std::abs(A.value[p]);
    }
}

// out_ij <- sum_k term(a_ik, b_jk), term(x, y) = |x| + |y| + both(x, y) with both(x, 0) = both(0, y) = 0.
template <class T, class I, class Both, class Term>
void distances(Compressed<T, I> A, Compressed<T, I> B, Compressed<T, I> C, Matrix<T> out, T* scratch, Both both,
               Term term) {
    const T near = static_cast<T>(NEAR);
    T *sums = scratch, *others = scratch + A.lines;
    absolute_sums(A, sums);
    absolute_sums(B, others);
    for (Index i = 0; i < out.rows; ++i) {
        T* row = out.row(i);
        for (Index j = 0; j < out.cols; ++j) row[j] = sums[i] + others[j];
        for (Index p = A.begin(i); p < A.end(i); ++p)
            for (Index k = A.index[p], q = C.begin(k); q < C.end(k); ++q)
                row[C.index[q]] += both(A.value[p], C.value[q]);
        for (Index j = 0; j < out.cols; ++j)
            if (row[j] < near * (sums[i] + others[j])) row[j] = merged(A, i, B, j, term);
    }
}

}  // namespace

template <class T, class I>
void sparse_absolute(Compressed<T, I> A, Compressed<T, I> B, Compressed<T, I> C, Matrix<T> out, T* scratch) {
    distances(
        A, B, C, out, scratch, [](T x, T y) { return std::abs(x - y) - std::abs(x) - std::abs(y); },
        [](T x, T y) { return std::abs(x - y); });
}

template <class T, class I>
void sparse_chi_squared(Compressed<T, I> A, Compressed<T, I> B, Compressed<T, I> C, Matrix<T> out, T* scratch) {
    distances(
        A, B, C, out, scratch, [](T x, T y) { return x + y > 0 ? -4 * x * y / (x + y) : T(0); },
        [](T x, T y) { return x + y > 0 ? (x - y) * (x - y) / (x + y) : T(0); });
}

#define INSTANTIATE(T, I)                                                                                            \
    template void sparse_absolute(Compressed<T, I>, Compressed<T, I>, Compressed<T, I>, Matrix<T>, T*);              \
    template void sparse_chi_squared(Compressed<T, I>, Compressed<T, I>, Compressed<T, I>, Matrix<T>, T*);
INSTANTIATE(float, std::int32_t)
INSTANTIATE(float, std::int64_t)
INSTANTIATE(double, std::int32_t)
INSTANTIATE(double, std::int64_t)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
