// Smoothing of a scatterplot by local lines (Cleveland, J. Am. Stat. Assoc. 74, 1979).
//
// The value at t is that of the line which minimises sum_j w_j (y_j - a - b (x_j - t))^2 over the `count` points nearest
// to t, with w_j = weight_j (1 - |x_j - t|^3 / r^3)^3 and r the distance of the farthest of them.  x ascends.

#include "views.h"

namespace mercer::MERCER_ISA {

// The points at which a line is fitted if points within `delta` of the last one are interpolated; returns how many.
//
// The first of equal x stands for all of them.
Index line_places(Vector<const double> x, double delta, Vector<Index> places);

// values_t <- the local line at each of the ascending numbers `at`; `values` stays as it was where fewer than two points
// have a weight above 1e-12.  If all points nearest to t lie at t, the value is their weighted mean.
//
// Returns at how many the value stayed.
Index local_lines(Vector<const double> x, Vector<const double> y, Vector<const double> weight, Index count,
                  Vector<const double> at, Vector<double> values);

// out_i <- what straight lines between the (x[places], values) have at x_i; places ascend from 0 to the last x.
void between_places(Vector<const double> x, Vector<const Index> places, Vector<const double> values, Vector<double> out);

}  // namespace mercer::MERCER_ISA
