#include "isa.h"
#define MERCER_LOOPS "loops/bits.h"
#include "every_isa.h"
#include "arrays.h"
#include "module.h"
#ifdef MERCER_X86_LEVELS
#include "processor.h"
#endif

namespace mercer {

namespace {

bool counts_vectors() {
#ifdef MERCER_X86_LEVELS
    static const bool found = Processor().counts_vectors();
    return found;
#else
    return false;
#endif
}

void ones(nb::handle A, nb::handle sizes) {
    Call call("ones");
    auto rows = call.matrix<const std::int64_t>(A, "A");
    auto out = call.vector<double>(sizes, "sizes", rows.rows);
    call.unlocked([&] { BEST(ones)(rows, out); });
}

void tanimoto(nb::handle A, nb::handle a, nb::handle B, nb::handle b, nb::handle out) {
    Call call("tanimoto");
    auto tile = call.matrix<double>(out, "out");
    auto left = call.matrix<const std::int64_t>(A, "A", tile.rows);
    auto right = call.matrix<const std::int64_t>(B, "B", tile.cols, left.cols);
    auto a_ = call.vector<const double>(a, "a", tile.rows), b_ = call.vector<const double>(b, "b", tile.cols);
    const bool vectors = counts_vectors();
    call.unlocked([&] { BEST(tanimoto)(left, a_, right, b_, vectors, tile); });
}

}  // namespace

void bind_bits(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("bits", "Sets as rows of bits, 64 to a word.");
    m.def("ones", &ones, nb::arg("A"), nb::arg("sizes"), "sizes_i <- the number of ones in row i.");
    m.def("tanimoto", &tanimoto, nb::arg("A"), nb::arg("a"), nb::arg("B"), nb::arg("b"), nb::arg("out"),
          "out_ij <- c / (a_i + b_j - c), where c counts the ones that row i of A and row j of B have in common.");
}

}  // namespace mercer
