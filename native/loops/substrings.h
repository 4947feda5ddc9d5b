// Substrings that two sequences have in common, of all lengths at once.

#include "sequence_types.h"

namespace mercer::MERCER_ISA {

// out_ij <- sum over all words u, not empty, of w_|u| times the number of pairs of places in a_i and b_j where u occurs.
// `sums[l]` is w_1 + ... + w_l for l up to the longest word that counts; longer ones count nothing.
//
// The suffix automaton of a_i is made once, in time linear in |a_i|; b_j is then read letter by letter: the state after
// a letter tells the longest word that ends there and occurs in a_i, and all its endings lie on the way to the root.
void common_substrings(Sequences A, Sequences B, Pairs pairs, Vector<const double> sums, Matrix<double> out);

}  // namespace mercer::MERCER_ISA
