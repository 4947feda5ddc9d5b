#include "alignment.h"

#include "exp.h"

namespace mercer::MERCER_ISA {

namespace {

// The rows j of a band around row i, as lo .. hi - 1.
struct Reach {
    Index lo, hi;

    Reach(Index i, Index length, double band) : lo(0), hi(length) {
        if (!(band < static_cast<double>(i + length))) return;
        Index width = static_cast<Index>(band);  // |i - j| < band
        if (static_cast<double>(width) < band) ++width;
        lo = larger(0, i - width + 1);
        hi = smaller(length, i + width);
    }
};

double within(Index i, Index j, double band) {
    const double apart = static_cast<double>(i < j ? j - i : i - j);
    return larger(0.0, 1.0 - apart / band);
}

// What all pairs of one call have in common, and memory for eight pairs.
struct Work {
    double gamma, band;
    Buffer<double> points, q, dq, u, du;

    Work(Index most, Index cols, double g, double b, bool slopes)
        : gamma(g), band(b), points(most * cols * EIGHT), q(most * EIGHT), dq(slopes ? most * EIGHT : 0),
          u(most * EIGHT), du(slopes ? most * EIGHT : 0) {}
};

// One row of cells: x_i against all points of eight sequences.  `corner` is u_(i-1)(j-1) left of the first cell.
template <bool SLOPE>
void row(const Work& work, const double* x, Index cols, Index i, Reach reach, double p, double dp) {
    double left[EIGHT] = {}, dleft[EIGHT] = {}, corner[EIGHT], dcorner[EIGHT];
    for (Index l = 0; l < EIGHT; ++l) {
        const Index before = (reach.lo - 1) * EIGHT + l;
        corner[l] = reach.lo > 0 ? work.u[before] : i == 0 ? 1.0 : 0.0;
        dcorner[l] = SLOPE && reach.lo > 0 ? work.du[before] : 0.0;
    }
    for (Index j = reach.lo; j < reach.hi; ++j) {
        const double* y = work.points.data() + j * cols * EIGHT;
        const double* q = work.q.data() + j * EIGHT;
        const double* dq = SLOPE ? work.dq.data() + j * EIGHT : q;
        double* u = work.u.data() + j * EIGHT;
        double* du = SLOPE ? work.du.data() + j * EIGHT : u;
        const double weight = within(i, j, work.band);
        double s[EIGHT] = {};
        for (Index d = 0; d < cols; ++d) {
#pragma omp simd
            for (Index l = 0; l < EIGHT; ++l) s[l] += (x[d] - y[d * EIGHT + l]) * (x[d] - y[d * EIGHT + l]);
        }
#pragma omp simd
        for (Index l = 0; l < EIGHT; ++l) {
            const double e = weight * exp_minus(work.gamma * s[l]), rest = 1.0 / (2.0 - e), c = e * rest;
            const double above = u[l], sum = p * above + q[l] * (left[l] + p * corner[l]);
            if constexpr (SLOPE) {
                const double dc = -2.0 * s[l] * e * rest * rest;
                const double inner = p * du[l] + dp * above + dq[l] * (left[l] + p * corner[l]) +
                                     q[l] * (dleft[l] + p * dcorner[l] + dp * corner[l]);
                dcorner[l] = du[l];
                dleft[l] = du[l] = dc * sum + c * inner;
            }
            corner[l] = above;
            left[l] = u[l] = c * sum;
        }
    }
}

template <bool SLOPE>
void all_pairs(Ragged X, const double* p, const double* dp, Ragged Y, const double* q, const double* dq, double gamma,
               double band, Matrix<double> out, Matrix<double> slope) {
    const Index cols = X.points.cols;
    const Work work(longest(Y), cols, gamma, band, SLOPE);
    for (Index first = 0; first < Y.count(); first += EIGHT) {
        const Lanes lanes(Y, first);
        pack(Y, lanes, work.points.data());
        pack(Y, lanes, q, work.q.data());
        if constexpr (SLOPE) pack(Y, lanes, dq, work.dq.data());
        for (Index a = 0; a < X.count(); ++a) {
            for (Index k = 0; k < lanes.longest * EIGHT; ++k) work.u[k] = 0.0;
            if constexpr (SLOPE)
                for (Index k = 0; k < lanes.longest * EIGHT; ++k) work.du[k] = 0.0;
            const Index n = X.length(a), start = X.begin(a);
            for (Index i = 0; i < n; ++i)
                row<SLOPE>(work, X.points.row(start + i), cols, i, Reach(i, lanes.longest, band), p[start + i],
                           SLOPE ? dp[start + i] : 0.0);
            const Reach last(n - 1, lanes.longest, band);
            for (Index l = 0; l < lanes.used; ++l) {
                const Index end = lanes.length[l] - 1;
                const bool met = n > 0 && end >= last.lo && end < last.hi;
                out(a, first + l) = met ? work.u[end * EIGHT + l] : 0.0;
                if constexpr (SLOPE) slope(a, first + l) = met ? work.du[end * EIGHT + l] : 0.0;
            }
        }
    }
}

// c_j and its derivative, x_i against the points before it in the same sequence.
void local_kernels(Matrix<const double> x, Index i, Index lo, double gamma, double band, double* c, double* dc) {
    for (Index j = lo; j < i; ++j) {
        double s = 0.0;
        for (Index d = 0; d < x.cols; ++d) s += (x(i, d) - x(j, d)) * (x(i, d) - x(j, d));
        c[j] = s;
    }
#pragma omp simd
    for (Index j = lo; j < i; ++j) {
        const double s = c[j], e = within(i, j, band) * exp_minus(gamma * s), rest = 1.0 / (2.0 - e);
        c[j] = e * rest;
        dc[j] = -2.0 * s * e * rest * rest;
    }
}

}  // namespace

// With v_ij = u_ij / p_i, row i left of the diagonal needs no p_i, and u_ii = 1 says p_i^2 (1 + 2 v_i(i-1)) = 1.
void own_ratios(Ragged X, double gamma, double band, double* ratio, double* slope) {
    const Index most = longest(X);
    Buffer<double> c(most), dc(most), u(most), du(most);
    for (Index a = 0; a < X.count(); ++a) {
        const Index n = X.length(a), start = X.begin(a);
        const Matrix<const double> x{X.points.row(start), n, X.points.cols, X.points.stride};
        double* p = ratio + start;
        double* dp = slope + start;
        for (Index i = 0; i < n; ++i) {
            const Reach reach(i, i, band);
            local_kernels(x, i, reach.lo, gamma, band, c.data(), dc.data());
            double left = 0.0, dleft = 0.0;
            double corner = reach.lo > 0 ? u[reach.lo - 1] : 0.0, dcorner = reach.lo > 0 ? du[reach.lo - 1] : 0.0;
            for (Index j = reach.lo; j < i; ++j) {
                const double above = u[j], dabove = du[j], sum = above + p[j] * (left + corner);
                const double inner = dabove + dp[j] * (left + corner) + p[j] * (dleft + dcorner);
                left = u[j] = c[j] * sum;
                dleft = du[j] = dc[j] * sum + c[j] * inner;
                corner = above;
                dcorner = dabove;
            }
            const double square = 1.0 / (1.0 + 2.0 * left);
            p[i] = __builtin_sqrt(square);
            dp[i] = -p[i] * square * dleft;
            for (Index j = reach.lo; j < i; ++j) {
                du[j] = p[i] * du[j] + dp[i] * u[j];
                u[j] *= p[i];
            }
            u[i] = 1.0;
            du[i] = 0.0;
        }
    }
}

void align(Ragged X, const double* p, Ragged Y, const double* q, double gamma, double band, Matrix<double> out) {
    all_pairs<false>(X, p, nullptr, Y, q, nullptr, gamma, band, out, out);
}

void align_slope(Ragged X, const double* p, const double* dp, Ragged Y, const double* q, const double* dq, double gamma,
                 double band, Matrix<double> out, Matrix<double> slope) {
    all_pairs<true>(X, p, dp, Y, q, dq, gamma, band, out, slope);
}

}  // namespace mercer::MERCER_ISA
