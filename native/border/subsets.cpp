#include "compressed.h"
#include "isa.h"
#define MERCER_LOOPS "loops/subsets.h"
#include "every_isa.h"
#include "module.h"

#include <new>
#include <vector>

namespace mercer {

namespace {

constexpr Index PIECE = 512;  // columns of a tile that anova computes at a time, in the first-level cache

using Single = std::complex<float>;
using Double = std::complex<double>;

// A matrix of zeros that lives as long as this does.
template <class T>
struct Scratch {
    std::vector<T> numbers;
    Matrix<T> view;

    Scratch(Index rows, Index cols) : numbers(size(rows, cols)), view{numbers.data(), rows, cols, cols} {}

    // rows cols, if memory of that size can exist.
    static std::size_t size(Index rows, Index cols) {
        if (cols > 0 && rows > PTRDIFF_MAX / static_cast<Index>(sizeof(T)) / cols) throw std::bad_alloc();
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    }
};

// The columns of A meet the lines of C, the places of C are the columns of `out`.
template <class T, class I, class Work>
void on_sparse_tile(Call& call, const Parts& a, const Parts& c, nb::handle out, Work work) {
    auto tile = call.matrix<T>(out, "out");
    auto right = compressed<T, I>(call, c, ANY, tile.cols);
    auto left = compressed<T, I>(call, a, tile.rows, right.lines);
    call.unlocked([&] { work(left, right, tile); });
}

void require_degree(Call& call, Index degree) {
    if (degree < 0) call.wrong_value("degree", "at least 0", std::to_string(degree));
    if (degree > PTRDIFF_MAX / 2) throw std::bad_alloc();
}

void all_subsets(nb::handle X, nb::handle Yt, nb::handle out) {
    Call call("all_subsets");
    by_type<float, double, Single, Double>(call, out, "out", [&]<class T>() {
        auto tile = call.matrix<T>(out, "out");
        auto left = call.matrix<const T>(X, "X", tile.rows);
        auto right = call.matrix<const T>(Yt, "Yt", left.cols, tile.cols);
        call.unlocked([&] { BEST(all_subsets<T>)(left, right, tile); });
    });
}

void sparse_all_subsets(nb::handle aptr, nb::handle acol, nb::handle aval, nb::handle cptr, nb::handle crow,
                        nb::handle cval, nb::handle out) {
    Call call("sparse_all_subsets");
    const Parts a{aptr, acol, aval, "aptr", "acol", "aval"}, c{cptr, crow, cval, "cptr", "crow", "cval"};
    by_types<float, double, Single, Double>(call, out, acol, "acol", [&]<class T, class I>() {
        on_sparse_tile<T, I>(call, a, c, out, BEST(sparse_all_subsets<T, I>));
    });
}

void scaled_all_subsets(nb::handle X, nb::handle Yt, nb::handle out, nb::handle exponent) {
    Call call("scaled_all_subsets");
    auto tile = call.matrix<double>(out, "out");
    auto left = call.matrix<const double>(X, "X", tile.rows);
    auto right = call.matrix<const double>(Yt, "Yt", left.cols, tile.cols);
    auto exponents = call.matrix<std::int64_t>(exponent, "exponent", tile.rows, tile.cols);
    call.unlocked([&] { BEST(scaled_all_subsets)(left, right, tile, exponents); });
}

void anova(nb::handle X, nb::handle Yt, Index degree, nb::handle out) {
    Call call("anova");
    require_degree(call, degree);
    by_type<float, double, Single, Double>(call, out, "out", [&]<class T>() {
        auto tile = call.matrix<T>(out, "out");
        auto left = call.matrix<const T>(X, "X", tile.rows);
        auto right = call.matrix<const T>(Yt, "Yt", left.cols, tile.cols);
        Scratch<T> scratch(degree + 1, PIECE);
        call.unlocked([&] { BEST(anova<T>)(left, right, degree, tile, scratch.view); });
    });
}

void sparse_anova(nb::handle aptr, nb::handle acol, nb::handle aval, nb::handle cptr, nb::handle crow, nb::handle cval,
                  Index degree, nb::handle out) {
    Call call("sparse_anova");
    require_degree(call, degree);
    const Parts a{aptr, acol, aval, "aptr", "acol", "aval"}, c{cptr, crow, cval, "cptr", "crow", "cval"};
    by_types<float, double, Single, Double>(call, out, acol, "acol", [&]<class T, class I>() {
        on_sparse_tile<T, I>(call, a, c, out, [&](auto left, auto right, auto tile) {
            Scratch<T> scratch(tile.cols, degree + 1);
            BEST(sparse_anova<T, I>)(left, right, degree, tile, scratch.view);
        });
    });
}

}  // namespace

void bind_subsets(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("subsets", "Products over columns: sums over subsets of columns.");
    m.def("all_subsets", &all_subsets, nb::arg("X"), nb::arg("Yt"), nb::arg("out"),
          "out_ij <- prod_k (1 + X_ik Yt_kj).");
    m.def("sparse_all_subsets", &sparse_all_subsets, nb::arg("aptr"), nb::arg("acol"), nb::arg("aval"), nb::arg("cptr"),
          nb::arg("crow"), nb::arg("cval"), nb::arg("out"), "The same: left factor by rows, right one by columns.");
    m.def("scaled_all_subsets", &scaled_all_subsets, nb::arg("X"), nb::arg("Yt"), nb::arg("out"), nb::arg("exponent"),
          "prod_k (1 + X_ik Yt_kj) = out_ij 2^exponent_ij.");
    m.def("anova", &anova, nb::arg("X"), nb::arg("Yt"), nb::arg("degree"), nb::arg("out"),
          "out_ij <- the elementary symmetric polynomial of that degree in X_ik Yt_kj, k = 1, 2, ...");
    m.def("sparse_anova", &sparse_anova, nb::arg("aptr"), nb::arg("acol"), nb::arg("aval"), nb::arg("cptr"),
          nb::arg("crow"), nb::arg("cval"), nb::arg("degree"), nb::arg("out"),
          "The same: left factor by rows, right one by columns.");
}

}  // namespace mercer
