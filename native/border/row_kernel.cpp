#include "row_kernel.h"

#include <nanobind/stl/string.h>

#include "indices.h"
#include "isa.h"
#include "lapack.h"
#define MERCER_LOOPS "loops/row_kernel.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void product(nb::handle X, nb::handle norms, const std::string& function, double c, nb::handle coefficients,
             nb::handle I, nb::handle J, nb::handle v, nb::handle out) {
    Call call("product");
    auto highest_first = call.vector<const double>(coefficients, "coefficients");
    const Blas& blas = scipy_blas();
    by_type<float, double>(call, X, "X", [&]<class T>() {
        const auto kernel = rows_of<T>(call, X, "X", norms, "norms", function, c, highest_first);
        auto I_ = positions<Index>(call, I, "I", kernel.X.rows);
        auto J_ = positions<Index>(call, J, "J", kernel.X.rows);
        auto v_ = call.vector<const double>(v, "v", J_.size);
        auto out_ = call.vector<double>(out, "out", I_.size);
        call.unlocked([&] { BEST(kernel_product<T>)(kernel, I_, J_, v_.data, out_.data, blas); });
    });
}

}  // namespace

void bind_row_kernel(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("row_kernel", "Kernels that are functions of the squared distance of rows.");
    m.def("product", &product, nb::arg("X"), nb::arg("norms"), nb::arg("function"), nb::arg("c"),
          nb::arg("coefficients"), nb::arg("I"), nb::arg("J"), nb::arg("v"), nb::arg("out"),
          "out_i = sum_j k(x_i, x_j) v_j for i in I and j in J, summed in double precision.");
}

}  // namespace mercer
