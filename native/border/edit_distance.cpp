#include "isa.h"
#include "sequences.h"
#define MERCER_LOOPS "loops/edit_distance.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void edit_distances(SEQUENCE_PARAMETERS, Index alphabet, nb::handle out) {
    Call call("edit_distances");
    call.not_negative(alphabet, "alphabet");
    auto compared = COMPARISON(call);
    auto result = compared.result(call, out, "out");
    call.unlocked([&] { BEST(edit_distances)(compared.A, compared.B, compared.pairs, alphabet, result); });
}

}  // namespace

void bind_edit_distance(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("edit_distance", "Insertions, deletions and replacements between sequences.");
    m.def("edit_distances", &edit_distances, SEQUENCE_NAMES, nb::arg("alphabet"), nb::arg("out"),
          "out_ij <- the smallest number of edits from a_i to b_j.");
}

}  // namespace mercer
