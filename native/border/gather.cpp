#include "arrays.h"
#include "indices.h"
#include "isa.h"
#define MERCER_LOOPS "loops/gather.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void gather(nb::handle K, nb::handle rows, nb::handle columns, nb::handle out) {
    Call call("gather");
    by_type<float, double>(call, K, "K", [&]<class T>() {
        auto K_ = call.matrix<const T>(K, "K");
        auto rows_ = positions<Index>(call, rows, "rows", K_.rows);
        auto columns_ = positions<Index>(call, columns, "columns", K_.cols);
        auto out_ = call.matrix<T>(out, "out", rows_.size, columns_.size);
        call.unlocked([&] { BEST(gather<T, T>)(K_, rows_, columns_, out_); });
    });
}

}  // namespace

void bind_gather(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("gather", "Parts of a stored matrix.");
    m.def("gather", &gather, nb::arg("K"), nb::arg("rows"), nb::arg("columns"), nb::arg("out"),
          "out = K[rows, columns].");
}

}  // namespace mercer
