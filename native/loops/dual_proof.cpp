#include "dual_proof.h"

#include <cmath>
#include <initializer_list>

#include "box.h"
#include "buffer.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr double FORBIDDEN = 0.1 * NEVER;           // beyond this a bound forbids the move
constexpr double SHARPEST = 1e-9, COARSEST = 1e-2;  // how near an edge counts as on it
constexpr double NEAR = 1e-12;                      // of the largest coefficient: one this near to a bound is at it

double largest(const double* a, Index size) {
    double most = 0.0;
    for (Index i = 0; i < size; ++i) most = larger(most, size_of(a[i]));
    return most;
}

// A feasible primal value of a hard margin: w is scaled up until every constraint y f >= 1 holds; t are the slacks.
//
// Infinite where w does not separate, and for a tube, which is not entered by scaling.
double rescaled(const Box& box, const double* z, const double* t, double norm2) {
    double worst = 0.0;
    for (Index i = 0; i < box.size; ++i) {
        const bool hard = std::isinf(box.hi[i] - box.lo[i]), label = box.lo[i] == 0.0 || box.hi[i] == 0.0;
        if (!(hard && label)) return HUGE_VAL;
        if ((t[i] > 0.0 && z[i] > 0.0) || (t[i] < 0.0 && z[i] < 0.0)) worst = larger(worst, size_of(t[i]));
    }
    return worst < 1.0 ? 0.5 * norm2 / ((1.0 - worst) * (1.0 - worst)) : HUGE_VAL;
}

int regime_of(Task task, double z, double f, double b, double epsilon, double tol) {
    switch (task) {
        case Task::regression: return regression_regime(z - f, b, epsilon, tol);
        case Task::novelty: return novelty_regime(f, b, tol);
        default: return classification_regime(z * f, b, tol);
    }
}

}  // namespace

Offset best_offset(const double* b, const double* F, const double* lo, const double* hi, Index size, double epsilon) {
    const double near = NEAR * largest(b, size);
    double most = -NEVER, least = NEVER, low = -NEVER, high = NEVER, total = 0.0;
    Index count = 0;
    for (Index i = 0; i < size; ++i) {
        most = larger(most, up_offset(b[i], hi[i], epsilon) - F[i]);
        least = smaller(least, down_offset(b[i], lo[i], epsilon) - F[i]);
        // what rounding has left between a coefficient and its bound, or 0, must not decide the offset
        const double c = size_of(b[i]) <= near ? 0.0 : hi[i] - b[i] <= near ? hi[i] : b[i] - lo[i] <= near ? lo[i] : b[i];
        const double gain = up_offset(c, hi[i], epsilon) - F[i];
        low = larger(low, gain);
        high = smaller(high, down_offset(c, lo[i], epsilon) - F[i]);
        if (is_free(c, lo[i], hi[i])) {
            total += gain;
            ++count;
        }
    }
    double r = 0.0;
    if (count > 0) r = total / static_cast<double>(count);
    else if (low > -FORBIDDEN && high < FORBIDDEN) r = 0.5 * (low + high);
    else if (low > -FORBIDDEN) r = low;
    else if (high < FORBIDDEN) r = high;
    return {most, least, r};
}

void conjugate(const double* t, const double* lo, const double* hi, const double* ridge, Index size, double epsilon,
               double* out) {
    for (Index i = 0; i < size; ++i) {
        const double side = (t[i] > 0.0 ? t[i] : -t[i]) - epsilon, bound = t[i] > 0.0 ? hi[i] : -lo[i];
        if (!(side > 0.0 && bound > 0.0)) {  // infinity times 0 counts as 0
            out[i] = 0.0;
        } else if (ridge != nullptr && ridge[i] > 0.0) {
            const double c = smaller(side / ridge[i], bound);
            out[i] = side * c - 0.5 * ridge[i] * c * c;
        } else {
            out[i] = side * bound;
        }
    }
}

InnerProducts inner_products(const double* b, const double* F, const double* z, const double* ridge, const double* r,
                             Index size) {
    InnerProducts p{0.0, 0.0, 0.0, 0.0, 0.0};
    for (Index i = 0; i < size; ++i) {
        if (b[i] == 0.0) continue;
        p.bQb += b[i] * (F[i] + z[i]);
        p.zb += b[i] * z[i];
        p.size += size_of(b[i]);
        p.rb += b[i] * r[i];
        if (ridge != nullptr) p.bRb += b[i] * ridge[i] * b[i];
    }
    return p;
}

void move_to_sum(double* b, const double* lo, const double* hi, const bool* group, Index size, double total,
                 double* room) {
    for (int stage = 0; stage < 3; ++stage) {
        double missing = total, extent = 0.0, sum_room = 0.0;
        for (Index i = 0; i < size; ++i) {
            if (group == nullptr || group[i]) missing -= b[i];
            extent += size_of(b[i]);
        }
        if (size_of(missing) <= 1e-12 * extent) return;  // rounding must not make a coefficient of a zero
        const bool up = missing > 0.0;
        for (Index i = 0; i < size; ++i) {
            room[i] = 0.0;
            const bool inside = group == nullptr || group[i];
            const bool turn = stage == 2 || (b[i] != 0.0 && (stage == 1 || (b[i] > lo[i] && b[i] < hi[i])));
            if (!inside || !turn) continue;
            // the way back to zero is always there; the way on may be infinite, and then it is not needed
            const double back = up ? -b[i] : b[i], on = up ? hi[i] - b[i] : b[i] - lo[i];
            room[i] = back > 0.0 ? back : std::isfinite(on) ? on : 0.0;
            sum_room += room[i];
        }
        const double share = smaller(size_of(missing) / larger(sum_room, 1e-300), 1.0);
        for (Index i = 0; i < size; ++i) b[i] += (up ? share : -share) * room[i];
    }
}

Conditions conditions_of(const double* b, const double* slack, const double* lo, const double* hi, Index items,
                         double epsilon, double size, double unit) {
    Conditions c{0.0, 0.0, 0.0};
    for (Index i = 0; i < items; ++i) {
        for (double side : {1.0, -1.0}) {
            const double a = larger(side * b[i], 0.0) / size, top = (side > 0.0 ? hi[i] : -lo[i]) / size;
            const double s = (side * slack[i] - epsilon) / unit;
            const double over = top > 0.0 && s > 0.0 ? s : 0.0;
            if (std::isfinite(top))
                c.complementarity = larger(c.complementarity, smaller(larger(top - a, 0.0), 1.0) * over);
            else
                c.primal = larger(c.primal, over);
            c.complementarity = larger(c.complementarity, a * larger(-s, 0.0));
            c.outside = larger(c.outside, a - top);
        }
    }
    return c;
}

void classification_regimes(Vector<const double> margin, Vector<const double> b, double tol, Vector<Index> out) {
    for (Index i = 0; i < margin.size; ++i) out[i] = classification_regime(margin[i], b[i], tol);
}

void prove(const Box& box, const double* z, double total, Task task, double* scratch, double* proof) {
    const Index n = box.size;
    const Offset o = best_offset(box.b, box.F, box.lo, box.hi, n, box.epsilon);
    double sum = 0.0, unit = largest(z, n), loss = 0.0;
    for (Index i = 0; i < n; ++i) {
        sum += box.b[i];
        unit = larger(unit, size_of(box.F[i] + z[i]));
        scratch[i] = o.r;
    }
    const InnerProducts p = inner_products(box.b, box.F, z, nullptr, scratch, n);
    for (Index i = 0; i < n; ++i) scratch[i] = -box.F[i] - o.r;
    const double size = largest(box.b, n);
    const Conditions c = conditions_of(box.b, scratch, box.lo, box.hi, n, box.epsilon, size > 0.0 ? size : 1.0,
                                       unit > 0.0 ? unit : 1.0);
    const double hard = rescaled(box, z, scratch, p.bQb);
    conjugate(scratch, box.lo, box.hi, nullptr, n, box.epsilon, scratch);
    for (Index i = 0; i < n; ++i) loss += scratch[i];
    proof[BIAS] = o.r;
    proof[VIOLATION] = o.most - o.least;
    proof[PRIMAL] = std::isinf(loss) ? hard : 0.5 * p.bQb + p.rb + loss;
    proof[DUAL] = -(0.5 * p.bQb - p.zb + box.epsilon * p.size);
    proof[EQUALITY] = size_of(sum - total) / (size > 0.0 ? size : 1.0);
    proof[SLACK] = c.primal;
    proof[OUTSIDE] = c.outside;
    proof[COMPLEMENTARITY] = c.complementarity;
    for (int k = 0; k < 5; ++k) proof[REGIMES + k] = 0.0;
    const double tol = smaller(larger(o.most - o.least, SHARPEST), COARSEST);
    for (Index i = 0; i < n; ++i) {
        const double f = box.F[i] + z[i] + o.r;
        proof[REGIMES + regime_of(task, z[i], f, box.b[i], box.epsilon, tol)] += 1.0;
    }
}

}  // namespace mercer::MERCER_ISA
