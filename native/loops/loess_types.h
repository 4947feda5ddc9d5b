// What the loops of local regression are given.
#pragma once

#include "views.h"

namespace mercer {

// Points and how they are fitted: a polynomial of a degree up to 2 in x - centre.
struct LocalPoints {
    Matrix<const double> Xt;      // one row per column of X
    Vector<const double> weight;  // one per point
    Index degree;

    Index columns() const { return Xt.rows; }
    // Coefficients of the polynomial: 1, each u, and for degree 2 all products of two.
    Index terms() const {
        const Index d = Xt.rows;
        return degree == 0 ? 1 : degree == 1 ? d + 1 : (d + 1) * (d + 2) / 2;
    }
};

// A tree of boxes.  Box 0 is the root; children come after their parent.
struct BoxTree {
    Vector<const Index> axis;         // the column a box is cut along, -1 for a leaf
    Vector<const double> cut;         // where
    Vector<const Index> below, above;  // the two children; x <= cut is below
    Vector<const Index> parent;       // -1 for the root
    Matrix<const Index> corners;      // 2^d vertices of each box, the first column the quickest to change
    Matrix<const double> vertices;

    Index columns() const { return vertices.cols; }
    // How many numbers of the vertices a value in a box is made of.
    Index width() const {
        const Index d = columns(), all = (Index{1} << d) * (d + 1);
        return d == 2 ? all + 4 * 2 * 3 : all;
    }
};

}  // namespace mercer
