#include "halves.h"

#include <cmath>

namespace mercer::MERCER_ISA {

template <class T>
void scaled_half(Matrix<const T> K, Vector<const Index> items, Vector<const double> s, double least, Matrix<float> A) {
    for (Index a = 0; a < items.size; ++a) {
        const T* k = K.row(items[a]);
        const double own = s[items[a]];
        const Index* item = items.data;
        float* row = A.row(a);
#pragma omp simd
        for (Index b = 0; b <= a; ++b) {
            const double value = own * s.data[item[b]] * static_cast<double>(k[item[b]]);
            row[b] = std::abs(value) >= least ? static_cast<float>(value) : 0.0f;
        }
    }
}

template void scaled_half(Matrix<const float>, Vector<const Index>, Vector<const double>, double, Matrix<float>);
template void scaled_half(Matrix<const double>, Vector<const Index>, Vector<const double>, double, Matrix<float>);

}  // namespace mercer::MERCER_ISA
