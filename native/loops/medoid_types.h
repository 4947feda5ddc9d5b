// What loops and border of k-medoids hand to each other; the same for every instruction set.
#pragma once

#include "views.h"

namespace mercer {

// What is known of every item: the places of its nearest two medoids among them, and its distances to these.
struct Nearest {
    std::int32_t *first, *second;
    double *d1, *d2;
};

struct SwapsEnd {
    Index swaps;     // made in this call
    Index next;      // the candidate to go on with
    Index since;     // candidates in a row that brought nothing
    double gained;   // by which the loss fell
};

}  // namespace mercer
