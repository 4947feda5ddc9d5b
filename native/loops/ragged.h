// Sequences of points of unequal length, one after the other in one matrix, and eight of them side by side.
//
// Loops over pairs of sequences work on one sequence x and EIGHT sequences y at a time: cell (i, j) of all eight is one
// vector.  Shorter sequences are filled up with zeros.

#include "buffer.h"
#include "ragged_types.h"

namespace mercer::MERCER_ISA {

constexpr Index EIGHT = 8;

inline Index longest(const Ragged& Y) {
    Index most = 0;
    for (Index i = 0; i < Y.count(); ++i) most = larger(most, Y.length(i));
    return most;
}

// Up to EIGHT sequences from `first` on, and the length of each and of the longest; the places that are left are empty.
struct Lanes {
    Index first, used, longest;
    Index length[EIGHT];

    Lanes(const Ragged& Y, Index from) : first(from), used(smaller(EIGHT, Y.count() - from)), longest(0) {
        for (Index l = 0; l < EIGHT; ++l) {
            length[l] = l < used ? Y.length(first + l) : 0;
            longest = larger(longest, length[l]);
        }
    }
};

// out[(j cols + d) EIGHT + l] <- entry d of point j of sequence l, zeros behind the end of a sequence.
inline void pack(const Ragged& Y, const Lanes& lanes, double* out) {
    const Index cols = Y.points.cols;
    for (Index k = 0; k < lanes.longest * cols * EIGHT; ++k) out[k] = 0.0;
    for (Index l = 0; l < lanes.used; ++l)
        for (Index j = 0; j < lanes.length[l]; ++j)
            for (Index d = 0; d < cols; ++d)
                out[(j * cols + d) * EIGHT + l] = Y.points(Y.begin(lanes.first + l) + j, d);
}

// The same for one number per point.
inline void pack(const Ragged& Y, const Lanes& lanes, const double* values, double* out) {
    for (Index k = 0; k < lanes.longest * EIGHT; ++k) out[k] = 0.0;
    for (Index l = 0; l < lanes.used; ++l)
        for (Index j = 0; j < lanes.length[l]; ++j) out[j * EIGHT + l] = values[Y.begin(lanes.first + l) + j];
}

}  // namespace mercer::MERCER_ISA
