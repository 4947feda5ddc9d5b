// Sums of a window over points, by a tree of boxes with bounds (Gray & Moore, NIPS 2001).
//
//     sum_i v_i f(b_i |q - x_i|^2),        f never rising
//
// Every node of the tree bounds the sum over its points by the nearest and the farthest place of its box.  The node with the
// widest bounds is opened next, until all bounds together are as narrow as was asked for.  For the boxcar and for
// Epanechnikov's window a node inside of the support is summed exactly from its moments, and nothing is asked of its points.

#include "window_tree_types.h"

namespace mercer::MERCER_ISA {

// Arrange the rows of X, and `order` with them, so that every node of a balanced tree holds neighbours: start, end, low and
// high are filled.  Nodes are halved along the longest side of their box.
void grow_tree(Matrix<double> X, Vector<Index> order, Vector<Index> start, Vector<Index> end, Matrix<double> low,
               Matrix<double> high);

// The facts of all nodes.
void node_facts(const PointTree& tree, Matrix<double> facts);

// logs_q <- the logarithm of the sum for every row q of Q, within the accuracy that is asked for; -inf if the sum is 0.
// `skip` holds the place in the tree of a point that a query leaves out, or -1; it may be empty.  `heap` has room for
// every node.  Returns the number of values of f that were computed for points, and in `opened` the nodes looked at.
Index tree_sums(const PointTree& tree, Matrix<const double> Q, Profile profile, Accuracy accuracy,
                Vector<const Index> skip, TreeNode* heap, double* scratch, Vector<double> logs, Index& opened);

}  // namespace mercer::MERCER_ISA
