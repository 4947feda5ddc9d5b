// Distances of dense rows, into a tile.  Yt is Y transposed, so that the inner loops are contiguous.

#include "views.h"

namespace mercer::MERCER_ISA {

// Overwrite G = X Y^T with the squared distances, from the squared norms xx and yy; near pairs directly (near.h).
template <class T>
void from_dots(Matrix<T> G, Vector<const T> xx, Vector<const T> yy, Matrix<const T> X, Matrix<const T> Y);

// out_ij <- sum_k (X_ik - Yt_kj)^2.
template <class T>
void direct(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out);

// out_ip <- |X_i - Y_j|^2 with j = index_ip, then sort both along each row by distance, ties by index.
void ranked(Matrix<const double> X, Matrix<const double> Y, Matrix<Index> index, Matrix<double> out);

// out_ij <- sum_k |X_ik - Yt_kj|.
template <class T>
void absolute(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out);

// out_ij <- sum_k (X_ik - Yt_kj)^2 / (X_ik + Yt_kj), with 0 / 0 = 0.
template <class T>
void chi_squared(Matrix<const T> X, Matrix<const T> Yt, Matrix<T> out);

// out_k += sum_ij M_ij |X_ik - Yt_kj|.
void absolute_moments(Matrix<const double> M, Matrix<const double> X, Matrix<const double> Yt, Vector<double> out);

// out_(i, q d + k) += sum_j M_ij Vt_qj (X_ik - Yt_kj)^2, d the number of columns of X.
void squared_products(Matrix<const double> M, Matrix<const double> X, Matrix<const double> Yt, Matrix<const double> Vt,
                      Matrix<double> out);

// out_ij <- sum_k weight_k [X_ik != Yt_kj].
void mismatches(Matrix<const std::int64_t> X, Matrix<const std::int64_t> Yt, Vector<const double> weight,
                Matrix<double> out);

// out_k += sum_ij M_ij [X_ik != Yt_kj].
void mismatch_moments(Matrix<const double> M, Matrix<const std::int64_t> X, Matrix<const std::int64_t> Yt,
                      Vector<double> out);

}  // namespace mercer::MERCER_ISA
