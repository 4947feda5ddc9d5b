#include "isa.h"
#include "ragged.h"
#define MERCER_LOOPS "loops/alignment.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void require_positive(Call& call, double value, const char* name) {
    if (!(value > 0.0)) call.wrong_value(name, "above 0", std::to_string(value));
}

void own_ratios(nb::handle points, nb::handle ends, double gamma, double band, nb::handle ratio, nb::handle slope) {
    Call call("own_ratios");
    auto X = sequences(call, points, "points", ends, "ends");
    auto p = call.vector<double>(ratio, "ratio", X.points.rows), dp = call.vector<double>(slope, "slope", X.points.rows);
    require_positive(call, band, "band");
    call.unlocked([&] { BEST(own_ratios)(X, gamma, band, p.data, dp.data); });
}

void align(nb::handle x, nb::handle xends, nb::handle p, nb::handle y, nb::handle yends, nb::handle q, double gamma,
           double band, nb::handle out) {
    Call call("align");
    auto X = sequences(call, x, "x", xends, "xends");
    auto Y = sequences(call, y, "y", yends, "yends", X.points.cols);
    auto p_ = call.vector<const double>(p, "p", X.points.rows), q_ = call.vector<const double>(q, "q", Y.points.rows);
    auto tile = call.matrix<double>(out, "out", X.ends.size - 1, Y.ends.size - 1);
    require_positive(call, band, "band");
    call.unlocked(
        [&] { BEST(align)(X, p_.data, Y, q_.data, gamma, band, tile); });
}

void align_slope(nb::handle x, nb::handle xends, nb::handle p, nb::handle dp, nb::handle y, nb::handle yends,
                 nb::handle q, nb::handle dq, double gamma, double band, nb::handle out, nb::handle slope) {
    Call call("align_slope");
    auto X = sequences(call, x, "x", xends, "xends");
    auto Y = sequences(call, y, "y", yends, "yends", X.points.cols);
    auto p_ = call.vector<const double>(p, "p", X.points.rows), q_ = call.vector<const double>(q, "q", Y.points.rows);
    auto dp_ = call.vector<const double>(dp, "dp", X.points.rows), dq_ = call.vector<const double>(dq, "dq", Y.points.rows);
    auto tile = call.matrix<double>(out, "out", X.ends.size - 1, Y.ends.size - 1);
    auto slopes = call.matrix<double>(slope, "slope", X.ends.size - 1, Y.ends.size - 1);
    require_positive(call, band, "band");
    call.unlocked([&] {
        BEST(align_slope)(X, p_.data, dp_.data, Y, q_.data, dq_.data, gamma, band, tile,
                          slopes);
    });
}

}  // namespace

void bind_alignment(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("alignment", "Sums over all alignments of two sequences of points.");
    m.def("own_ratios", &own_ratios, nb::arg("points"), nb::arg("ends"), nb::arg("gamma"), nb::arg("band"),
          nb::arg("ratio"), nb::arg("slope"),
          "How the root of the sum of a sequence with itself grows: 1 / growth at every point, and its derivative.");
    m.def("align", &align, nb::arg("x"), nb::arg("xends"), nb::arg("p"), nb::arg("y"), nb::arg("yends"), nb::arg("q"),
          nb::arg("gamma"), nb::arg("band"), nb::arg("out"), "out_ij <- the normalised sum of sequences i and j.");
    m.def("align_slope", &align_slope, nb::arg("x"), nb::arg("xends"), nb::arg("p"), nb::arg("dp"), nb::arg("y"),
          nb::arg("yends"), nb::arg("q"), nb::arg("dq"), nb::arg("gamma"), nb::arg("band"), nb::arg("out"),
          nb::arg("slope"), "The same, and its derivative in gamma.");
}

}  // namespace mercer
