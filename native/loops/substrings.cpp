#include "substrings.h"

#include "buffer.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr std::int32_t NONE = -1;

// The suffix automaton of one sequence (Blumer et al., 1985).  A state stands for words that end at the same places;
// its words are the endings of `longest` letters down to those longer than its link's longest.  Edges are found by a
// table of hashed (state, letter); those of one state are also a list, for copies.
class Automaton {
   public:
    void build(const Letter* s, Index length, Vector<const double> sums) {
        make_room(length);
        states_ = edges_ = 0;
        for (Index p = 0; p <= mask_; ++p) table_[p] = NONE;
        std::int32_t last = new_state(0, NONE);
        for (Index i = 0; i < length; ++i) last = append(last, s[i]);
        weigh(length, sums);
    }

    // The sum over the places of t of the weights of all words that end there and occur in s, as often as they do.
    double read(const Letter* t, Index length, Vector<const double> sums) const {
        double total = 0.0;
        std::int32_t state = 0, edge = NONE;
        Index matched = 0;
        for (Index j = 0; j < length; ++j) {
            if (t[j] < 0) {
                state = 0;
                matched = 0;
                continue;
            }
            while ((edge = find(state, t[j])) == NONE && state != 0) {
                state = link_[state];
                matched = longest_[state];
            }
            if (edge == NONE) continue;
            state = to_[edge];
            ++matched;
            total += above_[state] + occurs_[state] * (upto(sums, matched) - upto(sums, longest_[link_[state]]));
        }
        return total;
    }

   private:
    static double upto(Vector<const double> sums, Index length) { return sums[smaller(length, sums.size - 1)]; }

    void make_room(Index length) {
        const Index states = 2 * length + 2, edges = 4 * length + 4;
        Index slots = 16;
        while (slots < 2 * edges) slots *= 2;
        mask_ = slots - 1;
        longest_ = longest_room_.at_least(states);
        link_ = link_room_.at_least(states);
        first_ = first_room_.at_least(states);
        order_ = order_room_.at_least(states);
        occurs_ = occurs_room_.at_least(states);
        above_ = above_room_.at_least(states);
        letter_ = letter_room_.at_least(edges);
        from_ = from_room_.at_least(edges);
        to_ = to_room_.at_least(edges);
        next_ = next_room_.at_least(edges);
        table_ = table_room_.at_least(slots);
        places_ = places_room_.at_least(length + 2);
    }

    std::int32_t new_state(Index longest, std::int32_t link) {
        longest_[states_] = static_cast<std::int32_t>(longest);
        link_[states_] = link;
        first_[states_] = NONE;
        occurs_[states_] = 0.0;
        return states_++;
    }

    Index slot(std::int32_t state, Letter c) const {
        std::uint64_t key = static_cast<std::uint64_t>(static_cast<std::uint32_t>(state)) << 32 | static_cast<std::uint32_t>(c);
        key *= 0x9E3779B97F4A7C15u;
        return static_cast<Index>(key >> 32) & mask_;
    }

    std::int32_t find(std::int32_t state, Letter c) const {
        for (Index p = slot(state, c);; p = (p + 1) & mask_) {
            const std::int32_t edge = table_[p];
            if (edge == NONE || (from_[edge] == state && letter_[edge] == c)) return edge;
        }
    }

    void add_edge(std::int32_t state, Letter c, std::int32_t to) {
        Index p = slot(state, c);
        while (table_[p] != NONE) p = (p + 1) & mask_;
        table_[p] = edges_;
        from_[edges_] = state;
        letter_[edges_] = c;
        to_[edges_] = to;
        next_[edges_] = first_[state];
        first_[state] = edges_++;
    }

    std::int32_t append(std::int32_t last, Letter c) {
        const std::int32_t added = new_state(longest_[last] + 1, 0);
        occurs_[added] = 1.0;
        std::int32_t p = last, edge = NONE;
        while (p != NONE && (edge = find(p, c)) == NONE) {
            add_edge(p, c, added);
            p = link_[p];
        }
        if (p == NONE) return added;
        const std::int32_t q = to_[edge];
        link_[added] = longest_[q] == longest_[p] + 1 ? q : split(p, c, q);
        return added;
    }

    // A copy of state q for its words up to those of p followed by c.
    std::int32_t split(std::int32_t p, Letter c, std::int32_t q) {
        const std::int32_t copy = new_state(longest_[p] + 1, link_[q]);
        for (std::int32_t e = first_[q]; e != NONE; e = next_[e]) add_edge(copy, letter_[e], to_[e]);
        link_[q] = copy;
        for (std::int32_t e = NONE; p != NONE && (e = find(p, c)) != NONE && to_[e] == q; p = link_[p]) to_[e] = copy;
        return copy;
    }

    // occurs <- how often the words of a state occur; above <- the weighted sum over all states on the way to the root.
    void weigh(Index length, Vector<const double> sums) {
        for (Index l = 0; l < length + 2; ++l) places_[l] = 0;
        for (std::int32_t v = 0; v < states_; ++v) ++places_[longest_[v] + 1];
        for (Index l = 1; l < length + 2; ++l) places_[l] += places_[l - 1];
        for (std::int32_t v = 0; v < states_; ++v) order_[places_[longest_[v]]++] = v;  // by length
        for (std::int32_t k = states_ - 1; k > 0; --k) {
            const std::int32_t v = order_[k];
            if (link_[v] > 0) occurs_[link_[v]] += occurs_[v];
        }
        above_[0] = 0.0;
        for (std::int32_t k = 1; k < states_; ++k) {
            const std::int32_t v = order_[k], up = link_[v];
            const Index bottom = up > 0 ? longest_[link_[up]] : 0;
            above_[v] = up > 0 ? above_[up] + occurs_[up] * (upto(sums, longest_[up]) - upto(sums, bottom)) : 0.0;
        }
    }

    Room<std::int32_t> longest_room_, link_room_, first_room_, order_room_, letter_room_, from_room_, to_room_, next_room_,
        table_room_, places_room_;
    Room<double> occurs_room_, above_room_;
    std::int32_t *longest_ = nullptr, *link_ = nullptr, *first_ = nullptr, *order_ = nullptr, *letter_ = nullptr;
    std::int32_t *from_ = nullptr, *to_ = nullptr, *next_ = nullptr, *table_ = nullptr, *places_ = nullptr;
    double *occurs_ = nullptr, *above_ = nullptr;
    std::int32_t states_ = 0, edges_ = 0;
    Index mask_ = 0;
};

}  // namespace

void common_substrings(Sequences A, Sequences B, Pairs pairs, Vector<const double> sums, Matrix<double> out) {
    Automaton automaton;
    for (Index i = 0; i < A.count; ++i) {
        automaton.build(A.at(i), A.length(i), sums);
        const Index left = pairs == Pairs::ALL ? 0 : i, right = pairs == Pairs::ALL ? B.count : i + 1;
        for (Index j = left; j < right; ++j) out(i, j - left) = automaton.read(B.at(j), B.length(j), sums);
    }
}

}  // namespace mercer::MERCER_ISA
