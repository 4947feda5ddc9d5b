#include "bits.h"

#include <bit>

#include "buffer.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace mercer::MERCER_ISA {

namespace {

inline Index count(std::int64_t word) { return std::popcount(static_cast<std::uint64_t>(word)); }

// The ones of a & b.
Index common(const std::int64_t* a, const std::int64_t* b, Index words) {
    Index total = 0;
    for (Index w = 0; w < words; ++w) total += count(a[w] & b[w]);
    return total;
}

// c / (a + b - c), and 1 for 0 / 0.
inline double shared(double c, double a, double b) {
    const double all = a + b - c;
    return all > 0.0 ? c / all : 1.0;
}

#if defined(__AVX512F__)

#define COUNTS __attribute__((target("avx512f,avx512dq,avx512vpopcntdq")))

constexpr Index SIDE = 32;  // rows of B that are compared at a time: four vectors of eight

// turned(w, j) <- word w of row first + j of B, zeros behind its last row.
void turn(Matrix<const std::int64_t> B, Index first, Matrix<std::int64_t> turned) {
    for (Index w = 0; w < B.cols; ++w)
        for (Index j = 0; j < SIDE; ++j) turned(w, j) = first + j < B.rows ? B(first + j, w) : 0;
}

COUNTS inline __m512i counts(__m512i a, const std::int64_t* b) {
    return _mm512_popcnt_epi64(_mm512_and_si512(a, _mm512_loadu_si512(b)));
}

// sums_j <- the ones that a has in common with each of SIDE rows.
COUNTS inline void compare(const std::int64_t* a, Matrix<const std::int64_t> turned, double* sums) {
    __m512i s0 = _mm512_setzero_si512(), s1 = s0, s2 = s0, s3 = s0;
    for (Index w = 0; w < turned.rows; ++w) {
        const __m512i v = _mm512_set1_epi64(a[w]);
        const std::int64_t* b = turned.row(w);
        s0 = _mm512_add_epi64(s0, counts(v, b));
        s1 = _mm512_add_epi64(s1, counts(v, b + 8));
        s2 = _mm512_add_epi64(s2, counts(v, b + 16));
        s3 = _mm512_add_epi64(s3, counts(v, b + 24));
    }
    _mm512_storeu_pd(sums, _mm512_cvtepi64_pd(s0));
    _mm512_storeu_pd(sums + 8, _mm512_cvtepi64_pd(s1));
    _mm512_storeu_pd(sums + 16, _mm512_cvtepi64_pd(s2));
    _mm512_storeu_pd(sums + 24, _mm512_cvtepi64_pd(s3));
}

COUNTS void by_vectors(Matrix<const std::int64_t> A, Vector<const double> a, Matrix<const std::int64_t> B,
                       Vector<const double> b, Matrix<double> out) {
    Buffer<std::int64_t> memory(A.cols * SIDE);
    const Matrix<std::int64_t> turned{memory.data(), A.cols, SIDE, SIDE};
    const Matrix<const std::int64_t> read{memory.data(), A.cols, SIDE, SIDE};
    for (Index first = 0; first < B.rows; first += SIDE) {
        turn(B, first, turned);
        const Index used = smaller(SIDE, B.rows - first);
        for (Index i = 0; i < A.rows; ++i) {
            double sums[SIDE];
            compare(A.row(i), read, sums);
            double* to = out.row(i) + first;
#pragma omp simd
            for (Index j = 0; j < used; ++j) to[j] = shared(sums[j], a[i], b[first + j]);
        }
    }
}

#endif

}  // namespace

void ones(Matrix<const std::int64_t> A, Vector<double> sizes) {
    for (Index i = 0; i < A.rows; ++i) sizes[i] = static_cast<double>(common(A.row(i), A.row(i), A.cols));
}

void tanimoto(Matrix<const std::int64_t> A, Vector<const double> a, Matrix<const std::int64_t> B, Vector<const double> b,
              [[maybe_unused]] bool counts_vectors, Matrix<double> out) {
#if defined(__AVX512F__)
    if (counts_vectors) return by_vectors(A, a, B, b, out);
#endif
    for (Index i = 0; i < A.rows; ++i)
        for (Index j = 0; j < B.rows; ++j)
            out(i, j) = shared(static_cast<double>(common(A.row(i), B.row(j), A.cols)), a[i], b[j]);
}

}  // namespace mercer::MERCER_ISA
