// Coordinate ascent on the evidence of a few basis functions, one variance tau_i = 1 / alpha_i at a time.
//
// P_ij = phi_i' C^-1 phi_j and Q_i = phi_i' C^-1 t are all that is needed of the data; S_i = P_ii.  Adding, re-estimating
// and deleting function i are one operation: tau_i changes by d, and C becomes C + d phi_i phi_i'.
//
// Without function i its numbers are s = S / (1 - tau S) and q = Q / (1 - tau S).  The variance tau adds
//
//     L(tau) = 1/2 (q^2 tau / (1 + tau s) - log(1 + tau s))
//
// to the evidence, which is largest at tau = x / s, x = (q^2 - s) / s, where it is 1/2 (x - log(1 + x)); for x <= 0 the
// best variance is 0 (Tipping & Faul, 2003).
//
// A function counts only if S_i > grain_i (1 - tau_i S_i): what the others leave unexplained of it is more than rounding.

#include "views.h"

#ifndef MERCER_LOOPS_RVM
#define MERCER_LOOPS_RVM

namespace mercer {  // types, the same for every instruction set

// Numbers of scratch memory that `ascend` needs for n functions: so many doubles, and n of Index.
constexpr Index ascend_scratch(Index n) { return 4 * n; }

}  // namespace mercer

#endif

namespace mercer::MERCER_ISA {

// gain_j <- what the best change of tau_j alone adds to the evidence; best_j <- the variance it changes to.
void singles(Vector<const double> S, Vector<const double> Q, Vector<const double> tau, Vector<const double> grain,
             double* gain, double* best);

// gain_j <- what j outside (tau_j = 0) adds by replacing the best i inside, partner_j <- that i or -1, best_j <- the
// variance of j then.  Row k of PA is row A[k] of P.
void exchanges(Matrix<const double> PA, Vector<const Index> A, Vector<const double> S, Vector<const double> Q,
               Vector<const double> tau, Vector<const double> grain, double* gain, Index* partner, double* best);

// Make the best change while it adds more than tol, at most `most` times; returns how many were made.  P, which is
// symmetric, Q and tau are kept up to date.  Exchanges are looked at only when no single change is left.
Index ascend(Matrix<double> P, Vector<double> Q, Vector<double> tau, Vector<const double> grain, double tol, Index most,
             double* scratch, Index* partner);

}  // namespace mercer::MERCER_ISA
