#include "rvm.h"

#include <cmath>

#include "log1p.h"

namespace mercer::MERCER_ISA {

void singles(Vector<const double> S, Vector<const double> Q, Vector<const double> tau, Vector<const double> grain,
             double* gain, double* best) {
    const double *__restrict S_ = S.data, *__restrict Q_ = Q.data, *__restrict tau_ = tau.data,
                 *__restrict grain_ = grain.data;
    double *__restrict gain_ = gain, *__restrict best_ = best;
    const Index n = tau.size;
#pragma omp simd
    for (Index j = 0; j < n; ++j) {
        const double rest = 1.0 - tau_[j] * S_[j];
        const double s = S_[j] / rest, q = Q_[j] / rest;
        const double x = (q * q - s) / s, y = tau_[j] * s;
        const double above = x > 0.0 ? x : 0.0;
        // L(best) - L(tau), the two logarithms taken together
        const double more = 0.5 * (above - q * q * tau_[j] / (1.0 + y) - log_one_plus((above - y) / (1.0 + y)));
        const bool counts = (rest > 0.0) & (S_[j] > grain_[j] * rest);
        gain_[j] = counts ? more : 0.0;
        best_[j] = counts ? above / s : tau_[j];
    }
}

namespace {

// Look at every j outside in place of i alone: row is row i of P.
void exchange_one(Index i, const double* __restrict row, Vector<const double> S, Vector<const double> Q,
                  Vector<const double> tau, Vector<const double> grain, double* __restrict gain,
                  Index* __restrict partner, double* __restrict best) {
    const double rest = 1.0 - tau[i] * S[i];
    if (!(rest > 0.0)) return;
    const double Qi = Q[i], c = tau[i] / rest, y = c * S[i], q_i = Qi / rest;
    const double lost = 0.5 * (q_i * q_i * tau[i] / (1.0 + y) - log_one_plus(y));
    const double *__restrict S_ = S.data, *__restrict Q_ = Q.data, *__restrict tau_ = tau.data,
                 *__restrict grain_ = grain.data;
    const Index n = tau.size;
#pragma omp simd
    for (Index j = 0; j < n; ++j) {
        // s and q of j once i is gone
        const double s = S_[j] + c * row[j] * row[j], q = Q_[j] + c * row[j] * Qi;
        const double x = (q * q - s) / s;
        const double more = 0.5 * (x - log_one_plus(x > 0.0 ? x : 0.0)) - lost;
        const bool better = (tau_[j] == 0.0) & (S_[j] > grain_[j]) & (x > 0.0) & (more > gain[j]);
        gain[j] = better ? more : gain[j];
        partner[j] = better ? i : partner[j];
        best[j] = better ? x / s : best[j];
    }
}

// No j has a partner yet.
void no_exchange(Index n, double* gain, Index* partner, double* best) {
    for (Index j = 0; j < n; ++j) {
        gain[j] = 0.0;
        partner[j] = -1;
        best[j] = 0.0;
    }
}

// The first place of the largest number; 0 for none.
Index largest(const double* x, Index n) {
    Index at = 0;
    for (Index j = 1; j < n; ++j) at = x[j] > x[at] ? j : at;
    return at;
}

// row_k <- P_jk, of which only the lower triangle is kept up to date.
void row_of(Matrix<double> P, Index j, double* row) {
    for (Index k = 0; k <= j; ++k) row[k] = P(j, k);
    for (Index k = j + 1; k < P.rows; ++k) row[k] = P(k, j);
}

// tau_j <- value; Q <- Q - c Q_j p and P <- P - c p p' in its lower triangle, p = P_j, c = d / (1 + d P_jj).
void change(Matrix<double> P, Vector<double> Q, Vector<double> tau, Index j, double value, double* __restrict row) {
    constexpr Index width = 8;  // rows are updated in whole vectors: numbers right of the diagonal are not read
    const Index n = tau.size;
    row_of(P, j, row);
    const double d = value - tau[j], c = d / (1.0 + d * row[j]), cq = c * Q[j];
    double* __restrict q = Q.data;
    for (Index k = 0; k < n; ++k) q[k] -= cq * row[k];
    for (Index i = 0; i < n; ++i) {
        double* __restrict own = P.row(i);
        const double ci = c * row[i];
        const Index whole = (i + width) / width * width, end = whole < n ? whole : n;
        for (Index k = 0; k < end; ++k) own[k] -= ci * row[k];
    }
    tau[j] = value;
}

// P_ik <- P_ki for k > i.
void mirror(Matrix<double> P) {
    for (Index i = 0; i < P.rows; ++i)
        for (Index k = 0; k < i; ++k) P(k, i) = P(i, k);
}

Vector<const double> constant(Vector<double> x) { return {x.data, x.size}; }

}  // namespace

void exchanges(Matrix<const double> PA, Vector<const Index> A, Vector<const double> S, Vector<const double> Q,
               Vector<const double> tau, Vector<const double> grain, double* gain, Index* partner, double* best) {
    no_exchange(tau.size, gain, partner, best);
    for (Index k = 0; k < A.size; ++k) exchange_one(A[k], PA.row(k), S, Q, tau, grain, gain, partner, best);
}

Index ascend(Matrix<double> P, Vector<double> Q, Vector<double> tau, Vector<const double> grain, double tol, Index most,
             double* scratch, Index* partner) {
    const Index n = tau.size;
    double *gain = scratch, *best = scratch + n, *S = scratch + 2 * n, *row = scratch + 3 * n;
    const Vector<const double> diagonal{S, n}, q = constant(Q), variance = constant(tau);
    Index step = 0;
    for (; n > 0 && step < most; ++step) {
        for (Index i = 0; i < n; ++i) S[i] = P(i, i);
        singles(diagonal, q, variance, grain, gain, best);
        Index j = largest(gain, n);
        if (gain[j] > tol) {
            change(P, Q, tau, j, best[j], row);
            continue;
        }
        no_exchange(n, gain, partner, best);
        for (Index i = 0; i < n; ++i) {
            if (tau[i] == 0.0) continue;
            row_of(P, i, row);
            exchange_one(i, row, diagonal, q, variance, grain, gain, partner, best);
        }
        j = largest(gain, n);
        if (!(gain[j] > tol)) break;
        change(P, Q, tau, partner[j], 0.0, row);
        change(P, Q, tau, j, best[j], row);
    }
    mirror(P);
    return step;
}

}  // namespace mercer::MERCER_ISA
