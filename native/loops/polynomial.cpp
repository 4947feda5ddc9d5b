#include "polynomial.h"

#include "numbers.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index PIECE = 256;  // entries whose powers are computed together, in the first-level cache

// row_j <- (scale row_j + offset)^DEGREE; 0 if all results are finite, else NaN.
template <int DEGREE, class T>
Real<T> small_power(T* row, Index m, Real<T> scale, Real<T> offset) {
    Real<T> fault = 0;
#pragma omp simd reduction(+ : fault)
    for (Index j = 0; j < m; ++j) {
        const T base = row[j] * scale + offset;
        T value = base;
        for (int d = 1; d < DEGREE; ++d) value = times(value, base);
        row[j] = value;
        fault += not_finite(value);
    }
    return fault;
}

// row_j <- (scale row_j + offset)^degree, degree > 1, for at most PIECE entries; 0 if all results are finite, else NaN.
template <class T>
Real<T> power(T* row, Index m, Real<T> scale, Real<T> offset, Index degree) {
    T base[PIECE];
    Real<T> fault = 0;
    for (Index j = 0; j < m; ++j) row[j] = base[j] = row[j] * scale + offset;
    for (Index d = 2; d < degree; ++d)
        for (Index j = 0; j < m; ++j) row[j] = times(row[j], base[j]);
#pragma omp simd reduction(+ : fault)
    for (Index j = 0; j < m; ++j) {
        row[j] = times(row[j], base[j]);
        fault += not_finite(row[j]);
    }
    return fault;
}

// row_j <- sum_m c_m row_j^m for at most PIECE entries; 0 if all results are finite, else NaN.
template <class T>
Real<T> polynomial(T* row, Index m, Vector<const double> coefficients) {
    T base[PIECE];
    Real<T> fault = 0;
    for (Index j = 0; j < m; ++j) {
        base[j] = row[j];
        row[j] = 0;
    }
    for (Index k = 0; k < coefficients.size; ++k) {
        const Real<T> c = static_cast<Real<T>>(coefficients[k]);
        for (Index j = 0; j < m; ++j) row[j] = times(row[j], base[j]) + c;
    }
#pragma omp simd reduction(+ : fault)
    for (Index j = 0; j < m; ++j) fault += not_finite(row[j]);
    return fault;
}

// Do work(piece, size) for every piece of every row; whether all of it returned 0.
template <class T, class Work>
bool by_pieces(Matrix<T> G, Work work) {
    Real<T> fault = 0;
    for (Index i = 0; i < G.rows; ++i)
        for (Index j = 0; j < G.cols; j += PIECE)
            fault += work(G.row(i) + j, G.cols - j < PIECE ? G.cols - j : PIECE);
    return fault == 0;
}

}  // namespace

template <class T>
bool affine_power(Matrix<T> G, double scale, double offset, Index degree) {
    const Real<T> a = static_cast<Real<T>>(scale), b = static_cast<Real<T>>(offset);
    return by_pieces(G, [=](T* row, Index m) {
        if (degree == 1) return small_power<1>(row, m, a, b);
        if (degree == 2) return small_power<2>(row, m, a, b);
        if (degree == 3) return small_power<3>(row, m, a, b);
        return power(row, m, a, b, degree);
    });
}

template <class T>
bool horner(Matrix<T> G, Vector<const double> coefficients) {
    return by_pieces(G, [=](T* row, Index m) { return polynomial(row, m, coefficients); });
}

#define INSTANTIATE(T)                                             \
    template bool affine_power(Matrix<T>, double, double, Index);  \
    template bool horner(Matrix<T>, Vector<const double>);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
