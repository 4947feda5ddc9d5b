// Polynomials of the entries of a tile, in place.  Each returns whether every result is finite.

#include "views.h"

namespace mercer::MERCER_ISA {

// G <- (scale G + offset)^degree, degree >= 1.
template <class T>
bool affine_power(Matrix<T> G, double scale, double offset, Index degree);

// G <- sum_m c_m G^m, coefficients from the highest power down.
template <class T>
bool horner(Matrix<T> G, Vector<const double> coefficients);

}  // namespace mercer::MERCER_ISA
