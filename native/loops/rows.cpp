#include "rows.h"

#include "lanes.h"
#include "numbers.h"

namespace mercer::MERCER_ISA {

namespace {

// (v0 r0_i + v1 r1_i) + (v2 r2_i + v3 r3_i) for four rows.
template <class T, class S>
inline S four(const T* const* r, const S* v, Index i) {
    return (times(v[0], S(r[0][i])) + times(v[1], S(r[1][i]))) + (times(v[2], S(r[2][i])) + times(v[3], S(r[3][i])));
}

#ifdef MERCER_LANES
// The same for LANES entries from i on.
template <class T>
inline Doubles four_lanes(const T* const* r, const double* v, Index i) {
    return (v[0] * load(r[0] + i) + v[1] * load(r[1] + i)) + (v[2] * load(r[2] + i) + v[3] * load(r[3] + i));
}
#endif

// out_i += four(rows)_i for each of FOURS groups of four rows.
template <int FOURS, class T, class S>
void add_fours(Matrix<const T> K, const Index* J, const S* v, S* __restrict out, Index n) {
    const T* r[4 * FOURS];
    S w[4 * FOURS];
    for (int k = 0; k < 4 * FOURS; ++k) {
        r[k] = K.row(J[k]);
        w[k] = v[k];
    }
    Index i = 0;
#ifdef MERCER_LANES
    if constexpr (sizeof(S) == sizeof(double)) {
        for (; i + LANES <= n; i += LANES) {
            Doubles s = load(out + i);
            for (int f = 0; f < FOURS; ++f) s += four_lanes(r + 4 * f, w + 4 * f, i);
            store(out + i, s);
        }
    }
#endif
    for (; i < n; ++i)
        for (int f = 0; f < FOURS; ++f) out[i] += four(r + 4 * f, w + 4 * f, i);
}

// out_i += v r_i.
template <class T, class S>
void add_one(const T* r, S v, S* __restrict out, Index n) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) out[i] += times(v, S(r[i]));
}

}  // namespace

template <class T, class S>
void add_rows(Matrix<const T> K, Vector<const Index> J, Vector<const S> v, Vector<S> out) {
    Index k = 0;
    for (; k + 8 <= J.size; k += 8) add_fours<2>(K, J.data + k, v.data + k, out.data, out.size);
    for (; k + 4 <= J.size; k += 4) add_fours<1>(K, J.data + k, v.data + k, out.data, out.size);
    for (; k < J.size; ++k) add_one(K.row(J[k]), v[k], out.data, out.size);
}

template void add_rows(Matrix<const float>, Vector<const Index>, Vector<const double>, Vector<double>);
template void add_rows(Matrix<const double>, Vector<const Index>, Vector<const double>, Vector<double>);
template void add_rows(Matrix<const std::complex<float>>, Vector<const Index>, Vector<const std::complex<double>>,
                       Vector<std::complex<double>>);
template void add_rows(Matrix<const std::complex<double>>, Vector<const Index>, Vector<const std::complex<double>>,
                       Vector<std::complex<double>>);

}  // namespace mercer::MERCER_ISA
