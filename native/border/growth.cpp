#include "arrays.h"
#include "isa.h"
#include "lapack.h"
#define MERCER_LOOPS "loops/growth.h"
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

nb::tuple grow(nb::handle b, nb::handle F, nb::handle z, nb::handle lo, nb::handle hi, double epsilon,
               nb::handle first, double tol, Index largest, Index max_steps, nb::callable block_of,
               nb::callable product_of, nb::callable report_to) {
    Call call("grow");
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
    const Lapack& lapack = scipy_lapack();
    PythonGram python{block_of, product_of, report_to};
    const GramCalls gram{&python, &block, &product, &report};
    const Box box{b_.data, F_.data, lo_.data, hi_.data, n, epsilon};
    const GrowthRules rules{tol, largest, max_steps};
    const Grown found = call.unlocked([&] { return BEST(grow)(box, z_.data, first_, rules, gram, lapack); });
    static constexpr const char* ends[] = {"solved", "too large", "too coarse", "stalled", "unbounded"};
    return nb::make_tuple(ends[static_cast<int>(found.end)], found.steps, found.gradient_error);
}

}  // namespace

void bind_growth(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("growth", "A growing active set.");
    m.def("grow", &grow, nb::arg("b"), nb::arg("F"), nb::arg("z"), nb::arg("lo"), nb::arg("hi"), nb::arg("epsilon"),
          nb::arg("first"), nb::arg("tol"), nb::arg("largest"), nb::arg("max_steps"), nb::arg("block"),
          nb::arg("product"), nb::arg("report"),
          "(how it ended, steps, error of single precision) after solving on a growing active set; writes b and F.");
}

}  // namespace mercer
