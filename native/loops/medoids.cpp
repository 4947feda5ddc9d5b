#include "medoids.h"

#include <cmath>

namespace mercer::MERCER_ISA {

namespace {

// The items for which row is below d2: places to hits; returns how many.
template <class T>
Index below_second(const T* __restrict row, const double* __restrict d2, Index n, std::int32_t* __restrict hits) {
    Index count = 0;
    for (Index o = 0; o < n; ++o) {
        hits[count] = static_cast<std::int32_t>(o);
        count += static_cast<double>(row[o]) < d2[o];
    }
    return count;
}

struct Best {
    Index place;
    double change;
};

// The medoid against which the candidate of this row is best swapped, and the change of the loss by that.
template <class T>
Best best_swap(const T* row, Vector<const double> weight, const Nearest& near, Vector<const double> removal,
               Vector<std::int32_t> hits, Vector<double> change) {
    const Index n = weight.size, k = removal.size;
    for (Index i = 0; i < k; ++i) change[i] = removal[i];
    double shared = 0.0;
    const Index count = below_second(row, near.d2, n, hits.data);
    for (Index h = 0; h < count; ++h) {
        const Index o = hits[h];
        const double d = static_cast<double>(row[o]), d1 = near.d1[o], d2 = near.d2[o], w = weight[o];
        if (d < d1) {  // o goes to the candidate, whichever medoid leaves
            shared += w * (d - d1);
            change[near.first[o]] += w * (d1 - d2);
        } else {
            change[near.first[o]] += w * (d - d2);
        }
    }
    Best best{0, change[0]};
    for (Index i = 1; i < k; ++i)
        if (change[i] < best.change) best = {i, change[i]};
    best.change += shared;
    return best;
}

// The nearest medoid of item o but for the one at `without`, by looking at all.
template <class T>
void find_second(Matrix<const T> D, Vector<const Index> medoids, Index o, std::int32_t without, const Nearest& near) {
    near.second[o] = without == 0 ? 1 : 0;  // a place also where no distance is a number
    near.d2[o] = HUGE_VAL;
    for (Index i = 0; i < medoids.size; ++i) {
        const double d = static_cast<double>(D.row(medoids[i])[o]);
        if (i != without && d < near.d2[o]) {
            near.d2[o] = d;
            near.second[o] = static_cast<std::int32_t>(i);
        }
    }
}

// Bring `near` up to date after medoid `place` was replaced by the item whose row this is.
template <class T>
void follow(Matrix<const T> D, Vector<const Index> medoids, const Nearest& near, Index place) {
    const auto here = static_cast<std::int32_t>(place);
    const T* row = D.row(medoids[place]);
    for (Index o = 0; o < D.cols; ++o) {
        const double d = static_cast<double>(row[o]);
        if (near.first[o] == here) {
            if (d < near.d2[o]) {
                near.d1[o] = d;
            } else {
                near.first[o] = near.second[o];
                near.d1[o] = near.d2[o];
                find_second(D, medoids, o, near.first[o], near);
            }
        } else if (d < near.d1[o]) {
            near.second[o] = near.first[o];
            near.d2[o] = near.d1[o];
            near.first[o] = here;
            near.d1[o] = d;
        } else if (near.second[o] == here) {
            if (d < near.d2[o])
                near.d2[o] = d;
            else
                find_second(D, medoids, o, near.first[o], near);
        } else if (d < near.d2[o]) {
            near.second[o] = here;
            near.d2[o] = d;
        }
    }
}

bool among(Vector<const Index> medoids, Index c) {
    for (Index i = 0; i < medoids.size; ++i)
        if (medoids[i] == c) return true;
    return false;
}

}  // namespace

template <class T>
void nearest_two(Matrix<const T> D, Vector<const Index> medoids, Nearest near) {
    for (Index o = 0; o < D.cols; ++o) {
        near.first[o] = 0;
        near.second[o] = 1;
        near.d1[o] = near.d2[o] = HUGE_VAL;
    }
    for (Index i = 0; i < medoids.size; ++i) {
        const T* row = D.row(medoids[i]);
        for (Index o = 0; o < D.cols; ++o) {
            const double d = static_cast<double>(row[o]);
            if (d < near.d1[o]) {
                near.second[o] = near.first[o];
                near.d2[o] = near.d1[o];
                near.first[o] = static_cast<std::int32_t>(i);
                near.d1[o] = d;
            } else if (d < near.d2[o]) {
                near.second[o] = static_cast<std::int32_t>(i);
                near.d2[o] = d;
            }
        }
    }
}

void removal_losses(const Nearest& near, Vector<const double> weight, Vector<double> removal) {
    for (Index i = 0; i < removal.size; ++i) removal[i] = 0.0;
    for (Index o = 0; o < weight.size; ++o) removal[near.first[o]] += weight[o] * (near.d2[o] - near.d1[o]);
}

template <class T>
void swap_changes(Matrix<const T> D, Vector<const double> weight, const Nearest& near, Vector<const double> removal,
                  Vector<std::int32_t> hits, Vector<double> scratch, Vector<double> change, Vector<std::int32_t> place) {
    for (Index c = 0; c < D.rows; ++c) {
        const Best best = best_swap(D.row(c), weight, near, removal, hits, scratch);
        change[c] = best.change;
        place[c] = static_cast<std::int32_t>(best.place);
    }
}

template <class T>
void gains(Matrix<const T> D, Vector<const double> weight, Vector<const double> d1, Vector<double> gain) {
    for (Index c = 0; c < D.rows; ++c) {
        const T* row = D.row(c);
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (Index o = 0; o < D.cols; ++o) {
            const double less = d1[o] - static_cast<double>(row[o]);
            sum += less > 0.0 ? weight[o] * less : 0.0;
        }
        gain[c] = sum;
    }
}

template <class T>
SwapsEnd swap_medoids(Matrix<const T> D, Vector<const double> weight, Vector<Index> medoids, Nearest near,
                      Vector<double> removal, Vector<std::int32_t> hits, Vector<double> change, Index next, Index since,
                      Index most, double least) {
    SwapsEnd end{0, next, since, 0.0};
    removal_losses(near, weight, removal);
    for (Index looked = 0; looked < most && end.since < D.rows; ++looked) {
        const Index c = end.next;
        end.next = c + 1 < D.rows ? c + 1 : 0;
        ++end.since;
        if (among({medoids.data, medoids.size}, c)) continue;
        const Best best = best_swap(D.row(c), weight, near, {removal.data, removal.size}, hits, change);
        if (!(best.change < -least)) continue;
        medoids[best.place] = c;
        follow(D, {medoids.data, medoids.size}, near, best.place);
        removal_losses(near, weight, removal);
        end.gained -= best.change;
        end.since = 0;
        ++end.swaps;
    }
    return end;
}

#define INSTANTIATE(T)                                                                                               \
    template void nearest_two(Matrix<const T>, Vector<const Index>, Nearest);                                        \
    template void swap_changes(Matrix<const T>, Vector<const double>, const Nearest&, Vector<const double>,          \
                               Vector<std::int32_t>, Vector<double>, Vector<double>, Vector<std::int32_t>);          \
    template void gains(Matrix<const T>, Vector<const double>, Vector<const double>, Vector<double>);                \
    template SwapsEnd swap_medoids(Matrix<const T>, Vector<const double>, Vector<Index>, Nearest, Vector<double>,    \
                                   Vector<std::int32_t>, Vector<double>, Index, Index, Index, double);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace mercer::MERCER_ISA
