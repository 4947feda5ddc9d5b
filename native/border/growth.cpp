#include <nanobind/stl/string.h>

#include "arrays.h"
#include "isa.h"
#include "lapack.h"
#define MERCER_LOOPS "loops/growth.h"
#include "every_isa.h"
#define MERCER_LOOPS "loops/row_kernel.h"
#include "every_isa.h"
#include "module.h"

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

// Kernel values of rows of numbers, without the interpreter; only reports go to Python.
struct NativeGram {
    RowKernel<float> fast;
    RowKernel<double> exact;
    const Blas& blas;
    nb::callable report;
};

void native_block(void* context, Vector<const Index> I, Vector<const Index> J, float* out, Index stride) {
    const auto& gram = *static_cast<NativeGram*>(context);
    BEST(kernel_block<float>)(gram.fast, I, J, out, stride, gram.blas);
}

void native_product(void* context, Vector<const Index> I, Vector<const Index> J, const double* v, double* out,
                    bool exact) {
    const auto& gram = *static_cast<NativeGram*>(context);
    if (exact) BEST(kernel_product<double>)(gram.exact, I, J, v, out, gram.blas);
    else BEST(kernel_product<float>)(gram.fast, I, J, v, out, gram.blas);
}

void native_report(void* context, Index active, double violation, double objective, Index steps) {
    nb::gil_scoped_acquire lock;
    static_cast<NativeGram*>(context)->report(active, violation, objective, steps);
}

// The arrays of a plain problem, checked.
struct Given {
    Box box;
    const double* z;
    Vector<const Index> first;
};

Given problem_of(Call& call, nb::handle b, nb::handle F, nb::handle z, nb::handle lo, nb::handle hi, double epsilon,
                 nb::handle first) {
    auto b_ = call.vector<double>(b, "b");
    const Index n = b_.size;
    auto F_ = call.vector<double>(F, "F", n);
    auto z_ = call.vector<const double>(z, "z", n);
    auto lo_ = call.vector<const double>(lo, "lo", n);
    auto hi_ = call.vector<const double>(hi, "hi", n);
    auto first_ = call.vector<const Index>(first, "first");
    if (first_.size > n) call.wrong("first", "no more items than there are", std::to_string(first_.size));
    for (Index i = 0; i < first_.size; ++i)
        if (first_[i] < 0 || first_[i] >= n) call.wrong("first", "among the items", std::to_string(first_[i]));
    return {{b_.data, F_.data, lo_.data, hi_.data, n, epsilon}, z_.data, first_};
}

nb::tuple result(const Grown& found) {
    static constexpr const char* ends[] = {"solved", "too large", "too coarse", "stalled", "unbounded"};
    return nb::make_tuple(ends[static_cast<int>(found.end)], found.steps, found.gradient_error);
}

nb::tuple grow(nb::handle b, nb::handle F, nb::handle z, nb::handle lo, nb::handle hi, double epsilon,
               nb::handle first, double tol, Index largest, Index max_steps, nb::callable block_of,
               nb::callable product_of, nb::callable report_to) {
    Call call("grow");
    const Given given = problem_of(call, b, F, z, lo, hi, epsilon, first);
    const Lapack& lapack = scipy_lapack();
    PythonGram python{block_of, product_of, report_to};
    const GramCalls gram{&python, &block, &product, &report};
    const GrowthRules rules{tol, largest, max_steps};
    return result(
        call.unlocked([&] { return BEST(grow)(given.box, given.z, given.first, rules, gram, lapack); }));
}

PairFunction function_named(const Call& call, const std::string& name) {
    if (name == "gaussian") return PairFunction::gaussian;
    if (name == "matern") return PairFunction::matern;
    call.wrong("function", "'gaussian' or 'matern'", name);
}

template <class T>
RowKernel<T> rows_of(Call& call, nb::handle X, nb::handle norms, Index n, const std::string& function, double c,
                     Vector<const double> coefficients) {
    auto X_ = call.matrix<const T>(X, "X", n);
    if (X_.stride != X_.cols && X_.rows > 1) call.wrong("X", "contiguous", "rows that are apart");
    auto norms_ = call.vector<const T>(norms, "norms", n);
    return {X_, norms_.data, function_named(call, function), c, coefficients};
}

nb::tuple grow_on_rows(nb::handle b, nb::handle F, nb::handle z, nb::handle lo, nb::handle hi, double epsilon,
                       nb::handle first, double tol, Index largest, Index max_steps, nb::handle X32,
                       nb::handle norms32, nb::handle X64, nb::handle norms64, const std::string& function, double c,
                       nb::handle coefficients, nb::callable report_to) {
    Call call("grow_on_rows");
    const Given given = problem_of(call, b, F, z, lo, hi, epsilon, first);
    const Index n = given.box.size;
    auto highest_first = call.vector<const double>(coefficients, "coefficients");
    const Lapack& lapack = scipy_lapack();
    NativeGram native{rows_of<float>(call, X32, norms32, n, function, c, highest_first),
                      rows_of<double>(call, X64, norms64, n, function, c, highest_first),
                      scipy_blas(), report_to};
    const GramCalls gram{&native, &native_block, &native_product, &native_report};
    const GrowthRules rules{tol, largest, max_steps};
    return result(
        call.unlocked([&] { return BEST(grow)(given.box, given.z, given.first, rules, gram, lapack); }));
}

}  // namespace

void bind_growth(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("growth", "A growing active set.");
    m.def("grow", &grow, nb::arg("b"), nb::arg("F"), nb::arg("z"), nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"),
          nb::arg("first"), nb::arg("tol"), nb::arg("largest"), nb::arg("max_steps"), nb::arg("block"),
          nb::arg("product"), nb::arg("report"),
          "(how it ended, steps, error of single precision) after solving on a growing active set; writes b and F.");
    m.def("grow_on_rows", &grow_on_rows, nb::arg("b"), nb::arg("F"), nb::arg("z"), nb::arg("lo"), nb::arg("hi"),
          nb::arg("epsilon"), nb::arg("first"), nb::arg("tol"), nb::arg("largest"), nb::arg("max_steps"),
          nb::arg("X32"), nb::arg("norms32"), nb::arg("X64"), nb::arg("norms64"), nb::arg("function"), nb::arg("c"),
          nb::arg("coefficients"), nb::arg("report"),
          "The same for a kernel that native loops know: a function of the squared distance of rows.");
}

}  // namespace mercer
