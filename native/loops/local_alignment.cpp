#include "local_alignment.h"

#include <cmath>

#include "lane_letters.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr double BIG = 1e150;  // above it, sums are divided by it

// The state of one row: alignments that end with a pair (M), with a gap in the right sequence (X) or the left one (Y).
struct Rows {
    Eight* M;
    Eight* X;
    Eight* Y;
};

// One sequence against eight.
struct Work {
    const Eight* t;
    const Eight* other;  // the factor of two letters that differ, 0 behind the end of a sequence
    Index columns;
    AlignmentFactors f;
    Rows rows;  // columns + 1 numbers each; the first is 0
    Eight start, total;
    Index scalings[EIGHT];

    void row(double letter) {
        const Eight zero = {}, match = zero + f.match;
        Eight m = {}, x = {}, y = {};                 // this row, the column before
        Eight mb = {}, xb = {}, yb = {}, sum = {};    // the row before, the column before
        for (Index j = 0; j < columns; ++j) {
            const Eight ma = rows.M[j], xa = rows.X[j], ya = rows.Y[j];
            y = (m + x) * f.open + y * f.extend;
            m = (start + xb + yb + mb) * CHOSEN(t[j] == zero + letter, match, other[j]);
            x = ma * f.open + xa * f.extend;
            rows.M[j] = m;
            rows.X[j] = x;
            rows.Y[j] = y;
            mb = ma;
            xb = xa;
            yb = ya;
            sum = sum + m;
        }
        total = total + sum;
    }

    // Bring lanes whose total is too large back into range.
    void rescale() {
        for (Index w = 0; w < EIGHT; ++w) {
            if (!(total[w] > BIG)) continue;
            for (Index j = 0; j < columns; ++j) {
                rows.M[j][w] /= BIG;
                rows.X[j][w] /= BIG;
                rows.Y[j][w] /= BIG;
            }
            start[w] /= BIG;
            total[w] /= BIG;
            ++scalings[w];
        }
    }

    void compare(const Letter* s, Index length) {
        const Eight zero = {};
        for (Index j = 0; j < columns; ++j) rows.M[j] = rows.X[j] = rows.Y[j] = zero;
        start = zero + 1.0;
        total = zero;
        for (Index w = 0; w < EIGHT; ++w) scalings[w] = 0;
        for (Index i = 0; i < length; ++i) {
            row(lane_letter(s[i]));
            rescale();
        }
    }
};

}  // namespace

void log_local_alignments(Sequences A, Sequences B, Pairs pairs, AlignmentFactors factors, Matrix<double> out) {
    const Index most = B.longest(0, B.count) + 1;
    const double big = std::log(BIG);
    EightBuffer t(most), other(most), M(most), X(most), Y(most);
    over_groups(A, B, pairs, EIGHT, [&](Index first, Index many, Index top, Index bottom) {
        const Index columns = B.longest(first, many);
        interleave(B, first, many, columns, t.data());
        for (Index j = 0; j < columns; ++j)
            for (Index w = 0; w < EIGHT; ++w) other[j][w] = t[j][w] == PAD ? 0.0 : factors.mismatch;
        Work work{t.data(), other.data(), columns, factors, {M.data(), X.data(), Y.data()}, {}, {}, {}};
        for (Index i = top; i < bottom; ++i) {
            work.compare(A.at(i), A.length(i));
            for (Index w = 0; w < many; ++w)
                out(i, pairs == Pairs::ALL ? first + w : 0) =
                    std::log(work.total[w] + work.start[w]) + static_cast<double>(work.scalings[w]) * big;
        }
    });
}

}  // namespace mercer::MERCER_ISA
