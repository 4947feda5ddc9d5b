#include <string>

#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/distance.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void from_dots(nb::handle G, nb::handle xx, nb::handle yy, nb::handle X, nb::handle Y) {
    Call call("from_dots");
    by_type<float, double>(call, G, "G", [&]<class T>() {
        auto tile = call.matrix<T>(G, "G");
        auto left = call.matrix<const T>(X, "X", tile.rows);
        auto right = call.matrix<const T>(Y, "Y", tile.cols, left.cols);
        auto left_norms = call.vector<const T>(xx, "xx", tile.rows);
        auto right_norms = call.vector<const T>(yy, "yy", tile.cols);
        call.unlocked([&] { BEST(from_dots<T>)(tile, left_norms, right_norms, left, right); });
    });
}

// X, Yt and out of one type, whose shapes fit; work(X, Yt, out) without the lock.
template <class T, class Work>
void on_tile(Call& call, nb::handle X, nb::handle Yt, nb::handle out, Work work) {
    auto tile = call.matrix<T>(out, "out");
    auto left = call.matrix<const T>(X, "X", tile.rows);
    auto right = call.matrix<const T>(Yt, "Yt", left.cols, tile.cols);
    call.unlocked([&] { work(left, right, tile); });
}

void direct(nb::handle X, nb::handle Yt, nb::handle out) {
    Call call("direct");
    by_type<float, double>(call, out, "out", [&]<class T>() { on_tile<T>(call, X, Yt, out, BEST(direct<T>)); });
}

void ranked(nb::handle X, nb::handle Y, nb::handle index, nb::handle out) {
    Call call("ranked");
    auto best = call.matrix<double>(out, "out");
    auto left = call.matrix<const double>(X, "X", best.rows);
    auto right = call.matrix<const double>(Y, "Y", ANY, left.cols);
    auto places = call.matrix<Index>(index, "index", best.rows, best.cols);
    for (Index i = 0; i < places.rows; ++i)
        for (Index p = 0; p < places.cols; ++p)
            if (places(i, p) < 0 || places(i, p) >= right.rows)
                call.wrong_value("index", "indices from 0 to below " + std::to_string(right.rows),
                                 std::to_string(places(i, p)));
    call.unlocked([&] { BEST(ranked)(left, right, places, best); });
}

void absolute(nb::handle X, nb::handle Yt, nb::handle out) {
    Call call("absolute");
    by_type<float, double>(call, out, "out", [&]<class T>() { on_tile<T>(call, X, Yt, out, BEST(absolute<T>)); });
}

void chi_squared(nb::handle X, nb::handle Yt, nb::handle out) {
    Call call("chi_squared");
    by_type<float, double>(call, out, "out", [&]<class T>() { on_tile<T>(call, X, Yt, out, BEST(chi_squared<T>)); });
}

void absolute_moments(nb::handle M, nb::handle X, nb::handle Yt, nb::handle out) {
    Call call("absolute_moments");
    auto weights = call.matrix<const double>(M, "M");
    auto left = call.matrix<const double>(X, "X", weights.rows);
    auto right = call.matrix<const double>(Yt, "Yt", left.cols, weights.cols);
    auto sums = call.vector<double>(out, "out", left.cols);
    call.unlocked([&] { BEST(absolute_moments)(weights, left, right, sums); });
}

void squared_products(nb::handle M, nb::handle X, nb::handle Yt, nb::handle Vt, nb::handle out) {
    Call call("squared_products");
    auto weights = call.matrix<const double>(M, "M");
    auto left = call.matrix<const double>(X, "X", weights.rows);
    auto right = call.matrix<const double>(Yt, "Yt", left.cols, weights.cols);
    auto vectors = call.matrix<const double>(Vt, "Vt", ANY, weights.cols);
    auto sums = call.matrix<double>(out, "out", weights.rows, vectors.rows * left.cols);
    call.unlocked([&] { BEST(squared_products)(weights, left, right, vectors, sums); });
}

void mismatches(nb::handle X, nb::handle Yt, nb::handle weight, nb::handle out) {
    Call call("mismatches");
    auto tile = call.matrix<double>(out, "out");
    auto left = call.matrix<const std::int64_t>(X, "X", tile.rows);
    auto right = call.matrix<const std::int64_t>(Yt, "Yt", left.cols, tile.cols);
    auto weights = call.vector<const double>(weight, "weight", left.cols);
    call.unlocked([&] { BEST(mismatches)(left, right, weights, tile); });
}

void mismatch_moments(nb::handle M, nb::handle X, nb::handle Yt, nb::handle out) {
    Call call("mismatch_moments");
    auto weights = call.matrix<const double>(M, "M");
    auto left = call.matrix<const std::int64_t>(X, "X", weights.rows);
    auto right = call.matrix<const std::int64_t>(Yt, "Yt", left.cols, weights.cols);
    auto sums = call.vector<double>(out, "out", left.cols);
    call.unlocked([&] { BEST(mismatch_moments)(weights, left, right, sums); });
}

}  // namespace

void bind_distance(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("distance", "Distances of dense rows, into a tile; Yt is Y transposed.");
    m.def("from_dots", &from_dots, nb::arg("G"), nb::arg("xx"), nb::arg("yy"), nb::arg("X"), nb::arg("Y"),
          "Overwrite G = X Y^T with the squared distances, from the squared norms; near pairs directly.");
    m.def("direct", &direct, nb::arg("X"), nb::arg("Yt"), nb::arg("out"), "out_ij <- sum_k (X_ik - Yt_kj)^2.");
    m.def("ranked", &ranked, nb::arg("X"), nb::arg("Y"), nb::arg("index"), nb::arg("out"),
          "out_ip <- |X_i - Y_j|^2 with j = index_ip, then sort both along each row by distance, ties by index.");
    m.def("absolute", &absolute, nb::arg("X"), nb::arg("Yt"), nb::arg("out"), "out_ij <- sum_k |X_ik - Yt_kj|.");
    m.def("chi_squared", &chi_squared, nb::arg("X"), nb::arg("Yt"), nb::arg("out"),
          "out_ij <- sum_k (X_ik - Yt_kj)^2 / (X_ik + Yt_kj), with 0 / 0 = 0.");
    m.def("absolute_moments", &absolute_moments, nb::arg("M"), nb::arg("X"), nb::arg("Yt"), nb::arg("out"),
          "out_k += sum_ij M_ij |X_ik - Yt_kj|.");
    m.def("squared_products", &squared_products, nb::arg("M"), nb::arg("X"), nb::arg("Yt"), nb::arg("Vt"),
          nb::arg("out"), "out_(i, q d + k) += sum_j M_ij Vt_qj (X_ik - Yt_kj)^2, d the number of columns of X.");
    m.def("mismatches", &mismatches, nb::arg("X"), nb::arg("Yt"), nb::arg("weight"), nb::arg("out"),
          "out_ij <- sum_k weight_k [X_ik != Yt_kj].");
    m.def("mismatch_moments", &mismatch_moments, nb::arg("M"), nb::arg("X"), nb::arg("Yt"), nb::arg("out"),
          "out_k += sum_ij M_ij [X_ik != Yt_kj].");
}

}  // namespace mercer
