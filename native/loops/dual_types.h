// What the loops of support vector machines take and return: plain structs, the same for every instruction set.
#pragma once

#include "views.h"

namespace mercer {

// One problem of solvers/dual/problem.py in its signed variables b, without groups or ridge:
//
//     minimise  1/2 b'Kb - z'b + epsilon |b|_1   subject to  lo <= b <= hi,   the sum of b fixed
//
// F = K b - z is the smooth part of the gradient.  b and F are written.
struct Box {
    double* b;
    double* F;
    const double* lo;
    const double* hi;
    Index size;
    double epsilon;
};

// How a run of steps ended.
struct StepsEnd {
    Index steps;
    double violation;
    bool endless;  // a step had no end: the dual is unbounded
};

// Work on some items, counted in items looked at.
struct Effort {
    double made;
    double violation;
    bool endless;
};

// How a minimisation around a centre ended.
struct NearestEnd {
    bool reached;
    Index steps;
    Index largest;  // the size of the largest linear system
};

// Problems one after the other: problem p has the items index[ends[p]..ends[p+1]) of the Gram, and the same places of
// all other vectors.
struct Batch {
    Vector<const Index> ends, index;
    Vector<const double> z, lo, hi, epsilon;
    Vector<double> b, F;
};

// Chains: problem p with box after box [bounds[m] lo, bounds[m] hi], each from the solution before.
struct Chains {
    Vector<const Index> ends, index;
    Vector<const double> z, lo, hi;
    Matrix<const double> bounds;   // (boxes, items of the Gram)
    Vector<const double> epsilon;  // of every box
    Vector<double> coef;           // problem after problem, each (boxes, items)
    Matrix<double> bias, gap;      // (problems, boxes)
    Matrix<Index> steps;
};

// The offset of one group of variables.
struct Offset {
    double most, least;  // the largest gain and the smallest cost
    double r;            // of f = K b + r: the mean over free variables, else the middle of what the conditions allow
};

struct InnerProducts {
    double bQb, zb, size, rb, bRb;  // size is |b|_1, Q = K + R, R = diag(ridge)
};

// The largest residual of each optimality condition.
struct Conditions {
    double primal;           // slack where none is allowed
    double outside;          // how far a coefficient is beyond its box
    double complementarity;  // coefficient times what it should not go with
};

// All that a certificate says of one problem, in this order; after REGIMES the number of items in each of five regimes.
enum Proof { BIAS, VIOLATION, PRIMAL, DUAL, EQUALITY, SLACK, OUTSIDE, COMPLEMENTARITY, REGIMES, PROOF = REGIMES + 5 };

// What the items of a problem are to the user; says which regimes there are.
enum class Task { classification, regression, novelty };

// How a loop asks for kernel values that are not stored; positions are those of the problem's items.
struct GramCalls {
    void* context;

    // out = K[I, J] in single precision; rows of `out` are `stride` apart.
    void (*block)(void* context, Vector<const Index> I, Vector<const Index> J, float* out, Index stride);

    // out = K[I, J] v, from kernel values in single precision, or in double where `exact`.
    void (*product)(void* context, Vector<const Index> I, Vector<const Index> J, const double* v, double* out,
                    bool exact);

    // Say how far it is; throws when a limit has been reached.
    void (*report)(void* context, Index active, double violation, double objective, Index steps);
};

// Sizes and tolerances of a growing active set.
struct GrowthRules {
    double tol;
    Index largest;    // active items at most
    Index max_steps;  // between two reports
    bool report_rounds;  // report after every round too
};

// too_large: the active set outgrew its limit; too_many: the first items say that it would; too_coarse: single precision
// is not enough; stalled: the steps made no progress; endless: the dual is unbounded.
enum class GrowthEnd { solved, too_large, too_many, too_coarse, stalled, endless };

struct Grown {
    GrowthEnd end;
    Index steps;
    double gradient_error;  // of single precision, where it was compared with double; 0 where all is double
};

}  // namespace mercer
