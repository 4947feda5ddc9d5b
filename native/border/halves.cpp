#include "indices.h"
#include "isa.h"
#define MERCER_LOOPS "loops/halves.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void scaled_half(nb::handle K, nb::handle items, nb::handle s, double least, nb::handle A) {
    Call call("scaled_half");
    by_type<float, double>(call, K, "K", [&]<class T>() {
        auto whole = call.matrix<const T>(K, "K");
        auto scales = call.vector<const double>(s, "s", whole.rows);
        auto chosen = positions<Index>(call, items, "items", whole.rows < whole.cols ? whole.rows : whole.cols);
        auto part = call.matrix<float>(A, "A", chosen.size, chosen.size);
        call.unlocked([&] { BEST(scaled_half<T>)(whole, chosen, scales, least, part); });
    });
}

}  // namespace

void bind_halves(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("halves", "Parts of a symmetric matrix in single precision.");
    m.def("scaled_half", &scaled_half, nb::arg("K"), nb::arg("items"), nb::arg("s"), nb::arg("least"), nb::arg("A"),
          "A_ab <- s_i s_j K_ij, i = items_a, j = items_b, on and under the diagonal; 0 where that is below `least`.");
}

}  // namespace mercer
