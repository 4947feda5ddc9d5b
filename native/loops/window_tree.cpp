#include "window_tree.h"

#include <cmath>

#include "exp.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr double TINY = 1e-280;  // sums below it are computed again, relative to the nearest point

inline double positive(double x) { return x > 0.0 ? x : 0.0; }

// Profiles as functions of s = r^2.  `shift` is subtracted from the exponent of those that have one.
struct Gaussian {
    static constexpr bool moments = false, tails = true;
    double shift = 0.0;
    double operator()(double s) const { return exp_minus(positive(0.5 * s - shift)); }
    static double exponent(double s) { return 0.5 * s; }
};

struct Exponential {
    static constexpr bool moments = false, tails = true;
    double shift = 0.0;
    double operator()(double s) const { return exp_minus(positive(std::sqrt(s) - shift)); }
    static double exponent(double s) { return std::sqrt(s); }
};

struct Compact {
    static constexpr bool moments = false, tails = false;
    double shift = 0.0;
    static double exponent(double) { return 0.0; }
};

struct Boxcar : Compact {
    static constexpr bool moments = true;
    static constexpr double slope = 0.0;
    double operator()(double s) const { return s <= 1.0 ? 1.0 : 0.0; }
};

struct Epanechnikov : Compact {
    static constexpr bool moments = true;
    static constexpr double slope = 1.0;
    double operator()(double s) const { return positive(1.0 - s); }
};

struct Triangular : Compact {
    double operator()(double s) const { return positive(1.0 - std::sqrt(s)); }
};

struct Biweight : Compact {
    double operator()(double s) const {
        const double t = positive(1.0 - s);
        return t * t;
    }
};

struct Triweight : Compact {
    double operator()(double s) const {
        const double t = positive(1.0 - s);
        return t * t * t;
    }
};

struct TriCube : Compact {
    double operator()(double s) const {
        const double t = positive(1.0 - s * std::sqrt(s));
        return t * t * t;
    }
};

// cos(pi r / 2) = sin(y) with y = pi (1 - r) / 2 in [0, pi / 2]; the series ends below rounding.
struct Cosine : Compact {
    double operator()(double s) const {
        const double y = 1.5707963267948966 * positive(1.0 - std::sqrt(s)), z = y * y;
        constexpr double series[] = {51090942171709440000.0, 121645100408832000.0, 355687428096000.0, 1307674368000.0,
                                     6227020800.0,           39916800.0,           362880.0,          5040.0,
                                     120.0,                  6.0,                  1.0};  // 21!, 19!, ..., 1!
        double p = 0.0;
        for (double factorial : series) p = 1.0 / factorial - z * p;
        return y * p;
    }
};

// A binary heap of nodes, the widest bounds first.
struct Heap {
    TreeNode* data;
    Index size = 0;

    void push(const TreeNode& node) {
        Index i = size++;
        while (i > 0) {
            const Index parent = (i - 1) / 2;
            if (data[parent].error >= node.error) break;
            data[i] = data[parent];
            i = parent;
        }
        data[i] = node;
    }

    TreeNode pop() {
        const TreeNode top = data[0];
        const TreeNode last = data[--size];
        Index i = 0;
        for (;;) {
            Index child = 2 * i + 1;
            if (child >= size) break;
            if (child + 1 < size && data[child + 1].error > data[child].error) ++child;
            if (data[child].error <= last.error) break;
            data[i] = data[child];
            i = child;
        }
        data[i] = last;
        return top;
    }
};

// Squared distances of q from the nearest and the farthest place of a box.
struct Reach {
    double near, far;
};

inline Reach reach(const double* q, const double* low, const double* high, Index columns) {
    double near = 0.0, far = 0.0;
    for (Index d = 0; d < columns; ++d) {
        const double below = low[d] - q[d], above = q[d] - high[d];
        const double gap = positive(below > above ? below : above);
        const double wide = -below > -above ? -below : -above;  // the farther of the two sides
        near += gap * gap;
        far += wide * wide;
    }
    return {near, far};
}

template <class Window>
class Query {
   public:
    Query(const PointTree& tree, const double* q, Window window, TreeNode* heap, double* scratch, Index& values,
          Index& opened)
        : tree_(tree), q_(q), window_(window), heap_{heap}, s_(scratch), values_(values), opened_(opened) {}

    double sum(Accuracy accuracy, Index skip) {
        start(skip);
        Index pops = 0, next = 8;
        while (heap_.size > 0) {
            if (error_ <= accuracy.relative * (exact_ + low_) + accuracy.absolute || pops == next) {
                add_up();
                if (error_ <= accuracy.relative * (exact_ + low_) + accuracy.absolute) break;
                next = pops >= next ? 2 * pops : next;
            }
            const TreeNode top = heap_.pop();
            error_ -= top.error;
            low_ -= top.low;
            open(top.node);
            ++pops;
        }
        double all = exact_;
        for (Index i = 0; i < heap_.size; ++i) all += 0.5 * (heap_.data[i].low + heap_.data[i].high);
        return all;
    }

    // The least exponent of any point but `skip`.
    double least_exponent(Index skip) {
        double best = HUGE_VAL;
        Index size = 0;
        heap_.data[size++] = {0.0, 0.0, 0.0, 0};
        while (size > 0) {
            const TreeNode here = heap_.data[--size];
            if (here.low >= best) continue;
            const Index left = 2 * here.node + 1;
            if (left >= tree_.start.size) {
                best = least_in_leaf(here.node, skip, best);
                continue;
            }
            double near[2];
            for (Index c = 0; c < 2; ++c) {
                const Index node = left + c;
                near[c] = reach(q_, tree_.low.row(node), tree_.high.row(node), columns()).near * tree_.facts(node, 1);
            }
            const Index first = near[0] <= near[1] ? 0 : 1;  // pushed last, looked at first
            heap_.data[size++] = {0.0, near[1 - first], 0.0, left + 1 - first};
            heap_.data[size++] = {0.0, near[first], 0.0, left + first};
        }
        return Window::exponent(best);
    }

   private:
    Index columns() const { return tree_.points.rows; }
    bool leaf(Index node) const { return 2 * node + 1 >= tree_.start.size; }

    // Open the way down to the point that is left out, so that no bound includes it.
    void start(Index skip) {
        Index node = 0;
        if (skip < 0) {
            add(node);
            return;
        }
        while (!leaf(node)) {
            const Index left = 2 * node + 1, right = left + 1;
            const bool in_left = skip < tree_.end[left];
            add(in_left ? right : left);
            node = in_left ? left : right;
        }
        exact_ += leaf_sum(node, skip);
    }

    void open(Index node) {
        if (leaf(node)) {
            exact_ += leaf_sum(node, -1);
        } else {
            add(2 * node + 1);
            add(2 * node + 2);
        }
    }

    // Put a node into the heap, or its sum into the exact part if its bounds meet.
    void add(Index node) {
        ++opened_;
        const double* facts = tree_.facts.row(node);
        const Reach r = reach(q_, tree_.low.row(node), tree_.high.row(node), columns());
        if constexpr (Window::moments) {
            if (r.far * facts[2] <= 1.0) {
                double s = 0.0;
                if constexpr (Window::slope != 0.0)
                    for (Index d = 0; d < columns(); ++d) {
                        const double t = q_[d] - facts[FACTS + d];
                        s += t * t;
                    }
                exact_ += facts[0] - Window::slope * (facts[4] + facts[3] * s);
                return;
            }
        }
        const double high = facts[0] * window_(r.near * facts[1]), low = facts[0] * window_(r.far * facts[2]);
        if (high <= low) {
            exact_ += low;
            return;
        }
        const double error = 0.5 * (high - low);
        heap_.push({error, low, high, node});
        error_ += error;
        low_ += low;
    }

    // Bounds without the rounding that additions and subtractions have left.
    void add_up() {
        error_ = 0.0;
        low_ = 0.0;
        for (Index i = 0; i < heap_.size; ++i) {
            error_ += heap_.data[i].error;
            low_ += heap_.data[i].low;
        }
    }

    // s_i <- b_i |q - x_i|^2 for the points of a leaf.
    Index distances(Index node) {
        const Index from = tree_.start[node], n = tree_.end[node] - from;
        double* __restrict s = s_;
        for (Index i = 0; i < n; ++i) s[i] = 0.0;
        for (Index d = 0; d < columns(); ++d) {
            const double* __restrict x = tree_.points.row(d) + from;
            const double q = q_[d];
#pragma omp simd
            for (Index i = 0; i < n; ++i) {
                const double t = x[i] - q;
                s[i] += t * t;
            }
        }
        if (tree_.inverse.size > 0) {
            const double* __restrict b = tree_.inverse.data + from;
            for (Index i = 0; i < n; ++i) s[i] *= b[i];
        }
        return n;
    }

    double leaf_sum(Index node, Index skip) {
        const Index n = distances(node), from = tree_.start[node];
        const double* __restrict v = tree_.weight.data + from;
        double* __restrict s = s_;
        const Window window = window_;
        values_ += n;
#pragma omp simd
        for (Index i = 0; i < n; ++i) s[i] = v[i] * window(s[i]);
        if (skip >= from && skip < from + n) s[skip - from] = 0.0;
        double sums[4] = {0.0, 0.0, 0.0, 0.0};
        Index i = 0;
        for (; i + 4 <= n; i += 4)
            for (Index k = 0; k < 4; ++k) sums[k] += s[i + k];
        for (; i < n; ++i) sums[0] += s[i];
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    double least_in_leaf(Index node, Index skip, double best) {
        const Index n = distances(node), from = tree_.start[node];
        for (Index i = 0; i < n; ++i)
            if (s_[i] < best && from + i != skip && tree_.weight[from + i] > 0.0) best = s_[i];
        return best;
    }

    const PointTree& tree_;
    const double* q_;
    Window window_;
    Heap heap_;
    double* s_;
    Index &values_, &opened_;
    double exact_ = 0.0, error_ = 0.0, low_ = 0.0;
};

template <class Window>
double log_sum(const PointTree& tree, const double* q, Accuracy accuracy, Index skip, TreeNode* heap, double* scratch,
               Index& values, Index& opened) {
    const double sum = Query<Window>(tree, q, Window{}, heap, scratch, values, opened).sum(accuracy, skip);
    if constexpr (Window::tails) {
        if (!(sum > TINY) && accuracy.absolute == 0.0) {
            const double shift = Query<Window>(tree, q, Window{}, heap, scratch, values, opened).least_exponent(skip);
            if (shift == HUGE_VAL) return -HUGE_VAL;
            Window window;
            window.shift = shift;
            return std::log(Query<Window>(tree, q, window, heap, scratch, values, opened).sum(accuracy, skip)) - shift;
        }
    }
    return sum > 0.0 ? std::log(sum) : -HUGE_VAL;
}

template <class Window>
Index all_queries(const PointTree& tree, Matrix<const double> Q, Accuracy accuracy, Vector<const Index> skip,
                  TreeNode* heap, double* scratch, Vector<double> logs, Index& opened) {
    Index values = 0;
    for (Index i = 0; i < Q.rows; ++i)
        logs[i] = log_sum<Window>(tree, Q.row(i), accuracy, skip.size > 0 ? skip[i] : -1, heap, scratch, values, opened);
    return values;
}

void swap_rows(Matrix<double> X, Vector<Index> order, Index i, Index j) {
    double *a = X.row(i), *b = X.row(j);
    for (Index d = 0; d < X.cols; ++d) {
        const double t = a[d];
        a[d] = b[d];
        b[d] = t;
    }
    const Index t = order[i];
    order[i] = order[j];
    order[j] = t;
}

// Rows from `from` to `to` so that those before `middle` are not above it in a column, nor those after it below.
void select_middle(Matrix<double> X, Vector<Index> order, Index from, Index to, Index middle, Index column) {
    --to;
    while (from < to) {
        const Index third[3] = {from, from + (to - from) / 2, to};
        const double a = X(third[0], column), b = X(third[1], column), c = X(third[2], column);
        const double pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
        Index i = from, j = to;
        while (i <= j) {
            while (X(i, column) < pivot) ++i;
            while (X(j, column) > pivot) --j;
            if (i <= j) swap_rows(X, order, i++, j--);
        }
        if (middle <= j) to = j;
        else if (middle >= i) from = i;
        else return;
    }
}

void leaf_facts(const PointTree& tree, Index node, double* f) {
    const Index columns = tree.points.rows, from = tree.start[node], to = tree.end[node];
    for (Index k = 0; k < FACTS + columns; ++k) f[k] = 0.0;
    f[1] = HUGE_VAL;
    for (Index i = from; i < to; ++i) {
        const double v = tree.weight[i], b = tree.inverse.size > 0 ? tree.inverse[i] : 1.0;
        f[0] += v;
        f[1] = b < f[1] ? b : f[1];
        f[2] = b > f[2] ? b : f[2];
        f[3] += v * b;
    }
    for (Index d = 0; d < columns; ++d) {
        const double* x = tree.points.row(d);
        double sum = 0.0;
        for (Index i = from; i < to; ++i) sum += tree.weight[i] * (tree.inverse.size > 0 ? tree.inverse[i] : 1.0) * x[i];
        const double centre = f[3] > 0.0 ? sum / f[3] : 0.0;
        for (Index i = from; i < to; ++i) {
            const double t = x[i] - centre;
            f[4] += tree.weight[i] * (tree.inverse.size > 0 ? tree.inverse[i] : 1.0) * t * t;
        }
        f[FACTS + d] = centre;
    }
}

// The facts of two nodes together; second moments move to the common centre.
void merge_facts(const double* a, const double* b, Index columns, double* f) {
    f[0] = a[0] + b[0];
    f[1] = a[1] < b[1] ? a[1] : b[1];
    f[2] = a[2] > b[2] ? a[2] : b[2];
    f[3] = a[3] + b[3];
    const double share = f[3] > 0.0 ? b[3] / f[3] : 0.0;
    double apart = 0.0;
    for (Index d = FACTS; d < FACTS + columns; ++d) {
        const double t = b[d] - a[d];
        apart += t * t;
        f[d] = a[d] + share * t;
    }
    f[4] = a[4] + b[4] + a[3] * share * apart;
}

}  // namespace

void grow_tree(Matrix<double> X, Vector<Index> order, Vector<Index> start, Vector<Index> end, Matrix<double> low,
               Matrix<double> high) {
    for (Index node = 0; node < start.size; ++node) {
        if (node == 0) {
            start[0] = 0;
            end[0] = X.rows;
        }
        const Index from = start[node], to = end[node];
        double *lo = low.row(node), *hi = high.row(node);
        for (Index d = 0; d < X.cols; ++d) lo[d] = hi[d] = X(from, d);
        for (Index i = from + 1; i < to; ++i) {
            const double* x = X.row(i);
            for (Index d = 0; d < X.cols; ++d) {
                lo[d] = x[d] < lo[d] ? x[d] : lo[d];
                hi[d] = x[d] > hi[d] ? x[d] : hi[d];
            }
        }
        const Index left = 2 * node + 1;
        if (left >= start.size) continue;
        Index widest = 0;
        for (Index d = 1; d < X.cols; ++d)
            if (hi[d] - lo[d] > hi[widest] - lo[widest]) widest = d;
        const Index middle = from + (to - from) / 2;
        select_middle(X, order, from, to, middle, widest);
        start[left] = from;
        end[left] = start[left + 1] = middle;
        end[left + 1] = to;
    }
}

void node_facts(const PointTree& tree, Matrix<double> facts) {
    for (Index node = facts.rows - 1; node >= 0; --node) {  // children before their parents
        const Index left = 2 * node + 1;
        if (left >= facts.rows) leaf_facts(tree, node, facts.row(node));
        else merge_facts(facts.row(left), facts.row(left + 1), tree.points.rows, facts.row(node));
    }
}

Index tree_sums(const PointTree& tree, Matrix<const double> Q, Profile profile, Accuracy accuracy,
                Vector<const Index> skip, TreeNode* heap, double* scratch, Vector<double> logs, Index& opened) {
    switch (profile) {
        case Profile::gaussian: return all_queries<Gaussian>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
        case Profile::exponential: return all_queries<Exponential>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
        case Profile::cosine: return all_queries<Cosine>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
        case Profile::boxcar: return all_queries<Boxcar>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
        case Profile::triangular: return all_queries<Triangular>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
        case Profile::epanechnikov: return all_queries<Epanechnikov>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
        case Profile::biweight: return all_queries<Biweight>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
        case Profile::triweight: return all_queries<Triweight>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
        default: return all_queries<TriCube>(tree, Q, accuracy, skip, heap, scratch, logs, opened);
    }
}

}  // namespace mercer::MERCER_ISA
