#include "gap_weighted.h"

#include "lane_letters.h"
#include "unroll.h"

namespace mercer::MERCER_ISA {

namespace {

// One sequence against eight.  With D_q(i, j) the weights of common subsequences of q letters that end at i and j,
//
//     R_q(i, j) = sum_(j' <= j) decay^(j - j') D_q(i, j'),   S_q(i, j) = sum_(i' <= i) decay^(i - i') R_q(i', j),
//     D_1 = decay^2 if the letters are equal, else 0,        D_(q + 1)(i, j) = D_1(i, j) S_q(i - 1, j - 1),
//
// and the value is the sum of all D_n, or, if SHORTER, of all D_q.  Only S of the row before is kept: S[(q - 1) * columns + j].
template <bool SLOPE, bool SHORTER>
struct Work {
    const Eight* t;
    Index columns;
    double decay;
    Eight* S;
    Eight* dS;  // the derivatives of S
    Eight value, slope;

    // One row, for N = length - 1 levels that are known when this is compiled.
    template <int N>
    void row(double letter) {
        Eight R[N + 1] = {}, dR[N + 1] = {}, before[N + 1] = {}, dbefore[N + 1] = {};
        Eight sum = {}, dsum = {};
        const Eight zero = {}, one = zero + decay * decay, done = zero + 2.0 * decay;
        for (Index j = 0; j < columns; ++j) {
            Eight D = CHOSEN(t[j] == zero + letter, one, zero), dD = zero;
            const Eight match = D, dmatch = CHOSEN(t[j] == zero + letter, done, zero);
            if constexpr (SLOPE) dD = dmatch;
            UNROLL
            for (int q = 0; q < N; ++q) {
                if constexpr (SHORTER) sum = sum + D;
                if constexpr (SHORTER && SLOPE) dsum = dsum + dD;
                Eight& kept = S[q * columns + j];
                const Eight old = kept, last = before[q];
                before[q] = old;
                if constexpr (SLOPE) {
                    Eight& dkept = dS[q * columns + j];
                    const Eight dold = dkept, dlast = dbefore[q];
                    dbefore[q] = dold;
                    dR[q] = dD + R[q] + dR[q] * decay;
                    dkept = dR[q] + old + dold * decay;
                    dD = dmatch * last + match * dlast;
                }
                R[q] = D + R[q] * decay;
                kept = R[q] + old * decay;
                D = match * last;
            }
            sum = sum + D;
            if constexpr (SLOPE) dsum = dsum + dD;
        }
        value = value + sum;
        slope = slope + dsum;
    }

    // One row for any number of levels, level by level: `D` and `dD` hold the weights of a level for all columns.
    void row(double letter, Index levels, Eight* D, Eight* dD) {
        const Eight zero = {}, one = zero + decay * decay, done = zero + 2.0 * decay;
        for (Index j = 0; j < columns; ++j) {
            D[j] = CHOSEN(t[j] == zero + letter, one, zero);
            if constexpr (SLOPE) dD[j] = CHOSEN(t[j] == zero + letter, done, zero);
        }
        for (Index q = 0; q < levels; ++q) {
            Eight R = {}, dR = {}, last = {}, dlast = {};
            for (Index j = 0; j < columns; ++j) {
                if constexpr (SHORTER) value = value + D[j];
                if constexpr (SHORTER && SLOPE) slope = slope + dD[j];
                const Eight old = S[q * columns + j], match = CHOSEN(t[j] == zero + letter, one, zero);
                if constexpr (SLOPE) {
                    const Eight dold = dS[q * columns + j];
                    dR = dD[j] + R + dR * decay;
                    dS[q * columns + j] = dR + old + dold * decay;
                    dD[j] = CHOSEN(t[j] == zero + letter, done, zero) * last + match * dlast;
                    dlast = dold;
                }
                R = D[j] + R * decay;
                S[q * columns + j] = R + old * decay;
                D[j] = match * last;
                last = old;
            }
        }
        for (Index j = 0; j < columns; ++j) {
            value = value + D[j];
            if constexpr (SLOPE) slope = slope + dD[j];
        }
    }
};

template <bool SLOPE, bool SHORTER>
void compare(const Letter* s, Index rows, Index length, Work<SLOPE, SHORTER>& work, Eight* D, Eight* dD) {
    const Index size = (length - 1) * work.columns;
    const Eight zero = {};
    for (Index p = 0; p < size; ++p) work.S[p] = zero;
    if constexpr (SLOPE)
        for (Index p = 0; p < size; ++p) work.dS[p] = zero;
    work.value = work.slope = zero;
    for (Index i = 0; i < rows; ++i) {
        const double letter = lane_letter(s[i]);
        switch (length) {
            case 1: work.template row<0>(letter); break;
            case 2: work.template row<1>(letter); break;
            case 3: work.template row<2>(letter); break;
            case 4: work.template row<3>(letter); break;
            case 5: work.template row<4>(letter); break;
            default: work.row(letter, length - 1, D, dD);
        }
    }
}

template <bool SLOPE, bool SHORTER>
void fill(const Sequences& A, const Sequences& B, Pairs pairs, Index length, double decay, Matrix<double> value,
          Matrix<double> slope) {
    const Index most = B.longest(0, B.count);
    EightBuffer t(most + 1), S((length - 1) * most + 1), dS(SLOPE ? (length - 1) * most + 1 : 1);
    EightBuffer D(most + 1), dD(most + 1);
    over_groups(A, B, pairs, EIGHT, [&](Index first, Index many, Index top, Index bottom) {
        const Index columns = B.longest(first, many);
        interleave(B, first, many, columns, t.data());
        Work<SLOPE, SHORTER> work{t.data(), columns, decay, S.data(), dS.data(), {}, {}};
        for (Index i = top; i < bottom; ++i) {
            const Index least = SHORTER ? 1 : length;
            const bool empty = A.length(i) < least || columns < least;
            if (!empty) compare(A.at(i), A.length(i), length, work, D.data(), dD.data());
            for (Index w = 0; w < many; ++w) {
                const Index j = pairs == Pairs::ALL ? first + w : 0;
                value(i, j) = empty ? 0.0 : work.value[w];
                if constexpr (SLOPE) slope(i, j) = empty ? 0.0 : work.slope[w];
            }
        }
    });
}

}  // namespace

void gap_weighted(Sequences A, Sequences B, Pairs pairs, Index length, bool shorter, double decay,
                  Matrix<double> value, Matrix<double> slope) {
    if (slope.rows > 0)
        (shorter ? fill<true, true> : fill<true, false>)(A, B, pairs, length, decay, value, slope);
    else
        (shorter ? fill<false, true> : fill<false, false>)(A, B, pairs, length, decay, value, slope);
}

}  // namespace mercer::MERCER_ISA
