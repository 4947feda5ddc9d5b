#include "arrays.h"
#include "isa.h"
#include "module.h"

#define MERCER_LOOPS "loops/state_space.h"
#include "every_isa.h"

namespace mercer {
namespace {

void require_order(Call& call, Index order) {
    if (order < 1 || order > 3) call.wrong_value("order", "1, 2 or 3", std::to_string(order));
}

double filter_line(Index order, nb::handle gaps, nb::handle Y, nb::handle noise, double variance, nb::handle products,
                   nb::handle log_determinant_slopes, nb::handle product_slopes, nb::handle means,
                   nb::handle covariances) {
    Call call("filter_line");
    require_order(call, order);
    const auto y = call.matrix<const double>(Y, "Y");
    const Index n = y.rows, c = y.cols;
    if (c > MOST_COLUMNS) call.wrong_value("Y", "at most 16 columns wide", std::to_string(c));
    const Line line{order, call.vector<const double>(gaps, "gaps", n), y, call.vector<const double>(noise, "noise", n),
                    variance};
    const bool with_slopes = !product_slopes.is_none();
    LineSums sums{0.0, {nullptr, 0}, call.vector<double>(products, "products", c * c), {nullptr, 0}};
    if (with_slopes) {
        sums.log_determinant_slopes = call.vector<double>(log_determinant_slopes, "log_determinant_slopes", PARAMETERS);
        sums.product_slopes = call.vector<double>(product_slopes, "product_slopes", PARAMETERS * c * c);
    }
    LineStates states{{nullptr, 0, 0, 0}, {nullptr, 0, 0, 0}};
    if (!means.is_none()) {
        states.means = call.matrix<double>(means, "means", n, c * order);
        states.covariances = call.matrix<double>(covariances, "covariances", n, order * order);
    }
    call.unlocked([&] { BEST(filter_line)(line, with_slopes, sums, states); });
    return sums.log_determinant;
}

void line_transitions(Index order, nb::handle gaps, nb::handle A) {
    Call call("line_transitions");
    require_order(call, order);
    const auto g = call.vector<const double>(gaps, "gaps");
    const auto out = call.matrix<double>(A, "A", g.size, order * order);
    call.unlocked([&] { BEST(line_transitions)(order, g, out); });
}

}  // namespace

void bind_state_space(nb::module_& parent) {
    auto m = parent.def_submodule("state_space", "Gaussian processes on a line, conditioned in O(n).");
    m.def("filter_line", &filter_line, nb::arg("order"), nb::arg("gaps"), nb::arg("Y"), nb::arg("noise"),
          nb::arg("variance"), nb::arg("products"), nb::arg("log_determinant_slopes").none(),
          nb::arg("product_slopes").none(), nb::arg("means").none(), nb::arg("covariances").none(),
          "One pass of Kalman's filter; adds Y'M^-1 Y and slopes to the arrays, and returns log |M|.");
    m.def("line_transitions", &line_transitions, nb::arg("order"), nb::arg("gaps"), nb::arg("A"),
          "The matrix by which the state moves over every gap.");
}

}  // namespace mercer
