#include <nanobind/stl/string.h>

#include "arrays.h"
#include "batch.h"
#include "indices.h"
#include "isa.h"
#include "lapack.h"
#define MERCER_LOOPS "loops/smo_batch.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

template <class T>
Matrix<const T> square(Call& call, nb::handle K) {
    auto gram = call.matrix<const T>(K, "K");
    if (gram.rows != gram.cols) call.wrong_value("K", "square", "another shape");
    return gram;
}

void solve_batch(nb::handle K, nb::handle index, nb::handle ends, nb::handle z, nb::handle lo, nb::handle hi,
                 nb::handle epsilon, nb::handle b, nb::handle F, double tol, Index max_steps, const std::string& task,
                 nb::handle steps, nb::handle proofs) {
    Call call("solve_batch");
    const Task task_ = task_of(call, task);
    call.not_negative(max_steps, "max_steps");
    const Lapack& lapack = scipy_lapack();
    by_type<float, double>(call, K, "K", [&]<class T>() {
        auto gram = square<T>(call, K);
        const Batch batch = batch_of(call, index, ends, z, lo, hi, epsilon, b, F, gram.rows);
        auto steps_ = call.vector<Index>(steps, "steps", batch.ends.size - 1);
        auto proofs_ = call.matrix<double>(proofs, "proofs", batch.ends.size - 1, PROOF);
        call.unlocked(
            [&] { BEST(solve_batch<T>)(gram, batch, tol, max_steps, task_, steps_, proofs_, lapack); });
    });
}

bool solve_folds(nb::handle K, nb::handle index, nb::handle held, nb::handle z, nb::handle lo, nb::handle hi,
                 double epsilon, nb::handle b, double tol, Index max_steps, nb::handle scores) {
    Call call("solve_folds");
    call.not_negative(max_steps, "max_steps");
    const Index q = call.vector<const Index>(index, "index").size;
    auto held_ = call.matrix<const bool>(held, "held", q);
    auto z_ = call.vector<const double>(z, "z", q);
    auto lo_ = call.vector<const double>(lo, "lo", q);
    auto hi_ = call.vector<const double>(hi, "hi", q);
    auto b_ = call.vector<const double>(b, "b", q);
    auto scores_ = call.matrix<double>(scores, "scores", q, held_.cols);
    const Lapack& lapack = scipy_lapack();
    return by_type<float, double>(call, K, "K", [&]<class T>() {
        auto gram = square<T>(call, K);
        auto index_ = positions<Index>(call, index, "index", gram.rows);
        return call.unlocked([&] {
            return BEST(solve_folds<T>)(gram, index_, held_, z_, lo_, hi_, epsilon, b_, tol, max_steps, scores_,
                                        lapack);
        });
    });
}

Index solve_chains(nb::handle K, nb::handle index, nb::handle ends, nb::handle z, nb::handle lo, nb::handle hi,
                   nb::handle bounds, nb::handle epsilon, nb::handle coef, nb::handle bias, nb::handle gap,
                   nb::handle steps, double tol, Index max_steps, Index done, Index spent, bool last) {
    Call call("solve_chains");
    call.not_negative(max_steps, "max_steps");
    call.not_negative(spent, "spent");
    auto gram = square<float>(call, K);
    Chains chains{};
    chains.ends = call.vector<const Index>(ends, "ends");
    chains.index = positions<Index>(call, index, "index", gram.rows);
    const Index total = chains.index.size, count = chains.ends.size - 1;
    require_ends(call, chains.ends, total);
    chains.z = call.vector<const double>(z, "z", total);
    chains.lo = call.vector<const double>(lo, "lo", total);
    chains.hi = call.vector<const double>(hi, "hi", total);
    chains.bounds = call.matrix<const double>(bounds, "bounds", ANY, gram.rows);
    const Index boxes = chains.bounds.rows;
    chains.epsilon = call.vector<const double>(epsilon, "epsilon", boxes);
    chains.coef = call.vector<double>(coef, "coef", boxes * total);
    chains.bias = call.matrix<double>(bias, "bias", count, boxes);
    chains.gap = call.matrix<double>(gap, "gap", count, boxes);
    chains.steps = call.matrix<Index>(steps, "steps", count, boxes);
    if (done < 0 || done > boxes * count) call.wrong_value("done", "among the problems", std::to_string(done));
    const Lapack& lapack = scipy_lapack();
    return call.unlocked([&] { return BEST(solve_chains)(gram, chains, tol, max_steps, done, spent, last, lapack); });
}

}  // namespace

void bind_smo_batch(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("smo_batch", "Small problems on one stored Gram, solved and proven.");
    m.def("solve_batch", &solve_batch, nb::arg("K"), nb::arg("index"), nb::arg("ends"), nb::arg("z"), nb::arg("lo"),
          nb::arg("hi"), nb::arg("epsilon"), nb::arg("b"), nb::arg("F"), nb::arg("tol"), nb::arg("max_steps"),
          nb::arg("task"), nb::arg("steps"), nb::arg("proofs"),
          "Solve problem after problem; writes b, F, steps (-1: not solved) and a row of numbers that prove each.");
    m.def("solve_folds", &solve_folds, nb::arg("K"), nb::arg("index"), nb::arg("held"), nb::arg("z"), nb::arg("lo"),
          nb::arg("hi"), nb::arg("epsilon"), nb::arg("b"), nb::arg("tol"), nb::arg("max_steps"), nb::arg("scores"),
          "Solve one problem without the items of each column of `held`; writes f of all items by each.");
    m.def("solve_chains", &solve_chains, nb::arg("K"), nb::arg("index"), nb::arg("ends"), nb::arg("z"), nb::arg("lo"),
          nb::arg("hi"), nb::arg("bounds"), nb::arg("epsilon"), nb::arg("coef"), nb::arg("bias"), nb::arg("gap"),
          nb::arg("steps"), nb::arg("tol"), nb::arg("max_steps"), nb::arg("done"), nb::arg("spent"), nb::arg("last"),
          "Solve every problem with box after box, from the one at `done` on; returns how many are done then.");
}

}  // namespace mercer
