// Parts of a symmetric matrix in single precision.

#include "views.h"

namespace mercer::MERCER_ISA {

// A_ab <- s_i s_j K_ij, i = items_a, j = items_b, on and under the diagonal; 0 where that is less than `least`.
template <class T>
void scaled_half(Matrix<const T> K, Vector<const Index> items, Vector<const double> s, double least, Matrix<float> A);

}  // namespace mercer::MERCER_ISA
