#include "isa.h"
#include "ragged.h"
#define MERCER_LOOPS "loops/signature.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

constexpr Index FINEST = 20;  // refinements; the grid has 4^refinement cells per pair of increments

void require_refinement(Call& call, Index refinement) {
    if (refinement < 0 || refinement > FINEST)
        call.wrong_value("refinement", "from 0 to " + std::to_string(FINEST), std::to_string(refinement));
}

void signature(nb::handle x, nb::handle xends, nb::handle y, nb::handle yends, double scale, Index refinement,
               nb::handle out) {
    Call call("signature");
    auto X = sequences(call, x, "x", xends, "xends");
    auto Y = sequences(call, y, "y", yends, "yends", X.points.cols);
    auto tile = call.matrix<double>(out, "out", X.ends.size - 1, Y.ends.size - 1);
    require_refinement(call, refinement);
    call.unlocked([&] { BEST(signature)(X, Y, scale, refinement, tile); });
}

void signature_slope(nb::handle x, nb::handle xends, nb::handle y, nb::handle yends, double scale, Index refinement,
                     nb::handle out, nb::handle slope) {
    Call call("signature_slope");
    auto X = sequences(call, x, "x", xends, "xends");
    auto Y = sequences(call, y, "y", yends, "yends", X.points.cols);
    auto tile = call.matrix<double>(out, "out", X.ends.size - 1, Y.ends.size - 1);
    auto slopes = call.matrix<double>(slope, "slope", X.ends.size - 1, Y.ends.size - 1);
    require_refinement(call, refinement);
    call.unlocked(
        [&] { BEST(signature_slope)(X, Y, scale, refinement, tile, slopes); });
}

}  // namespace

void bind_signature(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("signature", "Signature kernels of paths, given by their increments.");
    m.def("signature", &signature, nb::arg("x"), nb::arg("xends"), nb::arg("y"), nb::arg("yends"), nb::arg("scale"),
          nb::arg("refinement"), nb::arg("out"), "out_ij <- the kernel of paths i and j.");
    m.def("signature_slope", &signature_slope, nb::arg("x"), nb::arg("xends"), nb::arg("y"), nb::arg("yends"),
          nb::arg("scale"), nb::arg("refinement"), nb::arg("out"), nb::arg("slope"),
          "The same, and its derivative in log(scale).");
}

}  // namespace mercer
