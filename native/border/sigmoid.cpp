#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/sigmoid.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

nb::tuple newton(nb::handle f, nb::handle target, nb::handle w, double b, double tol, Index max_iter) {
    Call call("newton");
    auto f_ = call.vector<const double>(f, "f");
    auto target_ = call.vector<const double>(target, "target", f_.size);
    auto w_ = call.vector<const double>(w, "w", f_.size);
    const Sigmoid found = call.unlocked([&] { return BEST(newton)(f_, target_, w_, b, tol, max_iter); });
    return nb::make_tuple(found.a, found.b, found.gradient, found.steps);
}

}  // namespace

void bind_sigmoid(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("sigmoid", "Newton's method for a sigmoid of one variable.");
    m.def("newton", &newton, nb::arg("f"), nb::arg("target"), nb::arg("w"), nb::arg("b"), nb::arg("tol"),
          nb::arg("max_iter"), "(a, b, norm of the gradient, steps) of sigm(a f + b), from a = 0 and a start b.");
}

}  // namespace mercer
