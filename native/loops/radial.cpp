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

template <class T>
void polynomial_exponential(Matrix<T> S, double c, Vector<const double> coefficients) {
    const T scale = static_cast<T>(c);
    for (Index i = 0; i < S.rows; ++i) {
        T* row = S.row(i);
        for (Index j = 0; j < S.cols; ++j) {
            const T t = std::sqrt(scale * row[j]);
            T p = 0;
            for (Index k = 0; k < coefficients.size; ++k) p = p * t + static_cast<T>(coefficients[k]);
            row[j] = p * exp_minus(t);
        }
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
