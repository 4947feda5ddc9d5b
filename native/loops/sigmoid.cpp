#include "sigmoid.h"

#include <cmath>

#include "exp.h"
#include "log1p.h"

namespace mercer::MERCER_ISA {

namespace {

// First and second derivatives of the loss in a and b.
struct Slopes {
    double a = 0.0, b = 0.0, aa = 0.0, ab = 0.0, bb = 0.0;
};

// sum_i w_i (max(z, 0) + log(1 + e^-|z|) - t_i z): the loss without overflow.
double loss(Vector<const double> f_, Vector<const double> target, Vector<const double> w_, double a, double b) {
    const double *__restrict f = f_.data, *__restrict t = target.data, *__restrict w = w_.data;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < f_.size; ++i) {
        const double z = a * f[i] + b;
        sum += w[i] * ((z > 0.0 ? z : 0.0) + log_one_plus(exp_minus(std::abs(z))) - t[i] * z);
    }
    return sum;
}

// With p = sigm(z): r = w (p - t) and q = w p (1 - p), summed against 1, f and f^2.
Slopes slopes(Vector<const double> f_, Vector<const double> target, Vector<const double> w_, double a, double b) {
    const double *__restrict f = f_.data, *__restrict t = target.data, *__restrict w = w_.data;
    double ga = 0.0, gb = 0.0, aa = 0.0, ab = 0.0, bb = 0.0;
#pragma omp simd reduction(+ : ga, gb, aa, ab, bb)
    for (Index i = 0; i < f_.size; ++i) {
        const double z = a * f[i] + b, e = exp_minus(std::abs(z)), small = 1.0 / (1.0 + e);
        const double r = w[i] * ((z >= 0.0 ? small : e * small) - t[i]), q = w[i] * e * small * small;
        ga += r * f[i];
        gb += r;
        aa += q * f[i] * f[i];
        ab += q * f[i];
        bb += q;
    }
    return {ga, gb, aa, ab, bb};
}

}  // namespace

Sigmoid newton(Vector<const double> f, Vector<const double> target, Vector<const double> w, double b, double tol,
               Index max_iter) {
    double a = 0.0;
    for (Index steps = 0;; ++steps) {
        const Slopes g = slopes(f, target, w, a, b);
        const double norm = std::hypot(g.a, g.b);
        if (norm <= tol || steps == max_iter) return {a, b, norm, steps};
        const double ridge = 1e-12 * (g.aa + g.bb), aa = g.aa + ridge, bb = g.bb + ridge;
        const double det = aa * bb - g.ab * g.ab;
        const double da = (g.ab * g.b - bb * g.a) / det, db = (g.ab * g.a - aa * g.b) / det;
        const double before = loss(f, target, w, a, b), promise = 1e-4 * (g.a * da + g.b * db);
        double h = 1.0;
        while (h > 1e-10 && loss(f, target, w, a + h * da, b + h * db) > before + h * promise + 1e-15 * before) h *= 0.5;
        a += h * da;
        b += h * db;
    }
}

}  // namespace mercer::MERCER_ISA
