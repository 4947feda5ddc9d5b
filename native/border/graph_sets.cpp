#include "graph_sets.h"

namespace mercer {

namespace {

// Refuse offsets that do not ascend from 0 to `total`.
void require_ascending(const Call& call, Vector<const Index> ends, const char* name, Index total) {
    bool right = ends.size > 0 && ends[0] == 0 && ends[ends.size - 1] == total;
    for (Index i = 0; right && i + 1 < ends.size; ++i) right = ends[i] <= ends[i + 1];
    if (!right) call.wrong_value(name, "ascending from 0 to " + std::to_string(total), "another sequence");
}

}  // namespace

Graphs graphs_of(Call& call, nb::handle nodes, nb::handle start, nb::handle neighbour, const char* nodes_name,
                 const char* start_name, const char* neighbour_name) {
    Graphs found{call.vector<const Index>(nodes, nodes_name), call.vector<const Index>(start, start_name),
                 call.vector<const Index>(neighbour, neighbour_name)};
    if (found.start.size == 0) call.wrong_value(start_name, "at least one long", "an empty array");
    require_ascending(call, found.nodes, nodes_name, found.start.size - 1);
    require_ascending(call, found.start, start_name, found.neighbour.size);
    for (Index g = 0; g < found.count(); ++g)
        for (Index e = found.start[found.nodes[g]]; e < found.start[found.nodes[g + 1]]; ++e)
            if (found.neighbour[e] < 0 || found.neighbour[e] >= found.size(g))
                call.wrong_value(neighbour_name, "indices from 0 to below " + std::to_string(found.size(g)),
                                 std::to_string(found.neighbour[e]));
    return found;
}

Vector<const std::int64_t> arcs_of(Call& call, nb::handle arc, const char* name, Index count) {
    auto found = call.vector<const std::int64_t>(arc, name);
    if (found.size != 0 && found.size != count)
        call.wrong_value(name, "empty or " + std::to_string(count) + " long", std::to_string(found.size) + " entries");
    return found;
}

}  // namespace mercer
