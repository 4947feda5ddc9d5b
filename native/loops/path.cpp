#include "path.h"

#include <cmath>
#include <limits>

namespace mercer::MERCER_ISA {

namespace {

constexpr double SINGULAR = 1e-9;  // a pivot below this times K_ii is a dependence between points: not ordinary
constexpr double ROUGH = 1e-7;     // slopes of slacks, per unit of lambda, that count as zero
constexpr double INF = std::numeric_limits<double>::infinity();

// How a, a0 and s change as lambda falls by 1.
struct Direction {
    double* d;   // d[0] = d0, then one number for each point of F
    double* ds;  // of all n points
    double rough = 0.0;  // largest |ds| on F, where it should be 0
};

struct Event {
    double step = INF, second = INF;  // how far it is, and the one after it
    Index point = -1, place = -1;     // place in F, -1 for a point outside
};

// y <- y + w x.
void add_scaled(Index n, double w, const double* __restrict x, double* __restrict y) {
    for (Index i = 0; i < n; ++i) y[i] += w * x[i];
}

// y <- y + w0 x0 + w1 x1 + w2 x2 + w3 x3, in this order: y is read and written once for four rows.
void add_four(Index n, const double w[4], const double* const x[4], double* __restrict y) {
    const double *__restrict x0 = x[0], *__restrict x1 = x[1], *__restrict x2 = x[2], *__restrict x3 = x[3];
    const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
    for (Index i = 0; i < n; ++i) y[i] = (((y[i] + w0 * x0[i]) + w1 * x1[i]) + w2 * x2[i]) + w3 * x3[i];
}

double dot(Index n, const double* __restrict x, const double* __restrict y) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

bool at_rest(const Walk& w, Index i) { return w.elbow[i] && (w.a[i] == 0.0 || w.a[i] == 1.0); }

// Put point p into F and N; false if its pivot K_pp - v'Nv is not safe or there is no room.
bool add(Walk& w, Index p, double* v, double* u) {
    const Index m = w.e + 1;
    if (m + 1 > w.N.rows || m > w.F.size) return false;
    v[0] = w.y[p];
    for (Index f = 0; f < w.e; ++f) v[f + 1] = w.y[p] * w.y[w.F[f]] * w.K(p, w.F[f]);
    for (Index r = 0; r < m; ++r) u[r] = 0.0;
    for (Index c = 0; c < m; ++c) add_scaled(m, v[c], w.N.row(c), u);
    const double pivot = w.K(p, p) - dot(m, u, v);
    if (!(pivot > SINGULAR * w.K(p, p))) return false;
    for (Index r = 0; r < m; ++r) {
        const double share = u[r] / pivot;
        add_scaled(m, share, u, w.N.row(r));
        w.N(r, m) = w.N(m, r) = -share;
    }
    w.N(m, m) = 1.0 / pivot;
    w.F[w.e++] = p;
    return true;
}

// Take the point at a place of F out of N; the last point takes its place.
void drop(Walk& w, Index place, double* gone) {
    const Index m = w.e + 1, j = place + 1, last = w.e;
    for (Index c = 0; c < m; ++c) gone[c] = w.N(j, c);
    for (Index r = 0; r < m; ++r) add_scaled(m, -gone[r] / gone[j], gone, w.N.row(r));
    if (j != last) {
        for (Index r = 0; r < m; ++r) w.N(r, j) = w.N(r, last);
        for (Index c = 0; c < m; ++c) w.N(j, c) = w.N(last, c);
        w.N(j, j) = w.N(last, last);
    }
    w.F[place] = w.F[w.e - 1];
    --w.e;
}

// ds <- ds + K[:, F] (y d), over the points F.
void add_points(const Walk& w, const double* d, double* ds) {
    Index f = 0;
    for (; f + 4 <= w.e; f += 4) {
        double weight[4];
        const double* row[4];
        for (Index k = 0; k < 4; ++k) {
            weight[k] = w.y[w.F[f + k]] * d[f + k + 1];
            row[k] = w.K.row(w.F[f + k]);
        }
        add_four(w.a.size, weight, row, ds);
    }
    for (; f < w.e; ++f) add_scaled(w.a.size, w.y[w.F[f]] * d[f + 1], w.K.row(w.F[f]), ds);
}

// d <- -N (0, 1, ..., 1)' and ds <- -1 - y (K[:, F] (y d) + d0), set to exactly 0 on F.
void find_direction(const Walk& w, Direction& to) {
    const Index n = w.a.size;
    double *__restrict d = to.d, *__restrict ds = to.ds;
    for (Index r = 0; r <= w.e; ++r) d[r] = 0.0;
    for (Index c = 1; c <= w.e; ++c) add_scaled(w.e + 1, -1.0, w.N.row(c), d);
    for (Index i = 0; i < n; ++i) ds[i] = d[0];
    add_points(w, d, ds);
    const double* __restrict y = w.y.data;
    for (Index i = 0; i < n; ++i) ds[i] = -1.0 - y[i] * ds[i];
    to.rough = 0.0;
    for (Index f = 0; f < w.e; ++f) {
        const double off = std::abs(ds[w.F[f]]);
        to.rough = off > to.rough ? off : to.rough;
        ds[w.F[f]] = 0.0;
    }
}

// The point at rest on the elbow that has to move inwards: -1 for none, -2 for several.
Index joiner(const Walk& w, const double* ds) {
    Index found = -1;
    for (Index i = 0; i < w.a.size; ++i)
        if (at_rest(w, i) && (w.a[i] > 0.0 ? ds[i] : -ds[i]) < -ROUGH) found = found == -1 ? i : -2;
    return found;
}

// The direction after `entered` has come to the elbow (-1: none); false where that takes more than adding a point or
// two to F.
bool turn(Walk& w, Index entered, Direction& to, double* scratch) {
    Index joining = entered;
    for (int round = 0; round < 3; ++round) {
        if (joining >= 0 && !add(w, joining, scratch, scratch + w.N.rows)) return false;
        find_direction(w, to);
        const double own = to.d[w.e];
        if (joining >= 0 && !(w.a[joining] == 1.0 ? own < 0.0 : own > 0.0)) return false;
        joining = joiner(w, to.ds);
        if (joining < 0) break;
    }
    return joining == -1 && to.rough <= ROUGH && w.e > 0;
}

void nearer(Event& event, double step, Index point, Index place) {
    if (step < event.step) {
        event = {step, event.step, point, place};
    } else if (step < event.second) {
        event.second = step;
    }
}

// The next event: a point of F reaches a bound, or a point off the elbow comes to it.
Event next(const Walk& w, const Direction& along) {
    Event event;
    for (Index f = 0; f < w.e; ++f) {
        const double slope = along.d[f + 1], a = w.a[w.F[f]];
        if (slope != 0.0) nearer(event, (slope > 0.0 ? 1.0 - a : -a) / slope, w.F[f], f);
    }
    const double* ds = along.ds;
    for (Index i = 0; i < w.a.size; ++i)
        if (!w.elbow[i] && (w.a[i] == 1.0 ? ds[i] < 0.0 : ds[i] > 0.0)) nearer(event, -w.s[i] / ds[i], i, -1);
    return event;
}

// Move a, s, a0 and lambda by a step; points at rest on the elbow that are driven outwards leave it.
void move(Walk& w, const Direction& along, double step) {
    w.lambda -= step;
    w.a0 += step * along.d[0];
    for (Index i = 0; i < w.a.size; ++i) {
        if (!at_rest(w, i)) continue;
        if (std::abs(along.ds[i]) <= ROUGH) along.ds[i] = 0.0;
        else w.elbow[i] = false;
    }
    add_scaled(w.a.size, step, along.ds, w.s.data);
    for (Index f = 0; f < w.e; ++f) w.a[w.F[f]] += step * along.d[f + 1];
}

// Put the point of an event exactly where it has come to; returns the kind of event.
Index arrive(Walk& w, const Event& event, const Direction& along, double* scratch) {
    if (event.place < 0) {
        w.elbow[event.point] = true;
        w.s[event.point] = 0.0;
        return ENTER;
    }
    const Index kind = along.d[event.place + 1] > 0.0 ? ONE : ZERO;
    w.a[event.point] = static_cast<double>(kind);
    drop(w, event.place, scratch);
    return kind;
}

// Whether a point is at a = 1 off the elbow; where none is the path has ended.
bool any_bounded(const Walk& w) {
    for (Index i = 0; i < w.a.size; ++i)
        if (w.a[i] == 1.0 && !w.elbow[i]) return true;
    return false;
}

}  // namespace

Index stroll(Walk& walk, double lambda_min, Knots knots, double* scratch) {
    const Index n = walk.a.size;
    Direction along{scratch, scratch + n + 1};
    double* rest = scratch + 2 * n + 1;
    Index entered = -1;
    for (Index count = 0; count < knots.lambda.size; ++count) {
        if (!turn(walk, entered, along, rest)) return count;
        const double lambda = walk.lambda;
        const Event event = next(walk, along);
        const bool alone = event.second > event.step + 1e-11 * lambda;
        if (!(1e-13 * lambda < event.step && event.step < lambda - lambda_min && alone)) return count;
        move(walk, along, event.step);
        knots.kind[count] = arrive(walk, event, along, rest);
        entered = event.place < 0 ? event.point : -1;
        knots.point[count] = event.point;
        knots.lambda[count] = walk.lambda;
        knots.a0[count] = walk.a0;
        for (Index i = 0; i < n; ++i) knots.a(count, i) = walk.a[i];
        if (!any_bounded(walk)) return count + 1;
    }
    return knots.lambda.size;
}

}  // namespace mercer::MERCER_ISA
