#include "batch.h"

#include "indices.h"

namespace mercer {

void require_ends(const Call& call, Vector<const Index> ends, Index total) {
    bool right = ends.size > 0 && ends[0] == 0 && ends[ends.size - 1] == total;
    for (Index p = 0; right && p + 1 < ends.size; ++p) right = ends[p] <= ends[p + 1];
    if (!right) call.wrong_value("ends", "ascending from 0 to the number of places", "another sequence");
}

Task task_of(const Call& call, const std::string& name) {
    if (name == "classification") return Task::classification;
    if (name == "regression") return Task::regression;
    if (name == "novelty") return Task::novelty;
    call.wrong_value("task", "classification, regression or novelty", name);
}

Batch batch_of(Call& call, nb::handle index, nb::handle ends, nb::handle z, nb::handle lo, nb::handle hi,
               nb::handle epsilon, nb::handle b, nb::handle F, Index n) {
    Batch batch{};
    batch.ends = call.vector<const Index>(ends, "ends");
    batch.index = positions<Index>(call, index, "index", n);
    const Index total = batch.index.size;
    require_ends(call, batch.ends, total);
    batch.z = call.vector<const double>(z, "z", total);
    batch.lo = call.vector<const double>(lo, "lo", total);
    batch.hi = call.vector<const double>(hi, "hi", total);
    batch.epsilon = call.vector<const double>(epsilon, "epsilon", batch.ends.size - 1);
    batch.b = call.vector<double>(b, "b", total);
    batch.F = call.vector<double>(F, "F", total);
    return batch;
}

}  // namespace mercer
