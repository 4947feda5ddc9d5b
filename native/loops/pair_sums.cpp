#include "pair_sums.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "buffer.h"
#include "exp.h"

namespace mercer::MERCER_ISA {

namespace {

// s[j] <- |x_i - x_j|^2 for j from `from` to `to`; s begins with the first of them.
void squared_distances(Matrix<const double> Xt, Index i, Index from, Index to, double* __restrict s) {
    const Index count = to - from;
    for (Index d = 0; d < Xt.rows; ++d) {
        const double x = Xt(d, i), *y = Xt.row(d) + from;
        if (d == 0)
            for (Index j = 0; j < count; ++j) s[j] = (y[j] - x) * (y[j] - x);
        else
            for (Index j = 0; j < count; ++j) s[j] += (y[j] - x) * (y[j] - x);
    }
}

// The smallest squared distance of points in two boxes.
double between(const Tiles& tiles, Index I, Index J) {
    double total = 0.0;
    for (Index d = 0; d < tiles.low.cols; ++d) {
        const double right = tiles.low(J, d) - tiles.high(I, d), left = tiles.low(I, d) - tiles.high(J, d);
        const double gap = right > left ? right : left;
        total += gap > 0.0 ? gap * gap : 0.0;
    }
    return total;
}

// 2^-x for x >= 0, relative error 1e-12: as exp_minus of exp.h, with fewer terms and a base that needs no reduction by log 2.
// Below 2^-1000 it is 2^-1000.
inline double half_power(double x) {
    constexpr double magic = 6755399441055744.0 + 1023.0;  // 1.5 * 2^52, and the bias of the exponent
    constexpr double poly[] = {1.3255224878668817e-06, 1.5310079402249296e-05, 0.00015403455852453838, 0.0013333450568000645,
                               0.009618129159402558, 0.05550410941205933, 0.2402265069581299, 0.6931471805459335,
                               1.0};
    x = x < 1000.0 ? -x : -1000.0;
    const double t = x + magic;
    const double r = x - (t - magic);
    double p = 0.0;
    for (double a : poly) p = p * r + a;
    return p * std::bit_cast<double>(std::bit_cast<std::int64_t>(t) << 52);
}

// e <- 2^(-c s), or the squares of `root`, and the sums of one row with `count` others.
template <bool SQUARE, bool MOMENTS>
void one_window(double c, const double* __restrict s, const double* root, double* e, const double* __restrict w,
                double weight, Index count, double& sum, double& moment, double* __restrict sums,
                double* __restrict moments) {
    double total = 0.0, first = 0.0;
#pragma omp simd reduction(+ : total, first)
    for (Index j = 0; j < count; ++j) {
        const double value = SQUARE ? root[j] * root[j] : half_power(c * s[j]);
        e[j] = value;
        total += w[j] * value;
        sums[j] += weight * value;
        if (MOMENTS) {
            first += w[j] * value * s[j];
            moments[j] += weight * value * s[j];
        }
    }
    sum += total;
    if (MOMENTS) moment += first;
}

template <bool MOMENTS>
void over_tiles(Matrix<const double> Xt, Vector<const double> w, const Tiles& tiles, Vector<const double> c,
                Vector<const Index> root, double cut, Index first, Index step, Matrix<double> sums,
                Matrix<double> moments) {
    const Index count = tiles.edges.size - 1;
    Index widest = 0;
    for (Index t = 0; t < count; ++t) {
        const Index width = tiles.edges[t + 1] - tiles.edges[t];
        widest = width > widest ? width : widest;
    }
    Buffer<double> s(widest), e(widest * c.size), halvings(c.size);  // exp(-c s) = 2^(-halvings s)
    for (Index k = 0; k < c.size; ++k) halvings[k] = c[k] * 1.4426950408889634;
    for (Index I = first; I < count; I += step) {
        for (Index J = I; J < count; ++J) {
            const double apart = between(tiles, I, J);
            Index used = 0;
            while (used < c.size && c[used] * apart <= cut) ++used;
            if (used == 0) continue;
            const Index to = tiles.edges[J + 1];
            for (Index i = tiles.edges[I]; i < tiles.edges[I + 1]; ++i) {
                const Index from = I == J ? i + 1 : tiles.edges[J];
                squared_distances(Xt, i, from, to, s.data());
                for (Index k = 0; k < used; ++k) {
                    const auto window = root[k] < 0 ? one_window<false, MOMENTS> : one_window<true, MOMENTS>;
                    const double* known = e.data() + (root[k] < 0 ? 0 : root[k] * widest);
                    double unused = 0.0;
                    window(halvings[k], s.data(), known, e.data() + k * widest, w.data + from, w[i], to - from,
                           sums(k, i), MOMENTS ? moments(k, i) : unused, sums.row(k) + from,
                           MOMENTS ? moments.row(k) + from : nullptr);
                }
            }
        }
    }
}

}  // namespace

void gaussian(Matrix<const double> Xt, Vector<const double> w, const Tiles& tiles, Vector<const double> c,
              Vector<const Index> root, double cut, Index first, Index step, Matrix<double> sums,
              Matrix<double> moments) {
    const auto work = moments.rows > 0 ? over_tiles<true> : over_tiles<false>;
    work(Xt, w, tiles, c, root, cut, first, step, sums, moments);
}

void above_nearest(Matrix<const double> Xt, Vector<const double> w, Vector<const Index> rows, Vector<const double> c,
                   Vector<double> nearest, Vector<double> sums, Vector<double> moments) {
    Buffer<double> s(Xt.cols);
    for (Index r = 0; r < rows.size; ++r) {
        const Index i = rows[r];
        squared_distances(Xt, i, 0, Xt.cols, s.data());
        double least = HUGE_VAL;
        for (Index j = 0; j < Xt.cols; ++j) least = j != i && w[j] > 0.0 && s[j] < least ? s[j] : least;
        double total = 0.0, first = 0.0;
#pragma omp simd reduction(+ : total, first)
        for (Index j = 0; j < Xt.cols; ++j) {
            const double above = s[j] > least ? s[j] - least : 0.0;
            const double value = (j == i ? 0.0 : w[j]) * exp_minus(c[r] * above);
            total += value;
            first += value * s[j];
        }
        nearest[r] = least;
        sums[r] = total;
        moments[r] = first;
    }
}

}  // namespace mercer::MERCER_ISA
