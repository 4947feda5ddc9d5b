#include <nanobind/stl/string.h>

#include "arrays.h"
#include "batch.h"
#include "isa.h"
#include "lapack.h"
#define MERCER_LOOPS "loops/growth.h"
#include "every_isa.h"
#include "module.h"
#include "row_kernel.h"

namespace mercer {

namespace {

// Kernel values from Python functions, which are called with the interpreter lock and read-only memory views.
struct PythonGram {
    nb::callable block, product, report;
};

nb::object view(const Index* data, Index size) {
    auto bytes = static_cast<Py_ssize_t>(size * static_cast<Index>(sizeof(Index)));
    auto* start = reinterpret_cast<char*>(const_cast<Index*>(data));
    return nb::steal(PyMemoryView_FromMemory(start, bytes, PyBUF_READ));
}

nb::object view(const double* data, Index size) {
    auto bytes = static_cast<Py_ssize_t>(size * static_cast<Index>(sizeof(double)));
    auto* start = reinterpret_cast<char*>(const_cast<double*>(data));
    return nb::steal(PyMemoryView_FromMemory(start, bytes, PyBUF_READ));
}

void block(void* context, Vector<const Index> I, Vector<const Index> J, float* out, Index stride) {
    nb::gil_scoped_acquire lock;
    nb::object values = static_cast<PythonGram*>(context)->block(view(I.data, I.size), view(J.data, J.size));
    Call call("block");
    auto found = call.matrix<const float>(values, "the result", I.size, J.size);
    for (Index i = 0; i < I.size; ++i)
        for (Index j = 0; j < J.size; ++j) out[i * stride + j] = found(i, j);
}

void product(void* context, Vector<const Index> I, Vector<const Index> J, const double* v, double* out, bool exact) {
    nb::gil_scoped_acquire lock;
    nb::object values =
        static_cast<PythonGram*>(context)->product(view(I.data, I.size), view(J.data, J.size), view(v, J.size), exact);
    Call call("product");
    auto found = call.vector<const double>(values, "the result", I.size);
    for (Index i = 0; i < I.size; ++i) out[i] = found[i];
}

void report(void* context, Index active, double violation, double objective, Index steps) {
    nb::gil_scoped_acquire lock;
    static_cast<PythonGram*>(context)->report(active, violation, objective, steps);
}

nb::tuple grow(nb::handle b, nb::handle F, nb::handle z, nb::handle lo, nb::handle hi, double epsilon, double tol,
               Index largest, Index max_steps, nb::callable block_of, nb::callable product_of,
               nb::callable report_to) {
    Call call("grow");
    call.not_negative(max_steps, "max_steps");
    auto b_ = call.vector<double>(b, "b");
    const Index n = b_.size;
    auto F_ = call.vector<double>(F, "F", n);
    auto z_ = call.vector<const double>(z, "z", n);
    auto lo_ = call.vector<const double>(lo, "lo", n);
    auto hi_ = call.vector<const double>(hi, "hi", n);
    const Lapack& lapack = scipy_lapack();
    PythonGram python{block_of, product_of, report_to};
    const GramCalls gram{&python, &block, &product, &report};
    const Box box{b_.data, F_.data, lo_.data, hi_.data, n, epsilon};
    const GrowthRules rules{tol, largest, max_steps, true};
    const Grown found = call.unlocked([&] { return BEST(grow)(box, z_.data, rules, gram, lapack); });
    static constexpr const char* ends[] = {"solved", "too large", "too many", "too coarse", "stalled", "unbounded"};
    return nb::make_tuple(ends[static_cast<int>(found.end)], found.steps, found.gradient_error);
}

void report_alone(void* context, Index active, double violation, double objective, Index steps) {
    nb::gil_scoped_acquire lock;
    (*static_cast<nb::callable*>(context))(active, violation, objective, steps);
}

void grow_batch(nb::handle index, nb::handle ends, nb::handle z, nb::handle lo, nb::handle hi, nb::handle epsilon,
                nb::handle b, nb::handle F, double tol, Index largest, Index max_steps, const std::string& task,
                nb::handle X32, nb::handle norms32, nb::handle X64, nb::handle norms64, const std::string& function,
                double c, nb::handle coefficients, nb::handle steps, nb::handle errors, nb::handle proofs,
                nb::callable report_to) {
    Call call("grow_batch");
    call.not_negative(max_steps, "max_steps");
    const Task task_ = task_of(call, task);
    auto highest_first = call.vector<const double>(coefficients, "coefficients");
    const auto fast = rows_of<float>(call, X32, "X32", norms32, "norms32", function, c, highest_first);
    const auto exact = rows_of<double>(call, X64, "X64", norms64, "norms64", function, c, highest_first);
    if (fast.X.rows != exact.X.rows || fast.X.cols != exact.X.cols)
        call.wrong_value("X64", "of the shape of X32", "another");
    const Batch batch = batch_of(call, index, ends, z, lo, hi, epsilon, b, F, fast.X.rows);
    const Index count = batch.ends.size - 1;
    auto steps_ = call.vector<Index>(steps, "steps", count);
    auto errors_ = call.vector<double>(errors, "errors", count);
    auto proofs_ = call.matrix<double>(proofs, "proofs", count, PROOF);
    const Lapack& lapack = scipy_lapack();
    const Blas& blas = scipy_blas();
    const GrowthRules rules{tol, largest, max_steps, false};
    call.unlocked([&] {
        BEST(grow_batch)(batch, rules, fast, exact, task_, steps_, errors_, proofs_, &report_to, &report_alone,
                         blas, lapack);
    });
}

}  // namespace

void bind_growth(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("growth", "A growing active set.");
    m.def("grow", &grow, nb::arg("b"), nb::arg("F"), nb::arg("z"), nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"),
          nb::arg("tol"), nb::arg("largest"), nb::arg("max_steps"), nb::arg("block"), nb::arg("product"),
          nb::arg("report"),
          "(how it ended, steps, error of single precision) after solving on a growing active set; writes b and F.");
    m.def("grow_batch", &grow_batch, nb::arg("index"), nb::arg("ends"), nb::arg("z"), nb::arg("lo"), nb::arg("hi"),
          nb::arg("epsilon"), nb::arg("b"), nb::arg("F"), nb::arg("tol"), nb::arg("largest"), nb::arg("max_steps"),
          nb::arg("task"), nb::arg("X32"), nb::arg("norms32"), nb::arg("X64"), nb::arg("norms64"),
          nb::arg("function"), nb::arg("c"), nb::arg("coefficients"), nb::arg("steps"), nb::arg("errors"),
          nb::arg("proofs"), nb::arg("report"),
          "The same for many problems on rows, whose kernel is a function of squared distances that loops know.");
}

}  // namespace mercer
