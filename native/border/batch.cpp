#include "batch.h"

namespace mercer {

void require_places(const Call& call, Vector<const Index> index, Index n) {
    for (Index i = 0; i < index.size; ++i)
        if (index[i] < 0 || index[i] >= n)
            call.wrong("index", "places between 0 and " + std::to_string(n - 1), std::to_string(index[i]));
}

void require_ends(const Call& call, Vector<const Index> ends, Index total) {
    bool right = ends.size > 0 && ends[0] == 0 && ends[ends.size - 1] == total;
    for (Index p = 0; right && p + 1 < ends.size; ++p) right = ends[p] <= ends[p + 1];
    if (!right) call.wrong("ends", "ascending from 0 to the number of places", "another sequence");
}

Batch batch_of(Call& call, nb::handle index, nb::handle ends, nb::handle z, nb::handle lo, nb::handle hi,
               nb::handle epsilon, nb::handle b, nb::handle F, Index n) {
    Batch batch{};
    batch.ends = call.vector<const Index>(ends, "ends");
    batch.index = call.vector<const Index>(index, "index");
    const Index total = batch.index.size;
    require_ends(call, batch.ends, total);
    require_places(call, batch.index, n);
    batch.z = call.vector<const double>(z, "z", total);
    batch.lo = call.vector<const double>(lo, "lo", total);
    batch.hi = call.vector<const double>(hi, "hi", total);
    batch.epsilon = call.vector<const double>(epsilon, "epsilon", batch.ends.size - 1);
    batch.b = call.vector<double>(b, "b", total);
    batch.F = call.vector<double>(F, "F", total);
    return batch;
}

}  // namespace mercer
