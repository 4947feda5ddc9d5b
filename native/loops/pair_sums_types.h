// What loops and border of sums over pairs hand to each other; the same for every instruction set.
#pragma once

#include "views.h"

namespace mercer {

// Tile t has the rows edges[t] to edges[t + 1], inside of the box from low(t, .) to high(t, .).
struct Tiles {
    Vector<const Index> edges;
    Matrix<const double> low, high;
};

}  // namespace mercer
