#include "lowess.h"

#include "lanes.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr double NO_WEIGHT = 1e-12;  // a point with no more weight does not count
constexpr double CANCELS = 1e-3;     // variance of x, in units of its mean square, below which it is summed again
constexpr double NO_SPREAD = 1e-12;  // variance of x, in units of the squared radius, below which the line is level

// The window [left, left + count) of the points nearest to t: the first that is not better one further to the right.
Index window(Vector<const double> x, Index count, double t, Index left) {
    while (left + count < x.size && t > (x[left] + x[left + count]) / 2.0) ++left;
    return left;
}

// The same from any start, by bisection.
Index first_window(Vector<const double> x, Index count, double t) {
    Index low = 0, high = x.size - count;
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (t > (x[middle] + x[middle + count]) / 2.0) low = middle + 1;
        else high = middle;
    }
    return low;
}

// One window: n points from the pointers on, distances in units of the radius.
struct Window {
    const double* x;
    const double* y;
    const double* weight;
    Index n;
    double t, unit;

    double distance(Index j) const { return (x[j] - t) * unit; }
    double weight_at(double u, Index j) const {
        const double size = u < 0.0 ? -u : u, c = 1.0 - size * size * size;
        return c * c * c * weight[j];
    }
};

struct Sums {
    double w, wu, wuu, wy, wuy;
};

void add_point(const Window& window, Index j, Sums& sums) {
    const double u = window.distance(j), w = window.weight_at(u, j), wu = w * u;
    sums.w += w;
    sums.wu += wu;
    sums.wuu += wu * u;
    sums.wy += w * window.y[j];
    sums.wuy += wu * window.y[j];
}

#ifdef MERCER_LANES

inline double sum(Doubles values) {
    double total = 0.0;
    for (int lane = 0; lane < LANES; ++lane) total += values[lane];
    return total;
}

struct LaneSums {
    Doubles w = {}, wu = {}, wuu = {}, wy = {}, wuy = {};

    // The LANES points from j on.
    inline void add(const Window& window, Index j) {
        const Doubles u = (load(window.x + j) - window.t) * window.unit, minus = -u;
        const Doubles size = u < minus ? minus : u, c = 1.0 - size * size * size;
        const Doubles weight = c * c * c * load(window.weight + j), y = load(window.y + j), weighted = weight * u;
        w += weight;
        wu += weighted;
        wuu += weighted * u;
        wy += weight * y;
        wuy += weighted * y;
    }
};

// Two vectors at a time, into sums of their own, so that no addition waits for the one before.
Sums sums_of(const Window& window) {
    LaneSums even, odd;
    Index j = 0;
    for (; j + 2 * LANES <= window.n; j += 2 * LANES) {
        even.add(window, j);
        odd.add(window, j + LANES);
    }
    Sums sums{sum(even.w + odd.w), sum(even.wu + odd.wu), sum(even.wuu + odd.wuu), sum(even.wy + odd.wy),
              sum(even.wuy + odd.wuy)};
    for (; j < window.n; ++j) add_point(window, j, sums);
    return sums;
}

#else

Sums sums_of(const Window& window) {
    Sums sums{};
    for (Index j = 0; j < window.n; ++j) add_point(window, j, sums);
    return sums;
}

#endif

// The line at t from sums around the mean of x, for windows where those around t cancel; false if there is no line.
bool centred_line(const Window& window, const Sums& sums, double* value) {
    const double mean = sums.wu / sums.w;
    double spread = 0.0, slope = 0.0;
    Index counted = 0;
    for (Index j = 0; j < window.n; ++j) {
        const double u = window.distance(j), w = window.weight_at(u, j);
        spread += w * (u - mean) * (u - mean);
        slope += w * (u - mean) * window.y[j];
        counted += w > NO_WEIGHT;
    }
    if (counted < 2) return false;
    *value = sums.wy / sums.w;
    if (spread > NO_SPREAD * sums.w) *value -= mean * slope / spread;
    return true;
}

bool line_at(const Window& window, double* value) {
    const Sums sums = sums_of(window);
    if (!(sums.w > NO_WEIGHT)) return false;
    const double mean = sums.wu / sums.w, square = sums.wuu / sums.w, spread = square - mean * mean;
    if (!(spread > CANCELS * square)) return centred_line(window, sums, value);
    const double level = sums.wy / sums.w, slope = (sums.wuy / sums.w - mean * level) / spread;
    *value = level - mean * slope;
    return true;
}

// The weighted mean of all points with x = t; false if they have no weight.
bool mean_at(Vector<const double> x, Vector<const double> y, Vector<const double> weight, Index left, double t,
             double* value) {
    double total = 0.0, sum = 0.0;
    for (Index j = left; j < x.size && x[j] == t; ++j) {
        total += weight[j];
        sum += weight[j] * y[j];
    }
    if (!(total > NO_WEIGHT)) return false;
    *value = sum / total;
    return true;
}

}  // namespace

Index line_places(Vector<const double> x, double delta, Vector<Index> places) {
    const Index n = x.size;
    Index found = 0, i = 0, last = -1;
    while (last < n - 1) {
        places[found++] = i;
        last = i;
        Index k = last;
        const double cut = x[last] + delta;
        for (Index next = last + 1; next < n; ++next) {
            k = next;
            if (x[next] > cut) break;
            if (x[next] == x[last]) last = next;
        }
        i = k - 1 > last + 1 ? k - 1 : last + 1;
    }
    return found;
}

Index local_lines(Vector<const double> x, Vector<const double> y, Vector<const double> weight, Index count,
                  Vector<const double> at, Vector<double> values) {
    Index stayed = 0, left = at.size > 0 ? first_window(x, count, at[0]) : 0;
    for (Index i = 0; i < at.size; ++i) {
        const double t = at[i];
        left = window(x, count, t, left);
        const double before = t - x[left], behind = x[left + count - 1] - t;
        const double radius = before > behind ? before : behind;
        const Window near{x.data + left, y.data + left, weight.data + left, count, t, 1.0 / radius};
        const bool done = radius > 0.0 ? line_at(near, &values[i]) : mean_at(x, y, weight, left, t, &values[i]);
        stayed += !done;
    }
    return stayed;
}

void between_places(Vector<const double> x, Vector<const Index> places, Vector<const double> values,
                    Vector<double> out) {
    for (Index p = 0; p + 1 < places.size; ++p) {
        const Index from = places[p], to = places[p + 1];
        const double x0 = x[from], y0 = values[p], y1 = values[p + 1];
        const double width = x[to] - x0;
        for (Index i = from; i < to; ++i) {
            const double a = width > 0.0 ? (x[i] - x0) / width : 0.0;
            out[i] = a * y1 + (1.0 - a) * y0;
        }
    }
    const Index last = places.size - 1;
    for (Index i = places[last]; i < x.size; ++i) out[i] = values[last];
}

}  // namespace mercer::MERCER_ISA
