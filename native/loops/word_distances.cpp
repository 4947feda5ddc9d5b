#include "word_distances.h"

#include "lane_letters.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index LANES_OF_WORDS = 64;  // sequences side by side
constexpr Index NARROW = 250;         // letters, letters of a word and steps of a counter that fit 8 bits

// h += or -= whether the letters at one place differ.  The pointers are `__restrict`: for all the compiler knows, a store
// of 8 bits may change anything else.
template <int SIGN, class T>
inline void differ(T* __restrict h, T letter, const T* __restrict place) {
#pragma omp simd
    for (Index w = 0; w < LANES_OF_WORDS; ++w) h[w] = static_cast<T>(h[w] + (place[w] != letter ? SIGN : 0));
}

// counts_cw += whether h_w is c and a whole word begins here.
template <class T>
inline void count(const T* __restrict h, const T* __restrict whole, Index levels, T* __restrict counts) {
    for (Index c = 0; c < levels; ++c) {
        T* __restrict row = counts + c * LANES_OF_WORDS;
        const T level = static_cast<T>(c);
#pragma omp simd
        for (Index w = 0; w < LANES_OF_WORDS; ++w) row[w] = static_cast<T>(row[w] + (h[w] == level ? whole[w] : T(0)));
    }
}

// One sequence against as many as there are lanes.  T holds a letter, a number of differences and a small count.
template <class T>
struct Work {
    static constexpr Index N = LANES_OF_WORDS;
    static constexpr T LEFT_UNKNOWN = static_cast<T>(-2), RIGHT_UNKNOWN = static_cast<T>(-1);  // 254 and 255 in 8 bits

    const T* t;      // letter j of lane w at j * N + w
    const T* valid;  // 1 where a whole word begins at j, else 0
    Index columns;   // places of the longest
    Index width, levels;
    T* counts;            // levels x N: pairs of words at each distance, not yet added to `sums`
    std::int64_t* sums;   // levels x N
    Index steps;          // since `counts` were last added to `sums`

    void flush() {
        steps = 0;
        for (Index p = 0; p < levels * N; ++p) {
            sums[p] += static_cast<std::int64_t>(counts[p]);
            counts[p] = 0;
        }
    }

    // The words of s from i on against those of the lanes from j on, both moving on together.
    void diagonal(const T* s, Index rows, Index i, Index j) {
        T h[N] = {};  // letters that differ
        for (Index p = 0; p < width; ++p) differ<1>(h, s[i + p], t + (j + p) * N);
        for (;; ++i, ++j) {
            count(h, valid + j * N, levels, counts);
            if (++steps == NARROW) flush();
            if (i + width >= rows || j + width >= columns) break;
            differ<1>(h, s[i + width], t + (j + width) * N);
            differ<-1>(h, s[i], t + j * N);
        }
    }

    void compare(const T* s, Index rows) {
        for (Index p = 0; p < levels * N; ++p) {
            counts[p] = 0;
            sums[p] = 0;
        }
        if (rows < width || columns < width) return;
        for (Index i = rows - width; i > 0; --i) diagonal(s, rows, i, 0);
        for (Index j = 0; j + width <= columns; ++j) diagonal(s, rows, 0, j);
        flush();
    }
};

template <class T>
void fill(const Sequences& A, const Sequences& B, Pairs pairs, Index width, Vector<const double> weights,
          Matrix<double> out) {
    constexpr Index N = LANES_OF_WORDS;
    const Index most = B.longest(0, B.count), longest = A.longest(0, A.count), levels = weights.size;
    Buffer<T> t(most * N + 1), valid(most * N + 1), s(longest + 1), counts(levels * N + 1);
    Buffer<std::int64_t> sums(levels * N + 1);
    over_groups(A, B, pairs, N, [&](Index first, Index many, Index top, Index bottom) {
        const Index columns = B.longest(first, many);
        for (Index p = 0; p < columns * N; ++p) {
            t[p] = Work<T>::RIGHT_UNKNOWN;
            valid[p] = 0;
        }
        for (Index w = 0; w < many; ++w)
            for (Index j = 0; j < B.length(first + w); ++j) {
                const Letter c = B.at(first + w)[j];
                t[j * N + w] = c < 0 ? Work<T>::RIGHT_UNKNOWN : static_cast<T>(c);
                valid[j * N + w] = j + width <= B.length(first + w);
            }
        Work<T> work{t.data(), valid.data(), columns, width, levels, counts.data(), sums.data(), 0};
        for (Index i = top; i < bottom; ++i) {
            const Letter* letters = A.at(i);
            const Index rows = A.length(i);
            for (Index p = 0; p < rows; ++p)
                s[p] = letters[p] < 0 ? Work<T>::LEFT_UNKNOWN : static_cast<T>(letters[p]);
            work.compare(s.data(), rows);
            for (Index w = 0; w < many; ++w) {
                double sum = 0.0;
                for (Index c = 0; c < levels; ++c) sum += weights[c] * static_cast<double>(sums[c * N + w]);
                out(i, pairs == Pairs::ALL ? first + w : 0) = sum;
            }
        }
    });
}

}  // namespace

void word_distances(Sequences A, Sequences B, Pairs pairs, Index alphabet, Index width, Vector<const double> weights,
                    Matrix<double> out) {
    if (alphabet <= NARROW && width <= NARROW) fill<std::uint8_t>(A, B, pairs, width, weights, out);
    else fill<std::int32_t>(A, B, pairs, width, weights, out);
}

}  // namespace mercer::MERCER_ISA
