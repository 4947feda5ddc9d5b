#include "indices.h"
#include "isa.h"
#define MERCER_LOOPS "loops/rows.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

// Rows of elements T, sums of elements S.
template <class T, class S>
void typed_add_rows(Call& call, nb::handle K, nb::handle J, nb::handle v, nb::handle out) {
    auto matrix = call.matrix<const T>(K, "K");
    auto rows = positions<Index>(call, J, "J", matrix.rows);
    auto weights = call.vector<const S>(v, "v", rows.size);
    auto sums = call.vector<S>(out, "out", matrix.cols);
    call.unlocked([&] { BEST(add_rows<T, S>)(matrix, rows, weights, sums); });
}

void add_rows(nb::handle K, nb::handle J, nb::handle v, nb::handle out) {
    Call call("add_rows");
    by_type<float, double, std::complex<float>, std::complex<double>>(call, K, "K", [&]<class T>() {
        if constexpr (std::is_floating_point_v<T>) typed_add_rows<T, double>(call, K, J, v, out);
        else typed_add_rows<T, std::complex<double>>(call, K, J, v, out);
    });
}

}  // namespace

void bind_rows(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("rows", "Sums of rows of a stored matrix.");
    m.def("add_rows", &add_rows, nb::arg("K"), nb::arg("J"), nb::arg("v"), nb::arg("out"),
          "out += sum_k v_k K[J_k, :], in double precision.");
}

}  // namespace mercer
