// Kernels of rows of numbers: k(x, y) = f(|x - y|^2), evaluated for chosen rows without a return to Python.
//
// Squared distances keep their digits as in kernels/prepared_rows.py: s = |x|^2 + |y|^2 - 2 <x, y> by one matrix product,
// and where that is a small difference of large numbers the sum of squares itself.

#include "blas.h"
#include "row_kernel_types.h"
#include "views.h"

namespace mercer::MERCER_ISA {

// out = k(x_i, x_j) for i in I, j in J; rows of `out` are `stride` apart.
template <class T>
void kernel_block(const RowKernel<T>& kernel, Vector<const Index> I, Vector<const Index> J, T* out, Index stride,
                  const Blas& blas);

// out_i = sum_j k(x_i, x_j) v_j for i in I, a panel of rows at a time, summed in double precision.
template <class T>
void kernel_product(const RowKernel<T>& kernel, Vector<const Index> I, Vector<const Index> J, const double* v,
                    double* out, const Blas& blas);

}  // namespace mercer::MERCER_ISA
