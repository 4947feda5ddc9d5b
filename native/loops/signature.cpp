#include "signature.h"

namespace mercer::MERCER_ISA {

namespace {

// Memory for eight pairs: increments of both, D for one increment of x, and one row of the grid.
struct Work {
    Index cols, steps;  // steps per increment
    Buffer<double> x, y, D, k, dk;

    Work(const Ragged& X, const Ragged& Y, Index refinement, bool slopes)
        : cols(X.points.cols), steps(Index(1) << refinement), x(longest(X) * cols * EIGHT), y(longest(Y) * cols * EIGHT),
          D(longest(Y) * EIGHT), k(longest(Y) * steps * EIGHT), dk(slopes ? longest(Y) * steps * EIGHT : 0) {}
};

// D of increment i of x with all of y.
void inner_products(const Work& work, Index i, Index length, double scale) {
    const double* x = work.x.data() + i * work.cols * EIGHT;
    for (Index j = 0; j < length; ++j) {
        double* D = work.D.data() + j * EIGHT;
        const double* y = work.y.data() + j * work.cols * EIGHT;
        for (Index l = 0; l < EIGHT; ++l) D[l] = 0.0;
        for (Index d = 0; d < work.cols * EIGHT; d += EIGHT) {
#pragma omp simd
            for (Index l = 0; l < EIGHT; ++l) D[l] += scale * (x[d + l] * y[d + l]);
        }
    }
}

// The next row of the grid, for a part of one increment of x.
template <bool SLOPE>
void row(const Work& work, Index length) {
    double left[EIGHT], corner[EIGHT], dleft[EIGHT] = {}, dcorner[EIGHT] = {};
    for (Index l = 0; l < EIGHT; ++l) left[l] = corner[l] = 1.0;
    for (Index j = 0; j < length; ++j) {
        const double* D = work.D.data() + j * EIGHT;
        for (Index step = 0; step < work.steps; ++step) {
            double* k = work.k.data() + (j * work.steps + step) * EIGHT;
            double* dk = SLOPE ? work.dk.data() + (j * work.steps + step) * EIGHT : k;
#pragma omp simd
            for (Index l = 0; l < EIGHT; ++l) {
                const double sixth = D[l] * (1.0 / 6.0), square = 0.5 * D[l] * sixth;
                const double near = 1.0 + 0.5 * D[l] + square, far = 1.0 - square, above = k[l];
                const double both = left[l] + above;
                if constexpr (SLOPE) {
                    const double in_near = D[l] * (0.5 + sixth), in_far = -D[l] * sixth;
                    const double slope =
                        (dleft[l] + dk[l]) * near + both * in_near - dcorner[l] * far - corner[l] * in_far;
                    dcorner[l] = dk[l];
                    dleft[l] = dk[l] = slope;
                }
                const double next = both * near - corner[l] * far;
                corner[l] = above;
                left[l] = k[l] = next;
            }
        }
    }
}

template <bool SLOPE>
void all_pairs(Ragged X, Ragged Y, double scale, Index refinement, Matrix<double> out, Matrix<double> slope) {
    const NoSubnormals fast;
    const Work work(X, Y, refinement, SLOPE);
    const double part = scale / static_cast<double>(work.steps * work.steps);
    for (Index i = 0; i < out.rows; ++i)  // of paths without an increment
        for (Index j = 0; j < out.cols; ++j) {
            out(i, j) = 1.0;
            if constexpr (SLOPE) slope(i, j) = 0.0;
        }
    over_pairs(X, Y, [&](const Lanes& lanes, bool half) {
        pack(X.points, lanes.x, work.x.data());
        pack(Y.points, lanes.y, work.y.data());
        const Index width = lanes.y.longest;
        for (Index c = 0; c < width * work.steps * EIGHT; ++c) work.k[c] = 1.0;
        if constexpr (SLOPE)
            for (Index c = 0; c < width * work.steps * EIGHT; ++c) work.dk[c] = 0.0;
        for (Index i = 0; i < lanes.x.longest; ++i) {
            inner_products(work, i, width, part);
            for (Index step = 0; step < work.steps; ++step) row<SLOPE>(work, width);
            for (Index l = 0; l < lanes.used; ++l) {
                if (i + 1 != lanes.x.length[l] || lanes.y.length[l] == 0) continue;
                const Index end = (lanes.y.length[l] * work.steps - 1) * EIGHT + l;
                put(out, lanes, l, half, work.k[end]);
                if constexpr (SLOPE) put(slope, lanes, l, half, work.dk[end]);
            }
        }
    });
}

}  // namespace

void signature(Ragged X, Ragged Y, double scale, Index refinement, Matrix<double> out) {
    all_pairs<false>(X, Y, scale, refinement, out, out);
}

void signature_slope(Ragged X, Ragged Y, double scale, Index refinement, Matrix<double> out, Matrix<double> slope) {
    all_pairs<true>(X, Y, scale, refinement, out, slope);
}

}  // namespace mercer::MERCER_ISA
