// Sums of rows of a stored matrix.

#include "views.h"

namespace mercer::MERCER_ISA {

// out += sum_k v_k K[J_k, :], four rows at a time, summed in the precision of `out`.
template <class T, class S>
void add_rows(Matrix<const T> K, Vector<const Index> J, Vector<const S> v, Vector<S> out);

}  // namespace mercer::MERCER_ISA
