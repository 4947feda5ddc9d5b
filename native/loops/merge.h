// Sums over the columns that at least one of two sparse rows holds.

#include "compressed.h"

namespace mercer::MERCER_ISA {

// sum_k term(a_k, b_k), a = row i of A and b = row j of B, by merging the two sorted rows; term(0, 0) must be 0.
template <class T, class I, class Term>
inline T merged(Compressed<T, I> A, Index i, Compressed<T, I> B, Index j, Term term) {
    Index p = A.begin(i), q = B.begin(j);
    const Index p_end = A.end(i), q_end = B.end(j);
    T s = 0;
    while (p < p_end || q < q_end) {
        const bool left = p < p_end && (q >= q_end || A.index[p] <= B.index[q]);
        const bool right = q < q_end && (p >= p_end || B.index[q] <= A.index[p]);
        s += term(left ? A.value[p] : T(0), right ? B.value[q] : T(0));
        p += left;
        q += right;
    }
    return s;
}

}  // namespace mercer::MERCER_ISA
