#include "graph_sets.h"
#include "isa.h"
#define MERCER_LOOPS "loops/graphlets.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void graphlets(nb::handle nodes, nb::handle start, nb::handle neighbour, Index size, nb::handle kind, nb::handle counts) {
    Call call("graphlets");
    constexpr Index most = 5;
    auto graphs = graphs_of(call, nodes, start, neighbour);
    if (size < 2 || size > most) call.wrong_value("size", "from 2 to 5", std::to_string(size));
    auto kinds = call.vector<const Index>(kind, "kind", Index{1} << (size * (size - 1) / 2));
    auto out = call.matrix<double>(counts, "counts", graphs.count());
    call.places(kinds, "kind", out.cols);
    call.unlocked([&] { BEST(graphlets)(graphs, size, kinds, out); });
}

}  // namespace

void bind_graphlets(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("graphlets", "Connected induced subgraphs of few nodes.");
    m.def("graphlets", &graphlets, nb::arg("nodes"), nb::arg("start"), nb::arg("neighbour"), nb::arg("size"),
          nb::arg("kind"), nb::arg("counts"), "counts_gk <- connected induced subgraphs of g whose bits are of kind k.");
}

}  // namespace mercer
