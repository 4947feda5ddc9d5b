// Sparse matrices as the loops see them: compressed rows, or compressed columns of the transpose.
//
// Line i has the entries value[p] at the places index[p], start[i] <= p < start[i + 1], in ascending order of places.
// Nothing here owns memory; like views.h it belongs to no instruction set.
#pragma once

#include "views.h"

namespace mercer {

template <class T, class I>
struct Compressed {
    const I* start;
    const I* index;
    const T* value;
    Index lines;

    Index begin(Index i) const { return static_cast<Index>(start[i]); }
    Index end(Index i) const { return static_cast<Index>(start[i + 1]); }
};

}  // namespace mercer
