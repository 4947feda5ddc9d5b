// Pairs of things that two orders put the other way round.

#include "views.h"

namespace mercer::MERCER_ISA {

// out_ij <- the number of pairs that row i of A and row j of B order differently; B_jt is the t-th thing in the order j,
// A_it the place of thing t in the order i.  `scratch` has two rows as long as those of A.
void discordant(Matrix<const std::int32_t> A, Matrix<const std::int32_t> B, Matrix<std::int32_t> scratch,
                Matrix<double> out);

}  // namespace mercer::MERCER_ISA
