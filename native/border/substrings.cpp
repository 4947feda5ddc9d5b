#include "isa.h"
#include "sequences.h"
#define MERCER_LOOPS "loops/substrings.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void common_substrings(SEQUENCE_PARAMETERS, nb::handle sums, nb::handle out) {
    Call call("common_substrings");
    auto compared = COMPARISON(call);
    auto sums_ = call.vector<const double>(sums, "sums");
    if (sums_.size < 1) call.wrong_value("sums", "at least one number long", "none");
    const Index longest = compared.A.longest(0, compared.A.count);
    if (longest > INT32_MAX / 4 - 4) call.wrong_value("a_end", "sequences below 2^29 letters", std::to_string(longest));
    auto result = compared.result(call, out, "out");
    call.unlocked([&] { BEST(common_substrings)(compared.A, compared.B, compared.pairs, sums_, result); });
}

}  // namespace

void bind_substrings(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("substrings", "Substrings that two sequences have in common.");
    m.def("common_substrings", &common_substrings, SEQUENCE_NAMES, nb::arg("sums"), nb::arg("out"),
          "out_ij <- sum over common substrings u of w_|u| times the pairs of places; sums[l] = w_1 + ... + w_l.");
}

}  // namespace mercer
