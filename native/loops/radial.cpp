#include "radial.h"

#include <cmath>

#include "exp.h"

namespace mercer::MERCER_ISA {

template <class T>
void exponential(Matrix<T> S, double c) {
    const T scale = static_cast<T>(c);
    for (Index i = 0; i < S.rows; ++i) {
        T* row = S.row(i);
        for (Index j = 0; j < S.cols; ++j) row[j] = exp_minus(scale * row[j]);
    }
}

namespace {

// S <- P(t) exp(-t), t = sqrt(c S), with COUNT coefficients, or any number if COUNT is 0.  A loop over entries that
// holds one over coefficients is vectorised only where their number is known.
template <int COUNT, class T>
void polynomial_exponential_of(Matrix<T> S, double c, Vector<const double> coefficients) {
    const T scale = static_cast<T>(c);
    const Index count = COUNT > 0 ? COUNT : coefficients.size;
    for (Index i = 0; i < S.rows; ++i) {
        T* row = S.row(i);
#pragma omp simd
        for (Index j = 0; j < S.cols; ++j) {
            const T t = std::sqrt(scale * row[j]);
            T p = 0;
            for (Index k = 0; k < count; ++k) p = p * t + static_cast<T>(coefficients[k]);
            row[j] = p * exp_minus(t);
        }
    }
}

}  // namespace

template <class T>
void polynomial_exponential(Matrix<T> S, double c, Vector<const double> coefficients) {
    switch (coefficients.size) {
        case 1: return polynomial_exponential_of<1>(S, c, coefficients);
        case 2: return polynomial_exponential_of<2>(S, c, coefficients);
        case 3: return polynomial_exponential_of<3>(S, c, coefficients);
        case 4: return polynomial_exponential_of<4>(S, c, coefficients);
        case 5: return polynomial_exponential_of<5>(S, c, coefficients);
        case 6: return polynomial_exponential_of<6>(S, c, coefficients);
        case 7: return polynomial_exponential_of<7>(S, c, coefficients);
        case 8: return polynomial_exponential_of<8>(S, c, coefficients);
        case 9: return polynomial_exponential_of<9>(S, c, coefficients);
        default: return polynomial_exponential_of<0>(S, c, coefficients);
    }
}

template <class T>
void ornstein_uhlenbeck_slope(Matrix<T> S, double c) {
    const T scale = static_cast<T>(c), half = static_cast<T>(-0.5 * c);
    for (Index i = 0; i < S.rows; ++i) {
        T* row = S.row(i);
        for (Index j = 0; j < S.cols; ++j) {
            const T t = std::sqrt(scale * row[j]);
            const T slope = half * exp_minus(t) / t;
            row[j] = t > 0 ? slope : 0 * t;
        }
    }
}

template void exponential(Matrix<float>, double);
template void exponential(Matrix<double>, double);
template void polynomial_exponential(Matrix<float>, double, Vector<const double>);
template void polynomial_exponential(Matrix<double>, double, Vector<const double>);
template void ornstein_uhlenbeck_slope(Matrix<float>, double);
template void ornstein_uhlenbeck_slope(Matrix<double>, double);

}  // namespace mercer::MERCER_ISA
