#include "inversions.h"

#include "buffer.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index SHORT = 16;  // runs of this length are sorted by insertion

// Sorts `count` numbers by insertion and returns how many places they moved.
Index insertion(std::int32_t* v, Index count) {
    Index moved = 0;
    for (Index k = 1; k < count; ++k) {
        const std::int32_t held = v[k];
        Index at = k;
        for (; at > 0 && v[at - 1] > held; --at) v[at] = v[at - 1];
        v[at] = held;
        moved += k - at;
    }
    return moved;
}

// Merges two sorted runs into `to` and returns how many pairs were out of order.
Index merge(const std::int32_t* a, Index left, const std::int32_t* b, Index right, std::int32_t* to) {
    Index i = 0, j = 0, pairs = 0;
    while (i < left && j < right) {
        const bool other = b[j] < a[i];
        *to++ = other ? b[j] : a[i];
        pairs += other ? left - i : 0;
        j += other;
        i += !other;
    }
    while (i < left) *to++ = a[i++];
    while (j < right) *to++ = b[j++];
    return pairs;
}

// Pairs of `v` that are out of order, by merge sort from the bottom up; both arrays are overwritten.
Index inversions(std::int32_t* v, std::int32_t* other, Index count) {
    Index pairs = 0;
    for (Index at = 0; at < count; at += SHORT) pairs += insertion(v + at, smaller(SHORT, count - at));
    for (Index run = SHORT; run < count; run *= 2) {
        for (Index at = 0; at < count; at += 2 * run) {
            const Index left = smaller(run, count - at), right = smaller(run, count - at - left);
            pairs += merge(v + at, left, v + at + left, right, other + at);
        }
        std::int32_t* const sorted = other;
        other = v;
        v = sorted;
    }
    return pairs;
}

}  // namespace

void discordant(Matrix<const std::int32_t> A, Matrix<const std::int32_t> B, Matrix<std::int32_t> scratch,
                Matrix<double> out) {
    for (Index i = 0; i < A.rows; ++i) {
        const std::int32_t* place = A.row(i);
        for (Index j = 0; j < B.rows; ++j) {
            const std::int32_t* order = B.row(j);
            for (Index t = 0; t < A.cols; ++t) scratch(0, t) = place[order[t]];
            out(i, j) = static_cast<double>(inversions(scratch.row(0), scratch.row(1), A.cols));
        }
    }
}

}  // namespace mercer::MERCER_ISA
