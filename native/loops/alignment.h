// Global alignment: the sum over all alignments of two sequences of the product of local kernels.
//
//     M_ij = c_ij (M_(i-1)j + M_i(j-1) + M_(i-1)(j-1)),   M_00 = 1,   M_i0 = M_0j = 0
//     c_ij = e / (2 - e),   e = exp(-gamma |x_i - y_j|^2) max(0, 1 - |i - j| / band)
//
// M grows like 5.8^length.  So cells are kept as u_ij = M_ij / (P_i Q_j), where P_i^2 is M_ii of x with itself and Q_j^2
// that of y.  They are at most 1, and the last one is the normalised kernel.  With the ratios p_i = P_(i-1) / P_i and
// q_j = Q_(j-1) / Q_j
//
//     u_ij = c_ij (p_i u_(i-1)j + q_j u_i(j-1) + p_i q_j u_(i-1)(j-1)).
//
// Paths through a cell that is too small to be a number add less than that number to the result.  `band` is infinite
// where there is none.  Slopes are derivatives in gamma.
// No sequence may be empty.

#include "ragged.h"

namespace mercer::MERCER_ISA {

// ratio_i and slope_i <- p_i and its derivative for every point of every sequence.
void own_ratios(Ragged X, double gamma, double band, double* ratio, double* slope);

// out_ij <- the normalised kernel of sequence i of X and j of Y.
void align(Ragged X, const double* p, Ragged Y, const double* q, double gamma, double band, Matrix<double> out);

// The same, and slope_ij <- its derivative; dp and dq are the derivatives of the ratios.
void align_slope(Ragged X, const double* p, const double* dp, Ragged Y, const double* q, const double* dq, double gamma,
                 double band, Matrix<double> out, Matrix<double> slope);

}  // namespace mercer::MERCER_ISA
