// What loops and border of sums over a tree hand to each other; the same for every instruction set.
#pragma once

#include "views.h"

namespace mercer {

// A balanced tree of points: node i has the children 2 i + 1 and 2 i + 2, and the points from start[i] to below end[i].
struct PointTree {
    Matrix<const double> points;   // a row for every column, in the order of the tree
    Vector<const double> weight;   // v_i
    Vector<const double> inverse;  // b_i; empty if all are 1
    Vector<const Index> start, end;
    Matrix<const double> low, high;  // boxes of the nodes, a row for each
    Matrix<const double> facts;      // for each node: sum v, least b, largest b, sum v b, sum v b |x - c|^2, and c
};

constexpr Index FACTS = 5;  // before the centre c

// f(s) of s = |x - x_i|^2 b_i.
enum class Profile { gaussian, exponential, cosine, boxcar, triangular, epanechnikov, biweight, triweight, tricube };

struct TreeNode {
    double error, low, high;  // half the width of the bounds of its sum, and the bounds
    Index node;
};

struct Accuracy {
    double relative, absolute;
};

}  // namespace mercer
