#include "isa.h"
#include "sequences.h"
#define MERCER_LOOPS "loops/local_alignment.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void log_local_alignments(SEQUENCE_PARAMETERS, double match, double mismatch, double open, double extend,
                          nb::handle out) {
    Call call("log_local_alignments");
    auto compared = COMPARISON(call);
    auto result = compared.result(call, out, "out");
    call.unlocked([&] {
        BEST(log_local_alignments)(compared.A, compared.B, compared.pairs, {match, mismatch, open, extend}, result);
    });
}

}  // namespace

void bind_local_alignment(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("local_alignment", "Sums over all local alignments of two sequences.");
    m.def("log_local_alignments", &log_local_alignments, SEQUENCE_NAMES, nb::arg("match"), nb::arg("mismatch"),
          nb::arg("open"), nb::arg("extend"), nb::arg("out"),
          "out_ij <- log(1 + sum over local alignments of the product of their factors).");
}

}  // namespace mercer
