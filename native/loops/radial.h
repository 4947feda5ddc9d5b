// Functions of the squared distance: f(s) and df/ds, one pass over a tile, which is overwritten.

#include "views.h"

namespace mercer::MERCER_ISA {

// S <- exp(-c S): the Gaussian kernel of a squared distance, the Laplacian of an absolute one.
template <class T>
void exponential(Matrix<T> S, double c);

// S <- P(t) exp(-t), t = sqrt(c S): the Matern kernels of half-integer order; coefficients from the highest power down.
template <class T>
void polynomial_exponential(Matrix<T> S, double c, Vector<const double> coefficients);

// S <- d/ds exp(-sqrt(c s)) = -(c/2) exp(-t) / t, and 0 at s = 0, where it only ever multiplies 0.
template <class T>
void ornstein_uhlenbeck_slope(Matrix<T> S, double c);

}  // namespace mercer::MERCER_ISA
