#include "minima.h"

namespace mercer::MERCER_ISA {

template <class T, class I>
void minima(Compressed<T, I> A, Compressed<T, I> C, Matrix<T> out) {
    for (Index i = 0; i < out.rows; ++i) {
        T* row = out.row(i);
        for (Index j = 0; j < out.cols; ++j) row[j] = 0;
        for (Index p = A.begin(i); p < A.end(i); ++p) {
            const Index k = A.index[p];
            const T a = A.value[p];
            for (Index q = C.begin(k), end = C.end(k); q < end; ++q)
                row[C.index[q]] += a < C.value[q] ? a : C.value[q];
        }
    }
}

#define INSTANTIATE(T, I) template void minima(Compressed<T, I>, Compressed<T, I>, Matrix<T>);
INSTANTIATE(float, std::int32_t)
INSTANTIATE(float, std::int64_t)
INSTANTIATE(double, std::int32_t)
INSTANTIATE(double, std::int64_t)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
