#include <vector>

#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/path.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

Index stroll(nb::handle K, nb::handle y, nb::handle a, nb::handle s, nb::handle elbow, nb::handle where, nb::handle F,
             Index e, nb::handle N, double lambda_min, nb::handle lambdas, nb::handle alphas, nb::handle zeros,
             nb::handle kinds, nb::handle points) {
    Call call("stroll");
    auto y_ = call.vector<const double>(y, "y");
    const Index n = y_.size;
    auto K_ = call.matrix<const double>(K, "K", n, n);
    auto a_ = call.vector<double>(a, "a", n), s_ = call.vector<double>(s, "s", n);
    auto elbow_ = call.vector<bool>(elbow, "elbow", n);
    auto where_ = call.vector<double>(where, "where", 2);
    auto F_ = call.vector<Index>(F, "F");
    auto N_ = call.matrix<double>(N, "N");
    auto lambdas_ = call.vector<double>(lambdas, "lambdas");
    const Index room = lambdas_.size;
    auto alphas_ = call.matrix<double>(alphas, "alphas", room, n);
    auto zeros_ = call.vector<double>(zeros, "zeros", room);
    auto kinds_ = call.vector<Index>(kinds, "kinds", room), points_ = call.vector<Index>(points, "points", room);
    if (e < 0 || e > F_.size) call.wrong_value("e", "a number of entries of F", std::to_string(e));
    if (N_.rows != N_.cols || N_.rows <= e)
        call.wrong_value("N", "square, with more than e rows", std::to_string(N_.rows) + " x " + std::to_string(N_.cols));
    call.places({F_.data, e}, "F", n);
    std::vector<double> scratch(static_cast<std::size_t>(stroll_scratch(n, N_.rows)));
    Walk walk{K_, y_, a_, s_, elbow_, where_[0], where_[1], F_, e, N_};
    const Knots knots{lambdas_, zeros_, alphas_, kinds_, points_};
    const Index count = call.unlocked([&] { return BEST(stroll)(walk, lambda_min, knots, scratch.data()); });
    where_[0] = walk.lambda;
    where_[1] = walk.a0;
    return count;
}

}  // namespace

void bind_path(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("path", "The ordinary stretch of the regularisation path of the SVM.");
    m.attr("ZERO") = ZERO;
    m.attr("ONE") = ONE;
    m.attr("ENTER") = ENTER;
    m.def("stroll", &stroll, nb::arg("K"), nb::arg("y"), nb::arg("a"), nb::arg("s"), nb::arg("elbow"),
          nb::arg("where"), nb::arg("F"), nb::arg("e"), nb::arg("N"), nb::arg("lambda_min"), nb::arg("lambdas"),
          nb::arg("alphas"), nb::arg("zeros"), nb::arg("kinds"), nb::arg("points"),
          "Follow ordinary events from where = (lambda, a0), writing a, s, elbow, where and one knot for each; N is the "
          "inverse that belongs to the first e points of F.  Returns how many events there were.");
}

}  // namespace mercer
