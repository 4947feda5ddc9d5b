// Square matrices of which one triangle says everything.

#include "views.h"

namespace mercer::MERCER_ISA {

// A_ji <- A_ij* for j < i: the lower triangle onto the upper one.
template <class T>
void mirror_lower(Matrix<T> A);

// A_ij <- A_ji* for j < i: the upper triangle onto the lower one.
template <class T>
void mirror_upper(Matrix<T> A);

// max |A_ij| on and under the diagonal, 0 if A is empty.
double largest(Matrix<const double> A);

}  // namespace mercer::MERCER_ISA
