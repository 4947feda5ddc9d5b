// The numbers of a proof in one pass each: violation and offset, primal and dual, feasibility, conditions, regimes.
//
//     dual   = -(1/2 b'Qb - z'b + epsilon |b|_1),   Q = K + diag(ridge),   F = Q b - z
//     primal = 1/2 b'Qb + r'b + sum_i max_{lo <= c <= hi} [c t_i - epsilon |c| - ridge_i c^2 / 2],   t = -F - r + ridge b

#include "dual_types.h"

namespace mercer::MERCER_ISA {

// The offset of one group.
Offset best_offset(const double* b, const double* F, const double* lo, const double* hi, Index size, double epsilon);

// out_i = max over c in [lo, hi] of c t - epsilon |c| - ridge c^2 / 2; `ridge` may be null.
void conjugate(const double* t, const double* lo, const double* hi, const double* ridge, Index size, double epsilon,
               double* out);

// Of F = Q b - z; `ridge` may be null.
InnerProducts inner_products(const double* b, const double* F, const double* z, const double* ridge, const double* r,
                             Index size);

// Move the coefficients of a group within their box until they add up to `total`, in place; room is scratch.
//
// Free ones move first, then those at a bound, and zeros only when the others cannot do it.  `group` may be null: all.
void move_to_sum(double* b, const double* lo, const double* hi, const bool* group, Index size, double total,
                 double* room);

// The largest residual of each optimality condition; slack_i says how far item i asks b_i to rise.
Conditions conditions_of(const double* b, const double* slack, const double* lo, const double* hi, Index items,
                         double epsilon, double size, double unit);

// The regime of a classified item by its margin y f: beyond 1 is 0, on 1 is 1, in (0, 1) is 2, on 0 is 3, below 0 is 4.
inline int classification_regime(double margin, double b, double tol) {
    if (margin < 1.0 - tol) return 2 + (margin <= tol) + (margin < -tol);
    return margin <= 1.0 + tol && b != 0.0;
}

// The regime of every item.
void classification_regimes(Vector<const double> margin, Vector<const double> b, double tol, Vector<Index> out);

// The regime of a number by y - f: within epsilon is 0, on +epsilon 1, on -epsilon 2, above 3, below 4.
inline int regression_regime(double residual, double b, double epsilon, double tol) {
    if (residual > epsilon + tol) return 3;
    if (residual < -epsilon - tol) return 4;
    if (residual >= epsilon - tol && b > 0.0) return 1;
    return residual <= tol - epsilon && b < 0.0 ? 2 : 0;
}

// The regime of an item by its score f: positive is 0, on 0 is 1, negative is 2.
inline int novelty_regime(double score, double b, double tol) {
    if (score < -tol) return 2;
    return score <= tol && b != 0.0;
}

// Write the proof of b with F = K b - z, whose coefficients should add up to `total`; scratch holds `size` numbers.
void prove(const Box& box, const double* z, double total, Task task, double* scratch, double* proof);

}  // namespace mercer::MERCER_ISA
