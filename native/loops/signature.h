// The signature kernel of two paths, as the solution of its differential equation (Goursat) on a grid.
//
// Paths are given by their increments.  With D = scale <dx_i, dy_j> / 4^refinement, each cell of the grid is
//
//     k++ = (k+0 + k0+) (1 + D/2 + D^2/12) - k00 (1 - D^2/12),   k = 1 on both edges;
//
// every increment is cut into 2^refinement equal steps.  One row of the grid is kept.

#include "ragged.h"

namespace mercer::MERCER_ISA {

// out_ij <- the kernel of path i of X and path j of Y.
void signature(Ragged X, Ragged Y, double scale, Index refinement, Matrix<double> out);

// The same, and slope_ij <- its derivative in log(scale).
void signature_slope(Ragged X, Ragged Y, double scale, Index refinement, Matrix<double> out, Matrix<double> slope);

}  // namespace mercer::MERCER_ISA
