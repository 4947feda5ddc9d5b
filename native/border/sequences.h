// Sequences at the border: starts and ends must lie within the letters.
#pragma once

#include <string>

#include "arrays.h"
#include "loops/sequence_types.h"

namespace mercer {

// The three arrays of one set of sequences, and their names.
struct SequenceArrays {
    nb::handle letters, start, end;
    const char *letters_name, *start_name, *end_name;

    Sequences checked(Call& call) const {
        auto all = call.vector<const Letter>(letters, letters_name);
        auto starts = call.vector<const Index>(start, start_name);
        auto ends = call.vector<const Index>(end, end_name, starts.size);
        for (Index i = 0; i < starts.size; ++i) {
            if (starts[i] < 0 || starts[i] > all.size)
                call.wrong_value(start_name, "places in " + std::string(letters_name), std::to_string(starts[i]));
            if (ends[i] < starts[i] || ends[i] > all.size)
                call.wrong_value(end_name, "places in " + std::string(letters_name) + " after the starts",
                                 std::to_string(ends[i]));
        }
        return {all.data, starts.data, ends.data, starts.size};
    }
};

// Both sides of a comparison and its result: one row for each sequence of A, one column for each of B, or one column
// of matched pairs.
struct Comparison {
    Sequences A, B;
    Pairs pairs;

    Comparison(Call& call, const SequenceArrays& a, const SequenceArrays& b, bool matched)
        : A(a.checked(call)), B(b.checked(call)), pairs(matched ? Pairs::MATCHED : Pairs::ALL) {
        if (matched && A.count != B.count)
            call.wrong_value(b.start_name, "as long as " + std::string(a.start_name), std::to_string(B.count));
    }

    Matrix<double> result(Call& call, nb::handle out, const char* name) const {
        return call.matrix<double>(out, name, A.count, pairs == Pairs::ALL ? B.count : 1);
    }
};

#define SEQUENCE_PARAMETERS                                                                                      \
    nb::handle a_letters, nb::handle a_start, nb::handle a_end, nb::handle b_letters, nb::handle b_start,        \
        nb::handle b_end, bool matched
#define SEQUENCE_NAMES                                                                                     \
    nb::arg("a_letters"), nb::arg("a_start"), nb::arg("a_end"), nb::arg("b_letters"), nb::arg("b_start"),  \
        nb::arg("b_end"), nb::arg("matched")
#define COMPARISON(call)                                                                            \
    Comparison(call, {a_letters, a_start, a_end, "a_letters", "a_start", "a_end"},                  \
               {b_letters, b_start, b_end, "b_letters", "b_start", "b_end"}, matched)

}  // namespace mercer
