// The ordinary stretch of the regularisation path of solvers/path.py: one event after another, none at the same time.
//
// Between events everything is linear in lambda.  The points F strictly inside their bounds move along
//
//     [0  y'] [d0]     [0]
//     [y  Q ] [d ] = - [1]          (over F; N is the inverse of this matrix)
//
// and an event adds one point to F or takes one away, which changes N by one rank.  Points on the elbow whose a_i is on
// a bound (copies of points of F, say) are watched: as soon as several of them have to move, the stretch is over.

#include "views.h"

#ifndef MERCER_LOOPS_PATH
#define MERCER_LOOPS_PATH

namespace mercer {  // types, the same for every instruction set

// What happens at a knot: a point reaches a = 0, reaches a = 1, or comes to the elbow.
constexpr Index ZERO = 0, ONE = 1, ENTER = 2;

// Where on the path we are; all but K and y are written to.
struct Walk {
    Matrix<const double> K;  // n x n
    Vector<const double> y;  // labels -1 and +1
    Vector<double> a, s;     // coefficients in [0, 1] and slacks
    Vector<bool> elbow;      // whether s_i = 0
    double lambda, a0;
    Vector<Index> F;   // the first e are the points strictly inside
    Index e;
    Matrix<double> N;  // the first e + 1 rows and columns are in use, the rest is room to grow
};

// The state after each event: lambda, a0, a, the kind of event and the point it happened to.
struct Knots {
    Vector<double> lambda, a0;
    Matrix<double> a;
    Vector<Index> kind, point;
};

// Numbers of scratch memory that `stroll` needs: d, ds, and two vectors for N.
constexpr Index stroll_scratch(Index n, Index room) { return 2 * n + 1 + 2 * room; }

}  // namespace mercer

#endif

namespace mercer::MERCER_ISA {

// Follow ordinary events down to lambda_min and write a knot for each; returns how many there were.  It ends before an
// event that is not ordinary, where N or F has no room left, or where the knots are full.
Index stroll(Walk& walk, double lambda_min, Knots knots, double* scratch);

}  // namespace mercer::MERCER_ISA
