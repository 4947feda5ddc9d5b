// Local regression on the points nearest to a centre, and surfaces blended from such fits at the vertices of boxes
// (Cleveland & Grosse, Statistics and Computing 1, 1991).
//
// At a centre q with squared radius rho, the point x has the weight v (1 - (|x - q|^2 / rho)^(3/2))^3, 0 beyond the radius.
// The terms of the polynomial are those of u = (x - q) / sqrt(rho).

#include "loess_types.h"

namespace mercer::MERCER_ISA {

// rho_c <- factor times the squared distance of the count-th nearest point to each centre; scratch for n numbers.
void squared_radii(Matrix<const double> Xt, Matrix<const double> centres, Index count, double factor,
                   Vector<double> scratch, Vector<double> rho);

// The same in one column, whose points ascend; start_c <- the first of these nearest points.
void sorted_radii(Vector<const double> x, Vector<const double> centres, Index count, double factor, Vector<Index> start,
                  Vector<double> rho);

// Weighted least squares at every centre, over the points start_c, ..., start_c + count - 1.
//
// fit_c <- value and gradient.  inverse_c <- the d + 1 rows that give them, fit = inverse sum_i w_i terms(u_i) y_i.
// noise_c <- sum_i of (w_i inverse_0 terms(u_i))^2 / v_i, the squared norm of the weights of y in the value.
// pivot_c <- the smallest pivot of the matrix of the normal equations with unit diagonal; where it is no more than
// `least`, the others stay as they were.  scratch holds local_scratch(points) numbers.
void local_fits(const LocalPoints& points, Vector<const double> y, Matrix<const double> centres,
                Vector<const double> rho, Vector<const Index> start, Index count, double least, Vector<double> scratch,
                Matrix<double> fit, Matrix<double> inverse, Vector<double> noise, Vector<double> pivot);

Index local_scratch(const LocalPoints& points);

// Rows c (d + 1), ..., c (d + 1) + d of out <- the weights of y_i in value and gradient at centre c, for the points of
// `points`, which may be some of all.
void operator_rows(const LocalPoints& points, Matrix<const double> centres, Vector<const double> rho,
                   Matrix<const double> inverse, Vector<double> scratch, Matrix<double> out);

// The value at each row of Z as a sum of coef times numbers of the vertices: index says which of (vertices, d + 1), value
// first.  What lies outside of all boxes is that of the box it would fall into, extrapolated.
void blend(const BoxTree& tree, Matrix<const double> Z, Matrix<Index> index, Matrix<double> coef);

// out_i <- the blended value at row i of Z.
void blended_values(const BoxTree& tree, Matrix<const double> Z, Vector<const double> numbers, Vector<double> out);

// out_i <- coef_i' G coef_i with the rows and columns of G that index_i names.
void sparse_quadratics(Matrix<const Index> index, Matrix<const double> coef, Matrix<const double> G, Vector<double> out);

}  // namespace mercer::MERCER_ISA
