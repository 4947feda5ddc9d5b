#include <vector>

#include "arrays.h"
#include "indices.h"
#include "isa.h"
#define MERCER_LOOPS "loops/window_tree.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

// 2^k - 1 nodes, and no more leaves than points.
void check_nodes(Call& call, Index nodes, Index points) {
    if (nodes < 1 || ((nodes + 1) & nodes) != 0) call.wrong_value("start", "2^k - 1 long", std::to_string(nodes));
    if ((nodes + 1) / 2 > points) call.wrong_value("start", "of no more leaves than points", std::to_string(nodes));
}

// Ranges of nodes that lie in the points, and of which children share those of their parent.
void check_ranges(Call& call, const PointTree& tree) {
    const Index n = tree.points.cols, nodes = tree.start.size;
    bool right = tree.start[0] == 0 && tree.end[0] == n;
    for (Index i = 0; i < nodes && right; ++i) {
        right = tree.start[i] < tree.end[i];
        const Index left = 2 * i + 1;
        if (right && left < nodes)
            right = tree.start[left] == tree.start[i] && tree.end[left] == tree.start[left + 1] &&
                    tree.end[left + 1] == tree.end[i];
    }
    if (!right) call.wrong_value("start, end", "the ranges of a tree", "others");
}

PointTree tree_of(Call& call, nb::handle points, nb::handle weight, nb::handle inverse, nb::handle start, nb::handle end,
                  nb::handle low, nb::handle high) {
    PointTree tree{};
    tree.points = call.matrix<const double>(points, "points");
    const Index columns = tree.points.rows, n = tree.points.cols;
    tree.weight = call.vector<const double>(weight, "weight", n);
    tree.inverse = call.vector<const double>(inverse, "inverse");
    if (tree.inverse.size != 0 && tree.inverse.size != n)
        call.wrong_value("inverse", "empty or one for each point", std::to_string(tree.inverse.size));
    tree.start = call.vector<const Index>(start, "start");
    const Index nodes = tree.start.size;
    check_nodes(call, nodes, n);
    tree.end = call.vector<const Index>(end, "end", nodes);
    check_ranges(call, tree);
    tree.low = call.matrix<const double>(low, "low", nodes, columns);
    tree.high = call.matrix<const double>(high, "high", nodes, columns);
    return tree;
}

void grow_tree(nb::handle X, nb::handle order, nb::handle start, nb::handle end, nb::handle low, nb::handle high) {
    Call call("grow_tree");
    auto X_ = call.matrix<double>(X, "X");
    auto order_ = call.vector<Index>(order, "order", X_.rows);
    auto start_ = call.vector<Index>(start, "start");
    check_nodes(call, start_.size, X_.rows);
    auto end_ = call.vector<Index>(end, "end", start_.size);
    auto low_ = call.matrix<double>(low, "low", start_.size, X_.cols);
    auto high_ = call.matrix<double>(high, "high", start_.size, X_.cols);
    call.unlocked([&] { BEST(grow_tree)(X_, order_, start_, end_, low_, high_); });
}

void node_facts(nb::handle points, nb::handle weight, nb::handle inverse, nb::handle start, nb::handle end,
                nb::handle low, nb::handle high, nb::handle facts) {
    Call call("node_facts");
    PointTree tree = tree_of(call, points, weight, inverse, start, end, low, high);
    auto facts_ = call.matrix<double>(facts, "facts", tree.start.size, FACTS + tree.points.rows);
    call.unlocked([&] { BEST(node_facts)(tree, facts_); });
}

nb::tuple tree_sums(nb::handle points, nb::handle weight, nb::handle inverse, nb::handle start, nb::handle end,
                    nb::handle low, nb::handle high, nb::handle facts, nb::handle Q, Index profile, double relative,
                    double absolute, nb::handle skip, nb::handle logs) {
    Call call("tree_sums");
    PointTree tree = tree_of(call, points, weight, inverse, start, end, low, high);
    tree.facts = call.matrix<const double>(facts, "facts", tree.start.size, FACTS + tree.points.rows);
    auto Q_ = call.matrix<const double>(Q, "Q", ANY, tree.points.rows);
    if (profile < 0 || profile > static_cast<Index>(Profile::tricube))
        call.wrong_value("profile", "the number of a window", std::to_string(profile));
    if (!(relative >= 0.0) || !(absolute >= 0.0)) call.wrong_value("relative, absolute", "0 or more", "others");
    auto skip_ = call.vector<const Index>(skip, "skip");
    if (skip_.size != 0 && skip_.size != Q_.rows)
        call.wrong_value("skip", "empty or one for each query", std::to_string(skip_.size));
    for (Index i = 0; i < skip_.size; ++i)
        if (skip_[i] < -1 || skip_[i] >= tree.points.cols)
            call.wrong_value("skip", "the place of a point or -1", std::to_string(skip_[i]));
    auto logs_ = call.vector<double>(logs, "logs", Q_.rows);
    Index largest = 0;
    for (Index i = 0; i < tree.start.size; ++i)
        if (2 * i + 1 >= tree.start.size && tree.end[i] - tree.start[i] > largest) largest = tree.end[i] - tree.start[i];
    std::vector<TreeNode> heap(static_cast<std::size_t>(tree.start.size) + 2);
    std::vector<double> scratch(static_cast<std::size_t>(largest));
    Index opened = 0;
    const Index values = call.unlocked([&] {
        return BEST(tree_sums)(tree, Q_, static_cast<Profile>(profile), {relative, absolute}, skip_, heap.data(),
                               scratch.data(), logs_, opened);
    });
    return nb::make_tuple(values, opened);
}

}  // namespace

void bind_window_tree(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("window_tree", "Sums of a window over points, by a tree with bounds.");
    m.def("grow_tree", &grow_tree, nb::arg("X"), nb::arg("order"), nb::arg("start"), nb::arg("end"), nb::arg("low"),
          nb::arg("high"),
          "Arrange the rows of X, and `order` with them, in a balanced tree; the ranges and boxes of its nodes are filled.");
    m.def("node_facts", &node_facts, nb::arg("points"), nb::arg("weight"), nb::arg("inverse"), nb::arg("start"),
          nb::arg("end"), nb::arg("low"), nb::arg("high"), nb::arg("facts"), "facts <- what is summed up of every node.");
    m.def("tree_sums", &tree_sums, nb::arg("points"), nb::arg("weight"), nb::arg("inverse"), nb::arg("start"),
          nb::arg("end"), nb::arg("low"), nb::arg("high"), nb::arg("facts"), nb::arg("Q"), nb::arg("profile"),
          nb::arg("relative"), nb::arg("absolute"), nb::arg("skip"), nb::arg("logs"),
          "logs <- log sum_i v_i f(b_i |q - x_i|^2) for every row q; returns (values of f, nodes looked at).");
}

}  // namespace mercer
