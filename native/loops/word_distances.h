// Words of two sequences compared letter by letter: sums of a function of the number of letters that differ.

#include "sequence_types.h"

namespace mercer::MERCER_ISA {

// out_ij <- sum over all words u of `width` letters of a_i and v of b_j of weights[number of places where they differ],
// weights of larger numbers being 0.  Along a diagonal of places the number changes by one letter in and one out.
// Letters are below `alphabet`; those below 0 are equal to none.
void word_distances(Sequences A, Sequences B, Pairs pairs, Index alphabet, Index width, Vector<const double> weights,
                    Matrix<double> out);

}  // namespace mercer::MERCER_ISA
