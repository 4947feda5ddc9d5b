#include "compressed.h"
#include "isa.h"
#define MERCER_LOOPS "loops/sparse_pairs.h"
#include "every_isa.h"
#include "module.h"

#include <vector>

namespace mercer {

namespace {

// A and B by rows, C = B by columns: all of one number type and one index type, whose shapes fit.
template <class T, class I, class Work>
void on_tile(Call& call, const Parts& a, const Parts& b, const Parts& c, nb::handle out, Work work) {
    auto tile = call.matrix<T>(out, "out");
    auto columns = compressed<T, I>(call, c, ANY, tile.cols);
    auto left = compressed<T, I>(call, a, tile.rows, columns.lines);
    auto right = compressed<T, I>(call, b, tile.cols, columns.lines);
    std::vector<T> scratch(static_cast<std::size_t>(tile.rows + tile.cols));
    call.unlocked([&] { work(left, right, columns, tile, scratch.data()); });
}

void absolute(nb::handle aptr, nb::handle acol, nb::handle aval, nb::handle bptr, nb::handle bcol, nb::handle bval,
              nb::handle cptr, nb::handle crow, nb::handle cval, nb::handle out) {
    Call call("absolute");
    const Parts a{aptr, acol, aval, "aptr", "acol", "aval"}, b{bptr, bcol, bval, "bptr", "bcol", "bval"},
        c{cptr, crow, cval, "cptr", "crow", "cval"};
    by_types<float, double>(call, out, acol, "acol", [&]<class T, class I>() {
        on_tile<T, I>(call, a, b, c, out, BEST(sparse_absolute<T, I>));
    });
}

void chi_squared(nb::handle aptr, nb::handle acol, nb::handle aval, nb::handle bptr, nb::handle bcol, nb::handle bval,
                 nb::handle cptr, nb::handle crow, nb::handle cval, nb::handle out) {
    Call call("chi_squared");
    const Parts a{aptr, acol, aval, "aptr", "acol", "aval"}, b{bptr, bcol, bval, "bptr", "bcol", "bval"},
        c{cptr, crow, cval, "cptr", "crow", "cval"};
    by_types<float, double>(call, out, acol, "acol", [&]<class T, class I>() {
        on_tile<T, I>(call, a, b, c, out, BEST(sparse_chi_squared<T, I>));
    });
}

}  // namespace

void bind_sparse_pairs(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("sparse_pairs", "Distances of sparse rows that are sums over columns.");
    m.def("absolute", &absolute, nb::arg("aptr"), nb::arg("acol"), nb::arg("aval"), nb::arg("bptr"), nb::arg("bcol"),
          nb::arg("bval"), nb::arg("cptr"), nb::arg("crow"), nb::arg("cval"), nb::arg("out"),
          "out_ij <- sum_k |a_ik - b_jk|; B by rows, and by columns (c).");
    m.def("chi_squared", &chi_squared, nb::arg("aptr"), nb::arg("acol"), nb::arg("aval"), nb::arg("bptr"),
          nb::arg("bcol"), nb::arg("bval"), nb::arg("cptr"), nb::arg("crow"), nb::arg("cval"), nb::arg("out"),
          "out_ij <- sum_k (a_ik - b_jk)^2 / (a_ik + b_jk), all entries >= 0; B by rows, and by columns (c).");
}

}  // namespace mercer
