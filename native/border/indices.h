// Positions at the border: an index outside of an array would be read or written without notice, so all are checked.
#pragma once

#include <string>

#include "arrays.h"

namespace mercer {

// A vector of positions, int32 or int64, each of which must be one of 0, ..., limit - 1.
template <class I>
Vector<const I> positions(Call& call, nb::handle object, const char* name, Index limit) {
    auto found = call.vector<const I>(object, name);
    I least = 0, most = -1;
    for (Index p = 0; p < found.size; ++p) {
        least = found[p] < least ? found[p] : least;
        most = found[p] > most ? found[p] : most;
    }
    if (least < 0 || static_cast<Index>(most) >= limit)
        call.wrong_value(name, "indices from 0 to below " + std::to_string(limit),
                         std::to_string(least < 0 ? least : most));
    return found;
}

}  // namespace mercer
