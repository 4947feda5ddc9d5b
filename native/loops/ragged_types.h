// Sequences of points of unequal length, one after the other in one matrix.
#pragma once

#include "views.h"

namespace mercer {

// Sequence i is rows ends[i] .. ends[i + 1] - 1.
struct Ragged {
    Matrix<const double> points;
    Vector<const Index> ends;

    Index count() const { return ends.size - 1; }
    Index begin(Index i) const { return ends[i]; }
    Index length(Index i) const { return ends[i + 1] - ends[i]; }
};

}  // namespace mercer
