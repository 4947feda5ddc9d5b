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

void swap_changes(nb::handle D, nb::handle weight, nb::handle first, nb::handle d1, nb::handle d2, Index medoids,
                  nb::handle change, nb::handle place) {
    Call call("swap_changes");
    if (medoids < 2) call.wrong_value("medoids", "two or more", std::to_string(medoids));
    by_type<float, double>(call, D, "D", [&]<class T>() {
        auto D_ = call.matrix<const T>(D, "D");
        const Index n = D_.cols;
        auto w = call.vector<const double>(weight, "weight", n);
        positions<std::int32_t>(call, first, "first", medoids);
        auto first_ = call.vector<const std::int32_t>(first, "first", n);
        auto d1_ = call.vector<const double>(d1, "d1", n), d2_ = call.vector<const double>(d2, "d2", n);
        auto change_ = call.vector<double>(change, "change", D_.rows);
        auto place_ = call.vector<std::int32_t>(place, "place", D_.rows);
        std::vector<double> removal(static_cast<std::size_t>(medoids)), scratch(static_cast<std::size_t>(medoids));
        std::vector<std::int32_t> hits(static_cast<std::size_t>(n));
        call.unlocked([&] {
            const Nearest near{const_cast<std::int32_t*>(first_.data), nullptr, const_cast<double*>(d1_.data),
                               const_cast<double*>(d2_.data)};  // only read
            BEST(removal_losses)(near, w, {removal.data(), medoids});
            BEST(swap_changes<T>)(D_, w, near, {removal.data(), medoids}, {hits.data(), n},
                                  {scratch.data(), medoids}, change_, place_);
        });
    });
}

void gains(nb::handle D, nb::handle weight, nb::handle d1, nb::handle gain) {
    Call call("gains");
    by_type<float, double>(call, D, "D", [&]<class T>() {
        auto D_ = call.matrix<const T>(D, "D");
        auto w = call.vector<const double>(weight, "weight", D_.cols), d1_ = call.vector<const double>(d1, "d1", D_.cols);
        auto gain_ = call.vector<double>(gain, "gain", D_.rows);
        call.unlocked([&] { BEST(gains<T>)(D_, w, d1_, gain_); });
    });
}

nb::tuple swap_medoids(nb::handle D, nb::handle weight, nb::handle medoids, nb::handle first, nb::handle second,
                       nb::handle d1, nb::handle d2, Index next, Index since, Index most, double least) {
    Call call("swap_medoids");
    call.not_negative(since, "since");
    call.not_negative(most, "most");
    return by_type<float, double>(call, D, "D", [&]<class T>() {
        auto D_ = call.matrix<const T>(D, "D");
        const Index n = D_.cols;
        auto w = call.vector<const double>(weight, "weight", n);
        auto m = medoids_of(call, medoids, D_.rows);
        if (next < 0 || next >= D_.rows) call.wrong_value("next", "the place of a candidate", std::to_string(next));
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
    m.def("swap_changes", &swap_changes, nb::arg("D"), nb::arg("weight"), nb::arg("first"), nb::arg("d1"),
          nb::arg("d2"), nb::arg("medoids"), nb::arg("change"), nb::arg("place"),
          "change, place <- for every row of D, a candidate, the lowest change of the loss by a swap of it against one "
          "of so many medoids, and which.");
    m.def("gains", &gains, nb::arg("D"), nb::arg("weight"), nb::arg("d1"), nb::arg("gain"),
          "gain <- by how much the loss falls if the candidate of a row of D becomes one more medoid.");
    m.def("swap_medoids", &swap_medoids, nb::arg("D"), nb::arg("weight"), nb::arg("medoids"), nb::arg("first"),
          nb::arg("second"), nb::arg("d1"), nb::arg("d2"), nb::arg("next"), nb::arg("since"), nb::arg("most"),
          nb::arg("least"),
          "Look at up to `most` candidates and make every swap that lowers the loss by more than `least`; returns "
          "(swaps, the next candidate, candidates in a row without a swap, what the loss fell by).");
}

}  // namespace mercer
