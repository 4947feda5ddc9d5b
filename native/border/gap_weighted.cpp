#include "isa.h"
#include "sequences.h"
#define MERCER_LOOPS "loops/gap_weighted.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void gap_weighted(SEQUENCE_PARAMETERS, Index length, bool shorter, double decay, nb::handle value, nb::handle slope) {
    Call call("gap_weighted");
    if (length < 1) call.wrong_value("length", "at least 1", std::to_string(length));
    auto compared = COMPARISON(call);
    auto value_ = compared.result(call, value, "value");
    auto slope_ = slope.is_none() ? Matrix<double>{nullptr, 0, 0, 0} : compared.result(call, slope, "slope");
    call.unlocked([&] { BEST(gap_weighted)(compared.A, compared.B, compared.pairs, length, shorter, decay, value_, slope_); });
}

}  // namespace

void bind_gap_weighted(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("gap_weighted", "Common subsequences, weighted by the length they span.");
    m.def("gap_weighted", &gap_weighted, SEQUENCE_NAMES, nb::arg("length"), nb::arg("shorter"), nb::arg("decay"),
          nb::arg("value"), nb::arg("slope").none(),
          "value_ij <- the sum of decay^(spans) over common subsequences; slope_ij, if given, its derivative in decay.");
}

}  // namespace mercer
