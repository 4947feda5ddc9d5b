// Common subsequences of two sequences, each weighted by the length it spans in both.

#include "sequence_types.h"

namespace mercer::MERCER_ISA {

// value_ij <- sum over pairs of increasing places (p_1 < ... < p_n in a_i, q_1 < ... < q_n in b_j) that hold the same
// n letters of decay^(span of p + span of q), n = `length`, span = last - first + 1.  Every row of work is linear
// in the longer sequence: O(length |a| |b|).  With `shorter`,
// subsequences of fewer letters count, too.  `slope`, if it has any rows, gets the derivative in `decay`.
void gap_weighted(Sequences A, Sequences B, Pairs pairs, Index length, bool shorter, double decay,
                  Matrix<double> value, Matrix<double> slope);

}  // namespace mercer::MERCER_ISA
