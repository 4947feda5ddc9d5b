// Parts of a stored matrix.

#include "views.h"

namespace mercer::MERCER_ISA {

// out = K[rows, columns], four rows at a time, for one alone would wait for memory.
template <class T>
void gather(Matrix<const T> K, Vector<const Index> rows, Vector<const Index> columns, Matrix<T> out);

}  // namespace mercer::MERCER_ISA
