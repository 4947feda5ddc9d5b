// Distances of sparse rows that are sums over columns.
//
// A column that only one row holds contributes a term of that row alone.  So a distance is the sum of what each row
// would contribute by itself, less a correction from the columns that both rows hold: few, and found by columns.  For
// near rows this is a small difference of large numbers, and the two sorted rows are merged instead (near.h, merge.h).
//
// A is given by rows, B by rows and, as C, by columns.  `scratch` has room for A.lines + B.lines numbers.

#include "compressed.h"

namespace mercer::MERCER_ISA {

// out_ij <- sum_k |a_ik - b_jk|.
template <class T, class I>
void sparse_absolute(Compressed<T, I> A, Compressed<T, I> B, Compressed<T, I> C, Matrix<T> out, T* scratch);

// out_ij <- sum_k (a_ik - b_jk)^2 / (a_ik + b_jk), all entries >= 0, with 0 / 0 = 0.
template <class T, class I>
void sparse_chi_squared(Compressed<T, I> A, Compressed<T, I> B, Compressed<T, I> C, Matrix<T> out, T* scratch);

}  // namespace mercer::MERCER_ISA
