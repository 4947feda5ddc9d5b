// Sparse matrices at the border: the three arrays of SciPy's CSR or CSC format become one view.
#pragma once

#include <string>

#include "indices.h"
#include "loops/compressed.h"

namespace mercer {

// The three arrays as they came from Python, with their names.
struct Parts {
    nb::handle start, index, value;
    const char *start_name, *index_name, *value_name;
};

// `lines` compressed rows (or columns; any number if ANY) of `width` places each.
template <class T, class I>
Compressed<T, I> compressed(Call& call, const Parts& parts, Index lines, Index width) {
    auto value = call.vector<const T>(parts.value, parts.value_name);
    auto index = positions<I>(call, parts.index, parts.index_name, width);
    auto start = call.vector<const I>(parts.start, parts.start_name, lines == ANY ? ANY : lines + 1);
    if (index.size != value.size)
        call.wrong_value(parts.index_name, "as long as " + std::string(parts.value_name),
                         std::to_string(index.size) + " positions of " + std::to_string(value.size) + " entries");
    if (start.size == 0) call.wrong_value(parts.start_name, "at least one long", "an empty array");
    for (Index i = 0, before = 0; i < start.size; ++i) {
        const Index here = static_cast<Index>(start[i]);
        if (here < before || here > value.size)
            call.wrong_value(parts.start_name, "ascending from 0 to at most " + std::to_string(value.size),
                             std::to_string(here) + " after " + std::to_string(before));
        before = here;
    }
    return {start.data, index.data, value.data, start.size - 1};
}

// Call f<T, I>() for the number type of `out` and the index type of `index`.
template <class First, class... Rest, class F>
void by_types(Call& call, nb::handle out, nb::handle index, const char* index_name, F&& f) {
    by_type<First, Rest...>(call, out, "out", [&]<class T>() {
        by_type<std::int32_t, std::int64_t>(call, index, index_name, [&]<class I>() { f.template operator()<T, I>(); });
    });
}

}  // namespace mercer
