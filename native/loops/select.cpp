#include "select.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index PIECE = 64;  // entries that are compared with the largest of the list at once

// Whether an entry is below `bound`, or equal to it as rounded to T.
template <class T>
bool any_below(const T* values, Index m, double bound) {
    const T limit = static_cast<T>(bound);
    T least = limit;
#pragma omp simd reduction(min : least)
    for (Index j = 0; j < m; ++j) least = values[j] < least ? values[j] : least;
    return least < limit || static_cast<double>(limit) < bound;
}

// Put v, at position j, into an ascending list of `count` entries; the largest drops out.  Ties stay in order.
void insert(double v, Index j, Index* index, double* best, Index count) {
    Index p = count - 1;
    for (; p > 0 && v < best[p - 1]; --p) {
        best[p] = best[p - 1];
        index[p] = index[p - 1];
    }
    best[p] = v;
    index[p] = j;
}

}  // namespace

template <class T>
void smallest(Matrix<const T> A, Index start, Matrix<Index> index, Matrix<double> best) {
    const Index count = best.cols;
    for (Index i = 0; i < A.rows; ++i) {
        const T* row = A.row(i);
        double *list = best.row(i), bound = list[count - 1];
        bool likely = false;  // that a piece holds an entry below the bound: the piece before it did
        for (Index j0 = 0; j0 < A.cols; j0 += PIECE) {
            const Index end = j0 + PIECE < A.cols ? j0 + PIECE : A.cols;
            if (!likely && !any_below(row + j0, end - j0, bound)) continue;
            likely = false;
            for (Index j = j0; j < end; ++j) {
                if (row[j] < bound) {
                    insert(row[j], start + j, index.row(i), list, count);
                    bound = list[count - 1];
                    likely = true;
                }
            }
        }
    }
}

template void smallest(Matrix<const float>, Index, Matrix<Index>, Matrix<double>);
template void smallest(Matrix<const double>, Index, Matrix<Index>, Matrix<double>);

}  // namespace mercer::MERCER_ISA
