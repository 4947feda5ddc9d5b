#include "signature.h"

namespace mercer::MERCER_ISA {

namespace {

// Memory for eight pairs: increments of y, D for one increment of x, and one row of the grid.
struct Work {
    Index steps;  // per increment
    Buffer<double> increments, D, k, dk;

    Work(Index most, Index cols, Index refinement, bool slopes)
        : steps(Index(1) << refinement), increments(most * cols * EIGHT), D(most * EIGHT),
          k(most * steps * EIGHT), dk(slopes ? most * steps * EIGHT : 0) {}
};

void inner_products(const Work& work, const double* x, Index cols, Index length, double scale) {
    for (Index j = 0; j < length; ++j) {
        double* D = work.D.data() + j * EIGHT;
        const double* y = work.increments.data() + j * cols * EIGHT;
        for (Index l = 0; l < EIGHT; ++l) D[l] = 0.0;
        for (Index d = 0; d < cols; ++d) {
#pragma omp simd
            for (Index l = 0; l < EIGHT; ++l) D[l] += scale * x[d] * y[d * EIGHT + l];
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
    const Index cols = X.points.cols;
    const Work work(longest(Y), cols, refinement, SLOPE);
    const double part = scale / static_cast<double>(work.steps * work.steps);
    for (Index first = 0; first < Y.count(); first += EIGHT) {
        const Lanes lanes(Y, first);
        pack(Y, lanes, work.increments.data());
        for (Index a = 0; a < X.count(); ++a) {
            for (Index c = 0; c < lanes.longest * work.steps * EIGHT; ++c) work.k[c] = 1.0;
            if constexpr (SLOPE)
                for (Index c = 0; c < lanes.longest * work.steps * EIGHT; ++c) work.dk[c] = 0.0;
            for (Index i = 0; i < X.length(a); ++i) {
                inner_products(work, X.points.row(X.begin(a) + i), cols, lanes.longest, part);
                for (Index step = 0; step < work.steps; ++step) row<SLOPE>(work, lanes.longest);
            }
            for (Index l = 0; l < lanes.used; ++l) {
                const Index end = (lanes.length[l] * work.steps - 1) * EIGHT + l;
                out(a, first + l) = lanes.length[l] > 0 ? work.k[end] : 1.0;
                if constexpr (SLOPE) slope(a, first + l) = lanes.length[l] > 0 ? work.dk[end] : 0.0;
            }
        }
    }
}

}  // namespace

void signature(Ragged X, Ragged Y, double scale, Index refinement, Matrix<double> out) {
    all_pairs<false>(X, Y, scale, refinement, out, out);
}

void signature_slope(Ragged X, Ragged Y, double scale, Index refinement, Matrix<double> out, Matrix<double> slope) {
    all_pairs<true>(X, Y, scale, refinement, out, slope);
}

}  // namespace mercer::MERCER_ISA
