// Products over columns: sums over subsets of columns in time linear in their number.
//
// Yt is Y transposed.  Of sparse matrices the left one, A, is given by rows and the right one, C, by columns.

#include "compressed.h"

namespace mercer::MERCER_ISA {

// out_ij <- prod_k (1 + X_ik Yt_kj).
template <class T>
void all_subsets(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out);

// The same of sparse matrices: a factor without an entry on both sides is 1.
template <class T, class I>
void sparse_all_subsets(Compressed<T, I> A, Compressed<T, I> C, Matrix<T> out);

// prod_k (1 + X_ik Yt_kj) = out_ij 2^exponent_ij, which holds however many columns there are.
void scaled_all_subsets(Matrix<const double> X, Matrix<const double> Yt, Matrix<double> out,
                        Matrix<std::int64_t> exponent);

// out_ij <- the elementary symmetric polynomial of that degree in X_ik Yt_kj, k = 1, 2, ...
// `scratch` has degree + 1 rows, and as many columns as those of `out` that are computed at a time.
template <class T>
void anova(Matrix<const T> X, Matrix<const T> Yt, Index degree, Matrix<T> out, Matrix<T> scratch);

// The same of sparse matrices: a product without an entry on both sides is 0.
// `scratch` has a row of degree + 1 numbers for every column of `out`.
template <class T, class I>
void sparse_anova(Compressed<T, I> A, Compressed<T, I> C, Index degree, Matrix<T> out, Matrix<T> scratch);

}  // namespace mercer::MERCER_ISA
