#include "growth.h"

#include <cmath>
#include <cstdint>

#include "box.h"
#include "buffer.h"
#include "dual_proof.h"
#include "row_kernel.h"
#include "smo_newton.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index FIRST = 200, MOST_FIRST = 800;  // items of the sample ...
constexpr double SHARE = 0.15;                   // ... this share of all between these numbers
constexpr double ROUGH = 10.0;   // tolerances to which the first items are solved
constexpr double NEAR = 0.05;    // of the margin: items that violate by no less than minus this come in
constexpr double MIDWAY = 0.1;   // of the violation: tolerance of a round that is not expected to be the last
constexpr double FEW_NEW = 0.3;  // of the active set: a round with no more new items may be the last
constexpr double GOAL = 0.9;     // of the tolerance, for the active set
constexpr double COARSE = 0.1;   // of the tolerance: an error of single precision that asks for double
constexpr double REFINED = 0.5;  // of the violation at the proof before: one that is not below it will not be mended
constexpr Index LEAST_NEW = 200;     // items that may come in at once, or ...
constexpr Index PER_SUPPORT = 2;     // ... this many for each support vector
constexpr double SPARE = 1.2;    // room for the Gram to grow, in units of its side
constexpr double EXPECTED = 1.2;  // active items for each support vector that is expected
constexpr int ROUNDS = 30;
constexpr Index WORK = 50000000; // items that steps look at between two reports: less than a tenth of a second
constexpr Index STALLED = 2000000;  // steps on one active set after which another method is tried
constexpr double FORBIDDEN = 0.1 * NEVER;

// The k-th largest of some numbers, which are rearranged.
double kth_largest(double* a, Index size, Index k) {
    Index low = 0, high = size - 1;
    while (low < high) {
        const double pivot = a[low + (high - low) / 2];
        Index i = low, j = high;
        while (i <= j) {
            while (a[i] > pivot) ++i;
            while (a[j] < pivot) --j;
            if (i <= j) {
                const double swap = a[i];
                a[i++] = a[j];
                a[j--] = swap;
            }
        }
        if (k - 1 <= j) high = j;
        else if (k - 1 >= i) low = i;
        else break;
    }
    return a[k - 1];
}

class ActiveSet {
   public:
    ActiveSet(Box box, const double* z, GrowthRules rules, GramCalls gram, const Lapack& lapack)
        : p_(box), z_(z), rules_(rules), gram_(gram), lapack_(lapack), n_(box.size), places_(n_), support_(n_),
          values_(n_), score_(n_), product_(n_), outside_(n_), active_(n_) {
        for (Index i = 0; i < n_; ++i) active_[i] = false;
    }

    Grown run() {
        Index coming = first();
        double tol = (coming < n_ ? ROUGH : GOAL) * rules_.tol, proven = HUGE_VAL;
        for (int round = 0; round < ROUNDS; ++round) {
            if (count_ + coming > rules_.largest) return {GrowthEnd::too_large, steps_, error_};
            if (coming > 0) enlarge(coming);
            const GrowthEnd end = solve(tol);
            if (end != GrowthEnd::solved) return {end, steps_, error_};
            if (round == 0 && sampled_ && expected() > rules_.largest) return {GrowthEnd::too_many, steps_, error_};
            evaluate();
            double violation = look();
            if (rules_.report_rounds) gram_.report(gram_.context, count_, violation, objective(), steps_);
            if (violation <= rules_.tol) {
                const bool coarse = !prove();
                violation = look();
                if (violation <= rules_.tol) return {GrowthEnd::solved, steps_, error_};
                // all gradients are in double precision now, and smaller steps from here have smaller errors
                if (coarse && violation > REFINED * proven) return {GrowthEnd::too_coarse, steps_, error_};
                proven = violation;
            }
            coming = violators();
            const bool last = static_cast<double>(coming) < FEW_NEW * static_cast<double>(count_);
            tol = last ? GOAL * rules_.tol : larger(GOAL * rules_.tol, MIDWAY * violation);
        }
        return {GrowthEnd::stalled, steps_, error_};
    }

   private:
    double gain(Index i) const { return up_offset(p_.b[i], p_.hi[i], p_.epsilon) - p_.F[i]; }
    double cost(Index i) const { return down_offset(p_.b[i], p_.lo[i], p_.epsilon) - p_.F[i]; }

    // The support vectors of a start, or a random sample with both signs of z: to outside_.
    Index first() {
        const Index vectors = support();
        if (vectors > 0 || n_ <= FIRST) {
            for (Index i = 0; i < (vectors > 0 ? vectors : n_); ++i) outside_[i] = vectors > 0 ? support_[i] : i;
            return vectors > 0 ? vectors : n_;
        }
        Index rising = 0;
        for (Index i = 0; i < n_; ++i) rising += z_[i] > 0.0;
        sampled_ = true;
        const Index size = smaller(larger(FIRST, static_cast<Index>(SHARE * static_cast<double>(n_))), MOST_FIRST);
        Index wanted[2], left[2] = {n_ - rising, rising};
        for (int side = 0; side < 2; ++side) wanted[side] = smaller(left[side], larger(size * left[side] / n_, size / 4));
        Index count = 0;
        for (Index i = 0; i < n_; ++i) {  // each item with the probability (still wanted) / (still to come)
            const int side = z_[i] > 0.0;
            if (random() * static_cast<double>(left[side]--) < static_cast<double>(wanted[side])) {
                --wanted[side];
                outside_[count++] = i;
            }
        }
        return count;
    }

    // A number in [0, 1), from Marsaglia's xorshift.
    double random() {
        seed_ ^= seed_ << 13;
        seed_ ^= seed_ >> 7;
        seed_ ^= seed_ << 17;
        return static_cast<double>(seed_ >> 11) * 0x1p-53;
    }

    // Take in the items listed in outside_, and compute their rows of the Gram.
    void enlarge(Index coming) {
        const Index m = count_, k = coming;
        reserve(m + k);
        for (Index i = 0; i < k; ++i) {
            places_[m + i] = outside_[i];
            active_[outside_[i]] = true;
        }
        count_ = m + k;
        float* rows = K_ + m * side_;
        gram_.block(gram_.context, {places_.data() + m, k}, {places_.data(), m + k}, rows, side_);
        for (Index i = 0; i < k; ++i)
            for (Index j = 0; j < m; ++j) K_[j * side_ + m + i] = rows[i * side_ + j];
    }

    // Room for the Gram of so many items; what is there stays.
    void reserve(Index wanted) {
        if (wanted <= side_) return;
        const Index side =
            smaller(static_cast<Index>(SPARE * static_cast<double>(wanted)) + 1, larger(rules_.largest, wanted));
        float* fresh = spare_.at_least(side * side);
        for (Index i = 0; i < count_; ++i)
            for (Index j = 0; j < count_; ++j) fresh[i * side + j] = K_[i * side_ + j];
        room_.swap(spare_);
        K_ = fresh;
        side_ = side;
    }

    // Solve on the active set.
    GrowthEnd solve(double tol) {
        const Index m = count_;
        Buffer<float> diagonal(m);
        Buffer<double> b(m), F(m), lo(m), hi(m);
        for (Index r = 0; r < m; ++r) {
            const Index i = places_[r];
            diagonal[r] = K_[r * side_ + r];
            b[r] = p_.b[i];
            F[r] = p_.F[i];
            lo[r] = p_.lo[i];
            hi[r] = p_.hi[i];
        }
        const Box own{b.data(), F.data(), lo.data(), hi.data(), m, p_.epsilon};
        GrowthEnd end = GrowthEnd::stalled;
        Index spent = 0;
        const Index most = smaller(rules_.max_steps, WORK / (m + 500));
        while (spent < STALLED && end == GrowthEnd::stalled) {
            const StepsEnd found =
                solve_whole(Matrix<const float>{K_, m, m, side_}, diagonal.data(), own, tol, most, spent, lapack_);
            spent += found.violation <= tol ? found.steps : larger(found.steps, Index{1});
            for (Index r = 0; r < m; ++r) {
                p_.b[places_[r]] = b[r];
                p_.F[places_[r]] = F[r];
            }
            if (found.endless) end = GrowthEnd::endless;
            else if (found.violation <= tol) end = GrowthEnd::solved;
            else gram_.report(gram_.context, m, found.violation, objective(), steps_ + spent);
        }
        steps_ += spent;
        return end;
    }

    // The support vectors, written to support_ and values_.
    Index support() {
        Index count = 0;
        for (Index i = 0; i < n_; ++i) {
            if (p_.b[i] != 0.0) {
                support_[count] = i;
                values_[count++] = p_.b[i];
            }
        }
        return count;
    }

    // The number of support vectors of all items, judged by the first ones.
    Index expected() {
        return static_cast<Index>(EXPECTED * static_cast<double>(support() * n_) / static_cast<double>(count_));
    }

    // F of the items listed in outside_, from the support vectors.
    void gradient(Index count, bool exact) {
        const Index vectors = support();
        if (count == 0) return;
        gram_.product(gram_.context, {outside_.data(), count}, {support_.data(), vectors}, values_.data(),
                      product_.data(), exact);
        for (Index k = 0; k < count; ++k) p_.F[outside_[k]] = product_[k] - z_[outside_[k]];
    }

    void evaluate() {
        Index count = 0;
        for (Index i = 0; i < n_; ++i)
            if (!active_[i]) outside_[count++] = i;
        gradient(count, false);
    }

    // The violation on all items.
    double look() const {
        double most = -NEVER, least = NEVER;
        for (Index i = 0; i < n_; ++i) {
            most = larger(most, gain(i));
            least = smaller(least, cost(i));
        }
        return most - least;
    }

    // 1/2 b'Kb - z'b + epsilon |b|_1, from a gradient that is right wherever b is not 0.
    double objective() const {
        double value = 0.0;
        for (Index i = 0; i < n_; ++i)
            value += 0.5 * p_.b[i] * (p_.F[i] - z_[i]) + p_.epsilon * size_of(p_.b[i]);
        return value;
    }

    // The threshold between gains and costs of the active set.
    double threshold() const {
        double most = -NEVER, least = NEVER;
        for (Index r = 0; r < count_; ++r) {
            most = larger(most, gain(places_[r]));
            least = smaller(least, cost(places_[r]));
        }
        if (most > -FORBIDDEN && least < FORBIDDEN) return 0.5 * (most + least);
        return most > -FORBIDDEN ? most : least < FORBIDDEN ? least : 0.0;
    }

    // Items outside that violate the conditions of the active set, or nearly do, the worst of them: to outside_.
    Index violators() {
        const double r = threshold();
        Index count = 0;
        for (Index i = 0; i < n_; ++i) {
            if (active_[i]) continue;
            const double score = larger(gain(i) - r, r - cost(i));
            if (score > -NEAR) {
                score_[count] = score;
                outside_[count++] = i;
            }
        }
        const Index most = larger(PER_SUPPORT * support(), LEAST_NEW);
        if (count <= most) return count;
        for (Index k = 0; k < count; ++k) product_[k] = score_[k];
        const double least = kth_largest(product_.data(), count, most);
        Index kept = 0;
        for (Index k = 0; k < count && kept < most; ++k)
            if (score_[k] >= least) outside_[kept++] = outside_[k];
        return kept;
    }

    // Recompute in double precision the gradients that decide the violation and a few others; all of them, and false, if
    // single precision was too coarse.
    bool prove() {
        const Index k = smaller(n_ / 2, n_ / 128 + 4), count = k > 0 ? decisive(k) : 0;
        error_ = 0.0;
        for (Index c = 0; c < count; ++c) score_[c] = p_.F[outside_[c]];
        gradient(count, true);
        for (Index c = 0; c < count; ++c) error_ = larger(error_, size_of(score_[c] - p_.F[outside_[c]]));
        if (count > 0 && error_ <= COARSE * rules_.tol) return true;
        for (Index i = 0; i < n_; ++i) outside_[i] = i;
        gradient(n_, true);
        error_ = 0.0;
        return count == 0;
    }

    // The k items of the largest gains, the k of the smallest costs and k others: to outside_.
    //
    // The others are not in the active set, if there are such: their gradients have the larger errors.
    Index decisive(Index k) {
        for (Index i = 0; i < n_; ++i) product_[i] = gain(i);
        const double high = kth_largest(product_.data(), n_, k);
        for (Index i = 0; i < n_; ++i) product_[i] = -cost(i);
        const double low = -kth_largest(product_.data(), n_, k);
        const bool all = count_ == n_;
        const Index step = larger((all ? n_ : n_ - count_) / k, Index{1});
        Index count = 0, gains = k, costs = k, seen = 0;
        for (Index i = 0; i < n_; ++i) {
            const bool by_gain = gains > 0 && gain(i) >= high, by_cost = costs > 0 && cost(i) <= low;
            gains -= by_gain;
            costs -= by_cost;
            const bool other = (all || !active_[i]) && seen++ % step == 0;
            if (by_gain || by_cost || other) outside_[count++] = i;
        }
        return count;
    }

    Box p_;
    const double* z_;
    GrowthRules rules_;
    GramCalls gram_;
    const Lapack& lapack_;
    Index n_;
    Buffer<Index> places_, support_;  // places_: active items in the order in which they came in, as in the Gram
    Buffer<double> values_, score_, product_;
    Buffer<Index> outside_;
    Buffer<bool> active_;
    Room<float> room_, spare_;
    float* K_ = nullptr;
    Index side_ = 0, count_ = 0, steps_ = 0;
    double error_ = 0.0;
    bool sampled_ = false;  // the first items were drawn, not given
    std::uint64_t seed_ = 88172645463325252;
};

}  // namespace

Grown grow(Box box, const double* z, GrowthRules rules, GramCalls gram, const Lapack& lapack) {
    return ActiveSet(box, z, rules, gram, lapack).run();
}

namespace {

// Rows of numbers as a Gram.
struct RowsGram {
    RowKernel<float> fast;
    RowKernel<double> exact;
    const Blas& blas;
    void* context;
    void (*report)(void* context, Index active, double violation, double objective, Index steps);
};

void block(void* context, Vector<const Index> I, Vector<const Index> J, float* out, Index stride) {
    const auto& gram = *static_cast<RowsGram*>(context);
    kernel_block(gram.fast, I, J, out, stride, gram.blas);
}

void product(void* context, Vector<const Index> I, Vector<const Index> J, const double* v, double* out, bool exact) {
    const auto& gram = *static_cast<RowsGram*>(context);
    if (exact) kernel_product(gram.exact, I, J, v, out, gram.blas);
    else kernel_product(gram.fast, I, J, v, out, gram.blas);
}

void report_on(void* context, Index active, double violation, double objective, Index steps) {
    const auto& gram = *static_cast<RowsGram*>(context);
    gram.report(gram.context, active, violation, objective, steps);
}

}  // namespace

void grow_batch(Batch batch, GrowthRules rules, RowKernel<float> fast, RowKernel<double> exact, Task task,
                Vector<Index> steps, Vector<double> errors, Matrix<double> proofs, void* context,
                void (*report)(void* context, Index active, double violation, double objective, Index steps),
                const Blas& blas, const Lapack& lapack) {
    for (Index p = 0; p < steps.size; ++p) {
        const Index s = batch.ends[p], n = batch.ends[p + 1] - s;
        const Box box{&batch.b[s], &batch.F[s], &batch.lo[s], &batch.hi[s], n, batch.epsilon[p]};
        for (Index i = 0; i < n; ++i) {
            box.b[i] = 0.0;
            box.F[i] = -batch.z[s + i];
        }
        fast.places = exact.places = &batch.index[s];
        RowsGram rows{fast, exact, blas, context, report};
        const Grown found = grow(box, &batch.z[s], rules, {&rows, &block, &product, &report_on}, lapack);
        steps[p] = found.end == GrowthEnd::solved ? found.steps : -1;
        errors[p] = found.gradient_error;
        Buffer<double> scratch(n);
        prove(box, &batch.z[s], 0.0, task, scratch.data(), proofs.row(p));
    }
}

}  // namespace mercer::MERCER_ISA
