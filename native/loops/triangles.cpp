#include "triangles.h"

#include <cmath>

#include "numbers.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index BLOCK = 32;  // a block of 32 x 32 numbers stays in the first-level cache while it is turned

// put(i, j) for every j < i < n, block by block.
template <class Put>
void under_diagonal(Index n, Put put) {
    for (Index i0 = 0; i0 < n; i0 += BLOCK) {
        const Index bottom = i0 + BLOCK < n ? i0 + BLOCK : n;
        for (Index j0 = 0; j0 <= i0; j0 += BLOCK)
            for (Index i = i0; i < bottom; ++i)
                for (Index j = j0, end = j0 + BLOCK < i ? j0 + BLOCK : i; j < end; ++j) put(i, j);
    }
}

}  // namespace

template <class T>
void mirror_lower(Matrix<T> A) {
    under_diagonal(A.rows, [=](Index i, Index j) { A(j, i) = conjugate(A(i, j)); });
}

template <class T>
void mirror_upper(Matrix<T> A) {
    under_diagonal(A.rows, [=](Index i, Index j) { A(i, j) = conjugate(A(j, i)); });
}

double largest(Matrix<const double> A) {
    double most = 0;
    for (Index i = 0; i < A.rows; ++i) {
        const double* row = A.row(i);
#pragma omp simd reduction(max : most)
        for (Index j = 0; j <= i; ++j) {
            const double size = std::abs(row[j]);
            most = size > most ? size : most;
        }
    }
    return most;
}

#define INSTANTIATE(T)                      \
    template void mirror_lower(Matrix<T>);  \
    template void mirror_upper(Matrix<T>);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
