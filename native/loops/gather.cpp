#include "gather.h"

namespace mercer::MERCER_ISA {

template <class T, class R>
void gather(Matrix<const T> K, Vector<const Index> rows, Vector<const Index> columns, Matrix<R> out) {
    const Index last = rows.size - 1;
    for (Index r = 0; r <= last; r += 4) {
        const Index s = r + 1 < last ? r + 1 : last, t = r + 2 < last ? r + 2 : last, u = r + 3 < last ? r + 3 : last;
        const T *k0 = K.row(rows[r]), *k1 = K.row(rows[s]), *k2 = K.row(rows[t]), *k3 = K.row(rows[u]);
        R *to0 = out.row(r), *to1 = out.row(s), *to2 = out.row(t), *to3 = out.row(u);
        for (Index c = 0; c < columns.size; ++c) {
            const Index k = columns[c];
            to0[c] = static_cast<R>(k0[k]);
            to1[c] = static_cast<R>(k1[k]);
            to2[c] = static_cast<R>(k2[k]);
            to3[c] = static_cast<R>(k3[k]);
        }
    }
}

template void gather(Matrix<const float>, Vector<const Index>, Vector<const Index>, Matrix<float>);
template void gather(Matrix<const double>, Vector<const Index>, Vector<const Index>, Matrix<double>);
template void gather(Matrix<const double>, Vector<const Index>, Vector<const Index>, Matrix<float>);

}  // namespace mercer::MERCER_ISA
