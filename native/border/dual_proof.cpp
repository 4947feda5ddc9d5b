#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/dual_proof.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

nb::tuple best_offset(nb::handle b, nb::handle F, nb::handle lo, nb::handle hi, double epsilon) {
    Call call("best_offset");
    auto b_ = call.vector<const double>(b, "b");
    auto F_ = call.vector<const double>(F, "F", b_.size);
    auto lo_ = call.vector<const double>(lo, "lo", b_.size);
    auto hi_ = call.vector<const double>(hi, "hi", b_.size);
    auto o = call.unlocked([&] { return BEST(best_offset)(b_.data, F_.data, lo_.data, hi_.data, b_.size, epsilon); });
    return nb::make_tuple(o.most, o.least, o.r);
}

// A ridge may be empty: none.
const double* ridge_of(Call& call, nb::handle ridge, Index size) {
    auto r = call.vector<const double>(ridge, "ridge");
    if (r.size != 0 && r.size != size) call.wrong("ridge", "empty or as long as b", std::to_string(r.size) + " numbers");
    return r.size == 0 ? nullptr : r.data;
}

void conjugate(nb::handle t, nb::handle lo, nb::handle hi, double epsilon, nb::handle ridge, nb::handle out) {
    Call call("conjugate");
    auto t_ = call.vector<const double>(t, "t");
    auto lo_ = call.vector<const double>(lo, "lo", t_.size);
    auto hi_ = call.vector<const double>(hi, "hi", t_.size);
    auto out_ = call.vector<double>(out, "out", t_.size);
    const double* ridge_ = ridge_of(call, ridge, t_.size);
    call.unlocked([&] { BEST(conjugate)(t_.data, lo_.data, hi_.data, ridge_, t_.size, epsilon, out_.data); });
}

nb::tuple inner_products(nb::handle b, nb::handle F, nb::handle z, nb::handle ridge, nb::handle r) {
    Call call("inner_products");
    auto b_ = call.vector<const double>(b, "b");
    auto F_ = call.vector<const double>(F, "F", b_.size);
    auto z_ = call.vector<const double>(z, "z", b_.size);
    auto r_ = call.vector<const double>(r, "r", b_.size);
    const double* ridge_ = ridge_of(call, ridge, b_.size);
    auto p = call.unlocked(
        [&] { return BEST(inner_products)(b_.data, F_.data, z_.data, ridge_, r_.data, b_.size); });
    return nb::make_tuple(p.bQb, p.zb, p.size, p.rb, p.bRb);
}

void move_to_sum(nb::handle b, nb::handle lo, nb::handle hi, nb::handle group, double total, nb::handle room) {
    Call call("move_to_sum");
    auto b_ = call.vector<double>(b, "b");
    auto lo_ = call.vector<const double>(lo, "lo", b_.size);
    auto hi_ = call.vector<const double>(hi, "hi", b_.size);
    auto group_ = call.vector<const bool>(group, "group", b_.size);
    auto room_ = call.vector<double>(room, "room", b_.size);
    call.unlocked(
        [&] { BEST(move_to_sum)(b_.data, lo_.data, hi_.data, group_.data, b_.size, total, room_.data); });
}

nb::tuple conditions_of(nb::handle b, nb::handle slack, nb::handle lo, nb::handle hi, double epsilon, double size,
                        double unit) {
    Call call("conditions_of");
    auto b_ = call.vector<const double>(b, "b");
    auto slack_ = call.vector<const double>(slack, "slack", b_.size);
    auto lo_ = call.vector<const double>(lo, "lo", b_.size);
    auto hi_ = call.vector<const double>(hi, "hi", b_.size);
    auto c = call.unlocked([&] {
        return BEST(conditions_of)(b_.data, slack_.data, lo_.data, hi_.data, b_.size, epsilon, size, unit);
    });
    return nb::make_tuple(c.primal, c.outside, c.complementarity);
}

void classification_regimes(nb::handle margin, nb::handle b, double tol, nb::handle out) {
    Call call("classification_regimes");
    auto margin_ = call.vector<const double>(margin, "margin");
    auto b_ = call.vector<const double>(b, "b", margin_.size);
    auto out_ = call.vector<Index>(out, "out", margin_.size);
    call.unlocked([&] { BEST(classification_regimes)(margin_, b_, tol, out_); });
}

}  // namespace

void bind_dual_proof(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("dual_proof", "The numbers that prove a solution of the dual.");
    m.def("best_offset", &best_offset, nb::arg("b"), nb::arg("F"), nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"),
          "(largest gain, smallest cost, offset r of f = K b + r) of one group.");
    m.def("conjugate", &conjugate, nb::arg("t"), nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"), nb::arg("ridge"),
          nb::arg("out"), "out = max over c in [lo, hi] of c t - epsilon |c| - ridge c^2 / 2; `ridge` may be empty.");
    m.def("inner_products", &inner_products, nb::arg("b"), nb::arg("F"), nb::arg("z"), nb::arg("ridge"), nb::arg("r"),
          "(b'Qb, z'b, |b|_1, r'b, b'Rb) for F = Q b - z, R = diag(ridge), which may be empty.");
    m.def("move_to_sum", &move_to_sum, nb::arg("b"), nb::arg("lo"), nb::arg("hi"), nb::arg("group"), nb::arg("total"),
          nb::arg("room"), "Move coefficients of a group within their box until they add up to `total`, in place.");
    m.def("conditions_of", &conditions_of, nb::arg("b"), nb::arg("slack"), nb::arg("lo"), nb::arg("hi"),
          nb::arg("epsilon"), nb::arg("size"), nb::arg("unit"),
          "(slack where none is allowed, coefficient beyond its box, complementarity): the largest residual of each.");
    m.def("classification_regimes", &classification_regimes, nb::arg("margin"), nb::arg("b"), nb::arg("tol"),
          nb::arg("out"), "Regimes by the margin y f: beyond 1 is 0, on 1 is 1, in (0, 1) is 2, on 0 is 3, below 0 is 4.");
}

}  // namespace mercer
