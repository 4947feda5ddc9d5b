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

// The same powers, point by point, with a bandwidth h_i for each place: of the points first_i .. last_i - 1 but skip_i,
// under f(r) = (1 - r^a)^b up to r = 1, or with a = 0 under exp(-(r^2 - shift_i) / 2); r = |x_j - z_i| / h_i.
void near_powers(Vector<const double> x, Matrix<const double> V, Vector<const double> z, Vector<const double> h,
                 Vector<const double> shift, Vector<const Index> first, Vector<const Index> last,
                 Vector<const Index> skip, Index a, Index b, Index K, Matrix<double> out);

}  // namespace mercer::MERCER_ISA
