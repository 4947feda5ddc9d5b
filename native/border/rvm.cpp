#include <vector>

#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/rvm.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void singles(nb::handle S, nb::handle Q, nb::handle tau, nb::handle grain, nb::handle gain, nb::handle best) {
    Call call("singles");
    auto tau_ = call.vector<const double>(tau, "tau");
    auto S_ = call.vector<const double>(S, "S", tau_.size), Q_ = call.vector<const double>(Q, "Q", tau_.size);
    auto grain_ = call.vector<const double>(grain, "grain", tau_.size);
    auto gain_ = call.vector<double>(gain, "gain", tau_.size), best_ = call.vector<double>(best, "best", tau_.size);
    call.unlocked([&] { BEST(singles)(S_, Q_, tau_, grain_, gain_.data, best_.data); });
}

void exchanges(nb::handle PA, nb::handle A, nb::handle S, nb::handle Q, nb::handle tau, nb::handle grain,
               nb::handle gain, nb::handle partner, nb::handle best) {
    Call call("exchanges");
    auto tau_ = call.vector<const double>(tau, "tau");
    auto A_ = call.vector<const Index>(A, "A");
    auto PA_ = call.matrix<const double>(PA, "PA", A_.size, tau_.size);
    auto S_ = call.vector<const double>(S, "S", tau_.size), Q_ = call.vector<const double>(Q, "Q", tau_.size);
    auto grain_ = call.vector<const double>(grain, "grain", tau_.size);
    auto gain_ = call.vector<double>(gain, "gain", tau_.size), best_ = call.vector<double>(best, "best", tau_.size);
    auto partner_ = call.vector<Index>(partner, "partner", tau_.size);
    call.places(A_, "A", tau_.size);
    call.unlocked([&] {
        BEST(exchanges)(PA_, A_, S_, Q_, tau_, grain_, gain_.data, partner_.data, best_.data);
    });
}

Index ascend(nb::handle P, nb::handle Q, nb::handle tau, nb::handle grain, double tol, Index most) {
    Call call("ascend");
    auto tau_ = call.vector<double>(tau, "tau");
    const Index n = tau_.size;
    auto P_ = call.matrix<double>(P, "P", n, n);
    auto Q_ = call.vector<double>(Q, "Q", n);
    auto grain_ = call.vector<const double>(grain, "grain", n);
    std::vector<double> scratch(static_cast<std::size_t>(ascend_scratch(n)));
    std::vector<Index> partner(static_cast<std::size_t>(n));
    return call.unlocked([&] {
        return BEST(ascend)(P_, Q_, tau_, grain_, tol, most, scratch.data(), partner.data());
    });
}

}  // namespace

void bind_rvm(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("rvm", "Coordinate ascent on the evidence of basis functions.");
    m.def("singles", &singles, nb::arg("S"), nb::arg("Q"), nb::arg("tau"), nb::arg("grain"), nb::arg("gain"),
          nb::arg("best"), "gain <- what the best change of each variance alone adds to the evidence; best <- to what.");
    m.def("exchanges", &exchanges, nb::arg("PA"), nb::arg("A"), nb::arg("S"), nb::arg("Q"), nb::arg("tau"),
          nb::arg("grain"), nb::arg("gain"), nb::arg("partner"), nb::arg("best"),
          "gain <- what each j outside adds by replacing its best partner inside; best <- the variance of j then.");
    m.def("ascend", &ascend, nb::arg("P"), nb::arg("Q"), nb::arg("tau"), nb::arg("grain"), nb::arg("tol"),
          nb::arg("most"), "Make the best change while it adds more than tol, in place; returns how many were made.");
}

}  // namespace mercer
