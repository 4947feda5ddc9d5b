#include "loess.h"

#include <cmath>

#include "lanes.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index BLOCK = 128;    // points whose terms are computed at a time
constexpr Index BUCKETS = 512;  // of distances, to find the one of a given rank
constexpr Index FEW = 32;       // numbers that are sorted to find it

// ---- the number of a given rank

void sort_few(double* a, Index n) {
    for (Index i = 1; i < n; ++i) {
        const double one = a[i];
        Index j = i;
        for (; j > 0 && a[j - 1] > one; --j) a[j] = a[j - 1];
        a[j] = one;
    }
}

// The bucket of a number t in units of their width; the last for what is not a number.
inline Index bucket_of(double t) {
    return t >= 0.0 && t < static_cast<double>(BUCKETS) ? static_cast<Index>(t) : BUCKETS - 1;
}

// The number of rank `rank` (0: the smallest) among n; a is overwritten.  Each round keeps one bucket of equal width.
double ranked(double* a, Index n, Index rank) {
    Index counts[BUCKETS];
    while (n > FEW) {
        double low = a[0], high = a[0];
#pragma omp simd reduction(min : low) reduction(max : high)
        for (Index i = 0; i < n; ++i) {
            low = a[i] < low ? a[i] : low;
            high = a[i] > high ? a[i] : high;
        }
        const double scale = static_cast<double>(BUCKETS - 1) / (high - low);
        if (!(high > low) || !(scale < HUGE_VAL)) return low;
        for (Index b = 0; b < BUCKETS; ++b) counts[b] = 0;
        for (Index i = 0; i < n; ++i) ++counts[bucket_of((a[i] - low) * scale)];
        Index bucket = 0;
        while (rank >= counts[bucket]) rank -= counts[bucket++];
        Index kept = 0;
        for (Index i = 0; i < n; ++i) {
            const double one = a[i];
            a[kept] = one;
            kept += bucket_of((one - low) * scale) == bucket;
        }
        n = kept;
    }
    sort_few(a, n);
    return a[rank];
}

// ---- sums over points

double dot(const double* a, const double* b, Index n) {
    Index i = 0;
    double total = 0.0;
#ifdef MERCER_LANES
    Doubles even = {}, odd = {};
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        even += load(a + i) * load(b + i);
        odd += load(a + i + LANES) * load(b + i + LANES);
    }
    even += odd;
    for (int lane = 0; lane < LANES; ++lane) total += even[lane];
#endif
    for (; i < n; ++i) total += a[i] * b[i];
    return total;
}

// The terms and weights of a block of points around one centre.
struct Block {
    double* terms;     // (terms, BLOCK)
    double* weight;    // without and with the weight of the point
    double* weighted;  // (BLOCK) scratch

    Block(double* scratch, Index k) : terms(scratch), weight(scratch + k * BLOCK), weighted(weight + BLOCK) {}
    double* term(Index j) const { return terms + j * BLOCK; }

    void fill(const LocalPoints& points, const double* centre, double rho, Index from, Index n) const {
        const Index d = points.columns();
        const double unit = 1.0 / std::sqrt(rho);
        for (Index i = 0; i < n; ++i) weight[i] = 0.0;
        for (Index c = 0; c < d; ++c) {
            const double* x = points.Xt.row(c) + from;
            const double q = centre[c];
            double* u = points.degree > 0 ? term(c + 1) : weighted;
#pragma omp simd
            for (Index i = 0; i < n; ++i) {
                u[i] = (x[i] - q) * unit;
                weight[i] += u[i] * u[i];
            }
        }
        const double* v = points.weight.data + from;
        double* one = term(0);
#pragma omp simd
        for (Index i = 0; i < n; ++i) {
            const double c = 1.0 - weight[i] * std::sqrt(weight[i]), inside = c > 0.0 ? c : 0.0;
            weight[i] = v[i] * inside * inside * inside;
            one[i] = 1.0;
        }
        if (points.degree < 2) return;
        Index next = d + 1;
        for (Index a = 0; a < d; ++a)
            for (Index b = a; b < d; ++b) {
                const double *left = term(a + 1), *right = term(b + 1);
                double* product = term(next++);
#pragma omp simd
                for (Index i = 0; i < n; ++i) product[i] = left[i] * right[i];
            }
    }
};

// Lower triangle of A <- A + sum w t t' and b <- b + sum w t y; with v also, S <- S + sum (w^2 / v) t t'.
void add_block(const Block& block, Index k, Index n, const double* y, const double* v, double* A, double* b, double* S) {
    for (Index j = 0; j < k; ++j) {
        const double* t = block.term(j);
#pragma omp simd
        for (Index i = 0; i < n; ++i) block.weighted[i] = block.weight[i] * t[i];
        for (Index l = 0; l <= j; ++l) A[j * k + l] += dot(block.weighted, block.term(l), n);
        b[j] += dot(block.weighted, y, n);
        if (S == nullptr) continue;
#pragma omp simd
        for (Index i = 0; i < n; ++i) block.weighted[i] *= v[i] > 0.0 ? block.weight[i] / v[i] : 0.0;
        for (Index l = 0; l <= j; ++l) S[j * k + l] += dot(block.weighted, block.term(l), n);
    }
}

// A <- the Cholesky factor of D A D with unit diagonal, scale <- D; returns the smallest pivot, 0 or less if there is none.
double factorise(double* A, double* scale, Index k) {
    for (Index j = 0; j < k; ++j) {
        if (!(A[j * k + j] > 0.0)) return 0.0;
        scale[j] = 1.0 / std::sqrt(A[j * k + j]);
    }
    for (Index j = 0; j < k; ++j)
        for (Index l = 0; l <= j; ++l) A[j * k + l] *= scale[j] * scale[l];
    double smallest = 1.0;
    for (Index j = 0; j < k; ++j) {
        for (Index l = 0; l < j; ++l) {
            double value = A[j * k + l];
            for (Index p = 0; p < l; ++p) value -= A[j * k + p] * A[l * k + p];
            A[j * k + l] = value / A[l * k + l];
        }
        double pivot = A[j * k + j];
        for (Index p = 0; p < j; ++p) pivot -= A[j * k + p] * A[j * k + p];
        if (!(pivot > 0.0)) return 0.0;
        smallest = pivot < smallest ? pivot : smallest;
        A[j * k + j] = std::sqrt(pivot);
    }
    return smallest;
}

// z <- row r of the inverse of what `factorise` was given.
void inverse_row(const double* L, const double* scale, Index k, Index r, double* z) {
    for (Index j = 0; j < k; ++j) {
        double value = j == r ? 1.0 : 0.0;
        for (Index p = 0; p < j; ++p) value -= L[j * k + p] * z[p];
        z[j] = value / L[j * k + j];
    }
    for (Index j = k - 1; j >= 0; --j) {
        double value = z[j];
        for (Index p = j + 1; p < k; ++p) value -= L[p * k + j] * z[p];
        z[j] = value / L[j * k + j];
    }
    for (Index j = 0; j < k; ++j) z[j] *= scale[j] * scale[r];
}

double quadratic(const double* S, const double* z, Index k) {
    double total = 0.0;
    for (Index j = 0; j < k; ++j)
        for (Index l = 0; l <= j; ++l) total += (l < j ? 2.0 : 1.0) * S[j * k + l] * z[j] * z[l];
    return total;
}

// ---- blending

// Cubic polynomials on [0, 1]: level at the ends (phi) and slope at the ends (psi).
struct Hermite {
    double phi[2], psi[2];

    Hermite() = default;
    explicit Hermite(double h) {
        const double g = 1.0 - h;
        phi[0] = g * g * (1.0 + 2.0 * h);
        phi[1] = h * h * (3.0 - 2.0 * h);
        psi[0] = h * g * g;
        psi[1] = -h * h * g;
    }
};

// A sum of coefficients times numbers of vertices, as a list.
struct Listed {
    Index* index;
    double* coef;
    Index side;  // numbers per vertex
    Index size = 0;

    void add(Index vertex, Index which, double value) {
        index[size] = vertex * side + which;
        coef[size++] = value;
    }
};

// The same added up.
struct Added {
    const double* numbers;
    Index side;
    double total = 0.0;

    void add(Index vertex, Index which, double value) { total += value * numbers[vertex * side + which]; }
};

Index descend(const BoxTree& tree, const double* z, Index box) {
    while (tree.axis[box] >= 0) box = z[tree.axis[box]] <= tree.cut[box] ? tree.below[box] : tree.above[box];
    return box;
}

constexpr Index MOST_COLUMNS = 8;

// The limits of a box, and the cubics at z in each of its columns.
struct Place {
    const Index* corner;
    double width[MOST_COLUMNS];
    Hermite at[MOST_COLUMNS];

    Place(const BoxTree& tree, Index box, const double* z) : corner(tree.corners.row(box)) {
        const Index d = tree.columns();
        const double *low = tree.vertices.row(corner[0]), *high = tree.vertices.row(corner[(Index{1} << d) - 1]);
        for (Index c = 0; c < d; ++c) {
            width[c] = high[c] - low[c];
            at[c] = Hermite((z[c] - low[c]) / width[c]);
        }
    }
};

// The tensor product of cubics over the corners of a box.
template <class Sum>
void tensor(Index d, const Place& place, Sum& sum) {
    for (Index v = 0; v < Index{1} << d; ++v) {
        double level = 1.0;
        for (Index c = 0; c < d; ++c) level *= place.at[c].phi[v >> c & 1];
        sum.add(place.corner[v], 0, level);
        for (Index a = 0; a < d; ++a) {
            double slope = place.at[a].psi[v >> a & 1] * place.width[a];
            for (Index c = 0; c < d; ++c) slope *= c == a ? 1.0 : place.at[c].phi[v >> c & 1];
            sum.add(place.corner[v], a + 1, slope);
        }
    }
}

// The ancestor of a box that was cut along `axis` where its side at `place` lies; -1 if that is a side of the root.
Index cut_at(const BoxTree& tree, Index box, Index axis, double place) {
    for (Index up = tree.parent[box]; up >= 0; up = tree.parent[up])
        if (tree.axis[up] == axis && tree.cut[up] == place) return up;
    return -1;
}

// One side of a box in two columns, across `axis` at its lower (end 0) or upper (end 1) limit: level and slope across it
// are cubics along the side, between the nearest vertices on it, which may be those of a smaller box behind it.
template <class Sum>
void side(const BoxTree& tree, Index box, const Place& place, const double* z, Index axis, int end, Sum& sum) {
    const Index along = 1 - axis, step_across = Index{1} << axis, step_along = Index{1} << along;
    Index ends[2] = {place.corner[end * step_across], place.corner[end * step_across + step_along]};
    const Index up = cut_at(tree, box, axis, tree.vertices(ends[0], axis));
    bool shorter = false;
    if (up >= 0) {
        const Index* other = tree.corners.row(descend(tree, z, end ? tree.above[up] : tree.below[up]));
        const Index near = other[(1 - end) * step_across], far = other[(1 - end) * step_across + step_along];
        const bool later = tree.vertices(ends[0], along) < tree.vertices(near, along);
        const bool sooner = tree.vertices(far, along) < tree.vertices(ends[1], along);
        if (later) ends[0] = near;
        if (sooner) ends[1] = far;
        shorter = later || sooner;
    }
    const double from = tree.vertices(ends[0], along);
    const double width = shorter ? tree.vertices(ends[1], along) - from : place.width[along];
    const Hermite on = shorter ? Hermite((z[along] - from) / width) : place.at[along];
    const double level = place.at[axis].phi[end], slope = place.at[axis].psi[end] * place.width[axis];
    for (int e = 0; e < 2; ++e) {
        sum.add(ends[e], 0, level * on.phi[e]);
        sum.add(ends[e], along + 1, level * on.psi[e] * width);
        sum.add(ends[e], axis + 1, slope * on.phi[e]);
    }
}

// What both pairs of sides count twice.
template <class Sum>
struct Negative {
    Sum& sum;
    void add(Index vertex, Index which, double value) { sum.add(vertex, which, -value); }
};

// In two columns: the blend of both pairs of sides, minus the tensor product.  Otherwise the tensor product.
template <class Sum>
void blend_at(const BoxTree& tree, const double* z, Sum& sum) {
    const Index box = descend(tree, z, 0), d = tree.columns();
    const Place place(tree, box, z);
    if (d == 1) {
        tensor(1, place, sum);
    } else if (d == 2) {
        Negative<Sum> twice{sum};
        tensor(2, place, twice);
        for (Index axis = 0; axis < 2; ++axis)
            for (int end = 0; end < 2; ++end) side(tree, box, place, z, axis, end, sum);
    } else {
        tensor(d, place, sum);
    }
}

}  // namespace

void squared_radii(Matrix<const double> Xt, Matrix<const double> centres, Index count, double factor,
                   Vector<double> scratch, Vector<double> rho) {
    const Index n = Xt.cols;
    double* s = scratch.data;
    for (Index c = 0; c < centres.rows; ++c) {
        for (Index k = 0; k < Xt.rows; ++k) {
            const double* x = Xt.row(k);
            const double q = centres(c, k);
#pragma omp simd
            for (Index i = 0; i < n; ++i) s[i] = (k ? s[i] : 0.0) + (x[i] - q) * (x[i] - q);
        }
        rho[c] = factor * ranked(s, n, count - 1);
    }
}

void sorted_radii(Vector<const double> x, Vector<const double> centres, Index count, double factor, Vector<Index> start,
                  Vector<double> rho) {
    for (Index c = 0; c < centres.size; ++c) {
        const double q = centres[c];
        Index low = 0, high = x.size - count;
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (q - x[middle] > x[middle + count] - q) low = middle + 1;
            else high = middle;
        }
        const double before = q - x[low], behind = x[low + count - 1] - q, r = before > behind ? before : behind;
        start[c] = low;
        rho[c] = factor * r * r;
    }
}

Index local_scratch(const LocalPoints& points) {
    const Index k = points.terms();
    return (k + 2) * BLOCK + 2 * k * k + 3 * k;
}

void local_fits(const LocalPoints& points, Vector<const double> y, Matrix<const double> centres,
                Vector<const double> rho, Vector<const Index> start, Index count, double least, Vector<double> scratch,
                Matrix<double> fit, Matrix<double> inverse, Vector<double> noise, Vector<double> pivot) {
    const Index k = points.terms(), d = points.columns();
    const Block block(scratch.data, k);
    double *A = scratch.data + (k + 2) * BLOCK, *S = A + k * k, *b = S + k * k, *scale = b + k, *z = scale + k;
    for (Index c = 0; c < centres.rows; ++c) {
        for (Index j = 0; j < 2 * k * k + k; ++j) A[j] = 0.0;
        for (Index at = start[c]; at < start[c] + count; at += BLOCK) {
            const Index left = start[c] + count - at, n = left < BLOCK ? left : BLOCK;
            block.fill(points, centres.row(c), rho[c], at, n);
            add_block(block, k, n, y.data + at, points.weight.data + at, A, b, noise.size > 0 ? S : nullptr);
        }
        pivot[c] = factorise(A, scale, k);
        if (!(pivot[c] > least)) continue;
        const double unit = 1.0 / std::sqrt(rho[c]);
        for (Index r = 0; r <= d; ++r) {
            double* row = inverse.row(c) + r * k;
            if (r >= k) {
                for (Index j = 0; j < k; ++j) row[j] = 0.0;
                fit(c, r) = 0.0;
                continue;
            }
            inverse_row(A, scale, k, r, z);
            if (r == 0 && noise.size > 0) noise[c] = quadratic(S, z, k);
            double value = 0.0;
            for (Index j = 0; j < k; ++j) {
                row[j] = r == 0 ? z[j] : z[j] * unit;
                value += row[j] * b[j];
            }
            fit(c, r) = value;
        }
    }
}

void operator_rows(const LocalPoints& points, Matrix<const double> centres, Vector<const double> rho,
                   Matrix<const double> inverse, Vector<double> scratch, Matrix<double> out) {
    const Index k = points.terms(), d = points.columns(), all = points.Xt.cols;
    const Block block(scratch.data, k);
    for (Index c = 0; c < centres.rows; ++c)
        for (Index at = 0; at < all; at += BLOCK) {
            const Index n = all - at < BLOCK ? all - at : BLOCK;
            block.fill(points, centres.row(c), rho[c], at, n);
            for (Index r = 0; r <= d; ++r) {
                double* row = out.row(c * (d + 1) + r) + at;
                for (Index i = 0; i < n; ++i) row[i] = 0.0;
                for (Index j = 0; j < k; ++j) {
                    const double factor = inverse(c, r * k + j);
                    const double* t = block.term(j);
#pragma omp simd
                    for (Index i = 0; i < n; ++i) row[i] += factor * t[i];
                }
#pragma omp simd
                for (Index i = 0; i < n; ++i) row[i] *= block.weight[i];
            }
        }
}

void blend(const BoxTree& tree, Matrix<const double> Z, Matrix<Index> index, Matrix<double> coef) {
    for (Index i = 0; i < Z.rows; ++i) {
        Listed sum{index.row(i), coef.row(i), tree.columns() + 1};
        blend_at(tree, Z.row(i), sum);
    }
}

void blended_values(const BoxTree& tree, Matrix<const double> Z, Vector<const double> numbers, Vector<double> out) {
    for (Index i = 0; i < Z.rows; ++i) {
        Added sum{numbers.data, tree.columns() + 1};
        blend_at(tree, Z.row(i), sum);
        out[i] = sum.total;
    }
}

void sparse_quadratics(Matrix<const Index> index, Matrix<const double> coef, Matrix<const double> G,
                       Vector<double> out) {
    for (Index i = 0; i < index.rows; ++i) {
        double total = 0.0;
        for (Index p = 0; p < index.cols; ++p) {
            const double* row = G.row(index(i, p));
            double inner = 0.0;
            for (Index q = 0; q < index.cols; ++q) inner += coef(i, q) * row[index(i, q)];
            total += coef(i, p) * inner;
        }
        out[i] = total;
    }
}

}  // namespace mercer::MERCER_ISA
