#include "cubic_grid.h"

namespace mercer::MERCER_ISA {

namespace {

// The weights of the nodes at -1, 0, 1 and 2 for a place t in [0, 1].
inline void cubic(double t, double* __restrict L) {
    const double a = t + 1.0, b = t - 1.0, c = t - 2.0;
    L[0] = t * b * c * (-1.0 / 6.0);
    L[1] = a * b * c * 0.5;
    L[2] = a * t * c * -0.5;
    L[3] = a * t * b * (1.0 / 6.0);
}

// The first of the four nodes, kept inside of the grid, and their weights.
inline Index place(double x, double origin, double per_step, Index size, double* L) {
    const double u = (x - origin) * per_step;
    Index node = static_cast<Index>(u);
    node = node < 1 ? 1 : (node > size - 3 ? size - 3 : node);
    cubic(u - static_cast<double>(node), L);
    return node - 1;
}

#if defined(__GNUC__) || defined(__clang__)
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

inline void add_powers(double* m, double w, double t) {
    const double tt = t * t;
    Four* row = reinterpret_cast<Four*>(m);
    *row += w * Four{1.0, t, tt, tt * t};
}
#else
inline void add_powers(double* m, double w, double t) {
    m[0] += w;
    m[1] += w * t;
    m[2] += w * t * t;
    m[3] += w * t * t * t;
}
#endif

}  // namespace

template <class T>
void bin_moments(Vector<const T> x, Vector<const double> weight, double origin, double per_step, Matrix<double> moments) {
    constexpr Index BLOCK = 256;
    double t[BLOCK];
    std::int32_t bin[BLOCK];
    const double last = static_cast<double>(moments.rows - 1);
    for (Index from = 0; from < x.size; from += BLOCK) {
        const Index n = x.size - from < BLOCK ? x.size - from : BLOCK;
        const T* __restrict here = x.data + from;
        for (Index i = 0; i < n; ++i) {
            double u = (static_cast<double>(here[i]) - origin) * per_step;
            u = u > 0.0 ? u : 0.0;
            const double whole = static_cast<double>(static_cast<std::int32_t>(u < last ? u : last));
            bin[i] = static_cast<std::int32_t>(whole);
            t[i] = u - whole;
        }
        if (weight.size > 0)
            for (Index i = 0; i < n; ++i) add_powers(moments.row(bin[i]), weight[from + i], t[i]);
        else
            for (Index i = 0; i < n; ++i) add_powers(moments.row(bin[i]), 1.0, t[i]);
    }
}

template <class T>
void spread(Matrix<const T> X, Vector<const double> weight, Vector<const double> origin, Vector<const double> per_step,
            Vector<const Index> sizes, Vector<double> grid) {
    double A[4], B[4], C[4] = {1.0, 0.0, 0.0, 0.0};
    const bool deep = X.cols == 3;
    const Index last = deep ? sizes[2] : 1, layers = deep ? 4 : 1;
    for (Index i = 0; i < X.rows; ++i) {
        const T* x = X.row(i);
        const Index a = place(static_cast<double>(x[0]), origin[0], per_step[0], sizes[0], A);
        const Index b = place(static_cast<double>(x[1]), origin[1], per_step[1], sizes[1], B);
        const Index c = deep ? place(static_cast<double>(x[2]), origin[2], per_step[2], sizes[2], C) : 0;
        const double w = weight.size > 0 ? weight[i] : 1.0;
        for (Index p = 0; p < 4; ++p)
            for (Index q = 0; q < 4; ++q) {
                double* __restrict to = grid.data + ((a + p) * sizes[1] + b + q) * last + c;
                const double wpq = w * A[p] * B[q];
                for (Index r = 0; r < layers; ++r) to[r] += wpq * C[r];
            }
    }
}

template <class T>
void read(Matrix<const T> X, Vector<const double> origin, Vector<const double> per_step, Vector<const Index> sizes,
          Vector<const double> grid, Vector<double> out) {
    double W[3][4];
    const Index D = X.cols;
    for (Index i = 0; i < X.rows; ++i) {
        const T* x = X.row(i);
        Index at[3] = {0, 0, 0};
        for (Index d = 0; d < D; ++d) at[d] = place(static_cast<double>(x[d]), origin[d], per_step[d], sizes[d], W[d]);
        double sum = 0.0;
        if (D == 1) {
            for (Index p = 0; p < 4; ++p) sum += W[0][p] * grid[at[0] + p];
        } else if (D == 2) {
            for (Index p = 0; p < 4; ++p) {
                const double* row = grid.data + (at[0] + p) * sizes[1] + at[1];
                double part = 0.0;
                for (Index q = 0; q < 4; ++q) part += W[1][q] * row[q];
                sum += W[0][p] * part;
            }
        } else {
            for (Index p = 0; p < 4; ++p)
                for (Index q = 0; q < 4; ++q) {
                    const double* row = grid.data + ((at[0] + p) * sizes[1] + at[1] + q) * sizes[2] + at[2];
                    double part = 0.0;
                    for (Index r = 0; r < 4; ++r) part += W[2][r] * row[r];
                    sum += W[0][p] * W[1][q] * part;
                }
        }
        out[i] = sum;
    }
}

#define FOR_TYPE(T)                                                                                             \
    template void bin_moments<T>(Vector<const T>, Vector<const double>, double, double, Matrix<double>);        \
    template void spread<T>(Matrix<const T>, Vector<const double>, Vector<const double>, Vector<const double>,  \
                            Vector<const Index>, Vector<double>);                                               \
    template void read<T>(Matrix<const T>, Vector<const double>, Vector<const double>, Vector<const Index>,     \
                          Vector<const double>, Vector<double>);
FOR_TYPE(float)
FOR_TYPE(double)
#undef FOR_TYPE

}  // namespace mercer::MERCER_ISA
