#include "smo.h"

#include <bit>
#include <cmath>
#include <initializer_list>
#include <cstdint>

#include "box.h"
#include "buffer.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index CHUNK = 4096;  // indices that fit into the low bits
constexpr double TINY = 1e-12;
constexpr double ROUNDING = 1e-13;

// The integer type that holds the bits of a float, and the mask of its low bits.
template <class R>
struct Bits;
template <>
struct Bits<float> {
    using Int = std::int32_t;
};
template <>
struct Bits<double> {
    using Int = std::int64_t;
};

// The bits of x as an integer that is larger where x is larger; its low bits replaced by a place.
template <class R>
inline typename Bits<R>::Int packed(R x, typename Bits<R>::Int place) {
    using Int = typename Bits<R>::Int;
    constexpr int sign = 8 * sizeof(Int) - 1;
    constexpr Int rest = static_cast<Int>(~(Int{1} << sign));
    Int bits = std::bit_cast<Int>(x);
    bits ^= (bits >> sign) & rest;
    return (bits & ~Int{CHUNK - 1}) | place;
}

// F += t (Ki - Kj), and the argmax of up - F, in one pass.
template <class K, class R>
Index step_and_argmax(R* __restrict F, const K* __restrict Ki, const K* __restrict Kj, R t, const R* __restrict up,
                      Index size) {
    using Int = typename Bits<R>::Int;
    using Wide = decltype(K{} + R{});  // a difference in single precision would spoil an F in double
    Index winner = 0;
    R most = -static_cast<R>(HUGE_VAL);
    for (Index s = 0; s < size; s += CHUNK) {
        const Int count = static_cast<Int>(smaller(CHUNK, size - s));
        Int best = static_cast<Int>(Int{1} << (8 * sizeof(Int) - 1));
#pragma omp simd reduction(max : best)
        for (Int k = 0; k < count; ++k) {
            const R f = F[s + k] + t * static_cast<R>(static_cast<Wide>(Ki[s + k]) - static_cast<Wide>(Kj[s + k]));
            F[s + k] = f;
            const Int value = packed<R>(up[s + k] - f, k);
            best = value > best ? value : best;
        }
        const Index place = s + static_cast<Index>(best & Int{CHUNK - 1});
        if (size <= CHUNK) return place;
        if (up[place] - F[place] > most) {
            most = up[place] - F[place];
            winner = place;
        }
    }
    return winner;
}

struct Partner {
    Index place;
    float promise;  // twice the decrease of the objective
    float widest;   // the largest violation
};

// argmax_k d_k^2 / (K_ii + K_kk - 2 K_ik) with d_k = (gain - cost_k)_+, and the largest d_k.
//
// The curvature is a difference of three entries, so all three have the type of the Gram: of nearly equal items nothing
// else would be left of it than the rounding of one of them.
template <class K, class R>
Partner partner(const R* __restrict F, const R* __restrict down, const K* __restrict Ki,
                const K* __restrict diagonal, R gain, K Kii, Index size) {
    using Int = std::int32_t;
    Partner found{0, -1.0f, 0.0f};
    for (Index s = 0; s < size; s += CHUNK) {
        const Int count = static_cast<Int>(smaller(CHUNK, size - s));
        Int best = 0, widest = 0;
#pragma omp simd reduction(max : best, widest)
        for (Int k = 0; k < count; ++k) {
            float d = static_cast<float>((gain + F[s + k]) - down[s + k]);
            d = d > 0.0f ? d : 0.0f;
            const K curvature = (Kii + diagonal[s + k]) - 2 * Ki[s + k];
            const float eta = curvature > static_cast<K>(1e-9) ? static_cast<float>(curvature) : 1e-9f;
            const Int width = std::bit_cast<Int>(d);
            const Int value = (std::bit_cast<Int>(d * d / eta) & ~Int{CHUNK - 1}) | k;
            widest = width > widest ? width : widest;
            best = value > best ? value : best;
        }
        const float promise = std::bit_cast<float>(best & ~Int{CHUNK - 1});
        if (promise > found.promise) {
            found.promise = promise;
            found.place = s + static_cast<Index>(best & Int{CHUNK - 1});
        }
        const float width = std::bit_cast<float>(widest);
        found.widest = width > found.widest ? width : found.widest;
    }
    return found;
}

// The best step t along e_i - e_j, stopped at bounds and at the kink b = 0; changes b and returns t.
//
// Where both are stopped but for rounding both are put exactly there: what is left of a coefficient would count as free.
double move(double* b, const double* lo, const double* hi, Index i, Index j, double slope, double eta) {
    double t = slope / larger(eta, TINY);
    const double room_i = b[i] < 0.0 ? -b[i] : hi[i] - b[i];
    const double room_j = b[j] > 0.0 ? b[j] : b[j] - lo[j];
    double new_i = b[i] + t, new_j = b[j] - t;
    if (room_i <= t && room_i <= room_j) {
        t = room_i;
        new_i = b[i] < 0.0 ? 0.0 : hi[i];
        new_j = b[j] - t;
        if (room_j - room_i <= ROUNDING * room_i) new_j = b[j] > 0.0 ? 0.0 : lo[j];
    } else if (room_j <= t) {
        t = room_j;
        new_i = room_i - room_j <= ROUNDING * room_j ? (b[i] < 0.0 ? 0.0 : hi[i]) : b[i] + t;
        new_j = b[j] > 0.0 ? 0.0 : lo[j];
    }
    b[i] = new_i;
    b[j] = new_j;
    return t;
}

}  // namespace

void offsets(Vector<const double> b, Vector<const double> lo, Vector<const double> hi, double epsilon,
             Vector<double> up, Vector<double> down) {
    for (Index k = 0; k < b.size; ++k) {
        up[k] = up_offset(b[k], hi[k], epsilon);
        down[k] = down_offset(b[k], lo[k], epsilon);
    }
}

template <class K, class R>
StepsEnd smo(Matrix<const K> gram, Vector<const K> diagonal, Vector<R> F, Vector<double> b, Vector<const double> lo,
           Vector<const double> hi, double epsilon, Index split, double tol, Index max_steps) {
    const Index q = b.size;
    if (q == 0) return {0, 0.0, false};
    Buffer<R> up(q), down(q);
    for (Index k = 0; k < q; ++k) {
        up[k] = static_cast<R>(up_offset(b[k], hi[k], epsilon));
        down[k] = static_cast<R>(down_offset(b[k], lo[k], epsilon));
    }
    const K *Ki = gram.row(0), *Kj = gram.row(0);
    double t = 0.0;
    for (Index steps = 0;; ++steps) {
        Index first = -1, second = -1;
        double most = -1.0, violation = 0.0;
        for (int group = 0; group < 2; ++group) {
            const Index s = group == 0 ? 0 : split, size = (group == 0 ? split : q) - s;
            if (size <= 0) continue;
            const Index i =
                s + step_and_argmax<K, R>(&F[s], Ki + s, Kj + s, static_cast<R>(t), &up[s], size);
            const R gain = up[i] - F[i];
            if (gain < static_cast<R>(-0.1 * NEVER)) continue;
            const Partner found = partner<K, R>(&F[s], &down[s], gram.row(i) + s, &diagonal[s], gain, diagonal[i], size);
            violation = larger(violation, found.widest);
            if (found.widest > tol && found.promise > most) {
                first = i;
                second = s + found.place;
                most = found.promise;
            }
        }
        if (first < 0 || steps == max_steps) return {steps, violation, false};
        Ki = gram.row(first);
        Kj = gram.row(second);
        const double slope = static_cast<double>(up[first] - F[first]) - static_cast<double>(down[second] - F[second]);
        const double eta = static_cast<double>(diagonal[first]) + static_cast<double>(diagonal[second]) -
                           2.0 * static_cast<double>(Ki[second]);
        t = move(b.data, lo.data, hi.data, first, second, slope, eta);
        if (eta < 1e-9 && t > 1e6 && std::isinf(hi[first] - lo[first]) && std::isinf(hi[second] - lo[second]))
            return {steps, violation, true};
        for (Index k : {first, second}) {
            up[k] = static_cast<R>(up_offset(b[k], hi[k], epsilon));
            down[k] = static_cast<R>(down_offset(b[k], lo[k], epsilon));
        }
    }
}

template <class K>
StepsEnd coordinate_descent(Matrix<const K> gram, Vector<const K> diagonal, Vector<double> F, Vector<double> b,
                          Vector<const double> lo, Vector<const double> hi, double epsilon, double tol,
                          Index max_steps) {
    const Index q = b.size;
    for (Index steps = 0;; ++steps) {
        double best = 0.0, slope = 0.0, violation = 0.0;
        Index i = -1;
        for (Index k = 0; k < q; ++k) {
            const double rise = larger(up_offset(b[k], hi[k], epsilon) - F[k], 0.0);
            const double fall = larger(F[k] - down_offset(b[k], lo[k], epsilon), 0.0);
            const double v = larger(rise, fall), curvature = larger(static_cast<double>(diagonal[k]), TINY);
            violation = larger(violation, v);
            if (v * v > best * curvature) {
                best = v * v / curvature;
                i = k;
                slope = rise >= fall ? rise : -fall;
            }
        }
        if (violation <= tol || i < 0 || steps == max_steps) return {steps, violation, false};
        const double old = b[i];
        double t = slope / larger(static_cast<double>(diagonal[i]), TINY);
        b[i] = t > 0.0 ? smaller(old + t, old < 0.0 ? 0.0 : hi[i]) : larger(old + t, old > 0.0 ? 0.0 : lo[i]);
        t = b[i] - old;
        const K* row = gram.row(i);
        for (Index k = 0; k < q; ++k) F[k] += t * static_cast<double>(row[k]);
    }
}

#define INSTANTIATE(K)                                                                                              \
    template StepsEnd smo(Matrix<const K>, Vector<const K>, Vector<float>, Vector<double>, Vector<const double>,    \
                        Vector<const double>, double, Index, double, Index);                                        \
    template StepsEnd smo(Matrix<const K>, Vector<const K>, Vector<double>, Vector<double>, Vector<const double>,   \
                        Vector<const double>, double, Index, double, Index);                                        \
    template StepsEnd coordinate_descent(Matrix<const K>, Vector<const K>, Vector<double>, Vector<double>,          \
                                       Vector<const double>, Vector<const double>, double, double, Index);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
