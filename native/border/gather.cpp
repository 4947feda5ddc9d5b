#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/gather.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void require_places(const Call& call, const char* name, Vector<const Index> places, Index n) {
    for (Index i = 0; i < places.size; ++i)
        if (places[i] < 0 || places[i] >= n)
            call.wrong(name, "places between 0 and " + std::to_string(n - 1), std::to_string(places[i]));
}

void gather(nb::handle K, nb::handle rows, nb::handle columns, nb::handle out) {
    Call call("gather");
    auto rows_ = call.vector<const Index>(rows, "rows");
    auto columns_ = call.vector<const Index>(columns, "columns");
    by_type<float, double>(call, K, "K", [&]<class T>() {
        auto K_ = call.matrix<const T>(K, "K");
        auto out_ = call.matrix<T>(out, "out", rows_.size, columns_.size);
        require_places(call, "rows", rows_, K_.rows);
        require_places(call, "columns", columns_, K_.cols);
        call.unlocked([&] { BEST(gather<T>)(K_, rows_, columns_, out_); });
    });
}

}  // namespace

void bind_gather(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("gather", "Parts of a stored matrix.");
    m.def("gather", &gather, nb::arg("K"), nb::arg("rows"), nb::arg("columns"), nb::arg("out"),
          "out = K[rows, columns].");
}

}  // namespace mercer
