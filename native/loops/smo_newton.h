// SMO that ends where plain SMO crawls: steps among the few items that decide, and proximal Newton steps once these are
// cheaper.
//
// At a large C most items are far from the margin, and the kernel matrix of the free ones is nearly singular: SMO would
// need millions of steps there, Newton steps some dozens.  A Newton run costs about the cube of the number of free
// coefficients, an SMO step the number of items it looks at; whoever changes over when both are equal pays at most
// twice what was needed.  Effort is counted in items looked at.
//
// Proximal Newton: around a centre c the dual with sigma |b - c|^2 / 2 added is minimised; the centre then moves there,
// sigma falls, and the violation, which is at most sigma |b - c|, falls with it.  The dual of one such problem is smooth
// and has no bounds:
//
//     minimise over x, beta  1/2 x'Kx + beta s + sum_i max_{lo <= p <= hi} [p t_i - epsilon |p| - sigma (p - c_i)^2 / 2]
//     t = z - K x - beta,   s = sum of c,   attained at p = P(t) = clip(soft(t + sigma c, epsilon) / sigma, lo, hi)
//
// and x = P(t) at its minimum.  A Newton step holds the p that are at a bound or at 0, and solves for the others at
// once: a system as large as the number of free coefficients.  At a small sigma P throws nearly all coefficients to their
// bounds as long as t is not right, so the first step is for those that are free in c.

#include "dual_types.h"
#include "lapack.h"

namespace mercer::MERCER_ISA {

// Improve b and F in place until the conditions hold to tol, on a stored Gram in single precision.
//
// `spent` steps have been made on this problem before; all effort is counted in steps among all items.
StepsEnd solve_whole(Matrix<const float> gram, const float* diagonal, Box box, double tol, Index max_steps, Index spent,
                     const Lapack& lapack);

// The items that could take part in a step: their gain exceeds some cost or their cost some gain, or does so but for
// `margin`.  Writes their places to `found`, which has room for all, and returns how many they are.
Index active_items(const Box& box, double margin, Index* found);

// Improve b among the items A alone until the conditions hold to tol there or the effort is spent; F of all follows.
Effort improve_among(const Index* A, Index count, Matrix<const float> gram, const float* diagonal, Box box, double tol,
                     double effort, double spent, const Lapack& lapack);

// Move the centre of Newton steps until the conditions hold to tol or the effort is spent.
Effort recentre(Matrix<const float> gram, Box box, double tol, double effort, const Lapack& lapack);

// Minimise around the centre box.b with the multiplier beta; writes x and F at x.
NearestEnd nearest(Matrix<const float> gram, Box centre, double beta, double total, double sigma, double* x,
                   double* Fx, const Lapack& lapack);

}  // namespace mercer::MERCER_ISA
