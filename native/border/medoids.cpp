#include <vector>

#include "arrays.h"
#include "indices.h"
#include "isa.h"
#define MERCER_LOOPS "loops/medoids.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

// Two medoids or more, each the place of an item; they are changed in place.
Vector<Index> medoids_of(Call& call, nb::handle object, Index n) {
    auto found = call.vector<Index>(object, "medoids");
    if (found.size < 2) call.wrong_value("medoids", "two or more", std::to_string(found.size));
    call.places({found.data, found.size}, "medoids", n);
    return found;
}

void nearest_two(nb::handle D, nb::handle medoids, nb::handle first, nb::handle second, nb::handle d1, nb::handle d2) {
    Call call("nearest_two");
    by_type<float, double>(call, D, "D", [&]<class T>() {
        auto D_ = call.matrix<const T>(D, "D");
        auto m = medoids_of(call, medoids, D_.rows);
        const Index n = D_.cols;
        auto first_ = call.vector<std::int32_t>(first, "first", n), second_ = call.vector<std::int32_t>(second, "second", n);
        auto d1_ = call.vector<double>(d1, "d1", n), d2_ = call.vector<double>(d2, "d2", n);
        call.unlocked([&] {
            BEST(nearest_two<T>)(D_, {m.data, m.size}, {first_.data, second_.data, d1_.data, d2_.data});
        });
    });
}

nb::tuple swap_medoids(nb::handle D, nb::handle weight, nb::handle medoids, nb::handle first, nb::handle second,
                       nb::handle d1, nb::handle d2, Index next, Index since, Index most, double least) {
    Call call("swap_medoids");
    call.not_negative(since, "since");
    call.not_negative(most, "most");
    return by_type<float, double>(call, D, "D", [&]<class T>() {
        auto D_ = call.matrix<const T>(D, "D");
        const Index n = D_.rows;
        if (D_.cols != n) call.wrong("D", "square", "another shape");
        auto w = call.vector<const double>(weight, "weight", n);
        auto m = medoids_of(call, medoids, n);
        if (next < 0 || next >= n) call.wrong_value("next", "the place of an item", std::to_string(next));
        positions<std::int32_t>(call, first, "first", m.size);
        positions<std::int32_t>(call, second, "second", m.size);
        auto first_ = call.vector<std::int32_t>(first, "first", n), second_ = call.vector<std::int32_t>(second, "second", n);
        auto d1_ = call.vector<double>(d1, "d1", n), d2_ = call.vector<double>(d2, "d2", n);
        std::vector<double> removal(static_cast<std::size_t>(m.size)), change(static_cast<std::size_t>(m.size));
        std::vector<std::int32_t> hits(static_cast<std::size_t>(n));
        auto end = call.unlocked([&] {
            const Nearest near{first_.data, second_.data, d1_.data, d2_.data};
            return BEST(swap_medoids<T>)(D_, w, m, near, {removal.data(), m.size}, {hits.data(), n},
                                         {change.data(), m.size}, next, since, most, least);
        });
        return nb::make_tuple(end.swaps, end.next, end.since, end.gained);
    });
}

}  // namespace

void bind_medoids(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("medoids", "k-medoids by swaps that lower the loss.");
    m.def("nearest_two", &nearest_two, nb::arg("D"), nb::arg("medoids"), nb::arg("first"), nb::arg("second"),
          nb::arg("d1"), nb::arg("d2"),
          "first, second <- the places of the two medoids nearest to each column of D; d1, d2 <- the distances.");
    m.def("swap_medoids", &swap_medoids, nb::arg("D"), nb::arg("weight"), nb::arg("medoids"), nb::arg("first"),
          nb::arg("second"), nb::arg("d1"), nb::arg("d2"), nb::arg("next"), nb::arg("since"), nb::arg("most"),
          nb::arg("least"),
          "Look at up to `most` candidates and make every swap that lowers the loss by more than `least`; returns "
          "(swaps, the next candidate, candidates in a row without a swap, what the loss fell by).");
}

}  // namespace mercer
