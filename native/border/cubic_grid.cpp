#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/cubic_grid.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

struct Frame {
    Vector<const double> origin, per_step;
    Vector<const Index> sizes;
    Index nodes;
};

Frame frame_of(Call& call, nb::handle origin, nb::handle per_step, nb::handle sizes, Index columns) {
    Frame frame{call.vector<const double>(origin, "origin", columns), call.vector<const double>(per_step, "per_step", columns),
                call.vector<const Index>(sizes, "sizes", columns), 1};
    for (Index d = 0; d < columns; ++d) {
        if (frame.sizes[d] < 4) call.wrong_value("sizes", "4 or more", std::to_string(frame.sizes[d]));
        frame.nodes *= frame.sizes[d];
    }
    return frame;
}

Vector<const double> weight_of(Call& call, nb::handle weight, Index n) {
    auto found = call.vector<const double>(weight, "weight");
    if (found.size != 0 && found.size != n)
        call.wrong_value("weight", "empty or one for each point", std::to_string(found.size));
    return found;
}

void bin_moments(nb::handle x, nb::handle weight, double origin, double per_step, nb::handle moments) {
    Call call("bin_moments");
    auto m = call.matrix<double>(moments, "moments", ANY, 4);
    if (m.rows < 1 || m.rows > 2000000000) call.wrong_value("moments", "of 1 to 2e9 bins", std::to_string(m.rows));
    by_type<float, double>(call, x, "x", [&]<class T>() {
        auto x_ = call.vector<const T>(x, "x");
        auto w = weight_of(call, weight, x_.size);
        call.unlocked([&] { BEST(bin_moments<T>)(x_, w, origin, per_step, m); });
    });
}

void spread(nb::handle X, nb::handle weight, nb::handle origin, nb::handle per_step, nb::handle sizes, nb::handle grid) {
    Call call("spread");
    by_type<float, double>(call, X, "X", [&]<class T>() {
        auto X_ = call.matrix<const T>(X, "X");
        if (X_.cols < 2 || X_.cols > 3) call.wrong_value("X", "of 2 or 3 columns", std::to_string(X_.cols));
        auto w = weight_of(call, weight, X_.rows);
        const Frame frame = frame_of(call, origin, per_step, sizes, X_.cols);
        auto grid_ = call.vector<double>(grid, "grid", frame.nodes);
        call.unlocked([&] { BEST(spread<T>)(X_, w, frame.origin, frame.per_step, frame.sizes, grid_); });
    });
}

void read(nb::handle X, nb::handle origin, nb::handle per_step, nb::handle sizes, nb::handle grid, nb::handle out) {
    Call call("read");
    by_type<float, double>(call, X, "X", [&]<class T>() {
        auto X_ = call.matrix<const T>(X, "X");
        if (X_.cols < 1 || X_.cols > 3) call.wrong_value("X", "of 1 to 3 columns", std::to_string(X_.cols));
        const Frame frame = frame_of(call, origin, per_step, sizes, X_.cols);
        auto grid_ = call.vector<const double>(grid, "grid", frame.nodes);
        auto out_ = call.vector<double>(out, "out", X_.rows);
        call.unlocked([&] { BEST(read<T>)(X_, frame.origin, frame.per_step, frame.sizes, grid_, out_); });
    });
}

}  // namespace

void bind_cubic_grid(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("cubic_grid", "Points and values on a grid, by cubic interpolation.");
    m.def("bin_moments", &bin_moments, nb::arg("x"), nb::arg("weight"), nb::arg("origin"), nb::arg("per_step"),
          nb::arg("moments"), "moments(b, m) += sum of w t^m over the points in bin b; t is the place in the bin.");
    m.def("spread", &spread, nb::arg("X"), nb::arg("weight"), nb::arg("origin"), nb::arg("per_step"), nb::arg("sizes"),
          nb::arg("grid"), "grid += the weights of points in two or three columns, on four nodes along each.");
    m.def("read", &read, nb::arg("X"), nb::arg("origin"), nb::arg("per_step"), nb::arg("sizes"), nb::arg("grid"),
          nb::arg("out"), "out <- the grid at the rows of X, interpolated by cubics.");
}

}  // namespace mercer
