#include <cstdint>

#include "arrays.h"
#include "batch.h"
#include "isa.h"
#define MERCER_LOOPS "loops/tally.h"
#include "every_isa.h"
#include "module.h"

namespace mercer {

namespace {

void require_few(const Call& call, const char* name, Index count) {
    if (count >= INT32_MAX) call.wrong_value(name, "fewer than 2^31 keys", std::to_string(count));
}

void tally(nb::handle keys, nb::handle ends, nb::handle out_keys, nb::handle out_counts, nb::handle out_ends) {
    Call call("tally");
    auto given = call.matrix<const std::int64_t>(keys, "keys");
    auto groups = call.vector<const Index>(ends, "ends");
    require_ends(call, groups, given.cols);
    require_few(call, "keys", given.rows * given.cols);
    auto found = call.vector<std::int64_t>(out_keys, "out_keys", given.rows * given.cols);
    auto counts = call.vector<double>(out_counts, "out_counts", found.size);
    auto made = call.vector<Index>(out_ends, "out_ends", groups.size);
    call.unlocked([&] { BEST(tally)(given, groups, found, counts, made); });
}

Index codes(nb::handle keys, nb::handle code, nb::handle different) {
    Call call("codes");
    auto given = call.vector<const std::int64_t>(keys, "keys");
    require_few(call, "keys", given.size);
    auto made = call.vector<std::int32_t>(code, "code", given.size);
    auto found = call.vector<std::int64_t>(different, "different", given.size);
    return call.unlocked([&] { return BEST(codes)(given, made, found); });
}

void look_up(nb::handle keys, nb::handle different, nb::handle code) {
    Call call("look_up");
    auto given = call.vector<const std::int64_t>(keys, "keys");
    auto known = call.vector<const std::int64_t>(different, "different");
    require_few(call, "different", known.size);
    auto made = call.vector<std::int32_t>(code, "code", given.size);
    call.unlocked([&] { BEST(look_up)(given, known, made); });
}

}  // namespace

void bind_tally(nb::module_& parent) {
    nb::module_ m = parent.def_submodule("tally", "How often each key occurs, in groups; codes for keys.");
    m.def("tally", &tally, nb::arg("keys"), nb::arg("ends"), nb::arg("out_keys"), nb::arg("out_counts"),
          nb::arg("out_ends"), "The different keys of every group of columns, and how often each occurs.");
    m.def("codes", &codes, nb::arg("keys"), nb::arg("code"), nb::arg("different"),
          "Codes 0, 1, ... by first occurrence, and the different keys; returns how many.");
    m.def("look_up", &look_up, nb::arg("keys"), nb::arg("different"), nb::arg("code"),
          "The place of every key among different ones, -1 if it is not there.");
}

}  // namespace mercer
