// Sums over the points of a line that lie near each of many places: powers in a window, and powers under a Gaussian.
//
// Points x and places z ascend.  Points are cut into short cells with sums of their own, so that a place costs a few
// cells and not all its points.  Sums of cells are added and never taken away again, so that no digits are lost.

#include "views.h"

namespace mercer::MERCER_ISA {

constexpr Index MOST_POWER = 24;  // of a window
constexpr Index MOST_MOMENT = 6;  // of a Gaussian

// out[i, c (K + 1) + k] = sum over z_i + low <= x_j <= z_i + high of V_jc ((x_j - z_i) / unit)^k, k = 0 .. K; with
// `open` the lower end is left out.
void window_powers(Vector<const double> x, Matrix<const double> V, Vector<const double> z, double low, double high,
                   double unit, bool open, Index K, Matrix<double> out);

// out[i, c (K + 1) + k] = sum_j V_jc u^k exp(-u^2 / 2), u = (x_j - z_i) / h, with an error of 1e-12 sum_j |V_jc| at most.
void gaussian_powers(Vector<const double> x, Matrix<const double> V, Vector<const double> z, double h, Index K,
                     Matrix<double> out);

}  // namespace mercer::MERCER_ISA
