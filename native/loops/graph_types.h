// Graphs as the loops see them: the adjacency lists of all graphs, one after another.
//
// Graph g has the nodes nodes[g] <= u < nodes[g + 1], and node u the arcs start[u] <= e < start[u + 1] to the nodes
// nodes[g] + neighbour[e], in ascending order.  An undirected edge is two arcs, a loop is one.
// Nothing here owns memory; like views.h it belongs to no instruction set.
#pragma once

#include "views.h"

namespace mercer {

struct Graphs {
    Vector<const Index> nodes;
    Vector<const Index> start;
    Vector<const Index> neighbour;

    Index count() const { return nodes.size - 1; }
    Index size(Index g) const { return nodes[g + 1] - nodes[g]; }
};

// Graphs with a hash for every node and, or none at all, for every arc, and the largest absolute eigenvalue of each.
struct LabelledGraphs {
    Graphs graphs;
    Vector<const std::int64_t> label;
    Vector<const std::int64_t> arc;
    Vector<const double> radius;
};

// Spectra of several graphs: graph g has the eigenvalues value[i] and weights weight[i], ends[g] <= i < ends[g + 1].
struct Spectra {
    Vector<const Index> ends;
    Vector<const double> value;
    Vector<const double> weight;

    Index size(Index g) const { return ends[g + 1] - ends[g]; }
};

using Hash = std::uint64_t;

}  // namespace mercer
