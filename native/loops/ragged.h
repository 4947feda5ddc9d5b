// Eight pairs of sequences side by side: cell (i, j) of all eight is one vector.
//
// Pairs are taken in order of length, so that eight of them are about as long; shorter ones are filled up with zeros.

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "buffer.h"
#include "ragged_types.h"

namespace mercer::MERCER_ISA {

constexpr Index EIGHT = 8;

// While this lives, results below the smallest normal number are 0: to compute with them takes a hundred times as long.
class NoSubnormals {
   public:
#ifdef __SSE2__
    NoSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }
    ~NoSubnormals() { _mm_setcsr(before_); }

   private:
    unsigned before_;
#else
    NoSubnormals() {}
#endif
};

inline Index longest(const Ragged& Y) {
    Index most = 0;
    for (Index i = 0; i < Y.count(); ++i) most = larger(most, Y.length(i));
    return most;
}

// Which sequences the lanes hold, where they begin, and how long they are; lanes that are not used have length 0.
struct Side {
    Index at[EIGHT], begin[EIGHT], length[EIGHT];
    Index longest;

    void put(const Ragged& X, Index lane, Index i) {
        at[lane] = i;
        begin[lane] = X.begin(i);
        length[lane] = X.length(i);
        longest = larger(longest, length[lane]);
    }
};

struct Lanes {
    Side x, y;
    Index used;

    void clear() {
        used = x.longest = y.longest = 0;
        for (Index l = 0; l < EIGHT; ++l) x.length[l] = y.length[l] = 0;
    }
};

// Positions of the sequences in order of length, by insertion; a tile has a few dozen.
inline void sort_by_length(const Ragged& X, Index* order) {
    for (Index k = 0; k < X.count(); ++k) {
        Index at = k;
        for (; at > 0 && X.length(order[at - 1]) > X.length(k); --at) order[at] = order[at - 1];
        order[at] = k;
    }
}

// Whether both are the same sequences in the same memory: then k(x, y) = k(y, x) is computed once.
inline bool same(const Ragged& X, const Ragged& Y) {
    if (X.points.data != Y.points.data || X.count() != Y.count()) return false;
    for (Index i = 0; i <= X.count(); ++i)
        if (X.ends[i] != Y.ends[i]) return false;
    return true;
}

// Calls work(lanes, half) for all pairs of sequences, eight at a time; `half`: those with x and y swapped are left out.
template <class Work>
void over_pairs(const Ragged& X, const Ragged& Y, Work work) {
    const bool half = same(X, Y);
    Buffer<Index> rows(X.count()), cols(Y.count());
    sort_by_length(X, rows.data());
    sort_by_length(Y, cols.data());
    Lanes lanes;
    lanes.clear();
    for (Index a = 0; a < X.count(); ++a)
        for (Index b = 0; b < (half ? a + 1 : Y.count()); ++b) {
            lanes.x.put(X, lanes.used, rows[a]);
            lanes.y.put(Y, lanes.used++, cols[b]);
            if (lanes.used < EIGHT) continue;
            work(lanes, half);
            lanes.clear();
        }
    if (lanes.used > 0) work(lanes, half);
}

// out(x, y) <- value, and out(y, x) too where only half of the pairs is computed.
inline void put(Matrix<double> out, const Lanes& lanes, Index lane, bool half, double value) {
    out(lanes.x.at[lane], lanes.y.at[lane]) = value;
    if (half) out(lanes.y.at[lane], lanes.x.at[lane]) = value;
}

// to[(j cols + d) EIGHT + l] <- entry d of point j of the sequence in lane l, zeros behind its end.
inline void pack(Matrix<const double> points, const Side& side, double* to) {
    const Index cols = points.cols;
    for (Index k = 0; k < side.longest * cols * EIGHT; ++k) to[k] = 0.0;
    for (Index l = 0; l < EIGHT; ++l)
        for (Index j = 0; j < side.length[l]; ++j)
            for (Index d = 0; d < cols; ++d) to[(j * cols + d) * EIGHT + l] = points(side.begin[l] + j, d);
}

// The same for one number per point.
inline void pack(const double* values, const Side& side, double* to) {
    pack({values, PTRDIFF_MAX, 1, 1}, side, to);
}

}  // namespace mercer::MERCER_ISA
