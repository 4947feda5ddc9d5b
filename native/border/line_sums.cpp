#include <cmath>

#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/line_sums.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void ascending(const Call& call, Vector<const double> x, const char* name) {
    for (Index i = 0; i < x.size; ++i)
        if (!std::isfinite(x[i]) || (i > 0 && x[i] < x[i - 1]))
            call.wrong_value(name, "ascending and finite", "another number at position " + std::to_string(i));
}

void positive(const Call& call, double value, const char* name) {
    if (!(value > 0.0) || !std::isfinite(value)) call.wrong_value(name, "positive and finite", std::to_string(value));
}

// K + 1 powers of each column of V are as many columns of `out`; the highest power K.
Index highest(const Call& call, Index columns, Index channels, Index most) {
    const Index K = channels > 0 ? columns / channels - 1 : -1;
    if (K < 0 || K > most || columns != channels * (K + 1))
        call.wrong_value("out", "one to " + std::to_string(most + 1) + " columns for each of V", std::to_string(columns));
    return K;
}

void window_powers(nb::handle x, nb::handle V, nb::handle z, double low, double high, double unit, bool open,
                   nb::handle out) {
    Call call("window_powers");
    auto points = call.vector<const double>(x, "x");
    auto values = call.matrix<const double>(V, "V", points.size);
    auto places = call.vector<const double>(z, "z");
    auto sums = call.matrix<double>(out, "out", places.size);
    ascending(call, points, "x");
    ascending(call, places, "z");
    positive(call, unit, "unit");
    positive(call, high - low, "high - low");
    const Index K = highest(call, sums.cols, values.cols, 24);
    call.unlocked([&] { BEST(window_powers)(points, values, places, low, high, unit, open, K, sums); });
}

void gaussian_powers(nb::handle x, nb::handle V, nb::handle z, double h, nb::handle out) {
    Call call("gaussian_powers");
    auto points = call.vector<const double>(x, "x");
    auto values = call.matrix<const double>(V, "V", points.size);
    auto places = call.vector<const double>(z, "z");
    auto sums = call.matrix<double>(out, "out", places.size);
    ascending(call, points, "x");
    ascending(call, places, "z");
    positive(call, h, "h");
    const Index K = highest(call, sums.cols, values.cols, 6);
    call.unlocked([&] { BEST(gaussian_powers)(points, values, places, h, K, sums); });
}

void near_powers(nb::handle x, nb::handle V, nb::handle z, nb::handle h, nb::handle shift, nb::handle first,
                 nb::handle last, nb::handle skip, Index a, Index b, nb::handle out) {
    Call call("near_powers");
    auto points = call.vector<const double>(x, "x");
    auto values = call.matrix<const double>(V, "V", points.size);
    auto places = call.vector<const double>(z, "z");
    auto widths = call.vector<const double>(h, "h", places.size);
    auto shifts = call.vector<const double>(shift, "shift", places.size);
    auto begin = call.vector<const Index>(first, "first", places.size);
    auto end = call.vector<const Index>(last, "last", places.size);
    auto left_out = call.vector<const Index>(skip, "skip", places.size);
    auto sums = call.matrix<double>(out, "out", places.size);
    call.places(begin, "first", points.size + 1);
    call.places(end, "last", points.size + 1);
    call.not_negative(a, "a");
    call.not_negative(b, "b");
    const Index K = highest(call, sums.cols, values.cols, 24);
    call.unlocked([&] {
        BEST(near_powers)(points, values, places, widths, shifts, begin, end, left_out, a, b, K, sums);
    });
}

}  // namespace

void bind_line_sums(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("line_sums", "Sums over the points of a line near each of many places.");
    m.def("window_powers", &window_powers, nb::arg("x"), nb::arg("V"), nb::arg("z"), nb::arg("low"), nb::arg("high"),
          nb::arg("unit"), nb::arg("open"), nb::arg("out"),
          "out[i, c (K + 1) + k] = sum of V_jc ((x_j - z_i) / unit)^k over z_i + low <= x_j <= z_i + high.");
    m.def("gaussian_powers", &gaussian_powers, nb::arg("x"), nb::arg("V"), nb::arg("z"), nb::arg("h"), nb::arg("out"),
          "out[i, c (K + 1) + k] = sum_j V_jc u^k exp(-u^2 / 2), u = (x_j - z_i) / h.");
    m.def("near_powers", &near_powers, nb::arg("x"), nb::arg("V"), nb::arg("z"), nb::arg("h"), nb::arg("shift"),
          nb::arg("first"), nb::arg("last"), nb::arg("skip"), nb::arg("a"), nb::arg("b"), nb::arg("out"),
          "The same point by point, with a bandwidth and a range of points for each place, of which one may be left out.");
}

}  // namespace mercer
