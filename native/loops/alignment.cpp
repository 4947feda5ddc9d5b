#include "alignment.h"

#include "exp.h"

namespace mercer::MERCER_ISA {

namespace {

// The rows j of a band around row i, as lo .. hi - 1 with lo <= hi <= length.
struct Reach {
    Index lo, hi;

    Reach(Index i, Index length, double band) : lo(0), hi(length) {
        if (!(band < static_cast<double>(i + length))) return;
        Index width = static_cast<Index>(band);  // |i - j| < band
        if (static_cast<double>(width) < band) ++width;
        hi = smaller(length, i + width);
        lo = smaller(hi, larger(0, i - width + 1));  // far beyond the other sequence nothing is in the band
    }
};

double within(Index i, Index j, double band) {
    const double apart = static_cast<double>(i < j ? j - i : i - j);
    return larger(0.0, 1.0 - apart / band);
}

// The points and ratios of eight sequences.
struct Packed {
    Buffer<double> points, ratio, slope;

    Packed(Index most, Index cols, bool slopes)
        : points(most * cols * EIGHT), ratio(most * EIGHT), slope(slopes ? most * EIGHT : 0) {}

    void fill(Matrix<const double> from, const double* p, const double* dp, const Side& side) const {
        pack(from, side, points.data());
        pack(p, side, ratio.data());
        if (slope.size() > 0) pack(dp, side, slope.data());
    }
};

// Memory for eight pairs: both sides, one row of cells and of their slopes.
struct Work {
    Index cols;
    double gamma, band;
    Packed x, y;
    Buffer<double> u, du;

    Work(const Ragged& X, const Ragged& Y, double g, double b, bool slopes)
        : cols(X.points.cols), gamma(g), band(b), x(longest(X), cols, slopes), y(longest(Y), cols, slopes),
          u(longest(Y) * EIGHT), du(slopes ? longest(Y) * EIGHT : 0) {}
};

// Row i of the cells of eight pairs.
template <bool SLOPE>
void row(const Work& work, Index i, Reach reach) {
    const double* x = work.x.points.data() + i * work.cols * EIGHT;
    const double* p = work.x.ratio.data() + i * EIGHT;
    const double* dp = SLOPE ? work.x.slope.data() + i * EIGHT : p;
    double left[EIGHT] = {}, dleft[EIGHT] = {}, corner[EIGHT], dcorner[EIGHT];  // u_i(j-1) and u_(i-1)(j-1)
    for (Index l = 0; l < EIGHT; ++l) {
        const Index before = (reach.lo - 1) * EIGHT + l;
        corner[l] = reach.lo > 0 ? work.u[before] : i == 0 ? 1.0 : 0.0;
        dcorner[l] = SLOPE && reach.lo > 0 ? work.du[before] : 0.0;
    }
    for (Index j = reach.lo; j < reach.hi; ++j) {
        const double* y = work.y.points.data() + j * work.cols * EIGHT;
        const double* q = work.y.ratio.data() + j * EIGHT;
        const double* dq = SLOPE ? work.y.slope.data() + j * EIGHT : q;
        double* u = work.u.data() + j * EIGHT;
        double* du = SLOPE ? work.du.data() + j * EIGHT : u;
        const double weight = within(i, j, work.band);
        double s[EIGHT] = {};
        for (Index d = 0; d < work.cols * EIGHT; d += EIGHT) {
#pragma omp simd
            for (Index l = 0; l < EIGHT; ++l) s[l] += (x[d + l] - y[d + l]) * (x[d + l] - y[d + l]);
        }
#pragma omp simd
        for (Index l = 0; l < EIGHT; ++l) {
            const double e = weight * exp_minus(work.gamma * s[l]), rest = 1.0 / (2.0 - e), c = e * rest;
            const double above = u[l], sum = p[l] * above + q[l] * (left[l] + p[l] * corner[l]);
            if constexpr (SLOPE) {
                const double dc = -2.0 * s[l] * e * rest * rest;
                const double inner = p[l] * du[l] + dp[l] * above + dq[l] * (left[l] + p[l] * corner[l]) +
                                     q[l] * (dleft[l] + p[l] * dcorner[l] + dp[l] * corner[l]);
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
    const NoSubnormals fast;
    const Work work(X, Y, gamma, band, SLOPE);
    over_pairs(X, Y, [&](const Lanes& lanes, bool half) {
        work.x.fill(X.points, p, dp, lanes.x);
        work.y.fill(Y.points, q, dq, lanes.y);
        const Index width = lanes.y.longest;
        for (Index k = 0; k < width * EIGHT; ++k) work.u[k] = 0.0;
        if constexpr (SLOPE)
            for (Index k = 0; k < width * EIGHT; ++k) work.du[k] = 0.0;
        for (Index i = 0; i < lanes.x.longest; ++i) {
            const Reach reach(i, width, band);
            row<SLOPE>(work, i, reach);
            for (Index l = 0; l < lanes.used; ++l) {
                if (i + 1 != lanes.x.length[l]) continue;
                const Index end = lanes.y.length[l] - 1;
                const bool met = end >= reach.lo && end < reach.hi;
                put(out, lanes, l, half, met ? work.u[end * EIGHT + l] : 0.0);
                if constexpr (SLOPE) put(slope, lanes, l, half, met ? work.du[end * EIGHT + l] : 0.0);
            }
        }
    });
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
    const NoSubnormals fast;
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
