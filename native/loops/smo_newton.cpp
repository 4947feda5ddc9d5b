#include "smo_newton.h"

#include <cmath>

#include "box.h"
#include "buffer.h"
#include "dual_proof.h"
#include "gather.h"
#include "rows.h"
#include "smo.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr double GOAL = 0.95;    // of the tolerance, for steps in single precision
constexpr Index SMALL = 64;      // items for which a gradient in double precision costs no more
constexpr double FALL = 0.2;     // share of the violation to which a change of centre brings it down
constexpr double AIM = 0.7;      // of the tolerance: it need not fall further
constexpr double LEAST = 1e-7;   // smallest sigma, about the precision of the entries
constexpr double RAISE = 4.0;    // factor of sigma where Newton steps did not come to an end
constexpr Index EASY = 12;       // Newton steps up to which a smaller sigma may be tried again
constexpr int FAILURES = 4;
constexpr double RUNS = 0.5;     // cost of a Newton run in units of the cube of the free coefficients
constexpr double SYSTEM = 0.05;  // cost of one linear system in units of the cube of its size
constexpr double FEW = 0.7;      // solve on the active items alone if they are below this share
constexpr double MARGIN = 0.25;  // share of the violation by which an item may miss a step and still be active
constexpr double GAIN = 0.1;     // share of the violation at which the active items are chosen again
constexpr Index NEWTON_STEPS = 20;  // for one centre
constexpr double FLAT = 0.1;        // share of the first slope at which a line search ends
constexpr int HALVINGS = 12;
constexpr double EQUAL = 1e-7;      // in units of F: two coefficients this near are the same

// The largest gain and the smallest cost.
struct Ends {
    double most, least;
    double violation() const { return most - least; }
};

Ends ends_of(const Box& p) {
    Ends e{-NEVER, NEVER};
    for (Index i = 0; i < p.size; ++i) {
        e.most = larger(e.most, up_offset(p.b[i], p.hi[i], p.epsilon) - p.F[i]);
        e.least = smaller(e.least, down_offset(p.b[i], p.lo[i], p.epsilon) - p.F[i]);
    }
    return e;
}

Index free_count(const Box& p) {
    Index count = 0;
    for (Index i = 0; i < p.size; ++i) count += is_free(p.b[i], p.lo[i], p.hi[i]);
    return count;
}

// How far a coefficient can be expected to move.
double reach(const Box& p) {
    double size = 0.0, width = 0.0;
    for (Index i = 0; i < p.size; ++i) {
        size = larger(size, size_of(p.b[i]));
        width = larger(width, p.hi[i] - p.lo[i]);
    }
    return smaller(width, 4.0 * size + 1e-30);
}

// F += K (b - before), where they differ.
void follow(Matrix<const float> K, const double* b, const double* before, Index size, double* F) {
    Buffer<Index> moved(size);
    Buffer<double> change(size);
    Index count = 0;
    for (Index i = 0; i < size; ++i) {
        if (b[i] != before[i]) {
            moved[count] = i;
            change[count++] = b[i] - before[i];
        }
    }
    add_rows<float, double>(K, {moved.data(), count}, {change.data(), count}, {F, K.cols});
}

// ---- proximal Newton

// What one minimisation around a centre works on.
class Centre {
   public:
    Centre(Matrix<const float> K, Box centre, double beta, double total, double sigma, double* x, double* Fx,
           const Lapack& lapack)
        : K_(K), c_(centre.b), lo_(centre.lo), hi_(centre.hi), q_(centre.size), epsilon_(centre.epsilon),
          beta_(beta), total_(total), sigma_(sigma), x_(x), F_(Fx), lapack_(lapack), p_(q_), e_(q_), change_(q_),
          J_(q_), values_(q_) {
        for (Index i = 0; i < q_; ++i) {
            x_[i] = c_[i];
            F_[i] = centre.F[i];
        }
    }

    NearestEnd run() {
        double tau = 0.0;
        if (first_step()) {
            advance(1.0);
            tau = 1.0;
        }
        turn_ = 0.0;
        Index made = 1;
        for (; made <= NEWTON_STEPS; ++made) {
            attain(0.0);
            if (tau == 1.0 && sigma_ * furthest() <= EQUAL) {
                into_the_box();
                return {true, made, largest_};
            }
            const Index count = free_of(p_.data());
            largest_ = larger(largest_, count);
            if (count == 0 || made == NEWTON_STEPS) break;
            if (!newton_step(count, p_.data())) break;
            tau = step_length();
            if (!(tau > 0.0)) break;
            advance(tau);
        }
        return {false, smaller(made, NEWTON_STEPS), largest_};
    }

   private:
    // p = P(t), t = -(F + tau change) - (beta + tau turn).
    void attain(double tau) {
        const double beta = beta_ + tau * turn_;
        for (Index i = 0; i < q_; ++i) {
            double t = sigma_ * c_[i] - F_[i] - beta;
            if (tau != 0.0) t -= tau * change_[i];
            t = t > epsilon_ ? t - epsilon_ : t < -epsilon_ ? t + epsilon_ : 0.0;
            p_[i] = smaller(larger(t / sigma_, lo_[i]), hi_[i]);
        }
    }

    // The derivative of the objective at x + tau e, beta + tau turn.
    double slope_at(double tau) {
        attain(tau);
        double slope = 0.0, sum = 0.0;
        for (Index i = 0; i < q_; ++i) {
            slope += (x_[i] + tau * e_[i] - p_[i]) * change_[i];
            sum += p_[i];
        }
        return slope - turn_ * (sum - total_);
    }

    // How far to go along a Newton step: 1, or where the objective has ceased to fall; 0 if it does not.
    double step_length() {
        const double first = slope_at(0.0);
        if (!(first < 0.0)) return 0.0;
        double tau = 1.0, low = 0.0, high = 1.0;
        for (int k = 0; k < HALVINGS; ++k) {
            const double slope = slope_at(tau);
            if (size_of(slope) <= -FLAT * first || (slope < 0.0 && tau == 1.0)) break;
            (slope < 0.0 ? low : high) = tau;
            tau = 0.5 * (low + high);
        }
        return tau;
    }

    // The places that are free in p, written to J.
    Index free_of(const double* p) {
        Index count = 0;
        for (Index i = 0; i < q_; ++i)
            if (is_free(p[i], lo_[i], hi_[i])) J_[count++] = i;
        return count;
    }

    // The lower Cholesky factor of K[J, J] + sigma I; false if that is not positive definite in these digits.
    bool factor(Index f) {
        double* M = factor_.at_least(f * f);
        for (Index r = 0; r < f; ++r) {
            const float* row = K_.row(J_[r]);
            for (Index k = 0; k < f; ++k) M[r * f + k] = static_cast<double>(row[J_[k]]);
            M[r * f + r] += sigma_;
        }
        int n = static_cast<int>(f), info = 0;
        char upper = 'U';  // of the column-major matrix, which is the lower triangle of M by rows
        lapack_.dpotrf(&upper, &n, M, &n, &info);
        return info == 0;
    }

    // Write the step e to x = p outside of J and to the minimum over J, and change = K e; false if there is none.
    bool newton_step(Index f, const double* p) {
        Index moved = 0;
        for (Index i = 0; i < q_; ++i) e_[i] = p[i] - x_[i];
        for (Index r = 0; r < f; ++r) e_[J_[r]] = 0.0;
        Index* where = places_.at_least(q_);
        for (Index i = 0; i < q_; ++i) {
            change_[i] = 0.0;
            if (e_[i] != 0.0) {
                where[moved] = i;
                values_[moved++] = e_[i];
            }
        }
        add_rows<float, double>(K_, {where, moved}, {values_.data(), moved}, {change_.data(), K_.cols});
        if (!factor(f)) return false;
        double* right = right_.at_least(2 * f);
        double sum_x = 0.0, sum_e = 0.0;
        for (Index i = 0; i < q_; ++i) {
            sum_x += x_[i];
            sum_e += e_[i];
        }
        for (Index r = 0; r < f; ++r) {
            const Index i = J_[r];
            const double sign = p[i] > 0.0 ? epsilon_ : -epsilon_;
            right[r] = sigma_ * (c_[i] - x_[i]) - sign - F_[i] - change_[i] - beta_;
            right[f + r] = 1.0;
        }
        int n = static_cast<int>(f), two = 2, info = 0;
        char upper = 'U';
        lapack_.dpotrs(&upper, &n, &two, factor_.at_least(f * f), &n, right, &n, &info);
        double sum_right = 0.0, sum_ones = 0.0;
        for (Index r = 0; r < f; ++r) {
            sum_right += right[r];
            sum_ones += right[f + r];
        }
        turn_ = (sum_right - total_ + sum_x + sum_e) / sum_ones;
        for (Index r = 0; r < f; ++r) {
            right[r] -= turn_ * right[f + r];
            e_[J_[r]] = right[r];
        }
        add_rows<float, double>(K_, {J_.data(), f}, {right, f}, {change_.data(), K_.cols});
        return !std::isnan(turn_);
    }

    // The step to the minimum over what is free in c; whether it can be taken.
    bool first_step() {
        const Index f = free_of(c_);
        if (f == 0) return false;
        largest_ = f;
        if (!newton_step(f, c_)) return false;
        const double before = slope_at(0.0);
        return slope_at(1.0) < -before;
    }

    void advance(double tau) {
        for (Index i = 0; i < q_; ++i) {
            x_[i] += tau * e_[i];
            F_[i] += tau * change_[i];
        }
        beta_ += tau * turn_;
        turn_ = 0.0;
    }

    double furthest() const {
        double most = 0.0;
        for (Index i = 0; i < q_; ++i) most = larger(most, size_of(x_[i] - p_[i]));
        return most;
    }

    // Put what p has at a bound or at 0 exactly there, restore the sum that this changes, and bring F up to date.
    //
    // A coefficient that misses its bound by rounding would count as one that can still move.
    void into_the_box() {
        for (Index i = 0; i < q_; ++i) {
            e_[i] = x_[i];
            if (!is_free(p_[i], lo_[i], hi_[i])) x_[i] = p_[i];
        }
        clip();
        move_to_sum(x_, lo_, hi_, nullptr, q_, total_, p_.data());
        clip();
        follow(K_, x_, e_.data(), q_, F_);
    }

    void clip() {
        for (Index i = 0; i < q_; ++i) x_[i] = smaller(larger(x_[i], lo_[i]), hi_[i]);
    }

    Matrix<const float> K_;
    const double *c_, *lo_, *hi_;
    Index q_;
    double epsilon_, beta_, total_, sigma_;
    double *x_, *F_;
    const Lapack& lapack_;
    Buffer<double> p_, e_, change_;
    Buffer<Index> J_;
    Buffer<double> values_;
    Room<double> factor_, right_;
    Room<Index> places_;
    double turn_ = 0.0;
    Index largest_ = 0;
};

// Steps of SMO, of many items first on a gradient in single precision; then on F, if its digits are needed.
StepsEnd burst(Matrix<const float> K, const float* diagonal, Box p, double tol, Index max_steps) {
    const Vector<double> b{p.b, p.size}, F{p.F, p.size};
    const Vector<const double> lo{p.lo, p.size}, hi{p.hi, p.size};
    const Vector<const float> diag{diagonal, p.size};
    if (p.size <= SMALL) {
        const StepsEnd end = smo<float, double>(K, diag, F, b, lo, hi, p.epsilon, p.size, tol, max_steps);
        return {end.steps, smaller(end.violation, ends_of(p).violation()), end.endless};  // SMO tells none below 0
    }
    Buffer<double> before(p.size);
    Buffer<float> rough(p.size);
    for (Index i = 0; i < p.size; ++i) {
        before[i] = p.b[i];
        rough[i] = static_cast<float>(p.F[i]);
    }
    const StepsEnd first = smo<float, float>(K, diag, rough.first(p.size), b, lo, hi, p.epsilon, p.size, GOAL * tol,
                                           max_steps);
    follow(K, p.b, before.data(), p.size, p.F);
    const double violation = ends_of(p).violation();
    if (violation <= tol || first.steps == max_steps || first.endless) return {first.steps, violation, first.endless};
    const StepsEnd second =
        smo<float, double>(K, diag, F, b, lo, hi, p.epsilon, p.size, tol, max_steps - first.steps);
    return {first.steps + second.steps, second.violation, second.endless};
}

// Bursts, and Newton steps once as much effort as these want has been spent.
Effort improve(Matrix<const float> K, const float* diagonal, Box p, double tol, double effort, double spent,
               const Lapack& lapack) {
    const double began = spent, limit = spent + effort, q = static_cast<double>(p.size);
    double violation = ends_of(p).violation();
    bool endless = false;
    while (violation > tol && spent < limit && !endless) {
        const double free = static_cast<double>(free_count(p));
        if (RUNS * free * free * free <= spent) {
            const Effort newton = recentre(K, p, tol, limit - spent, lapack);
            spent += newton.made;
            violation = newton.violation;
        }
        if (violation > tol && spent < limit) {
            const StepsEnd end = burst(K, diagonal, p, tol, p.size);
            violation = end.violation;
            endless = end.endless;
            spent += (static_cast<double>(end.steps) + 1.0) * q;
        }
    }
    return {spent - began, violation, endless};
}

}  // namespace

NearestEnd nearest(Matrix<const float> gram, Box centre, double beta, double total, double sigma, double* x,
                   double* Fx, const Lapack& lapack) {
    return Centre(gram, centre, beta, total, sigma, x, Fx, lapack).run();
}

Index active_items(const Box& p, double margin, Index* found) {
    const Ends e = ends_of(p);
    Index count = 0;
    for (Index i = 0; i < p.size; ++i) {
        const double gain = up_offset(p.b[i], p.hi[i], p.epsilon) - p.F[i];
        const double cost = down_offset(p.b[i], p.lo[i], p.epsilon) - p.F[i];
        if (gain > e.least - margin || cost < e.most + margin) found[count++] = i;
    }
    return count;
}

Effort recentre(Matrix<const float> K, Box p, double tol, double effort, const Lapack& lapack) {
    Buffer<double> x(p.size), Fx(p.size);
    double total = 0.0, floor = LEAST, spent = 0.0;
    for (Index i = 0; i < p.size; ++i) total += p.b[i];
    int failures = 0;
    Ends e = ends_of(p);
    while (e.violation() > tol && spent < effort && failures < FAILURES) {
        const double sigma = larger(larger(FALL * e.violation(), AIM * tol) / reach(p), floor);
        const NearestEnd end = nearest(K, p, 0.5 * (e.most + e.least), total, sigma, x.data(), Fx.data(), lapack);
        const double side = static_cast<double>(end.largest), q = static_cast<double>(p.size);
        spent += static_cast<double>(end.steps) * (q + SYSTEM * side * side * side) + q;
        if (end.reached) {
            for (Index i = 0; i < p.size; ++i) {
                p.b[i] = x[i];
                p.F[i] = Fx[i];
            }
            const double before = e.violation();
            e = ends_of(p);
            if (!(e.violation() < before)) ++failures;
            if (end.steps <= EASY) floor = larger(floor / RAISE, LEAST);
        } else {
            floor = RAISE * sigma;
            ++failures;
        }
    }
    return {spent, e.violation(), false};
}

Effort improve_among(const Index* A, Index count, Matrix<const float> K, const float* diagonal, Box p, double tol,
                     double effort, double spent, const Lapack& lapack) {
    Buffer<float> own(count * count), own_diagonal(count);
    Buffer<double> b(count), F(count), lo(count), hi(count), change(count);
    gather<float, float>(K, {A, count}, {A, count}, own.square(count));
    for (Index r = 0; r < count; ++r) {
        own_diagonal[r] = diagonal[A[r]];
        b[r] = p.b[A[r]];
        F[r] = p.F[A[r]];
        lo[r] = p.lo[A[r]];
        hi[r] = p.hi[A[r]];
    }
    const Matrix<const float> gram{own.data(), count, count, count};
    const Box part{b.data(), F.data(), lo.data(), hi.data(), count, p.epsilon};
    const Effort found = improve(gram, own_diagonal.data(), part, tol, effort, spent, lapack);
    Buffer<Index> moved(count);
    Index changed = 0;
    for (Index r = 0; r < count; ++r) {
        if (b[r] != p.b[A[r]]) {
            moved[changed] = A[r];
            change[changed++] = b[r] - p.b[A[r]];
            p.b[A[r]] = b[r];
        }
    }
    add_rows<float, double>(K, {moved.data(), changed}, {change.data(), changed}, {p.F, K.cols});
    const double side = static_cast<double>(count);
    return {found.made + side * side + static_cast<double>(changed) * static_cast<double>(p.size),
            ends_of(p).violation(), found.endless};
}

StepsEnd solve_whole(Matrix<const float> gram, const float* diagonal, Box box, double tol, Index max_steps, Index spent,
                     const Lapack& lapack) {
    const double q = static_cast<double>(box.size);
    if (box.size == 0) return {0, 0.0, false};
    StepsEnd first = burst(gram, diagonal, box, tol, smaller(box.size, max_steps));
    double effort = static_cast<double>(first.steps) * q, violation = first.violation;
    const double limit = static_cast<double>(max_steps) * q, before = static_cast<double>(spent) * q;
    bool endless = first.endless;
    Buffer<Index> A(box.size);
    while (violation > tol && effort < limit && !endless) {
        const Index count = active_items(box, MARGIN * violation, A.data());
        const double goal = larger(GOAL * tol, GAIN * violation), left = limit - effort;
        const Effort found =
            static_cast<double>(count) < FEW * q
                ? improve_among(A.data(), count, gram, diagonal, box, goal, left, before + effort, lapack)
                : improve(gram, diagonal, box, goal, left, before + effort, lapack);
        violation = found.violation;
        endless = found.endless;
        effort += found.made + q;
    }
    return {static_cast<Index>(effort / q), violation, endless};
}

}  // namespace mercer::MERCER_ISA
