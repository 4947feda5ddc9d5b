// The smallest number of insertions, deletions and replacements of letters that make one sequence of another.

#include "sequence_types.h"

namespace mercer::MERCER_ISA {

// out_ij <- that number for a_i and b_j: 64 rows of the table of distances in a few operations on bits (Myers, 1999;
// Hyyro, 2003, for sequences of any length).  Letters are below `alphabet`; others are equal to none.
void edit_distances(Sequences A, Sequences B, Pairs pairs, Index alphabet, Matrix<double> out);

}  // namespace mercer::MERCER_ISA
