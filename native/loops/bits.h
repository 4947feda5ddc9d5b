// Sets as rows of bits, 64 to a word.

#include "views.h"

namespace mercer::MERCER_ISA {

// sizes_i <- the number of ones in row i.
void ones(Matrix<const std::int64_t> A, Vector<double> sizes);

// out_ij <- the number of ones that row i of A and row j of B have in common.
// `counts_vectors`: the processor counts the ones of eight words in one instruction (AVX512_VPOPCNTDQ).
void common_ones(Matrix<const std::int64_t> A, Matrix<const std::int64_t> B, bool counts_vectors, Matrix<double> out);

}  // namespace mercer::MERCER_ISA
