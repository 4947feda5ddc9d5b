#include "graph_sets.h"
#include "isa.h"
#define MERCER_LOOPS "loops/graph_labels.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void refine(nb::handle nodes, nb::handle start, nb::handle neighbour, nb::handle arc, nb::handle label, nb::handle next) {
    Call call("refine");
    auto graphs = graphs_of(call, nodes, start, neighbour);
    auto arcs = arcs_of(call, arc, "arc", graphs.neighbour.size);
    auto old = call.vector<const std::int64_t>(label, "label", graphs.start.size - 1);
    auto made = call.vector<std::int64_t>(next, "next", graphs.start.size - 1);
    call.unlocked([&] { BEST(refine)(graphs, arcs, old, made); });
}

void arc_keys(nb::handle nodes, nb::handle start, nb::handle neighbour, nb::handle arc, nb::handle label,
              bool undirected, nb::handle key) {
    Call call("arc_keys");
    auto graphs = graphs_of(call, nodes, start, neighbour);
    auto arcs = arcs_of(call, arc, "arc", graphs.neighbour.size);
    auto labels = call.vector<const std::int64_t>(label, "label", graphs.start.size - 1);
    auto keys = call.vector<std::int64_t>(key, "key", graphs.neighbour.size);
    call.unlocked([&] { BEST(arc_keys)(graphs, arcs, labels, undirected, keys); });
}

}  // namespace

void bind_graph_labels(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("graph_labels", "Labels of nodes that describe what surrounds them.");
    m.def("refine", &refine, nb::arg("nodes"), nb::arg("start"), nb::arg("neighbour"), nb::arg("arc"), nb::arg("label"),
          nb::arg("next"), "next_u <- the hash of label_u and of the multiset of (arc, label) of its neighbours.");
    m.def("arc_keys", &arc_keys, nb::arg("nodes"), nb::arg("start"), nb::arg("neighbour"), nb::arg("arc"),
          nb::arg("label"), nb::arg("undirected"), nb::arg("key"), "key_e <- the hash of the labels of an arc.");
}

}  // namespace mercer
