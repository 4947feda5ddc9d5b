// Shortest paths of unweighted graphs, counted by the labels at their ends and by their length.

#include "graph_types.h"

namespace mercer::MERCER_ISA {

// Graphs first, first + 1, ...: for each the different keys (label of u, label of v, distance of u and v) over pairs of
// nodes with a path, and how often each occurs.  Pairs are ordered, or not, and u differs from v.
//
// They go to keys and counts from place 0 on, ends[g - first] is where graph g begins.  Stops before the first graph
// for which there is not enough room, or that has no place in `ends`; returns that graph.
Index path_counts(Graphs graphs, Vector<const std::int64_t> label, bool ordered, Index first, Vector<std::int64_t> keys,
                  Vector<double> counts, Vector<Index> ends);

}  // namespace mercer::MERCER_ISA
