// Points and values on a grid by cubic interpolation: weights of four nodes along each column.
//
// A function g is replaced by sum_j L_j(t) g_j over the four nodes around a place, with Lagrange's cubics L_j.  `spread`
// hands the weight of each point to the nodes, `read` takes values from them; both are the same matrix, one transposed.

#include "views.h"

namespace mercer::MERCER_ISA {

// moments(b, m) += sum of w t^m over the points in bin b of one column, m = 0, 1, 2, 3; t in [0, 1) is the place in the bin.
// A bin is (x - origin) * per_step; points must be in bins 0, ..., rows - 1.  `weight` may be empty.
template <class T>
void bin_moments(Vector<const T> x, Vector<const double> weight, double origin, double per_step, Matrix<double> moments);

// grid += the weights of all points, in two or three columns; `sizes` are the nodes along each.  Points have at least one
// node before them and two after.
template <class T>
void spread(Matrix<const T> X, Vector<const double> weight, Vector<const double> origin, Vector<const double> per_step,
            Vector<const Index> sizes, Vector<double> grid);

// out_i <- the interpolated value of the grid at row i of X, in one to three columns.
template <class T>
void read(Matrix<const T> X, Vector<const double> origin, Vector<const double> per_step, Vector<const Index> sizes,
          Vector<const double> grid, Vector<double> out);

}  // namespace mercer::MERCER_ISA
