// Sequences of letters in one long vector: sequence i is letters[start[i]], ..., letters[end[i] - 1].
//
// Letters are numbers of which only equality counts; one below 0 is equal to none.
#pragma once

#include "views.h"

namespace mercer {

using Letter = std::int32_t;

struct Sequences {
    const Letter* letters;
    const Index* start;
    const Index* end;
    Index count;

    const Letter* at(Index i) const { return letters + start[i]; }
    Index length(Index i) const { return end[i] - start[i]; }

    // The length of the longest of `many` sequences from `first` on.
    Index longest(Index first, Index many) const {
        Index most = 0;
        for (Index i = first; i < first + many; ++i) most = length(i) > most ? length(i) : most;
        return most;
    }
};

// Which pairs a loop compares: all of A and B, or the first of A with the first of B, the second with the second, ...
// Then `out` has one column.
enum class Pairs { ALL, MATCHED };

// Factors exp(beta score) of one aligned pair of letters that are equal or differ, of the first letter of a gap and of
// each further one.
struct AlignmentFactors {
    double match, mismatch, open, extend;
};

}  // namespace mercer
