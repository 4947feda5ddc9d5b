#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/select.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void smallest(nb::handle A, Index start, nb::handle index, nb::handle best) {
    Call call("smallest");
    by_type<float, double>(call, A, "A", [&]<class T>() {
        auto entries = call.matrix<const T>(A, "A");
        auto values = call.matrix<double>(best, "best", entries.rows);
        auto places = call.matrix<Index>(index, "index", entries.rows, values.cols);
        if (values.cols == 0) call.wrong_value("best", "at least one column wide", "none");
        call.unlocked([&] { BEST(smallest<T>)(entries, start, places, values); });
    });
}

}  // namespace

void bind_select(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("select", "Selection: the few smallest entries of long rows.");
    m.def("smallest", &smallest, nb::arg("A"), nb::arg("start"), nb::arg("index"), nb::arg("best"),
          "Merge the columns start, start + 1, ... in A into each row's ascending list of its smallest entries.");
}

}  // namespace mercer
