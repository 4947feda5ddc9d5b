// Sums of Gaussian windows over all other rows, sum_{j != i} w_j exp(-c s_ij) with s_ij = |x_i - x_j|^2, for many c.
//
// Rows lie tile by tile, so that rows of a tile are near to each other; Xt has a row for every column of the data.

#include "pair_sums_types.h"
#include "views.h"

namespace mercer::MERCER_ISA {

// sums(k, i) += sum_j w_j e_ijk and, unless it has no rows, moments(k, i) += sum_j w_j s_ij e_ijk, e_ijk = exp(-c_k s_ij),
// over the pairs of tiles (I, J), J >= I, I = first, first + step, ...: every pair once, for both of its rows.
//
// c ascends.  A pair of tiles is left out at the c for which e_ijk <= exp(-cut) on it.  Where root[k] >= 0, c_k must be
// twice c at that place, and e is the square of e at that place; else root[k] is -1.
void gaussian(Matrix<const double> Xt, Vector<const double> w, const Tiles& tiles, Vector<const double> c,
              Vector<const Index> root, double cut, Index first, Index step, Matrix<double> sums,
              Matrix<double> moments);

// For row i = rows[r] and c[r], with m = min s_ij over the other rows j of positive weight: nearest[r] <- m, and
// sums[r] <- sum_j w_j e_j, moments[r] <- sum_j w_j s_ij e_j with e_j = exp(-c[r] (s_ij - m)), which does not underflow.
void above_nearest(Matrix<const double> Xt, Vector<const double> w, Vector<const Index> rows, Vector<const double> c,
                   Vector<double> nearest, Vector<double> sums, Vector<double> moments);

}  // namespace mercer::MERCER_ISA
