#include "smo_batch.h"

#include <cmath>
#include <cstring>

#include "box.h"
#include "buffer.h"
#include "gather.h"
#include "rows.h"
#include "dual_proof.h"
#include "smo_newton.h"

namespace mercer::MERCER_ISA {

namespace {

// F = K b - z on a Gram of the problem's own items, summed in double precision.
void own_gradient(Matrix<const float> K, const double* b, const double* z, Index size, double* F, Index* places,
                  double* values) {
    Index count = 0;
    for (Index i = 0; i < size; ++i) {
        F[i] = -z[i];
        if (b[i] != 0.0) {
            places[count] = i;
            values[count++] = b[i];
        }
    }
    add_rows<float, double>(K, {places, count}, {values, count}, {F, K.cols});
}

// F = K[index, index] b - z from a Gram of more items, summed in double precision.
template <class K>
void gradient(Matrix<const K> gram, const Index* index, const double* b, const double* z, Index size, double* F) {
    for (Index i = 0; i < size; ++i) F[i] = -z[i];
    for (Index r = 0; r < size; ++r) {
        if (b[r] == 0.0) continue;
        const K* row = gram.row(index[r]);
        for (Index c = 0; c < size; ++c) F[c] += b[r] * static_cast<double>(row[index[c]]);
    }
}

Index widest(Vector<const Index> ends) {
    Index most = 0;
    for (Index p = 0; p + 1 < ends.size; ++p) most = larger(most, ends[p + 1] - ends[p]);
    return most;
}

bool consecutive(const Index* index, Index count) {
    for (Index i = 0; i < count; ++i)
        if (index[i] != index[0] + i) return false;
    return true;
}

void diagonal_of(Matrix<const float> K, float* out) {
    for (Index i = 0; i < K.rows; ++i) out[i] = K(i, i);
}

// The Gram of some items in single precision: a view where it can be one, else gathered into `room`.
template <class K>
Matrix<const float> gram_of(Matrix<const K> gram, const Index* index, Index count, float* room) {
    if constexpr (sizeof(K) == sizeof(float)) {
        if (count > 0 && consecutive(index, count))
            return {gram.data + index[0] * gram.stride + index[0], count, count, gram.stride};
    }
    gather<K, float>(gram, {index, count}, {index, count}, {room, count, count, count});
    return {room, count, count, count};
}

bool same(const Index* a, Index n, const Index* b, Index m) {
    return n == m && std::memcmp(a, b, static_cast<std::size_t>(n) * sizeof(Index)) == 0;
}

// Whether no coefficient is at a bound but 0: a larger box has the same solution then.
bool inside(const double* b, const double* lo, const double* hi, Index size) {
    for (Index i = 0; i < size; ++i)
        if (b[i] != 0.0 && !(lo[i] < b[i] && b[i] < hi[i])) return false;
    return true;
}

// Start from the solution `before` of a problem with another box: from the best feasible multiple of it.
//
// The objective is a parabola in that multiple, a sum of 0 stays 0, and F, that of `before`, follows without K.  True
// where it is the solution of this problem too: no coefficient was `bounded`, and none is beyond the new box.
bool carry_on(const Box& box, const double* z, const double* before, bool bounded) {
    double linear = 0.0, curved = 0.0, most = HUGE_VAL;
    for (Index i = 0; i < box.size; ++i) {
        const double v = before[i];
        linear += z[i] * v - box.epsilon * size_of(v);
        curved += v * (box.F[i] + z[i]);
        if (v != 0.0) most = smaller(most, (v > 0.0 ? box.hi[i] : box.lo[i]) / v);
    }
    const double best = curved > 0.0 ? linear / curved : 0.0;
    const double s = larger(0.0, smaller(bounded ? best : 1.0, most));
    for (Index i = 0; i < box.size; ++i) {
        box.b[i] = smaller(larger(s * before[i], box.lo[i]), box.hi[i]);
        if (s != 1.0) box.F[i] = s * (box.F[i] + z[i]) - z[i];
    }
    return !bounded && s == 1.0;
}

}  // namespace

template <class K>
void solve_batch(Matrix<const K> gram, Batch batch, double tol, Index max_steps, Task task,
                 Vector<Index> steps, Matrix<double> proofs, const Lapack& lapack) {
    const Index width = widest(batch.ends);
    Buffer<float> room(width * width), diagonal(width);
    Buffer<double> scratch(width);
    Buffer<Index> places(width);
    Matrix<const float> own{room.data(), 0, 0, 0};
    for (Index p = 0; p < steps.size; ++p) {
        const Index s = batch.ends[p], n = batch.ends[p + 1] - s;
        const Index* index = &batch.index[s];
        if (p == 0 || !same(index, n, &batch.index[batch.ends[p - 1]], s - batch.ends[p - 1])) {
            own = gram_of(gram, index, n, room.data());
            diagonal_of(own, diagonal.data());
        }
        const Box box{&batch.b[s], &batch.F[s], &batch.lo[s], &batch.hi[s], n, batch.epsilon[p]};
        double total = 0.0;
        for (Index i = 0; i < n; ++i) total += box.b[i];
        own_gradient(own, box.b, &batch.z[s], n, box.F, places.data(), scratch.data());
        const StepsEnd end = solve_whole(own, diagonal.data(), box, tol, max_steps, 0, lapack);
        steps[p] = end.endless || end.violation > tol ? -1 : end.steps;
        if constexpr (sizeof(K) > sizeof(float)) gradient(gram, index, box.b, &batch.z[s], n, box.F);
        prove(box, &batch.z[s], total, task, scratch.data(), proofs.row(p));
    }
}

template <class K>
bool solve_folds(Matrix<const K> gram, Vector<const Index> index, Matrix<const bool> held, Vector<const double> z,
                 Vector<const double> lo, Vector<const double> hi, double epsilon, Vector<const double> b, double tol,
                 Index max_steps, Matrix<double> scores, const Lapack& lapack) {
    const Index q = index.size;
    Buffer<float> room(q * q), diagonal(q);
    Buffer<double> low(q), high(q), x(q), F(q), scratch(q);
    Buffer<Index> places(q);
    const Matrix<const float> own = gram_of(gram, index.data, q, room.data());
    diagonal_of(own, diagonal.data());
    for (Index k = 0; k < held.cols; ++k) {
        for (Index i = 0; i < q; ++i) {
            const bool out = held(i, k);
            low[i] = out ? 0.0 : lo[i];
            high[i] = out ? 0.0 : hi[i];
            x[i] = out ? 0.0 : b[i];
        }
        move_to_sum(x.data(), low.data(), high.data(), nullptr, q, 0.0, scratch.data());
        for (Index i = 0; i < q; ++i) x[i] = smaller(larger(x[i], low[i]), high[i]);
        own_gradient(own, x.data(), z.data, q, F.data(), places.data(), scratch.data());
        const Box box{x.data(), F.data(), low.data(), high.data(), q, epsilon};
        const StepsEnd end = solve_whole(own, diagonal.data(), box, tol, max_steps, 0, lapack);
        if (end.endless || end.violation > tol) return false;
        const double r = best_offset(x.data(), F.data(), low.data(), high.data(), q, epsilon).r;
        for (Index i = 0; i < q; ++i) scores(i, k) = F[i] + z[i] + r;
    }
    return true;
}

namespace {

// One chain from the problem `first` on; (how many are done then, the steps that were made).
struct ChainEnd {
    Index reached, made;
};

ChainEnd solve_chain(Matrix<const float> own, const Chains& c, Index p, double tol, Index max_steps, Index first,
                     Index spent, bool last, const Lapack& lapack) {
    const Index s = c.ends[p], n = c.ends[p + 1] - s, count = c.bounds.rows;
    const double *z = &c.z[s], *lo = &c.lo[s], *hi = &c.hi[s];
    double* coef = c.coef.data + count * s;
    Buffer<float> diagonal(n);
    Buffer<double> F(n), low(n), high(n), scratch(n);
    Buffer<Index> places(n);
    diagonal_of(own, diagonal.data());
    Index made = 0;
    double proof[PROOF];
    for (Index m = first; m < count; ++m) {
        double *b = coef + m * n, *before = b - n;
        const double* bounds = c.bounds.row(m);
        // the box of the problem before is still in low and high here
        const bool bounded =
            m > first && (c.epsilon[m] != c.epsilon[m - 1] || !inside(before, low.data(), high.data(), n));
        for (Index i = 0; i < n; ++i) {
            low[i] = lo[i] * bounds[c.index[s + i]];
            high[i] = hi[i] * bounds[c.index[s + i]];
        }
        const Box box{b, F.data(), low.data(), high.data(), n, c.epsilon[m]};
        bool known = false;
        if (m > first) known = carry_on(box, z, before, bounded);
        else own_gradient(own, b, z, n, F.data(), places.data(), scratch.data());
        Index took = 0;
        if (!known) {
            const StepsEnd end =
                solve_whole(own, diagonal.data(), box, tol, max_steps, m > first ? 0 : spent, lapack);
            took = end.steps;
            made += took;
            if (end.violation > tol && !(last && m == first)) return {m, made};
        }
        prove(box, z, 0.0, Task::classification, scratch.data(), proof);  // its regimes are not read
        c.bias(p, m) = proof[BIAS];
        const double gap = proof[PRIMAL] - proof[DUAL];  // below 0 by rounding only
        c.gap(p, m) = (gap < 0.0 ? 0.0 : gap) / larger(larger(size_of(proof[PRIMAL]), size_of(proof[DUAL])), 1e-300);
        c.steps(p, m) = took;
    }
    return {count, made};
}

}  // namespace

Index solve_chains(Matrix<const float> gram, Chains chains, double tol, Index max_steps, Index done, Index spent,
                   bool last, const Lapack& lapack) {
    const Index count = chains.bounds.rows, problems = chains.ends.size - 1, width = widest(chains.ends);
    Room<float> room;
    Index made = 0;
    while (done < count * problems && made < max_steps) {
        const Index p = done / count, first = done % count, s = chains.ends[p], n = chains.ends[p + 1] - s;
        const Index* index = &chains.index[s];
        float* space = n > 0 && consecutive(index, n) ? nullptr : room.at_least(width * width);
        const ChainEnd end = solve_chain(gram_of(gram, index, n, space), chains, p, tol, max_steps, first, spent, last,
                                         lapack);
        made += end.made;
        done += end.reached - first;
        if (end.reached < count) break;
        spent = 0;
        last = false;
    }
    return done;
}

#define INSTANTIATE(K)                                                                                               \
    template void solve_batch(Matrix<const K>, Batch, double, Index, Task, Vector<Index>, Matrix<double>,            \
                              const Lapack&);                                                                        \
    template bool solve_folds(Matrix<const K>, Vector<const Index>, Matrix<const bool>, Vector<const double>,        \
                              Vector<const double>, Vector<const double>, double, Vector<const double>, double,      \
                              Index, Matrix<double>, const Lapack&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
