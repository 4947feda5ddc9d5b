#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/radial.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void exponential(nb::handle S, double c) {
    Call call("exponential");
    by_type<float, double>(call, S, "S", [&]<class T>() {
        auto tile = call.matrix<T>(S, "S");
        call.unlocked([&] { BEST(exponential<T>)(tile, c); });
    });
}

void polynomial_exponential(nb::handle S, double c, nb::handle coefficients) {
    Call call("polynomial_exponential");
    auto highest_first = call.vector<const double>(coefficients, "coefficients");
    by_type<float, double>(call, S, "S", [&]<class T>() {
        auto tile = call.matrix<T>(S, "S");
        call.unlocked([&] { BEST(polynomial_exponential<T>)(tile, c, highest_first); });
    });
}

void ornstein_uhlenbeck_slope(nb::handle S, double c) {
    Call call("ornstein_uhlenbeck_slope");
    by_type<float, double>(call, S, "S", [&]<class T>() {
        auto tile = call.matrix<T>(S, "S");
        call.unlocked([&] { BEST(ornstein_uhlenbeck_slope<T>)(tile, c); });
    });
}

}  // namespace

void bind_radial(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("radial", "Functions of the squared distance, in place on a tile.");
    m.def("exponential", &exponential, nb::arg("S"), nb::arg("c"), "S <- exp(-c S).");
    m.def("polynomial_exponential", &polynomial_exponential, nb::arg("S"), nb::arg("c"), nb::arg("coefficients"),
          "S <- P(t) exp(-t), t = sqrt(c S); coefficients of P from the highest power down.");
    m.def("ornstein_uhlenbeck_slope", &ornstein_uhlenbeck_slope, nb::arg("S"), nb::arg("c"),
          "S <- d/ds exp(-sqrt(c s)), and 0 at s = 0.");
}

}  // namespace mercer
