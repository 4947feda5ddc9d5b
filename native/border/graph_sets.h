// Graphs at the border: their three arrays become one view, after every index has been checked.
#pragma once

#include "arrays.h"
#include "loops/graph_types.h"

namespace mercer {

Graphs graphs_of(Call& call, nb::handle nodes, nb::handle start, nb::handle neighbour, const char* nodes_name = "nodes",
                 const char* start_name = "start", const char* neighbour_name = "neighbour");

// A vector with an entry for every one of `count` arcs, or an empty one.
Vector<const std::int64_t> arcs_of(Call& call, nb::handle arc, const char* name, Index count);

}  // namespace mercer
