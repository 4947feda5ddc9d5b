#include "sparse.h"

#include "merge.h"
#include "near.h"
#include "numbers.h"

namespace mercer::MERCER_ISA {

template <class T, class I>
void dots(Compressed<T, I> A, Compressed<T, I> C, Matrix<T> out) {
    for (Index i = 0; i < out.rows; ++i) {
        T* row = out.row(i);
        for (Index j = 0; j < out.cols; ++j) row[j] = 0;
        for (Index p = A.begin(i); p < A.end(i); ++p) {
            const Index k = A.index[p];
            const T a = A.value[p];
            for (Index q = C.begin(k), end = C.end(k); q < end; ++q) row[C.index[q]] += times(a, C.value[q]);
        }
    }
}

template <class T, class I>
void sparse_from_dots(Matrix<T> G, Vector<const T> xx, Vector<const T> yy, Compressed<T, I> A, Compressed<T, I> B) {
    distances_from_dots(G, xx.data, yy.data, [=](Index i, Index j) {
        return merged(A, i, B, j, [](T a, T b) { return (a - b) * (a - b); });
    });
}

#define DOTS(T, I) template void dots(Compressed<T, I>, Compressed<T, I>, Matrix<T>);
#define INSTANTIATE(T, I)                                                                                           \
    DOTS(T, I)                                                                                                      \
    DOTS(std::complex<T>, I)                                                                                        \
    template void sparse_from_dots(Matrix<T>, Vector<const T>, Vector<const T>, Compressed<T, I>, Compressed<T, I>);
INSTANTIATE(float, std::int32_t)
INSTANTIATE(float, std::int64_t)
INSTANTIATE(double, std::int32_t)
INSTANTIATE(double, std::int64_t)
#undef INSTANTIATE
#undef DOTS

}  // namespace mercer::MERCER_ISA
