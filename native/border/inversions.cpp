#include <vector>

#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/inversions.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void discordant(nb::handle A, nb::handle B, nb::handle out) {
    Call call("discordant");
    auto tile = call.matrix<double>(out, "out");
    auto places = call.matrix<const std::int32_t>(A, "A", tile.rows);
    auto orders = call.matrix<const std::int32_t>(B, "B", tile.cols, places.cols);
    for (Index j = 0; j < orders.rows; ++j)
        for (Index t = 0; t < orders.cols; ++t)
            if (orders(j, t) < 0 || orders(j, t) >= orders.cols)
                call.wrong_value("B", "places below " + std::to_string(orders.cols), std::to_string(orders(j, t)));
    std::vector<std::int32_t> scratch(static_cast<std::size_t>(2 * places.cols));
    const Matrix<std::int32_t> two{scratch.data(), 2, places.cols, places.cols};
    call.unlocked([&] { BEST(discordant)(places, orders, two, tile); });
}

}  // namespace

void bind_inversions(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("inversions", "Pairs of things that two orders put the other way round.");
    m.def("discordant", &discordant, nb::arg("A"), nb::arg("B"), nb::arg("out"),
          "out_ij <- the number of pairs that differ; A has places of things, B things in order.");
}

}  // namespace mercer
