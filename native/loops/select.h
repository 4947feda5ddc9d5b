// Selection: the few smallest entries of long rows that arrive in pieces.

#include "views.h"

namespace mercer::MERCER_ISA {

// Merge the columns start, start + 1, ... in A into each row's ascending list of its smallest entries.
template <class T>
void smallest(Matrix<const T> A, Index start, Matrix<Index> index, Matrix<double> best);

}  // namespace mercer::MERCER_ISA
