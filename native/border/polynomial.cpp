#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/polynomial.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

bool affine_power(nb::handle G, double scale, double offset, Index degree) {
    Call call("affine_power");
    if (degree < 1) call.wrong_value("degree", "at least 1", std::to_string(degree));
    return by_type<float, double, std::complex<float>, std::complex<double>>(call, G, "G", [&]<class T>() {
        auto tile = call.matrix<T>(G, "G");
        return call.unlocked([&] { return BEST(affine_power<T>)(tile, scale, offset, degree); });
    });
}

bool horner(nb::handle G, nb::handle coefficients) {
    Call call("horner");
    auto highest_first = call.vector<const double>(coefficients, "coefficients");
    return by_type<float, double, std::complex<float>, std::complex<double>>(call, G, "G", [&]<class T>() {
        auto tile = call.matrix<T>(G, "G");
        return call.unlocked([&] { return BEST(horner<T>)(tile, highest_first); });
    });
}

}  // namespace

void bind_polynomial(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("polynomial", "Polynomials of the entries of a tile, in place.");
    m.def("affine_power", &affine_power, nb::arg("G"), nb::arg("scale"), nb::arg("offset"), nb::arg("degree"),
          "G <- (scale G + offset)^degree, degree >= 1; returns whether every result is finite.");
    m.def("horner", &horner, nb::arg("G"), nb::arg("coefficients"),
          "G <- sum_m c_m G^m, coefficients from the highest power down; returns whether every result is finite.");
}

}  // namespace mercer
