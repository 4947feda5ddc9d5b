#include "isa.h"
#include "sequences.h"
#define MERCER_LOOPS "loops/weighted_degree.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void weighted_degree(SEQUENCE_PARAMETERS, int bits, nb::handle weights, nb::handle out) {
    Call call("weighted_degree");
    if (bits < 0 || bits > 31) call.wrong_value("bits", "from 0 to 31", std::to_string(bits));
    auto compared = COMPARISON(call);
    auto weights_ = call.vector<const double>(weights, "weights");
    auto result = compared.result(call, out, "out");
    call.unlocked([&] { BEST(weighted_degree)(compared.A, compared.B, compared.pairs, bits, weights_, result); });
}

}  // namespace

void bind_weighted_degree(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("weighted_degree", "Words that two sequences have at the same place.");
    m.def("weighted_degree", &weighted_degree, SEQUENCE_NAMES, nb::arg("bits"), nb::arg("weights"), nb::arg("out"),
          "out_ij <- sum_d weights[d - 1] times the places at which both hold the same d letters.");
}

}  // namespace mercer
