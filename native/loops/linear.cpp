#include "linear.h"

namespace mercer::MERCER_ISA {

namespace {

constexpr Index BLOCK = 256;  // items whose answers are still in the first cache when the free ones are counted

// clip(gain soft(s, epsilon), lo, hi); soft(s, epsilon) = s - clip(s, -epsilon, epsilon).
inline double answer(double s, double gain, double lo, double hi, double epsilon) {
    const double held = s > epsilon ? epsilon : (s < -epsilon ? -epsilon : s);
    const double c = gain * (s - held), low = c > lo ? c : lo;
    return low < hi ? low : hi;
}

inline bool is_free(double c, double lo, double hi) { return (lo < c) & (c < hi) & (c != 0.0); }

}  // namespace

Index respond(const Answers& to, Vector<const double> t_, Vector<double> c_, Vector<Index> free) {
    const double *__restrict q = to.q.data, *__restrict gain = to.gain.data, *__restrict lo = to.lo.data,
                 *__restrict hi = to.hi.data, *__restrict t = t_.data;
    double* __restrict c = c_.data;
    const double epsilon = to.epsilon;
    unsigned char flags[BLOCK];  // whether each item of a block is free
    Index count = 0;
    for (Index begin = 0; begin < to.q.size; begin += BLOCK) {
        const Index end = begin + BLOCK < to.q.size ? begin + BLOCK : to.q.size;
#pragma omp simd
        for (Index i = begin; i < end; ++i) c[i] = answer(q[i] - t[i], gain[i], lo[i], hi[i], epsilon);
        for (Index i = begin; i < end; ++i) flags[i - begin] = is_free(c[i], lo[i], hi[i]);
        for (Index i = begin; i < end; ++i) {
            free[count] = i;  // overwritten by the next one unless it is free
            count += flags[i - begin];
        }
    }
    return count;
}

OnLine along(const Answers& to, Vector<const double> t_, Vector<const double> e_, double step) {
    const double *__restrict q = to.q.data, *__restrict gain = to.gain.data, *__restrict lo = to.lo.data,
                 *__restrict hi = to.hi.data, *__restrict t = t_.data, *__restrict e = e_.data;
    const double epsilon = to.epsilon;
    double slope = 0.0, curvature = 0.0;
#pragma omp simd reduction(+ : slope, curvature)
    for (Index i = 0; i < to.q.size; ++i) {
        const double c = answer(q[i] - t[i] - step * e[i], gain[i], lo[i], hi[i], epsilon);
        slope -= c * e[i];
        curvature += is_free(c, lo[i], hi[i]) ? gain[i] * e[i] * e[i] : 0.0;
    }
    return {slope, curvature};
}

}  // namespace mercer::MERCER_ISA
