// Squared distances that keep their digits.
//
//     s = |x|^2 + |y|^2 - 2 <x, y>
//
// is one matrix product, but for near points it is a small difference of large numbers.  So every entry with
// s < NEAR (|x|^2 + |y|^2) is computed again as sum_k (x_k - y_k)^2.  Such pairs are rare in more than a few
// dimensions; in few dimensions the direct sum is the cheaper form anyway and is used throughout.

#include "unroll.h"
#include "views.h"

namespace mercer::MERCER_ISA {

constexpr double NEAR = 1.0 / 64.0;
constexpr Index PIECE = 64;  // columns that are searched for near pairs at a time

// G_ij <- xx_i + yy_j - 2 G_ij for R rows from i on; returns whether some result is below NEAR (xx_i + yy_j).
template <int R, class T>
inline bool expand(Matrix<T> G, Index i, const T* xx, const T* __restrict yy) {
    const T near = static_cast<T>(NEAR);
    T* rows = G.row(i);
    T a[R];
    for (int r = 0; r < R; ++r) a[r] = xx[i + r];
    T least = 0;  // of s - near (xx + yy), where that is negative
#pragma omp simd reduction(min : least)
    for (Index j = 0; j < G.cols; ++j) {
        UNROLL
        for (int r = 0; r < R; ++r) {
            const T total = a[r] + yy[j], s = total - 2 * rows[r * G.stride + j], margin = s - near * total;
            rows[r * G.stride + j] = s;
            least = margin < least ? margin : least;
        }
    }
    return least < 0;
}

// Whether some s_j is below NEAR (a + yy_j).
template <class T>
inline bool any_near(const T* __restrict s, T a, const T* __restrict yy, Index m) {
    const T near = static_cast<T>(NEAR);
    T least = 0;
#pragma omp simd reduction(min : least)
    for (Index j = 0; j < m; ++j) {
        const T margin = s[j] - near * (a + yy[j]);
        least = margin < least ? margin : least;
    }
    return least < 0;
}

// row_j <- pair(j) where row_j is below NEAR (a + yy_j).
template <class T, class Pair>
inline void correct(T* row, T a, const T* yy, Index m, Pair pair) {
    const T near = static_cast<T>(NEAR);
    for (Index j0 = 0; j0 < m; j0 += PIECE) {
        const Index end = j0 + PIECE < m ? j0 + PIECE : m;
        if (!any_near(row + j0, a, yy + j0, end - j0)) continue;
        Index found[PIECE], count = 0;  // gathered first: near pairs are hard to foretell, and a wrong guess costs time
        for (Index j = j0; j < end; ++j) {
            found[count] = j;
            count += row[j] < near * (a + yy[j]);
        }
        for (Index p = 0; p < count; ++p) row[found[p]] = pair(found[p]);
    }
}

// G_ij <- xx_i + yy_j - 2 G_ij, and pair(i, j) where that would lose digits.
template <class T, class Pair>
inline void distances_from_dots(Matrix<T> G, const T* xx, const T* yy, Pair pair) {
    for (Index i = 0; i < G.rows;) {
        const bool fours = i + 4 <= G.rows;
        const bool found = fours ? expand<4>(G, i, xx, yy) : expand<1>(G, i, xx, yy);
        for (const Index end = fours ? i + 4 : i + 1; i < end; ++i)
            if (found) correct(G.row(i), xx[i], yy, G.cols, [&](Index j) { return pair(i, j); });
    }
}

}  // namespace mercer::MERCER_ISA
