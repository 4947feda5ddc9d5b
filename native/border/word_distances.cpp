#include "isa.h"
#include "sequences.h"
#define MERCER_LOOPS "loops/word_distances.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void word_distances(SEQUENCE_PARAMETERS, Index alphabet, Index width, nb::handle weights, nb::handle out) {
    Call call("word_distances");
    call.not_negative(alphabet, "alphabet");
    if (width < 1) call.wrong_value("width", "at least 1", std::to_string(width));
    auto compared = COMPARISON(call);
    auto weights_ = call.vector<const double>(weights, "weights");
    auto result = compared.result(call, out, "out");
    call.unlocked([&] {
        BEST(word_distances)(compared.A, compared.B, compared.pairs, alphabet, width, weights_, result);
    });
}

}  // namespace

void bind_word_distances(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("word_distances", "Sums over pairs of words, by the letters that differ.");
    m.def("word_distances", &word_distances, SEQUENCE_NAMES, nb::arg("alphabet"), nb::arg("width"), nb::arg("weights"),
          nb::arg("out"), "out_ij <- sum over pairs of words of weights[number of places where they differ].");
}

}  // namespace mercer
