#include "line_sums.h"

#include "buffer.h"
#include "exp.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr double CELL = 0.25;          // length of a cell of a window, in half windows
constexpr double GAUSSIAN_CELL = 0.5;  // length of a cell under a Gaussian, in bandwidths
constexpr double REACH = 9.25;         // between centres of cells; exp(-u^2 / 2) is below 1e-17 beyond
constexpr Index J = 16;                // terms of the expansion around the centre of a cell of points
constexpr Index L = 22;                // and around that of places
constexpr Index PAIRS = 12;            // up to so many pairs of two cells are added one by one

// 1 / k, in place of divisions; INVERSE[0] is not used
constexpr double INVERSE[MOST_POWER + 2] = {0.0,      1.0 / 1,  1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,
                                            1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13,
                                            1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17, 1.0 / 18, 1.0 / 19, 1.0 / 20,
                                            1.0 / 21, 1.0 / 22, 1.0 / 23, 1.0 / 24, 1.0 / 25};

// Cut ascending numbers into cells of a given length; start[c] is the first number of cell c.  The number of cells.
Index cut(Vector<const double> x, double length, Index* start, Index* cell_of) {
    Index count = 0;
    double end = 0.0;
    for (Index i = 0; i < x.size; ++i) {
        if (i == 0 || x[i] > end) {
            start[count++] = i;
            end = x[i] + length;
        }
        if (cell_of != nullptr) cell_of[i] = count - 1;
    }
    return count;
}

// sums[k] += v t^k / k!
void add_powers(double v, double t, Index K, double* sums) {
    for (Index k = 0; k <= K; ++k) {
        sums[k] += v;
        v *= t * INVERSE[k + 1];
    }
}

// sums[k] += sum_j by^(k - j) / (k - j)! moved_j: powers (divided by k!) around a centre, seen from `by` before it.
void add_moved(const double* moved, double by, Index K, double* sums) {
    double step[MOST_POWER + 1];
    step[0] = 1.0;
    for (Index k = 1; k <= K; ++k) step[k] = step[k - 1] * by * INVERSE[k];
    for (Index k = 0; k <= K; ++k) {
        double sum = 0.0;
        for (Index j = 0; j <= k; ++j) sum += step[k - j] * moved[j];
        sums[k] += sum;
    }
}

// The points of a line in cells, and for one column of V the powers of all points of a cell up to and from each point.
struct Cells {
    Vector<const double> x;
    double unit;
    Index K, count;
    Index *start, *cell_of;
    double *centre, *before, *after;

    Index end(Index c) const { return c + 1 < count ? start[c + 1] : x.size; }

    void fill(Matrix<const double> V, Index column) {
        const Index width = K + 1;
        for (Index c = 0; c < count; ++c) {
            const Index a = start[c], b = end(c);
            for (Index i = a; i < b; ++i) {
                double* row = before + i * width;
                for (Index k = 0; k < width; ++k) row[k] = i > a ? row[k - width] : 0.0;
                add_powers(V(i, column), (x[i] - centre[c]) / unit, K, row);
            }
            for (Index i = b - 1; i >= a; --i) {
                double* row = after + i * width;
                for (Index k = 0; k < width; ++k) row[k] = i < b - 1 ? row[k + width] : 0.0;
                add_powers(V(i, column), (x[i] - centre[c]) / unit, K, row);
            }
        }
    }

    // sums[k] += the powers of points l .. r - 1 around z, divided by k!
    void add(Index l, Index r, double z, Matrix<const double> V, Index column, double* sums) const {
        const Index width = K + 1, first = cell_of[l], last = cell_of[r - 1];
        if (first == last && l > start[first] && r < end(first)) {
            for (Index i = l; i < r; ++i) add_powers(V(i, column), (x[i] - z) / unit, K, sums);
            return;
        }
        if (first == last && l == start[first]) {
            add_moved(before + (r - 1) * width, (centre[first] - z) / unit, K, sums);
            return;
        }
        add_moved(after + l * width, (centre[first] - z) / unit, K, sums);
        for (Index c = first + 1; c < last; ++c)
            add_moved(after + start[c] * width, (centre[c] - z) / unit, K, sums);
        if (last > first) add_moved(before + (r - 1) * width, (centre[last] - z) / unit, K, sums);
    }
};

// slopes[n] = d^n/dv^n exp(-v^2 / 2) at v = D, n = 0 .. count - 1
void gaussian_slopes(double D, Index count, double* slopes) {
    slopes[0] = exp_minus(0.5 * D * D);
    slopes[1] = -D * slopes[0];
    for (Index n = 1; n + 1 < count; ++n) slopes[n + 1] = -D * slopes[n] - static_cast<double>(n) * slopes[n - 1];
}

// sums[c (K + 1) + k] += v_c u^k exp(-u^2 / 2) for all channels c, k = 0 .. K
void add_pair(const double* v, Index channels, double u, Index K, double* sums) {
    double power = exp_minus(0.5 * u * u);
    for (Index k = 0; k <= K; ++k) {
        for (Index c = 0; c < channels; ++c) sums[c * (K + 1) + k] += v[c] * power;
        power *= u;
    }
}

// sums[k] += sum v u^k exp(-u^2 / 2) at a place t from the centre, from the slopes of sum v exp(-u^2 / 2) in t.
// The slope of order r is sum v He_r(u) exp(-u^2 / 2), and u^k = sum_j k! / (2^j j! (k - 2j)!) He_(k - 2j)(u).
void add_local(const double* local, double t, Index K, double* sums) {
    static constexpr double HERMITE[MOST_MOMENT + 1][4] = {{1},        {1},         {1, 1},         {1, 3},
                                                           {1, 6, 3},  {1, 10, 15}, {1, 15, 45, 15}};
    double power[L], slope[MOST_MOMENT + 1];
    power[0] = 1.0;
    for (Index k = 1; k < L; ++k) power[k] = power[k - 1] * t * INVERSE[k];
    for (Index r = 0; r <= K; ++r) {
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (Index k = 0; k < L - r; ++k) sum += local[k + r] * power[k];
        slope[r] = sum;
    }
    for (Index k = 0; k <= K; ++k)
        for (Index j = 0; 2 * j <= k; ++j) sums[k] += HERMITE[k][j] * slope[k - 2 * j];
}

// (1 - r^a)^b up to r = 1; with a = 0, exp(-(r^2 - shift) / 2)
double profile(double r, double shift, Index a, Index b) {
    if (a == 0) return exp_minus(0.5 * (r * r > shift ? r * r - shift : 0.0));
    if (r > 1.0) return 0.0;
    double power = r, value = 1.0;
    for (Index i = 1; i < a; ++i) power *= r;
    for (Index i = 0; i < b; ++i) value *= 1.0 - power;
    return value;
}

}  // namespace

void window_powers(Vector<const double> x, Matrix<const double> V, Vector<const double> z, double low, double high,
                   double unit, bool open, Index K, Matrix<double> out) {
    const Index n = x.size, width = K + 1;
    Buffer<Index> places(2 * n);
    Buffer<double> sums_of(n * (2 * width + 1));
    Cells c{x, unit, K, 0, places.data(), places.data() + n, sums_of.data(), sums_of.data() + n,
            sums_of.data() + n * (width + 1)};
    c.count = cut(x, CELL * 0.5 * (high - low), c.start, c.cell_of);
    for (Index i = 0; i < c.count; ++i) c.centre[i] = 0.5 * (x[c.start[i]] + x[c.end(i) - 1]);
    for (Index column = 0; column < V.cols; ++column) {
        c.fill(V, column);
        Index l = 0, r = 0;
        for (Index i = 0; i < z.size; ++i) {
            const double least = z[i] + low, most = z[i] + high;
            while (l < n && (x[l] < least || (open && x[l] == least))) ++l;
            if (r < l) r = l;
            while (r < n && x[r] <= most) ++r;
            double* sums = out.row(i) + column * width;
            for (Index k = 0; k < width; ++k) sums[k] = 0.0;
            if (l < r) c.add(l, r, z[i], V, column, sums);
            double factorial = 1.0;
            for (Index k = 1; k < width; ++k) sums[k] *= factorial *= static_cast<double>(k);
        }
    }
}

void gaussian_powers(Vector<const double> x, Matrix<const double> V, Vector<const double> z, double h, Index K,
                     Matrix<double> out) {
    const Index n = x.size, m = z.size, channels = V.cols, width = K + 1;
    Buffer<Index> start(n), places(m);
    const Index sources = cut(x, GAUSSIAN_CELL * h, start.data(), nullptr);
    const Index targets = cut(z, GAUSSIAN_CELL * h, places.data(), nullptr);
    Buffer<double> centre(sources), sums(sources * channels * J), local(channels * L);
    for (Index s = 0; s < sources; ++s) {
        const Index a = start[s], b = s + 1 < sources ? start[s + 1] : n;
        centre[s] = 0.5 * (x[a] + x[b - 1]);
        double* own = sums.data() + s * channels * J;
        for (Index k = 0; k < channels * J; ++k) own[k] = 0.0;
        for (Index i = a; i < b; ++i)
            for (Index c = 0; c < channels; ++c) add_powers(V(i, c), (x[i] - centre[s]) / h, J - 1, own + c * J);
    }
    Index first = 0;
    for (Index t = 0; t < targets; ++t) {
        const Index a = places[t], b = t + 1 < targets ? places[t + 1] : m;
        const double middle = 0.5 * (z[a] + z[b - 1]);
        for (Index i = a; i < b; ++i)
            for (Index k = 0; k < channels * width; ++k) out(i, k) = 0.0;
        for (Index k = 0; k < channels * L; ++k) local[k] = 0.0;
        while (first < sources && (centre[first] - middle) / h < -REACH) ++first;
        for (Index s = first; s < sources && (centre[s] - middle) / h <= REACH; ++s) {
            const Index from = start[s], to = s + 1 < sources ? start[s + 1] : n;
            if ((to - from) * (b - a) <= PAIRS) {
                for (Index i = a; i < b; ++i)
                    for (Index j = from; j < to; ++j)
                        add_pair(V.row(j), channels, (x[j] - z[i]) / h, K, out.row(i));
                continue;
            }
            double slopes[J + L];
            gaussian_slopes((centre[s] - middle) / h, J + L - 1, slopes);
            for (Index c = 0; c < channels; ++c) {
                const double* own = sums.data() + (s * channels + c) * J;
                double seen[L] = {};
                for (Index j = 0; j < J; ++j)
                    for (Index k = 0; k < L; ++k) seen[k] += own[j] * slopes[j + k];
                for (Index k = 0; k < L; ++k) local[c * L + k] += k % 2 == 0 ? seen[k] : -seen[k];
            }
        }
        for (Index i = a; i < b; ++i)
            for (Index c = 0; c < channels; ++c)
                add_local(local.data() + c * L, (z[i] - middle) / h, K, out.row(i) + c * width);
    }
}

void near_powers(Vector<const double> x, Matrix<const double> V, Vector<const double> z, Vector<const double> h,
                 Vector<const double> shift, Vector<const Index> first, Vector<const Index> last,
                 Vector<const Index> skip, Index a, Index b, Index K, Matrix<double> out) {
    const Index channels = V.cols, width = K + 1;
    for (Index i = 0; i < z.size; ++i) {
        double* sums = out.row(i);
        for (Index k = 0; k < channels * width; ++k) sums[k] = 0.0;
        for (Index j = first[i]; j < last[i]; ++j) {
            if (j == skip[i]) continue;
            const double u = (x[j] - z[i]) / h[i], value = profile(u < 0.0 ? -u : u, shift[i], a, b);
            for (Index c = 0; c < channels; ++c) {
                double v = value * V(j, c);
                for (Index k = 0; k < width; ++k) {
                    sums[c * width + k] += v;
                    v *= u;
                }
            }
        }
    }
}

}  // namespace mercer::MERCER_ISA
