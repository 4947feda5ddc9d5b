// Sets as rows of bits, 64 to a word.

#include "views.h"

namespace mercer::MERCER_ISA {

// sizes_i <- the number of ones in row i.
void ones(Matrix<const std::int64_t> A, Vector<double> sizes);

// out_ij <- c / (a_i + b_j - c), where c is the number of ones that row i of A and row j of B have in common, and a_i, b_j
// are the numbers of ones they have; 1 where there are none at all.
// `counts_vectors`: the processor counts the ones of eight words in one instruction (AVX512_VPOPCNTDQ).
void tanimoto(Matrix<const std::int64_t> A, Vector<const double> a, Matrix<const std::int64_t> B, Vector<const double> b,
              bool counts_vectors, Matrix<double> out);

}  // namespace mercer::MERCER_ISA
