// Problems in long arrays at the border.
#pragma once

#include "arrays.h"
#include "loops/dual_types.h"

namespace mercer {

// Refuse ends that do not ascend from 0 to `total`.
void require_ends(const Call& call, Vector<const Index> ends, Index total);

// The arrays of problems on places among n items, checked.
Batch batch_of(Call& call, nb::handle index, nb::handle ends, nb::handle z, nb::handle lo, nb::handle hi,
               nb::handle epsilon, nb::handle b, nb::handle F, Index n);

// What the items of the problems are; "classification", "regression" or "novelty".
Task task_of(const Call& call, const std::string& name);

}  // namespace mercer
