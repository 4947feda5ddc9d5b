// Parts of a stored matrix.

#include "views.h"

namespace mercer::MERCER_ISA {

// out = K[rows, columns], in another precision if need be; four rows at a time, for one alone would wait for memory.
template <class T, class R>
void gather(Matrix<const T> K, Vector<const Index> rows, Vector<const Index> columns, Matrix<R> out);

}  // namespace mercer::MERCER_ISA
