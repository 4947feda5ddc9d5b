// The sum of exp(score) over all local alignments of two sequences.

#include "sequence_types.h"

namespace mercer::MERCER_ISA {

// out_ij <- log(1 + sum over local alignments of at least one pair of the product of their factors), in O(|a| |b|).
// Sums are brought back into the range of float64 where they leave it, so that sequences may be of any length.
void log_local_alignments(Sequences A, Sequences B, Pairs pairs, AlignmentFactors factors, Matrix<double> out);

}  // namespace mercer::MERCER_ISA
