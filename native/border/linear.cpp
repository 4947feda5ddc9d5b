#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/linear.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

Answers answers(Call& call, nb::handle q, nb::handle gain, nb::handle lo, nb::handle hi, double epsilon) {
    auto q_ = call.vector<const double>(q, "q");
    return {q_, call.vector<const double>(gain, "gain", q_.size), call.vector<const double>(lo, "lo", q_.size),
            call.vector<const double>(hi, "hi", q_.size), epsilon};
}

Index respond(nb::handle q, nb::handle t, nb::handle gain, nb::handle lo, nb::handle hi, double epsilon, nb::handle c,
              nb::handle free) {
    Call call("respond");
    const Answers to = answers(call, q, gain, lo, hi, epsilon);
    auto t_ = call.vector<const double>(t, "t", to.q.size);
    auto c_ = call.vector<double>(c, "c", to.q.size);
    auto free_ = call.vector<Index>(free, "free", to.q.size);
    return call.unlocked([&] { return BEST(respond)(to, t_, c_, free_); });
}

nb::tuple along(nb::handle q, nb::handle t, nb::handle e, double step, nb::handle gain, nb::handle lo, nb::handle hi,
                double epsilon) {
    Call call("along");
    const Answers to = answers(call, q, gain, lo, hi, epsilon);
    auto t_ = call.vector<const double>(t, "t", to.q.size), e_ = call.vector<const double>(e, "e", to.q.size);
    const OnLine found = call.unlocked([&] { return BEST(along)(to, t_, e_, step); });
    return nb::make_tuple(found.slope, found.curvature);
}

}  // namespace

void bind_linear(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("linear", "Loops over the items of a linear machine.");
    m.def("respond", &respond, nb::arg("q"), nb::arg("t"), nb::arg("gain"), nb::arg("lo"), nb::arg("hi"),
          nb::arg("epsilon"), nb::arg("c"), nb::arg("free"),
          "c <- clip(gain soft(q - t, epsilon), lo, hi), free <- where it is neither clipped nor 0; returns how many.");
    m.def("along", &along, nb::arg("q"), nb::arg("t"), nb::arg("e"), nb::arg("step"), nb::arg("gain"), nb::arg("lo"),
          nb::arg("hi"), nb::arg("epsilon"), "(-c'e, sum of gain e^2 over the free items) at the scores t + step e.");
}

}  // namespace mercer
