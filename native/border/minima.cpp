#include "compressed.h"
#include "isa.h"
#define MERCER_LOOPS "loops/minima.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void minima(nb::handle aptr, nb::handle acol, nb::handle aval, nb::handle cptr, nb::handle crow, nb::handle cval,
            nb::handle out) {
    Call call("minima");
    const Parts a{aptr, acol, aval, "aptr", "acol", "aval"}, c{cptr, crow, cval, "cptr", "crow", "cval"};
    by_types<float, double>(call, out, acol, "acol", [&]<class T, class I>() {
        auto tile = call.matrix<T>(out, "out");
        auto right = compressed<T, I>(call, c, ANY, tile.cols);
        auto left = compressed<T, I>(call, a, tile.rows, right.lines);
        call.unlocked([&] { BEST(minima<T, I>)(left, right, tile); });
    });
}

}  // namespace

void bind_minima(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("minima", "What two sparse rows of numbers >= 0 have in common.");
    m.def("minima", &minima, nb::arg("aptr"), nb::arg("acol"), nb::arg("aval"), nb::arg("cptr"), nb::arg("crow"),
          nb::arg("cval"), nb::arg("out"), "out_ij <- sum_k min(a_ik, b_jk): A by rows, B by columns.");
}

}  // namespace mercer
