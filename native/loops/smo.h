// Second-order SMO on a stored Gram, in the signed variables of box.h.
//
// A step raises the i of the largest gain and lowers the j that promises the largest decrease of the objective.
// Two vectorised passes per step.  An argmax does not vectorise but an integer maximum does: the bits of a float, made
// order-preserving, carry the index in their low bits, so that one maximum yields both.

#include "dual_types.h"

namespace mercer::MERCER_ISA {

// Write the gain and cost offsets of every variable.
void offsets(Vector<const double> b, Vector<const double> lo, Vector<const double> hi, double epsilon,
             Vector<double> up, Vector<double> down);

// Steps in place on b and F until the violation is at most tol; variables before and after `split` are two groups.
template <class K, class R>
StepsEnd smo(Matrix<const K> gram, Vector<const K> diagonal, Vector<R> F, Vector<double> b, Vector<const double> lo,
           Vector<const double> hi, double epsilon, Index split, double tol, Index max_steps);

// Without an equality one variable moves at a time, that of the largest decrease; in place on b and F.
template <class K>
StepsEnd coordinate_descent(Matrix<const K> gram, Vector<const K> diagonal, Vector<double> F, Vector<double> b,
                          Vector<const double> lo, Vector<const double> hi, double epsilon, double tol,
                          Index max_steps);

}  // namespace mercer::MERCER_ISA
