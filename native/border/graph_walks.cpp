#include "batch.h"
#include "graph_sets.h"
#include "isa.h"
#define MERCER_LOOPS "loops/graph_walks.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void spectral_walks(nb::handle aends, nb::handle avalue, nb::handle aweight, nb::handle bends, nb::handle bvalue,
                    nb::handle bweight, double decay, nb::handle out) {
    Call call("spectral_walks");
    auto tile = call.matrix<double>(out, "out");
    Spectra A{call.vector<const Index>(aends, "aends", tile.rows + 1), call.vector<const double>(avalue, "avalue"), {}};
    A.weight = call.vector<const double>(aweight, "aweight", A.value.size);
    Spectra B{call.vector<const Index>(bends, "bends", tile.cols + 1), call.vector<const double>(bvalue, "bvalue"), {}};
    B.weight = call.vector<const double>(bweight, "bweight", B.value.size);
    require_ends(call, A.ends, A.value.size);
    require_ends(call, B.ends, B.value.size);
    call.unlocked([&] { BEST(spectral_walks)(A, B, decay, tile); });
}

void product_walks(nb::handle anodes, nb::handle astart, nb::handle aneighbour, nb::handle alabel, nb::handle aarc,
                   nb::handle aradius, nb::handle bnodes, nb::handle bstart, nb::handle bneighbour, nb::handle blabel,
                   nb::handle barc, nb::handle bradius, double decay, bool directed, nb::handle out) {
    Call call("product_walks");
    LabelledGraphs A{graphs_of(call, anodes, astart, aneighbour, "anodes", "astart", "aneighbour"), {}, {}, {}};
    A.label = call.vector<const std::int64_t>(alabel, "alabel", A.graphs.start.size - 1);
    A.arc = arcs_of(call, aarc, "aarc", A.graphs.neighbour.size);
    LabelledGraphs B{graphs_of(call, bnodes, bstart, bneighbour, "bnodes", "bstart", "bneighbour"), {}, {}, {}};
    B.label = call.vector<const std::int64_t>(blabel, "blabel", B.graphs.start.size - 1);
    B.arc = arcs_of(call, barc, "barc", B.graphs.neighbour.size);
    if (A.arc.size == 0 || B.arc.size == 0) A.arc = B.arc = {nullptr, 0};  // one side has no arcs to compare
    A.radius = call.vector<const double>(aradius, "aradius", A.graphs.count());
    B.radius = call.vector<const double>(bradius, "bradius", B.graphs.count());
    auto tile = call.matrix<double>(out, "out", A.graphs.count(), B.graphs.count());
    call.unlocked([&] { BEST(product_walks)(A, B, decay, directed, tile); });
}

}  // namespace

void bind_graph_walks(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("graph_walks", "Walks that two graphs have in common.");
    m.def("spectral_walks", &spectral_walks, nb::arg("aends"), nb::arg("avalue"), nb::arg("aweight"), nb::arg("bends"),
          nb::arg("bvalue"), nb::arg("bweight"), nb::arg("decay"), nb::arg("out"),
          "out_gh <- sum of weight(a) weight(b) / (1 - decay a b) over eigenvalues a of g and b of h.");
    m.def("product_walks", &product_walks, nb::arg("anodes"), nb::arg("astart"), nb::arg("aneighbour"),
          nb::arg("alabel"), nb::arg("aarc"), nb::arg("aradius"), nb::arg("bnodes"), nb::arg("bstart"),
          nb::arg("bneighbour"), nb::arg("blabel"), nb::arg("barc"), nb::arg("bradius"), nb::arg("decay"),
          nb::arg("directed"), nb::arg("out"),
          "out_gh <- 1' (I - decay A)^-1 1, A the adjacency of the product of g and h by equal labels.");
}

}  // namespace mercer
