#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/triangles.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

// A square matrix.
template <class T>
Matrix<T> square(Call& call, nb::handle A) {
    auto found = call.matrix<T>(A, "A");
    if (found.rows != found.cols)
        call.wrong_value("A", "square",
                         std::to_string(found.rows) + " rows and " + std::to_string(found.cols) + " columns");
    return found;
}

void mirror_lower(nb::handle A) {
    Call call("mirror_lower");
    by_type<float, double, std::complex<float>, std::complex<double>>(call, A, "A", [&]<class T>() {
        auto whole = square<T>(call, A);
        call.unlocked([&] { BEST(mirror_lower<T>)(whole); });
    });
}

void mirror_upper(nb::handle A) {
    Call call("mirror_upper");
    by_type<float, double, std::complex<float>, std::complex<double>>(call, A, "A", [&]<class T>() {
        auto whole = square<T>(call, A);
        call.unlocked([&] { BEST(mirror_upper<T>)(whole); });
    });
}

double largest(nb::handle A) {
    Call call("largest");
    auto whole = square<const double>(call, A);
    return call.unlocked([&] { return BEST(largest)(whole); });
}

}  // namespace

void bind_triangles(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("triangles", "Square matrices of which one triangle says everything.");
    m.def("mirror_lower", &mirror_lower, nb::arg("A"),
          "A_ji <- A_ij* for j < i: the lower triangle onto the upper one.");
    m.def("mirror_upper", &mirror_upper, nb::arg("A"),
          "A_ij <- A_ji* for j < i: the upper triangle onto the lower one.");
    m.def("largest", &largest, nb::arg("A"), "max |A_ij| on and under the diagonal.");
}

}  // namespace mercer
