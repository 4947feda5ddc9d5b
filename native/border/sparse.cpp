#include "compressed.h"
#include "isa.h"
#define MERCER_LOOPS "loops/sparse.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void dots(nb::handle aptr, nb::handle acol, nb::handle aval, nb::handle cptr, nb::handle crow, nb::handle cval,
          nb::handle out) {
    Call call("dots");
    const Parts a{aptr, acol, aval, "aptr", "acol", "aval"}, c{cptr, crow, cval, "cptr", "crow", "cval"};
    using Single = std::complex<float>;
    using Double = std::complex<double>;
    by_types<float, double, Single, Double>(call, out, acol, "acol", [&]<class T, class I>() {
        auto tile = call.matrix<T>(out, "out");
        auto right = compressed<T, I>(call, c, ANY, tile.cols);
        auto left = compressed<T, I>(call, a, tile.rows, right.lines);
        call.unlocked([&] { BEST(dots<T, I>)(left, right, tile); });
    });
}

void from_dots(nb::handle G, nb::handle xx, nb::handle yy, nb::handle aptr, nb::handle acol, nb::handle aval,
               nb::handle bptr, nb::handle bcol, nb::handle bval) {
    Call call("from_dots");
    constexpr Index most = PTRDIFF_MAX;  // columns are compared with one another only
    const Parts a{aptr, acol, aval, "aptr", "acol", "aval"}, b{bptr, bcol, bval, "bptr", "bcol", "bval"};
    by_type<float, double>(call, G, "G", [&]<class T>() {
        by_type<std::int32_t, std::int64_t>(call, acol, "acol", [&]<class I>() {
            auto tile = call.matrix<T>(G, "G");
            auto left = compressed<T, I>(call, a, tile.rows, most);
            auto right = compressed<T, I>(call, b, tile.cols, most);
            auto left_norms = call.vector<const T>(xx, "xx", tile.rows);
            auto right_norms = call.vector<const T>(yy, "yy", tile.cols);
            call.unlocked([&] { BEST(sparse_from_dots<T, I>)(tile, left_norms, right_norms, left, right); });
        });
    });
}

}  // namespace

void bind_sparse(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("sparse", "Inner products and squared distances of sparse rows, into a tile.");
    m.def("dots", &dots, nb::arg("aptr"), nb::arg("acol"), nb::arg("aval"), nb::arg("cptr"), nb::arg("crow"),
          nb::arg("cval"), nb::arg("out"), "out <- A B^T: A by rows, B by columns.");
    m.def("from_dots", &from_dots, nb::arg("G"), nb::arg("xx"), nb::arg("yy"), nb::arg("aptr"), nb::arg("acol"),
          nb::arg("aval"), nb::arg("bptr"), nb::arg("bcol"), nb::arg("bval"),
          "Overwrite G = A B^T with the squared distances, from the squared norms; near pairs directly.");
}

}  // namespace mercer
