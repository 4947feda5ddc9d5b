// Newton's method for a sigmoid of one variable: the two numbers of Platt's probabilities.
//
//     loss(a, b) = sum_i w_i (log(1 + e^z_i) - t_i z_i),   z = a f + b

#include "views.h"

#ifndef MERCER_LOOPS_SIGMOID
#define MERCER_LOOPS_SIGMOID

namespace mercer {  // types, the same for every instruction set

struct Sigmoid {
    double a, b;
    double gradient;  // norm of the gradient of the loss
    Index steps;
};

}  // namespace mercer

#endif

namespace mercer::MERCER_ISA {

// From a = 0 and a start b, by Newton steps that are halved until they help, until the gradient is at most tol.
Sigmoid newton(Vector<const double> f, Vector<const double> target, Vector<const double> w, double b, double tol,
               Index max_iter);

}  // namespace mercer::MERCER_ISA
