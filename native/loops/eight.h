// Eight float64 numbers that are computed with at once, one for each of eight pairs of items.
//
// CHOSEN(mask, a, b) is a where the comparison held, else b.

#include "views.h"

namespace mercer::MERCER_ISA {

constexpr Index EIGHT = 8;

#if defined(__GNUC__) || defined(__clang__)

// `aligned` and `may_alias`: they are read from any place in an array.
typedef double Eight __attribute__((vector_size(64), aligned(8), may_alias));

#define CHOSEN(mask, a, b) ((mask) ? (a) : (b))

#else

struct EightFlags {
    bool at[EIGHT];
};

struct Eight {
    double at[EIGHT];

    Eight() : at{} {}
    Eight(double all) {
        for (Index w = 0; w < EIGHT; ++w) at[w] = all;
    }
    double& operator[](Index w) { return at[w]; }
    double operator[](Index w) const { return at[w]; }
};

#define EIGHT_OPERATOR(symbol, Result)                                            \
    inline Result operator symbol(const Eight& a, const Eight& b) {               \
        Result out;                                                               \
        for (Index w = 0; w < EIGHT; ++w) out.at[w] = a.at[w] symbol b.at[w];     \
        return out;                                                               \
    }
EIGHT_OPERATOR(+, Eight)
EIGHT_OPERATOR(*, Eight)
EIGHT_OPERATOR(==, EightFlags)
#undef EIGHT_OPERATOR

inline Eight chosen(const EightFlags& mask, const Eight& a, const Eight& b) {
    Eight out;
    for (Index w = 0; w < EIGHT; ++w) out.at[w] = mask.at[w] ? a.at[w] : b.at[w];
    return out;
}

#define CHOSEN(mask, a, b) chosen((mask), (a), (b))

#endif

}  // namespace mercer::MERCER_ISA
