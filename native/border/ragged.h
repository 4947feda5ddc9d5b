// Sequences of points at the border: a matrix of all points, and where each sequence ends.
#pragma once

#include "arrays.h"
#include "loops/ragged_types.h"

namespace mercer {

// Complain unless `ends` grows from 0 to the number of points.
inline Ragged sequences(Call& call, nb::handle points, const char* points_name, nb::handle ends, const char* ends_name,
                        Index cols = ANY) {
    auto rows = call.matrix<const double>(points, points_name, ANY, cols);
    auto at = call.vector<const Index>(ends, ends_name);
    if (at.size < 1 || at[0] != 0) call.wrong_value(ends_name, "0 first", "another start");
    for (Index i = 1; i < at.size; ++i)
        if (at[i] < at[i - 1]) call.wrong_value(ends_name, "in increasing order", std::to_string(at[i]));
    if (at[at.size - 1] != rows.rows)
        call.wrong_value(ends_name, "up to " + std::to_string(rows.rows), std::to_string(at[at.size - 1]));
    return {rows, at};
}

}  // namespace mercer
