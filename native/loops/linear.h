// Loops over the items of a linear machine: how each dual coefficient answers to the score of its item.
//
// With the scores t = Xw + r and the proximal targets q, coefficient i answers with
//
//     c_i = clip(gain_i soft(q_i - t_i, epsilon), lo_i, hi_i),     soft(s, k) = sign(s) max(|s| - k, 0)
//
// and is free where that is neither clipped nor zero.

#include "views.h"

#ifndef MERCER_LOOPS_LINEAR
#define MERCER_LOOPS_LINEAR

namespace mercer {  // types, the same for every instruction set

// What the answers depend on besides the scores; all vectors have one length.
struct Answers {
    Vector<const double> q, gain, lo, hi;
    double epsilon;
};

struct OnLine {
    double slope, curvature;
};

}  // namespace mercer

#endif

namespace mercer::MERCER_ISA {

// Write the answers to the scores t into c and the indices of the free ones into `free`; returns how many are free.
Index respond(const Answers& to, Vector<const double> t, Vector<double> c, Vector<Index> free);

// Slope -c'e and curvature sum of gain_i e_i^2 over free items of the loss on a line, at the scores t + step e.
OnLine along(const Answers& to, Vector<const double> t, Vector<const double> e, double step);

}  // namespace mercer::MERCER_ISA
