#include "state_space.h"

#include <cmath>

namespace mercer::MERCER_ISA {
namespace {

// Nodes and weights of Gauss and Legendre on [0, 1], for the covariance of the noise over short gaps.
constexpr int NODES = 8;
constexpr double NODE[NODES] = {0.01985507175123188, 0.10166676129318664, 0.2372337950418355, 0.4082826787521751,
                                0.5917173212478249,  0.7627662049581645,  0.8983332387068134, 0.9801449282487681};
constexpr double WEIGHT[NODES] = {0.05061426814518813, 0.11119051722668724, 0.15685332293894363, 0.18134189168918097,
                                  0.18134189168918097, 0.15685332293894363, 0.11119051722668724, 0.05061426814518813};
constexpr double SHORT = 0.5;  // gaps up to which P - A P A' would lose digits, and Q is integrated

template <int J>
struct Model;

// F, N = F + I (with N^J = 0), P, and the intensity of the noise of the last entry; all for rate 1 and variance 1.
template <>
struct Model<1> {
    static constexpr double F[1][1] = {{-1.0}};
    static constexpr double P[1][1] = {{1.0}};
    static constexpr double intensity = 2.0;
};
template <>
struct Model<2> {
    static constexpr double F[2][2] = {{0.0, 1.0}, {-1.0, -2.0}};
    static constexpr double P[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
    static constexpr double intensity = 4.0;
};
template <>
struct Model<3> {
    static constexpr double F[3][3] = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {-1.0, -3.0, -3.0}};
    static constexpr double P[3][3] = {{1.0, 0.0, -1.0 / 3.0}, {0.0, 1.0 / 3.0, 0.0}, {-1.0 / 3.0, 0.0, 1.0}};
    static constexpr double intensity = 16.0 / 3.0;
};

template <int J>
using Square = double[J][J];

// A = exp(-u) sum_{k < J} (u N)^k / k!
template <int J>
void transition(double u, Square<J>& A) {
    double N[J][J], term[J][J], next[J][J];
    for (int i = 0; i < J; ++i)
        for (int j = 0; j < J; ++j) {
            N[i][j] = Model<J>::F[i][j] + (i == j);
            term[i][j] = A[i][j] = i == j;
        }
    for (int k = 1; k < J; ++k) {
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) {
                double sum = 0.0;
                for (int l = 0; l < J; ++l) sum += term[i][l] * N[l][j];
                next[i][j] = sum * u / k;
            }
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) A[i][j] += term[i][j] = next[i][j];
    }
    const double decay = std::exp(-u);
    for (int i = 0; i < J; ++i)
        for (int j = 0; j < J; ++j) A[i][j] *= decay;
}

// The last column of A(s): how noise of the last entry reaches all others.
template <int J>
void reach(double s, double (&a)[J]) {
    const double decay = std::exp(-s);
    if constexpr (J == 1) a[0] = decay;
    else if constexpr (J == 2) {
        a[0] = decay * s;
        a[1] = decay * (1.0 - s);
    } else {
        a[0] = decay * 0.5 * s * s;
        a[1] = decay * (s - 0.5 * s * s);
        a[2] = decay * (1.0 - 2.0 * s + 0.5 * s * s);
    }
}

// B = A X A'
template <int J>
void congruence(const Square<J>& A, const Square<J>& X, Square<J>& B) {
    double T[J][J];
    for (int i = 0; i < J; ++i)
        for (int j = 0; j < J; ++j) {
            double sum = 0.0;
            for (int l = 0; l < J; ++l) sum += A[i][l] * X[l][j];
            T[i][j] = sum;
        }
    for (int i = 0; i < J; ++i)
        for (int j = 0; j < J; ++j) {
            double sum = 0.0;
            for (int l = 0; l < J; ++l) sum += T[i][l] * A[j][l];
            B[i][j] = sum;
        }
}

// Q(u), the covariance of the noise over a gap, for variance 1.
template <int J>
void noise_covariance(double u, const Square<J>& A, Square<J>& Q) {
    if (u > SHORT) {
        congruence<J>(A, Model<J>::P, Q);
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) Q[i][j] = Model<J>::P[i][j] - Q[i][j];
        return;
    }
    for (int i = 0; i < J; ++i)
        for (int j = 0; j < J; ++j) Q[i][j] = 0.0;
    for (int k = 0; k < NODES; ++k) {
        double a[J];
        reach<J>(u * NODE[k], a);
        const double w = Model<J>::intensity * u * WEIGHT[k];
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) Q[i][j] += w * a[i] * a[j];
    }
}

// The step over one gap: A, Q, and their derivatives in log lengthscale, -u d/du.
template <int J>
struct Gap {
    double u = -1.0;
    double A[J][J], Q[J][J], dA[J][J], dQ[J][J];

    void set(double length) {
        if (length == u) return;  // on a regular grid all gaps are equal
        u = length;
        transition<J>(u, A);
        noise_covariance<J>(u, A, Q);
        double a[J];
        reach<J>(u, a);
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) {
                double sum = 0.0;
                for (int l = 0; l < J; ++l) sum += Model<J>::F[i][l] * A[l][j];
                dA[i][j] = -u * sum;
                dQ[i][j] = -u * Model<J>::intensity * a[i] * a[j];
            }
    }
};

template <int J>
struct Pass {
    const Line& line;
    Index c;
    double m[MOST_COLUMNS][J] = {}, C[J][J];
    double dm[PARAMETERS][MOST_COLUMNS][J] = {}, dC[PARAMETERS][J][J] = {};
    Gap<J> gap;

    explicit Pass(const Line& line) : line(line), c(line.Y.cols) {
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) {
                C[i][j] = line.variance * Model<J>::P[i][j];
                dC[1][i][j] = C[i][j];
            }
    }

    void move(double length, bool slopes) {
        gap.set(length);
        if (slopes) move_slopes();
        double B[J][J];
        congruence<J>(gap.A, C, B);
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) C[i][j] = B[i][j] + line.variance * gap.Q[i][j];
        for (Index q = 0; q < c; ++q) times(gap.A, m[q]);
    }

    // Derivatives of A C A' + variance Q and of A m, before C and m move.
    void move_slopes() {
        double B[J][J], T[J][J];
        for (int p = 0; p < PARAMETERS; ++p) {
            congruence<J>(gap.A, dC[p], B);
            for (int i = 0; i < J; ++i)
                for (int j = 0; j < J; ++j) dC[p][i][j] = B[i][j];
            for (Index q = 0; q < c; ++q) times(gap.A, dm[p][q]);
        }
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) {
                double sum = 0.0;
                for (int k = 0; k < J; ++k)
                    for (int l = 0; l < J; ++l) sum += gap.dA[i][k] * C[k][l] * gap.A[j][l];
                T[i][j] = sum;
            }
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) {
                dC[0][i][j] += T[i][j] + T[j][i] + line.variance * gap.dQ[i][j];
                dC[1][i][j] += line.variance * gap.Q[i][j];
            }
        for (Index q = 0; q < c; ++q)
            for (int i = 0; i < J; ++i)
                for (int k = 0; k < J; ++k) dm[0][q][i] += gap.dA[i][k] * m[q][k];
    }

    static void times(const Square<J>& A, double (&z)[J]) {
        double out[J];
        for (int i = 0; i < J; ++i) {
            out[i] = 0.0;
            for (int k = 0; k < J; ++k) out[i] += A[i][k] * z[k];
        }
        for (int i = 0; i < J; ++i) z[i] = out[i];
    }

    void observe(Index t, bool slopes, LineSums& sums) {
        const double S = C[0][0] + line.noise[t], inverse = 1.0 / S;
        double gain[J], v[MOST_COLUMNS];
        for (int i = 0; i < J; ++i) gain[i] = C[i][0] * inverse;
        for (Index q = 0; q < c; ++q) v[q] = line.Y(t, q) - m[q][0];
        sums.log_determinant += std::log(S);
        for (Index q = 0; q < c; ++q)
            for (Index r = 0; r < c; ++r) sums.products[q * c + r] += v[q] * v[r] * inverse;
        if (slopes) observe_slopes(inverse, gain, v, sums);
        for (Index q = 0; q < c; ++q)
            for (int i = 0; i < J; ++i) m[q][i] += gain[i] * v[q];
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) C[i][j] -= gain[i] * gain[j] * S;
    }

    void observe_slopes(double inverse, const double (&gain)[J], const double (&v)[MOST_COLUMNS], LineSums& sums) {
        const double S = 1.0 / inverse;
        for (int p = 0; p < PARAMETERS; ++p) {
            const double dS = dC[p][0][0] + (p == 2), share = dS * inverse;
            double dgain[J], dv[MOST_COLUMNS];
            for (int i = 0; i < J; ++i) dgain[i] = dC[p][i][0] * inverse - gain[i] * share;
            for (Index q = 0; q < c; ++q) dv[q] = -dm[p][q][0];
            sums.log_determinant_slopes[p] += share;
            for (Index q = 0; q < c; ++q)
                for (Index r = 0; r < c; ++r)
                    sums.product_slopes[(p * c + q) * c + r] +=
                        (dv[q] * v[r] + v[q] * dv[r] - v[q] * v[r] * share) * inverse;
            for (Index q = 0; q < c; ++q)
                for (int i = 0; i < J; ++i) dm[p][q][i] += dgain[i] * v[q] + gain[i] * dv[q];
            for (int i = 0; i < J; ++i)
                for (int j = 0; j < J; ++j)
                    dC[p][i][j] -= (dgain[i] * gain[j] + gain[i] * dgain[j]) * S + gain[i] * gain[j] * dS;
        }
    }

    void keep(Index t, LineStates states) const {
        if (!states.means.rows) return;
        for (Index q = 0; q < c; ++q)
            for (int i = 0; i < J; ++i) states.means(t, q * J + i) = m[q][i];
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) states.covariances(t, i * J + j) = C[i][j];
    }
};

template <int J>
void filter(const Line& line, bool slopes, LineSums& sums, LineStates states) {
    Pass<J> pass(line);
    for (Index t = 0; t < line.Y.rows; ++t) {
        if (t) pass.move(line.gaps[t], slopes);
        pass.observe(t, slopes, sums);
        pass.keep(t, states);
    }
}

template <int J>
void transitions(Vector<const double> gaps, Matrix<double> out) {
    for (Index t = 0; t < gaps.size; ++t) {
        double A[J][J];
        transition<J>(gaps[t], A);
        for (int i = 0; i < J; ++i)
            for (int j = 0; j < J; ++j) out(t, i * J + j) = A[i][j];
    }
}

}  // namespace

void filter_line(const Line& line, bool with_slopes, LineSums& sums, LineStates states) {
    if (line.order == 1) filter<1>(line, with_slopes, sums, states);
    else if (line.order == 2) filter<2>(line, with_slopes, sums, states);
    else filter<3>(line, with_slopes, sums, states);
}

void line_transitions(Index order, Vector<const double> gaps, Matrix<double> A) {
    if (order == 1) transitions<1>(gaps, A);
    else if (order == 2) transitions<2>(gaps, A);
    else transitions<3>(gaps, A);
}

}  // namespace mercer::MERCER_ISA
