#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/smo.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void offsets(nb::handle b, nb::handle lo, nb::handle hi, double epsilon, nb::handle up, nb::handle down) {
    Call call("offsets");
    auto b_ = call.vector<const double>(b, "b");
    auto lo_ = call.vector<const double>(lo, "lo", b_.size);
    auto hi_ = call.vector<const double>(hi, "hi", b_.size);
    auto up_ = call.vector<double>(up, "up", b_.size);
    auto down_ = call.vector<double>(down, "down", b_.size);
    call.unlocked([&] { BEST(offsets)(b_, lo_, hi_, epsilon, up_, down_); });
}

nb::tuple smo(nb::handle K, nb::handle diagonal, nb::handle F, nb::handle b, nb::handle lo, nb::handle hi,
              double epsilon, Index split, double tol, Index max_steps) {
    Call call("smo");
    call.not_negative(max_steps, "max_steps");
    auto b_ = call.vector<double>(b, "b");
    const Index q = b_.size;
    auto lo_ = call.vector<const double>(lo, "lo", q);
    auto hi_ = call.vector<const double>(hi, "hi", q);
    if (split < 0 || split > q) call.wrong_value("split", "between 0 and the number of items", std::to_string(split));
    return by_type<float, double>(call, K, "K", [&]<class T>() {
        auto gram = call.matrix<const T>(K, "K", q, q);
        auto diagonal_ = call.vector<const T>(diagonal, "diagonal", q);
        return by_type<float, double>(call, F, "F", [&]<class R>() {
            auto F_ = call.vector<R>(F, "F", q);
            auto end = call.unlocked([&] {
                auto found = BEST(smo<T, R>)(gram, diagonal_, F_, b_, lo_, hi_, epsilon, split, tol, max_steps);
                return found;
            });
            return nb::make_tuple(end.steps, end.violation, end.endless);
        });
    });
}

nb::tuple coordinate_descent(nb::handle K, nb::handle diagonal, nb::handle F, nb::handle b, nb::handle lo,
                             nb::handle hi, double epsilon, double tol, Index max_steps) {
    Call call("coordinate_descent");
    call.not_negative(max_steps, "max_steps");
    auto b_ = call.vector<double>(b, "b");
    const Index q = b_.size;
    auto F_ = call.vector<double>(F, "F", q);
    auto lo_ = call.vector<const double>(lo, "lo", q);
    auto hi_ = call.vector<const double>(hi, "hi", q);
    return by_type<float, double>(call, K, "K", [&]<class T>() {
        auto gram = call.matrix<const T>(K, "K", q, q);
        auto diagonal_ = call.vector<const T>(diagonal, "diagonal", q);
        auto end = call.unlocked(
            [&] { return BEST(coordinate_descent<T>)(gram, diagonal_, F_, b_, lo_, hi_, epsilon, tol, max_steps); });
        return nb::make_tuple(end.steps, end.violation);
    });
}

}  // namespace

void bind_smo(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("smo", "Steps on a stored Gram, in place on coefficients and gradient.");
    m.def("offsets", &offsets, nb::arg("b"), nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"), nb::arg("up"),
          nb::arg("down"), "Write the gain and cost offsets of every variable.");
    m.def("smo", &smo, nb::arg("K"), nb::arg("diagonal"), nb::arg("F"), nb::arg("b"), nb::arg("lo"), nb::arg("hi"),
          nb::arg("epsilon"), nb::arg("split"), nb::arg("tol"), nb::arg("max_steps"),
          "(steps, violation, whether the dual is unbounded) after second-order SMO; b and F are written.");
    m.def("coordinate_descent", &coordinate_descent, nb::arg("K"), nb::arg("diagonal"), nb::arg("F"), nb::arg("b"),
          nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"), nb::arg("tol"), nb::arg("max_steps"),
          "(steps, violation) after steps of one variable at a time; b and F are written.");
}

}  // namespace mercer
