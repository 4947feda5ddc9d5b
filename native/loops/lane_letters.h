// Up to eight sequences side by side: letter j of sequence w at row j, lane w, as a number that Eight compares.

#include "buffer.h"
#include "eight.h"
#include "sequence_types.h"

namespace mercer::MERCER_ISA {

constexpr double PAD = -2.0;  // behind the end of a sequence, and in lanes without one
constexpr double NO_LETTER = -3.0;  // what a letter below 0 becomes on the left side: equal to nothing on the right

// Memory for `size` times eight numbers, not initialised.
class EightBuffer {
   public:
    explicit EightBuffer(Index size) : numbers_(EIGHT * size) {}
    Eight* data() const { return reinterpret_cast<Eight*>(numbers_.data()); }
    Eight& operator[](Index j) const { return data()[j]; }

   private:
    Buffer<double> numbers_;
};

// rows[j] <- letter j of `many` sequences of B from `first` on, for j below `length`.
inline void interleave(const Sequences& B, Index first, Index many, Index length, Eight* rows) {
    for (Index j = 0; j < length; ++j)
        for (Index w = 0; w < EIGHT; ++w) rows[j][w] = PAD;
    for (Index w = 0; w < many; ++w) {
        const Letter* t = B.at(first + w);
        for (Index j = 0; j < B.length(first + w); ++j) rows[j][w] = t[j] < 0 ? -1.0 : static_cast<double>(t[j]);
    }
}

// A letter of the left side as it is compared with these.
inline double lane_letter(Letter s) { return s < 0 ? NO_LETTER : static_cast<double>(s); }

// Calls work(first, many, top, bottom) for groups of `width` sequences of B and the rows of A they are compared with.
template <class Work>
void over_groups(const Sequences& A, const Sequences& B, Pairs pairs, Index width, Work work) {
    if (pairs == Pairs::MATCHED) {
        for (Index j = 0; j < B.count; ++j) work(j, Index(1), j, j + 1);
        return;
    }
    for (Index j = 0; j < B.count; j += width) work(j, smaller(width, B.count - j), Index(0), A.count);
}

}  // namespace mercer::MERCER_ISA
