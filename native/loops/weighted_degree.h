// Words that two sequences have at the same place.

#include "sequence_types.h"

namespace mercer::MERCER_ISA {

// out_ij <- sum_d weights[d - 1] times the number of places at which a_i and b_j hold the same d letters, d = 1, 2, ...
// Letters are below 2^bits; those below 0 are equal to none.  64 places are compared in a few operations.
void weighted_degree(Sequences A, Sequences B, Pairs pairs, int bits, Vector<const double> weights, Matrix<double> out);

}  // namespace mercer::MERCER_ISA
