#include "graph_walks.h"

#include <cmath>

#include "buffer.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr double EXACT = 1e-15;  // relative residual at which the sums have all their digits

// -1, 0 or 1: the order of two sequences, by length and then by their first difference.
template <class T>
int compared(const T* a, Index n, const T* b, Index m) {
    if (n != m) return n < m ? -1 : 1;
    for (Index i = 0; i < n; ++i)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

double spectral_sum(const double* a, const double* u, Index n, const double* b, const double* v, Index m, double decay) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) {
        const double scaled = decay * a[i];
        double part = 0.0;
        for (Index j = 0; j < m; ++j) part += v[j] / (1.0 - scaled * b[j]);
        sum += u[i] * part;
    }
    return sum;
}

int order_of(Spectra A, Index g, Spectra B, Index h) {
    const Index p = A.ends[g], q = B.ends[h];
    const int first = compared(A.value.data + p, A.size(g), B.value.data + q, B.size(h));
    return first ? first : compared(A.weight.data + p, A.size(g), B.weight.data + q, B.size(h));
}

int order_of(const LabelledGraphs& A, Index g, const LabelledGraphs& B, Index h) {
    const Index p = A.graphs.nodes[g], q = B.graphs.nodes[h], n = A.graphs.size(g), m = B.graphs.size(h);
    int found = compared(A.label.data + p, n, B.label.data + q, m);
    if (found) return found;
    const Index e = A.graphs.start[p], f = B.graphs.start[q];
    const Index arcs = A.graphs.start[p + n] - e, others = B.graphs.start[q + m] - f;
    found = compared(A.graphs.neighbour.data + e, arcs, B.graphs.neighbour.data + f, others);
    for (Index i = 0; !found && i < n; ++i) {
        const Index own = A.graphs.start[p + i] - e, other = B.graphs.start[q + i] - f;
        found = own == other ? 0 : own < other ? -1 : 1;
    }
    if (found || A.arc.size == 0) return found;
    return compared(A.arc.data + e, arcs, B.arc.data + f, others);
}

// The product of graph g and graph h: its nodes are pairs of nodes with equal labels.
class Product {
   public:
    void make(const LabelledGraphs& A, Index g, const LabelledGraphs& B, Index h) {
        const Index p = A.graphs.nodes[g], q = B.graphs.nodes[h], n = A.graphs.size(g), m = B.graphs.size(h);
        Index* place = place_.at_least(n * m);
        size = 0;
        for (Index u = 0; u < n; ++u)
            for (Index v = 0; v < m; ++v) place[u * m + v] = A.label[p + u] == B.label[q + v] ? size++ : -1;
        start = starts_.at_least(size + 1);
        target = targets_.at_least(most_arcs(A, g, B, h, place));
        Index at = 0, arcs = 0;
        for (Index u = 0; u < n; ++u)
            for (Index v = 0; v < m; ++v)
                if (place[u * m + v] >= 0) {
                    start[at++] = arcs;
                    arcs = add_arcs(A, p, u, B, q, v, place, m, arcs);
                }
        start[size] = arcs;
    }

    // (A x)_i.
    double times(const double* x, Index i) const {
        double sum = 0.0;
        for (Index e = start[i]; e < start[i + 1]; ++e) sum += x[target[e]];
        return sum;
    }

    Index size = 0;

   private:
    // The number of pairs of arcs that leave nodes of equal labels.
    static Index most_arcs(const LabelledGraphs& A, Index g, const LabelledGraphs& B, Index h, const Index* place) {
        const Index p = A.graphs.nodes[g], q = B.graphs.nodes[h], m = B.graphs.size(h);
        Index arcs = 0;
        for (Index u = 0; u < A.graphs.size(g); ++u) {
            const Index own = A.graphs.start[p + u + 1] - A.graphs.start[p + u];
            for (Index v = 0; v < m; ++v)
                if (place[u * m + v] >= 0) arcs += own * (B.graphs.start[q + v + 1] - B.graphs.start[q + v]);
        }
        return arcs;
    }

    Index add_arcs(const LabelledGraphs& A, Index p, Index u, const LabelledGraphs& B, Index q, Index v,
                   const Index* place, Index m, Index arcs) {
        for (Index e = A.graphs.start[p + u]; e < A.graphs.start[p + u + 1]; ++e)
            for (Index f = B.graphs.start[q + v]; f < B.graphs.start[q + v + 1]; ++f) {
                const Index at = place[A.graphs.neighbour[e] * m + B.graphs.neighbour[f]];
                if (at >= 0 && (A.arc.size == 0 || A.arc[e] == B.arc[f])) target[arcs++] = at;
            }
        return arcs;
    }

    Room<Index> place_, starts_, targets_;
    Index* start = nullptr;
    Index* target = nullptr;
};

double sum_of(const double* x, Index n) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) sum += x[i];
    return sum;
}

double square_of(const double* x, Index n) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}

// 1'x for (I - decay A) x = 1 by conjugate gradients; the matrix is symmetric and positive definite.
double by_gradients(const Product& product, double decay, double* scratch) {
    const Index n = product.size;
    double *x = scratch, *r = scratch + n, *d = scratch + 2 * n, *y = scratch + 3 * n;
    for (Index i = 0; i < n; ++i) {
        x[i] = 0.0;
        r[i] = d[i] = 1.0;
    }
    double left = static_cast<double>(n);
    const double enough = EXACT * EXACT * left;
    for (Index step = 0; step < 2 * n + 10 && left > enough; ++step) {
        double curvature = 0.0;
        for (Index i = 0; i < n; ++i) {
            y[i] = d[i] - decay * product.times(d, i);
            curvature += d[i] * y[i];
        }
        if (!(curvature > 0.0)) break;
        const double length = left / curvature;
        for (Index i = 0; i < n; ++i) {
            x[i] += length * d[i];
            r[i] -= length * y[i];
        }
        const double now = square_of(r, n), share = now / left;
        for (Index i = 0; i < n; ++i) d[i] = r[i] + share * d[i];
        left = now;
    }
    return sum_of(x, n);
}

// The same by x <- 1 + decay A x, for matrices that are not symmetric.
double by_iteration(const Product& product, double decay, double rate, double* scratch) {
    const Index n = product.size;
    double *x = scratch, *y = scratch + n;
    for (Index i = 0; i < n; ++i) x[i] = 1.0;
    const double most = rate > 0.0 && rate < 1.0 ? 200.0 + 4.0 * std::log(EXACT) / std::log(rate) : 0.0;
    const Index steps = static_cast<Index>(most) + n;  // after n steps all walks of a graph without cycles are counted
    double before = static_cast<double>(n);
    for (Index step = 0; step < steps; ++step) {
        for (Index i = 0; i < n; ++i) y[i] = 1.0 + decay * product.times(x, i);
        double* swapped = x;
        x = y;
        y = swapped;
        const double now = sum_of(x, n);
        if (now - before <= EXACT * (1.0 - rate) * now) return now;
        before = now;
    }
    return before;
}

}  // namespace

void spectral_walks(Spectra A, Spectra B, double decay, Matrix<double> out) {
    for (Index g = 0; g < out.rows; ++g)
        for (Index h = 0; h < out.cols; ++h) {
            const Index p = A.ends[g], q = B.ends[h], n = A.size(g), m = B.size(h);
            const double *a = A.value.data + p, *u = A.weight.data + p, *b = B.value.data + q, *v = B.weight.data + q;
            out(g, h) = order_of(A, g, B, h) <= 0 ? spectral_sum(a, u, n, b, v, m, decay)
                                                  : spectral_sum(b, v, m, a, u, n, decay);
        }
}

void product_walks(LabelledGraphs A, LabelledGraphs B, double decay, bool directed, Matrix<double> out) {
    Product product;
    Room<double> room;
    for (Index g = 0; g < out.rows; ++g)
        for (Index h = 0; h < out.cols; ++h) {
            if (order_of(A, g, B, h) <= 0) product.make(A, g, B, h);
            else product.make(B, h, A, g);
            double* scratch = room.at_least(4 * product.size);
            out(g, h) = directed ? by_iteration(product, decay, decay * (A.radius[g] * B.radius[h]), scratch)
                                 : by_gradients(product, decay, scratch);
        }
}

}  // namespace mercer::MERCER_ISA
