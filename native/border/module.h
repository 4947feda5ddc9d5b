// What every file of the border adds to the extension module: one submodule for each file of loops/.
#pragma once

#include <nanobind/nanobind.h>

namespace mercer {

void bind_cubic_grid(nanobind::module_& parent);
void bind_alignment(nanobind::module_& parent);
void bind_bits(nanobind::module_& parent);
void bind_distance(nanobind::module_& parent);
void bind_dual_proof(nanobind::module_& parent);
void bind_edit_distance(nanobind::module_& parent);
void bind_gap_weighted(nanobind::module_& parent);
void bind_gather(nanobind::module_& parent);
void bind_graph_labels(nanobind::module_& parent);
void bind_graph_paths(nanobind::module_& parent);
void bind_graph_walks(nanobind::module_& parent);
void bind_graphlets(nanobind::module_& parent);
void bind_growth(nanobind::module_& parent);
void bind_halves(nanobind::module_& parent);
void bind_line_sums(nanobind::module_& parent);
void bind_inversions(nanobind::module_& parent);
void bind_linear(nanobind::module_& parent);
void bind_loess(nanobind::module_& parent);
void bind_lowess(nanobind::module_& parent);
void bind_local_alignment(nanobind::module_& parent);
void bind_medoids(nanobind::module_& parent);
void bind_pair_sums(nanobind::module_& parent);
void bind_minima(nanobind::module_& parent);
void bind_path(nanobind::module_& parent);
void bind_polynomial(nanobind::module_& parent);
void bind_radial(nanobind::module_& parent);
void bind_row_kernel(nanobind::module_& parent);
void bind_rows(nanobind::module_& parent);
void bind_rvm(nanobind::module_& parent);
void bind_select(nanobind::module_& parent);
void bind_sigmoid(nanobind::module_& parent);
void bind_signature(nanobind::module_& parent);
void bind_smo(nanobind::module_& parent);
void bind_smo_batch(nanobind::module_& parent);
void bind_smo_newton(nanobind::module_& parent);
void bind_sparse(nanobind::module_& parent);
void bind_sparse_pairs(nanobind::module_& parent);
void bind_state_space(nanobind::module_& parent);
void bind_subsets(nanobind::module_& parent);
void bind_substrings(nanobind::module_& parent);
void bind_tally(nanobind::module_& parent);
void bind_triangles(nanobind::module_& parent);
void bind_weighted_degree(nanobind::module_& parent);
void bind_word_distances(nanobind::module_& parent);
void bind_window_tree(nanobind::module_& parent);

}  // namespace mercer
