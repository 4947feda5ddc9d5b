#include <string>
#include <vector>

#include "arrays.h"
#include "indices.h"
#include "isa.h"
#define MERCER_LOOPS "loops/loess.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

constexpr Index MOST_COLUMNS = 8;

LocalPoints points_of(Call& call, nb::handle Xt, nb::handle weight, Index degree) {
    auto X = call.matrix<const double>(Xt, "Xt");
    if (X.rows < 1) call.wrong_value("Xt", "of one row or more", "none");
    if (degree < 0 || degree > 2) call.wrong_value("degree", "0, 1 or 2", std::to_string(degree));
    return {X, call.vector<const double>(weight, "weight", X.cols), degree};
}

void require_count(Call& call, Index count, Index n) {
    if (count < 1 || count > n) call.wrong_value("count", "from 1 to " + std::to_string(n), std::to_string(count));
}

void squared_radii(nb::handle Xt, nb::handle centres, Index count, double factor, nb::handle rho) {
    Call call("squared_radii");
    auto X = call.matrix<const double>(Xt, "Xt");
    auto centres_ = call.matrix<const double>(centres, "centres", ANY, X.rows);
    require_count(call, count, X.cols);
    auto rho_ = call.vector<double>(rho, "rho", centres_.rows);
    std::vector<double> scratch(static_cast<std::size_t>(X.cols));
    call.unlocked([&] { BEST(squared_radii)(X, centres_, count, factor, {scratch.data(), X.cols}, rho_); });
}

void sorted_radii(nb::handle x, nb::handle centres, Index count, double factor, nb::handle start, nb::handle rho) {
    Call call("sorted_radii");
    auto x_ = call.vector<const double>(x, "x");
    auto centres_ = call.vector<const double>(centres, "centres");
    require_count(call, count, x_.size);
    auto start_ = call.vector<Index>(start, "start", centres_.size);
    auto rho_ = call.vector<double>(rho, "rho", centres_.size);
    call.unlocked([&] { BEST(sorted_radii)(x_, centres_, count, factor, start_, rho_); });
}

void local_fits(nb::handle Xt, nb::handle y, nb::handle weight, Index degree, nb::handle centres, nb::handle rho,
                nb::handle start, Index count, double least, nb::handle fit, nb::handle inverse, nb::handle noise,
                nb::handle pivot) {
    Call call("local_fits");
    const LocalPoints points = points_of(call, Xt, weight, degree);
    const Index n = points.Xt.cols, d = points.columns();
    require_count(call, count, n);
    auto y_ = call.vector<const double>(y, "y", n);
    auto centres_ = call.matrix<const double>(centres, "centres", ANY, d);
    const Index m = centres_.rows;
    auto rho_ = call.vector<const double>(rho, "rho", m);
    positions<Index>(call, start, "start", n - count + 1);
    auto start_ = call.vector<const Index>(start, "start", m);
    auto fit_ = call.matrix<double>(fit, "fit", m, d + 1);
    auto inverse_ = call.matrix<double>(inverse, "inverse", m, (d + 1) * points.terms());
    auto noise_ = call.vector<double>(noise, "noise");
    if (noise_.size != 0 && noise_.size != m)
        call.wrong_value("noise", std::to_string(m) + " long, or empty", std::to_string(noise_.size));
    auto pivot_ = call.vector<double>(pivot, "pivot", m);
    const Index room = BEST(local_scratch)(points);
    std::vector<double> scratch(static_cast<std::size_t>(room));
    call.unlocked([&] {
        BEST(local_fits)(points, y_, centres_, rho_, start_, count, least, {scratch.data(), room}, fit_, inverse_, noise_,
                         pivot_);
    });
}

void operator_rows(nb::handle Xt, nb::handle weight, Index degree, nb::handle centres, nb::handle rho,
                   nb::handle inverse, nb::handle out) {
    Call call("operator_rows");
    const LocalPoints points = points_of(call, Xt, weight, degree);
    const Index d = points.columns();
    auto centres_ = call.matrix<const double>(centres, "centres", ANY, d);
    auto rho_ = call.vector<const double>(rho, "rho", centres_.rows);
    auto inverse_ = call.matrix<const double>(inverse, "inverse", centres_.rows, (d + 1) * points.terms());
    auto out_ = call.matrix<double>(out, "out", centres_.rows * (d + 1), points.Xt.cols);
    const Index room = BEST(local_scratch)(points);
    std::vector<double> scratch(static_cast<std::size_t>(room));
    call.unlocked([&] { BEST(operator_rows)(points, centres_, rho_, inverse_, {scratch.data(), room}, out_); });
}

// A tree whose every index leads somewhere, and whose walks up and down end.
BoxTree tree_of(Call& call, nb::handle axis, nb::handle cut, nb::handle below, nb::handle above, nb::handle parent,
                nb::handle corners, nb::handle vertices) {
    auto vertices_ = call.matrix<const double>(vertices, "vertices");
    const Index d = vertices_.cols;
    if (d < 1 || d > MOST_COLUMNS)
        call.wrong_value("vertices", "of 1 to " + std::to_string(MOST_COLUMNS) + " columns", std::to_string(d));
    auto axis_ = call.vector<const Index>(axis, "axis");
    const Index boxes = axis_.size;
    if (boxes < 1) call.wrong_value("axis", "one or more", "none");
    auto cut_ = call.vector<const double>(cut, "cut", boxes);
    auto below_ = call.vector<const Index>(below, "below", boxes), above_ = call.vector<const Index>(above, "above", boxes);
    auto parent_ = call.vector<const Index>(parent, "parent", boxes);
    auto corners_ = call.matrix<const Index>(corners, "corners", boxes, Index{1} << d);
    for (Index p = 0; p < boxes; ++p) {
        if (axis_[p] < -1 || axis_[p] >= d) call.wrong_value("axis", "a column or -1", std::to_string(axis_[p]));
        if (parent_[p] < -1 || parent_[p] >= p) call.wrong_value("parent", "an earlier box or -1", std::to_string(parent_[p]));
        if (axis_[p] >= 0) {
            if (below_[p] <= p || below_[p] >= boxes) call.wrong_value("below", "a later box", std::to_string(below_[p]));
            if (above_[p] <= p || above_[p] >= boxes) call.wrong_value("above", "a later box", std::to_string(above_[p]));
        }
        call.places({corners_.row(p), corners_.cols}, "corners", vertices_.rows);
    }
    return {axis_, cut_, below_, above_, parent_, corners_, vertices_};
}

Index width(Index columns) {
    Call call("width");
    if (columns < 1 || columns > MOST_COLUMNS)
        call.wrong_value("columns", "from 1 to " + std::to_string(MOST_COLUMNS), std::to_string(columns));
    return BoxTree{{}, {}, {}, {}, {}, {}, {nullptr, 0, columns, columns}}.width();
}

void blend(nb::handle axis, nb::handle cut, nb::handle below, nb::handle above, nb::handle parent, nb::handle corners,
           nb::handle vertices, nb::handle Z, nb::handle index, nb::handle coef) {
    Call call("blend");
    const BoxTree tree = tree_of(call, axis, cut, below, above, parent, corners, vertices);
    auto Z_ = call.matrix<const double>(Z, "Z", ANY, tree.columns());
    auto index_ = call.matrix<Index>(index, "index", Z_.rows, tree.width());
    auto coef_ = call.matrix<double>(coef, "coef", Z_.rows, tree.width());
    call.unlocked([&] { BEST(blend)(tree, Z_, index_, coef_); });
}

void blended_values(nb::handle axis, nb::handle cut, nb::handle below, nb::handle above, nb::handle parent,
                    nb::handle corners, nb::handle vertices, nb::handle Z, nb::handle numbers, nb::handle out) {
    Call call("blended_values");
    const BoxTree tree = tree_of(call, axis, cut, below, above, parent, corners, vertices);
    auto Z_ = call.matrix<const double>(Z, "Z", ANY, tree.columns());
    auto numbers_ = call.matrix<const double>(numbers, "numbers", tree.vertices.rows, tree.columns() + 1);
    if (numbers_.stride != numbers_.cols) call.wrong("numbers", "contiguous", "a strided array");
    auto out_ = call.vector<double>(out, "out", Z_.rows);
    call.unlocked([&] { BEST(blended_values)(tree, Z_, {numbers_.data, numbers_.rows * numbers_.cols}, out_); });
}

void sparse_quadratics(nb::handle index, nb::handle coef, nb::handle G, nb::handle out) {
    Call call("sparse_quadratics");
    auto index_ = call.matrix<const Index>(index, "index");
    auto coef_ = call.matrix<const double>(coef, "coef", index_.rows, index_.cols);
    auto G_ = call.matrix<const double>(G, "G");
    if (G_.rows != G_.cols) call.wrong_value("G", "square", std::to_string(G_.rows) + " x " + std::to_string(G_.cols));
    for (Index i = 0; i < index_.rows; ++i) call.places({index_.row(i), index_.cols}, "index", G_.rows);
    auto out_ = call.vector<double>(out, "out", index_.rows);
    call.unlocked([&] { BEST(sparse_quadratics)(index_, coef_, G_, out_); });
}

}  // namespace

void bind_loess(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("loess", "Local regression, and surfaces blended from it.");
    m.def("squared_radii", &squared_radii, nb::arg("Xt"), nb::arg("centres"), nb::arg("count"), nb::arg("factor"),
          nb::arg("rho"), "rho <- factor times the squared distance of the count-th nearest point to each centre.");
    m.def("sorted_radii", &sorted_radii, nb::arg("x"), nb::arg("centres"), nb::arg("count"), nb::arg("factor"),
          nb::arg("start"), nb::arg("rho"), "The same for ascending x; start <- the first of the nearest points.");
    m.def("local_fits", &local_fits, nb::arg("Xt"), nb::arg("y"), nb::arg("weight"), nb::arg("degree"),
          nb::arg("centres"), nb::arg("rho"), nb::arg("start"), nb::arg("count"), nb::arg("least"), nb::arg("fit"),
          nb::arg("inverse"), nb::arg("noise"), nb::arg("pivot"),
          "Weighted least squares at every centre; where the smallest pivot is no more than `least`, nothing else is written.");
    m.def("operator_rows", &operator_rows, nb::arg("Xt"), nb::arg("weight"), nb::arg("degree"), nb::arg("centres"),
          nb::arg("rho"), nb::arg("inverse"), nb::arg("out"),
          "out <- the weights of each y in value and gradient at every centre.");
    m.def("width", &width, nb::arg("columns"), "How many numbers of vertices a blended value is made of.");
    m.def("blend", &blend, nb::arg("axis"), nb::arg("cut"), nb::arg("below"), nb::arg("above"), nb::arg("parent"),
          nb::arg("corners"), nb::arg("vertices"), nb::arg("Z"), nb::arg("index"), nb::arg("coef"),
          "index, coef <- which numbers of the vertices the value at each row of Z is a sum of.");
    m.def("blended_values", &blended_values, nb::arg("axis"), nb::arg("cut"), nb::arg("below"), nb::arg("above"),
          nb::arg("parent"), nb::arg("corners"), nb::arg("vertices"), nb::arg("Z"), nb::arg("numbers"), nb::arg("out"),
          "out <- the value at each row of Z from value and gradient at the vertices.");
    m.def("sparse_quadratics", &sparse_quadratics, nb::arg("index"), nb::arg("coef"), nb::arg("G"), nb::arg("out"),
          "out_i <- coef_i' G coef_i in the rows and columns that index_i names.");
}

}  // namespace mercer
