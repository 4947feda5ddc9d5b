#include <string>

#include "arrays.h"
#include "isa.h"
#define MERCER_LOOPS "loops/pair_sums.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

// Complain unless the edges cut `n` rows into tiles.
void check_edges(const Call& call, Vector<const Index> edges, Index n) {
    bool good = edges.size >= 2 && edges[0] == 0 && edges[edges.size - 1] == n;
    for (Index t = 0; good && t + 1 < edges.size; ++t) good = edges[t] <= edges[t + 1];
    if (!good) call.wrong_value("edges", "ascending from 0 to " + std::to_string(n), "others");
}

void gaussian(nb::handle Xt, nb::handle w, nb::handle edges, nb::handle low, nb::handle high, nb::handle c,
              nb::handle root, double cut, Index first, Index step, nb::handle sums, nb::handle moments) {
    Call call("gaussian");
    auto columns = call.matrix<const double>(Xt, "Xt");
    auto weights = call.vector<const double>(w, "w", columns.cols);
    auto starts = call.vector<const Index>(edges, "edges");
    check_edges(call, starts, columns.cols);
    auto least = call.matrix<const double>(low, "low", starts.size - 1, columns.rows);
    auto most = call.matrix<const double>(high, "high", starts.size - 1, columns.rows);
    auto rates = call.vector<const double>(c, "c");
    auto places = call.vector<const Index>(root, "root", rates.size);
    for (Index k = 0; k < places.size; ++k)
        if (places[k] < -1 || places[k] >= k)
            call.wrong_value("root", "-1 or an earlier place", std::to_string(places[k]));
    auto totals = call.matrix<double>(sums, "sums", rates.size, columns.cols);
    auto firsts = call.matrix<double>(moments, "moments", ANY, columns.cols);
    if (firsts.rows != 0 && firsts.rows != rates.size)
        call.wrong_value("moments", "of 0 or " + std::to_string(rates.size) + " rows", std::to_string(firsts.rows));
    call.not_negative(first, "first");
    if (step < 1) call.wrong_value("step", "1 or more", std::to_string(step));
    const Tiles tiles{starts, least, most};
    call.unlocked([&] {
        BEST(gaussian)(columns, weights, tiles, rates, places, cut, first, step, totals, firsts);
    });
}

void above_nearest(nb::handle Xt, nb::handle w, nb::handle rows, nb::handle c, nb::handle nearest, nb::handle sums,
                   nb::handle moments) {
    Call call("above_nearest");
    auto columns = call.matrix<const double>(Xt, "Xt");
    auto weights = call.vector<const double>(w, "w", columns.cols);
    auto chosen = call.vector<const Index>(rows, "rows");
    call.places(chosen, "rows", columns.cols);
    auto rates = call.vector<const double>(c, "c", chosen.size);
    auto least = call.vector<double>(nearest, "nearest", chosen.size);
    auto totals = call.vector<double>(sums, "sums", chosen.size);
    auto firsts = call.vector<double>(moments, "moments", chosen.size);
    call.unlocked([&] { BEST(above_nearest)(columns, weights, chosen, rates, least, totals, firsts); });
}

}  // namespace

void bind_pair_sums(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("pair_sums", "Sums of Gaussian windows over all other rows; Xt is X transposed.");
    m.def("gaussian", &gaussian, nb::arg("Xt"), nb::arg("w"), nb::arg("edges"), nb::arg("low"), nb::arg("high"),
          nb::arg("c"), nb::arg("root"), nb::arg("cut"), nb::arg("first"), nb::arg("step"), nb::arg("sums"),
          nb::arg("moments"), "sums_ki += sum_(j != i) w_j exp(-c_k s_ij) over tiles first, first + step, ...");
    m.def("above_nearest", &above_nearest, nb::arg("Xt"), nb::arg("w"), nb::arg("rows"), nb::arg("c"),
          nb::arg("nearest"), nb::arg("sums"), nb::arg("moments"),
          "For each of the rows the smallest s, and the same sums relative to exp(-c s) of that.");
}

}  // namespace mercer
