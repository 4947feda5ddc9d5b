#include "edit_distance.h"

#include "buffer.h"

namespace mercer::MERCER_ISA {

namespace {

using Bits = std::uint64_t;

constexpr Index WORD = 64;

// The places of every letter in one sequence, as bits: row `name` of `bits` for the letter of that name, row 0 for all
// letters that do not occur.
struct Places {
    std::int32_t* names;  // of each letter of the alphabet, 0 where it does not occur
    Index alphabet;
    Bits* bits;
    Index words;

    const Bits* of(Letter c) const { return bits + (c >= 0 && c < alphabet ? names[c] : 0) * words; }

    void set(const Letter* s, Index length) {
        std::int32_t used = 0;
        for (Index w = 0; w < words; ++w) bits[w] = 0;
        for (Index i = 0; i < length; ++i) {
            if (s[i] < 0 || s[i] >= alphabet) continue;
            std::int32_t& name = names[s[i]];
            if (name == 0) {
                name = ++used;
                for (Index w = 0; w < words; ++w) bits[name * words + w] = 0;
            }
            bits[name * words + i / WORD] |= Bits(1) << (i % WORD);
        }
    }

    void clear(const Letter* s, Index length) {
        for (Index i = 0; i < length; ++i)
            if (s[i] >= 0 && s[i] < alphabet) names[s[i]] = 0;
    }
};

// One column of 64 rows: `up` and `down` say where the distance grows or falls by 1 from a row to the next.  `step` is
// the change of the row above from the column before; returns that of row `last`.
inline int advance(Bits equal, Bits& up, Bits& down, int step, Bits last) {
    const Bits vertical = equal | down;
    if (step < 0) equal |= 1;
    const Bits same = (((equal & up) + up) ^ up) | equal;
    Bits right_up = down | ~(same | up), right_down = up & same;
    const int change = (right_up & last ? 1 : 0) - (right_down & last ? 1 : 0);
    right_up = (right_up << 1) | (step > 0 ? 1 : 0);
    right_down = (right_down << 1) | (step < 0 ? 1 : 0);
    up = right_down | ~(vertical | right_up);
    down = right_up & vertical;
    return change;
}

Index distance(const Places& places, Index rows, const Letter* t, Index columns, Bits* up, Bits* down) {
    if (rows == 0) return columns;
    const Bits top = Bits(1) << (WORD - 1), last = Bits(1) << ((rows - 1) % WORD);
    for (Index w = 0; w < places.words; ++w) {
        up[w] = ~Bits(0);
        down[w] = 0;
    }
    Index found = rows;
    for (Index j = 0; j < columns; ++j) {
        const Bits* equal = places.of(t[j]);
        int step = 1;
        for (Index w = 0; w + 1 < places.words; ++w) step = advance(equal[w], up[w], down[w], step, top);
        const Index w = places.words - 1;
        found += advance(equal[w], up[w], down[w], step, last);
    }
    return found;
}

}  // namespace

void edit_distances(Sequences A, Sequences B, Pairs pairs, Index alphabet, Matrix<double> out) {
    const Index most = (A.longest(0, A.count) + WORD - 1) / WORD;
    Buffer<std::int32_t> names(alphabet + 1);
    Buffer<Bits> up(most + 1), down(most + 1);
    Room<Bits> bits;
    for (Index c = 0; c < alphabet; ++c) names[c] = 0;
    for (Index i = 0; i < A.count; ++i) {
        const Index rows = A.length(i), words = (rows + WORD - 1) / WORD;
        Places places{names.data(), alphabet, bits.at_least((smaller(rows, alphabet) + 1) * words + 1), words};
        places.set(A.at(i), rows);
        const Index left = pairs == Pairs::ALL ? 0 : i, right = pairs == Pairs::ALL ? B.count : i + 1;
        for (Index j = left; j < right; ++j)
            out(i, j - left) =
                static_cast<double>(distance(places, rows, B.at(j), B.length(j), up.data(), down.data()));
        places.clear(A.at(i), rows);
    }
}

}  // namespace mercer::MERCER_ISA
