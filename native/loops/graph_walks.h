// Walks that two graphs have in common: k = 1' (I - decay A)^-1 1, A the adjacency of their product.
//
// The value of a pair of graphs does not depend on which comes first, to the last bit.

#include "graph_types.h"

namespace mercer::MERCER_ISA {

// out_gh <- sum over eigenvalues a of g and b of h of weight(a) weight(b) / (1 - decay a b).
void spectral_walks(Spectra A, Spectra B, double decay, Matrix<double> out);

// out_gh <- the sum for product nodes of equal labels and product arcs of equal labels.
//
// Linear systems are solved by conjugate gradients if the graphs are undirected, else by x <- 1 + decay A x, whose
// error falls by the factor decay radius_g radius_h < 1 in the long run.  Both stop when x is exact up to rounding.
void product_walks(LabelledGraphs A, LabelledGraphs B, double decay, bool directed, Matrix<double> out);

}  // namespace mercer::MERCER_ISA
