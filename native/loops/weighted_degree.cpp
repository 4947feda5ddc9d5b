#include "weighted_degree.h"

#include "buffer.h"

namespace mercer::MERCER_ISA {

namespace {

using Bits = std::uint64_t;

constexpr Index WORD = 64;

// The number of bits that are 1.
inline Index ones(Bits x) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_popcountll(x);
#else
    Index count = 0;
    for (; x; x &= x - 1) ++count;
    return count;
#endif
}

// Sequences as planes of bits: plane 0 tells which places hold a letter, plane 1 + q holds bit q of the letters.
// Word w of plane p of sequence i is at (i * words + w) * planes + p.
void cut_into_planes(const Sequences& A, Index words, Index planes, Bits* out) {
    for (Index i = 0; i < A.count; ++i) {
        const Letter* s = A.at(i);
        Bits* row = out + i * words * planes;
        for (Index w = 0; w < words * planes; ++w) row[w] = 0;
        for (Index p = 0; p < A.length(i); ++p) {
            Bits* word = row + p / WORD * planes;
            if (s[p] < 0) continue;
            const Index at = p % WORD;
            word[0] |= Bits(1) << at;
            for (Index q = 1; q < planes; ++q) word[q] |= static_cast<Bits>(s[p] >> (q - 1) & 1) << at;
        }
    }
}

// equal_w <- the places with equal letters, as bits.
void compare(const Bits* a, const Bits* b, Index words, Index planes, Bits* equal) {
    for (Index w = 0; w < words; ++w, a += planes, b += planes) {
        Bits differ = 0;
        for (Index q = 1; q < planes; ++q) differ |= a[q] ^ b[q];
        equal[w] = a[0] & b[0] & ~differ;
    }
}

// The number of places with a run; afterwards `runs` has the places where a run goes on for one letter more.
Index count_and_lengthen(Bits* runs, Index words) {
    Index count = 0;
    for (Index w = 0; w < words; ++w) {
        count += ones(runs[w]);
        runs[w] &= runs[w] >> 1 | (w + 1 < words ? runs[w + 1] << (WORD - 1) : 0);
    }
    return count;
}

}  // namespace

void weighted_degree(Sequences A, Sequences B, Pairs pairs, int bits, Vector<const double> weights, Matrix<double> out) {
    const Index longest = smaller(A.longest(0, A.count), B.longest(0, B.count)), planes = bits + 1;
    const Index words_a = (A.longest(0, A.count) + WORD - 1) / WORD, words_b = (B.longest(0, B.count) + WORD - 1) / WORD;
    const Index words = (longest + WORD - 1) / WORD;
    Buffer<Bits> a(A.count * words_a * planes + 1), b(B.count * words_b * planes + 1), runs(words + 1);
    cut_into_planes(A, words_a, planes, a.data());
    cut_into_planes(B, words_b, planes, b.data());
    for (Index i = 0; i < A.count; ++i) {
        const Index left = pairs == Pairs::ALL ? 0 : i, right = pairs == Pairs::ALL ? B.count : i + 1;
        for (Index j = left; j < right; ++j) {
            compare(a.data() + i * words_a * planes, b.data() + j * words_b * planes, words, planes, runs.data());
            double sum = 0.0;
            for (Index d = 0; d < weights.size; ++d) {
                const Index count = count_and_lengthen(runs.data(), words);
                if (count == 0) break;
                sum += weights[d] * static_cast<double>(count);
            }
            out(i, j - left) = sum;
        }
    }
}

}  // namespace mercer::MERCER_ISA
