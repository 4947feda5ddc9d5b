#include "arrays.h"
#include "indices.h"
#include "isa.h"
#include "lapack.h"
#define MERCER_LOOPS "loops/smo_newton.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

// A problem on the q items of a Gram.
Box box_of(Call& call, Index q, nb::handle F, nb::handle b, nb::handle lo, nb::handle hi, double epsilon) {
    auto F_ = call.vector<double>(F, "F", q);
    auto b_ = call.vector<double>(b, "b", q);
    auto lo_ = call.vector<const double>(lo, "lo", q);
    auto hi_ = call.vector<const double>(hi, "hi", q);
    return {b_.data, F_.data, lo_.data, hi_.data, q, epsilon};
}

Matrix<const float> square(Call& call, nb::handle K) {
    auto gram = call.matrix<const float>(K, "K");
    if (gram.rows != gram.cols) call.wrong("K", "square", "another shape");
    return gram;
}

nb::tuple solve_whole(nb::handle K, nb::handle diagonal, nb::handle F, nb::handle b, nb::handle lo, nb::handle hi,
                      double epsilon, double tol, Index max_steps, Index spent) {
    Call call("solve_whole");
    call.not_negative(max_steps, "max_steps");
    call.not_negative(spent, "spent");
    auto gram = square(call, K);
    auto diagonal_ = call.vector<const float>(diagonal, "diagonal", gram.rows);
    const Box box = box_of(call, gram.rows, F, b, lo, hi, epsilon);
    const Lapack& lapack = scipy_lapack();
    auto end = call.unlocked(
        [&] { return BEST(solve_whole)(gram, diagonal_.data, box, tol, max_steps, spent, lapack); });
    return nb::make_tuple(end.steps, end.violation, end.endless);
}

Index active_items(nb::handle F, nb::handle b, nb::handle lo, nb::handle hi, double epsilon, double margin,
                   nb::handle found) {
    Call call("active_items");
    auto found_ = call.vector<Index>(found, "found");
    const Box box = box_of(call, found_.size, F, b, lo, hi, epsilon);
    return call.unlocked([&] { return BEST(active_items)(box, margin, found_.data); });
}

nb::tuple improve_among(nb::handle A, nb::handle K, nb::handle diagonal, nb::handle F, nb::handle b, nb::handle lo,
                        nb::handle hi, double epsilon, double tol, double effort, double spent) {
    Call call("improve_among");
    auto gram = square(call, K);
    auto A_ = positions<Index>(call, A, "A", gram.rows);
    auto diagonal_ = call.vector<const float>(diagonal, "diagonal", gram.rows);
    const Box box = box_of(call, gram.rows, F, b, lo, hi, epsilon);
    const Lapack& lapack = scipy_lapack();
    auto end = call.unlocked([&] {
        return BEST(improve_among)(A_.data, A_.size, gram, diagonal_.data, box, tol, effort, spent, lapack);
    });
    return nb::make_tuple(end.made, end.violation, end.endless);
}

nb::tuple recentre(nb::handle K, nb::handle F, nb::handle b, nb::handle lo, nb::handle hi, double epsilon, double tol,
                   double effort) {
    Call call("recentre");
    auto gram = square(call, K);
    const Box box = box_of(call, gram.rows, F, b, lo, hi, epsilon);
    const Lapack& lapack = scipy_lapack();
    auto end = call.unlocked([&] { return BEST(recentre)(gram, box, tol, effort, lapack); });
    return nb::make_tuple(end.made, end.violation);
}

nb::tuple nearest(nb::handle K, nb::handle F, nb::handle c, double beta, double total, nb::handle lo, nb::handle hi,
                  double epsilon, double sigma, nb::handle x, nb::handle Fx) {
    Call call("nearest");
    auto gram = square(call, K);
    const Index q = gram.rows;
    auto F_ = call.vector<double>(F, "F", q);
    auto c_ = call.vector<double>(c, "c", q);
    auto lo_ = call.vector<const double>(lo, "lo", q);
    auto hi_ = call.vector<const double>(hi, "hi", q);
    auto x_ = call.vector<double>(x, "x", q);
    auto Fx_ = call.vector<double>(Fx, "Fx", q);
    const Lapack& lapack = scipy_lapack();
    const Box centre{c_.data, F_.data, lo_.data, hi_.data, q, epsilon};
    auto end = call.unlocked(
        [&] { return BEST(nearest)(gram, centre, beta, total, sigma, x_.data, Fx_.data, lapack); });
    return nb::make_tuple(end.reached, end.steps, end.largest);
}

}  // namespace

void bind_smo_newton(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("smo_newton", "SMO with proximal Newton steps on a stored Gram.");
    m.def("solve_whole", &solve_whole, nb::arg("K"), nb::arg("diagonal"), nb::arg("F"), nb::arg("b"), nb::arg("lo"),
          nb::arg("hi"), nb::arg("epsilon"), nb::arg("tol"), nb::arg("max_steps"), nb::arg("spent"),
          "SMO and Newton steps until the conditions hold to tol; (steps, violation, unbounded), writes b and F.");
    m.def("active_items", &active_items, nb::arg("F"), nb::arg("b"), nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"),
          nb::arg("margin"), nb::arg("found"),
          "The number of items that could take part in a step; writes their places to the beginning of `found`.");
    m.def("improve_among", &improve_among, nb::arg("A"), nb::arg("K"), nb::arg("diagonal"), nb::arg("F"), nb::arg("b"),
          nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"), nb::arg("tol"), nb::arg("effort"), nb::arg("spent"),
          "Improve the coefficients of the items A alone; (effort, violation on all, unbounded), writes b and F.");
    m.def("recentre", &recentre, nb::arg("K"), nb::arg("F"), nb::arg("b"), nb::arg("lo"), nb::arg("hi"),
          nb::arg("epsilon"), nb::arg("tol"), nb::arg("effort"),
          "Newton steps around centre after centre; (effort, violation), writes b and F.");
    m.def("nearest", &nearest, nb::arg("K"), nb::arg("F"), nb::arg("c"), nb::arg("beta"), nb::arg("total"),
          nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"), nb::arg("sigma"), nb::arg("x"), nb::arg("Fx"),
          "Minimise the dual with sigma |b - c|^2 / 2 added; (reached, steps, largest system), writes x and Fx.");
}

}  // namespace mercer
