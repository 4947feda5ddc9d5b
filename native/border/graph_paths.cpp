#include "graph_sets.h"
#include "isa.h"
#define MERCER_LOOPS "loops/graph_paths.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

Index path_counts(nb::handle nodes, nb::handle start, nb::handle neighbour, nb::handle label, bool ordered, Index first,
                  nb::handle keys, nb::handle counts, nb::handle ends) {
    Call call("path_counts");
    auto graphs = graphs_of(call, nodes, start, neighbour);
    auto labels = call.vector<const std::int64_t>(label, "label", graphs.start.size - 1);
    auto found = call.vector<std::int64_t>(keys, "keys");
    auto counted = call.vector<double>(counts, "counts", found.size);
    auto made = call.vector<Index>(ends, "ends");
    if (first < 0 || first > graphs.count())
        call.wrong_value("first", "a graph, 0 to " + std::to_string(graphs.count()), std::to_string(first));
    if (made.size == 0) call.wrong_value("ends", "at least one long", "an empty array");
    if (found.size >= INT32_MAX) call.wrong_value("keys", "room for fewer than 2^31 keys", std::to_string(found.size));
    return call.unlocked([&] { return BEST(path_counts)(graphs, labels, ordered, first, found, counted, made); });
}

}  // namespace

void bind_graph_paths(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("graph_paths", "Shortest paths, counted by the labels at their ends.");
    m.def("path_counts", &path_counts, nb::arg("nodes"), nb::arg("start"), nb::arg("neighbour"), nb::arg("label"),
          nb::arg("ordered"), nb::arg("first"), nb::arg("keys"), nb::arg("counts"), nb::arg("ends"),
          "Counts of (label, label, distance) of the graphs from `first` on for which there is room; returns the next.");
}

}  // namespace mercer
