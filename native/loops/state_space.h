// Gaussian processes on a line whose values are the first entry of a Markov process: exact conditioning in O(n).
//
// The Matern kernel of order J - 1/2 (J = 1, 2, 3) is that of a state z of J numbers, derivatives of f in units of
// its rate.  Over a gap of u (in units of 1 / rate)
//
//     z(t + u) = A z(t) + noise,   A = exp(F u),   cov(noise) = variance Q(u),   cov(z) = variance P
//
// and one pass of Kalman's filter gives L^-1 y for the factor L of the covariance of noisy values, row by row.

#include "views.h"

#ifndef MERCER_LOOPS_STATE_SPACE
#define MERCER_LOOPS_STATE_SPACE

namespace mercer {  // types, the same for every instruction set

constexpr Index PARAMETERS = 3;     // log lengthscale, log variance, variance of the noise
constexpr Index MOST_COLUMNS = 16;  // of targets

// Noisy values of several functions at the same places, in order.
struct Line {
    Index order;                 // J
    Vector<const double> gaps;   // from the place before, in units of 1 / rate; the first one is not read
    Matrix<const double> Y;      // (n, c)
    Vector<const double> noise;  // variance of the noise of every place
    double variance;             // of f
};

// What a pass returns.  `products` is Y'M^-1 Y, c x c; slopes are 0 unless they are asked for.
struct LineSums {
    double log_determinant;
    Vector<double> log_determinant_slopes;  // PARAMETERS
    Vector<double> products;                // c * c
    Vector<double> product_slopes;          // PARAMETERS * c * c
};

// State after every place given all places up to it: means (n, c * J), covariances (n, J * J); no rows: not wanted.
struct LineStates {
    Matrix<double> means, covariances;
};

}  // namespace mercer

#endif

namespace mercer::MERCER_ISA {

// One pass over all places.
void filter_line(const Line& line, bool with_slopes, LineSums& sums, LineStates states);

// A (J x J) for every gap, into a row each.
void line_transitions(Index order, Vector<const double> gaps, Matrix<double> A);

}  // namespace mercer::MERCER_ISA
