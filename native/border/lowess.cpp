#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/lowess.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

Index line_places(nb::handle x, double delta, nb::handle places) {
    Call call("line_places");
    auto x_ = call.vector<const double>(x, "x");
    auto places_ = call.vector<Index>(places, "places", x_.size);
    return call.unlocked([&] { return BEST(line_places)(x_, delta, places_); });
}

Index local_lines(nb::handle x, nb::handle y, nb::handle weight, Index count, nb::handle at, nb::handle values) {
    Call call("local_lines");
    auto x_ = call.vector<const double>(x, "x");
    auto y_ = call.vector<const double>(y, "y", x_.size), weight_ = call.vector<const double>(weight, "weight", x_.size);
    if (count < 1 || count > x_.size)
        call.wrong_value("count", "from 1 to " + std::to_string(x_.size), std::to_string(count));
    auto at_ = call.vector<const double>(at, "at");
    auto values_ = call.vector<double>(values, "values", at_.size);
    return call.unlocked([&] { return BEST(local_lines)(x_, y_, weight_, count, at_, values_); });
}

void between_places(nb::handle x, nb::handle places, nb::handle values, nb::handle out) {
    Call call("between_places");
    auto x_ = call.vector<const double>(x, "x");
    auto places_ = call.vector<const Index>(places, "places");
    call.places(places_, "places", x_.size);
    if (places_.size < 1) call.wrong_value("places", "one or more", "none");
    auto values_ = call.vector<const double>(values, "values", places_.size);
    auto out_ = call.vector<double>(out, "out", x_.size);
    call.unlocked([&] { BEST(between_places)(x_, places_, values_, out_); });
}

}  // namespace

void bind_lowess(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("lowess", "Smoothing of a scatterplot by local lines.");
    m.def("line_places", &line_places, nb::arg("x"), nb::arg("delta"), nb::arg("places"),
          "places <- the positions in ascending x at which lines are fitted; returns how many.");
    m.def("local_lines", &local_lines, nb::arg("x"), nb::arg("y"), nb::arg("weight"), nb::arg("count"), nb::arg("at"),
          nb::arg("values"),
          "values <- the line through the `count` points nearest to each of the ascending numbers `at`; returns how many "
          "stayed as they were, for want of points with a weight.");
    m.def("between_places", &between_places, nb::arg("x"), nb::arg("places"), nb::arg("values"), nb::arg("out"),
          "out <- values at ascending places of x, and straight lines between them.");
}

}  // namespace mercer
