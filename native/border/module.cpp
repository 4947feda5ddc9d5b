// The extension module mercer._native: chooses the instruction set and binds the submodules.
#include "module.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>

#include "isa.h"

NB_MODULE(_native, m) {
    mercer::choose_isa(std::getenv("MERCER_ISA"));
    m.doc() = "The compiled loops of mercer, one submodule for each file of native/loops.";
    m.def("isa", [] { return std::string(mercer::isa_name(mercer::isa)); }, "The instruction set in use.");
    m.def("available_isas", &mercer::available_isas, "The instruction sets this processor has, lowest first.");
    m.def("choose_isa", [](const std::string& name) { mercer::choose_isa(name.c_str()); }, nanobind::arg("name"),
          "Use another instruction set from now on; for tests.");
    mercer::bind_cubic_grid(m);
    mercer::bind_alignment(m);
    mercer::bind_bits(m);
    mercer::bind_distance(m);
    mercer::bind_dual_proof(m);
    mercer::bind_edit_distance(m);
    mercer::bind_gap_weighted(m);
    mercer::bind_gather(m);
    mercer::bind_graph_labels(m);
    mercer::bind_graph_paths(m);
    mercer::bind_graph_walks(m);
    mercer::bind_graphlets(m);
    mercer::bind_growth(m);
    mercer::bind_halves(m);
    mercer::bind_line_sums(m);
    mercer::bind_inversions(m);
    mercer::bind_linear(m);
    mercer::bind_loess(m);
    mercer::bind_lowess(m);
    mercer::bind_local_alignment(m);
    mercer::bind_medoids(m);
    mercer::bind_pair_sums(m);
    mercer::bind_minima(m);
    mercer::bind_path(m);
    mercer::bind_polynomial(m);
    mercer::bind_radial(m);
    mercer::bind_row_kernel(m);
    mercer::bind_rows(m);
    mercer::bind_rvm(m);
    mercer::bind_select(m);
    mercer::bind_sigmoid(m);
    mercer::bind_signature(m);
    mercer::bind_smo(m);
    mercer::bind_smo_batch(m);
    mercer::bind_smo_newton(m);
    mercer::bind_sparse(m);
    mercer::bind_sparse_pairs(m);
    mercer::bind_state_space(m);
    mercer::bind_subsets(m);
    mercer::bind_substrings(m);
    mercer::bind_tally(m);
    mercer::bind_triangles(m);
    mercer::bind_weighted_degree(m);
    mercer::bind_word_distances(m);
    mercer::bind_window_tree(m);
}
