// What two sparse rows of numbers >= 0 have in common.

#include "compressed.h"

namespace mercer::MERCER_ISA {

// out_ij <- sum_k min(a_ik, b_jk); A by rows, B by columns as C.
template <class T, class I>
void minima(Compressed<T, I> A, Compressed<T, I> C, Matrix<T> out);

}  // namespace mercer::MERCER_ISA
