// Inner products and squared distances of sparse rows, straight into a dense tile.

#include "compressed.h"

namespace mercer::MERCER_ISA {

// out <- A B^T: A by rows, C = B by columns; only matching entries are touched.
template <class T, class I>
void dots(Compressed<T, I> A, Compressed<T, I> C, Matrix<T> out);

// Overwrite G = A B^T with the squared distances, from the squared norms xx and yy; near pairs directly (near.h).
template <class T, class I>
void sparse_from_dots(Matrix<T> G, Vector<const T> xx, Vector<const T> yy, Compressed<T, I> A, Compressed<T, I> B);

}  // namespace mercer::MERCER_ISA
