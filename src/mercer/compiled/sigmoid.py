"""Newton's method for a sigmoid of one variable: the two numbers of Platt's probabilities."""

from __future__ import annotations

from math import exp, hypot, log1p

from mercer.compiled.jit import compiled


@compiled
def loss(f, target, w, a, b):
    """sum_i w_i (log(1 + e^z_i) - t_i z_i) with z = a f + b, without overflow."""
    total = 0.0
    for i in range(f.shape[0]):
        z = a * f[i] + b
        total += w[i] * (max(z, 0.0) + log1p(exp(-abs(z))) - target[i] * z)
    return total


@compiled
def slopes(f, target, w, a, b):
    """The gradient of the loss in (a, b), and its second derivatives aa, ab, bb."""
    ga = gb = aa = ab = bb = 0.0
    for i in range(f.shape[0]):
        z = a * f[i] + b
        e = exp(-abs(z))
        p = 1.0 / (1.0 + e) if z >= 0.0 else e / (1.0 + e)
        r, q = w[i] * (p - target[i]), w[i] * e / (1.0 + e) ** 2
        ga, gb = ga + r * f[i], gb + r
        aa, ab, bb = aa + q * f[i] * f[i], ab + q * f[i], bb + q
    return ga, gb, aa, ab, bb


@compiled
def newton(f, target, w, b, tol, max_iter):
    """(a, b, norm of the gradient, steps) from a = 0 and a start b, by Newton steps that are halved until they help."""
    a, steps = 0.0, 0
    while True:
        ga, gb, aa, ab, bb = slopes(f, target, w, a, b)
        norm = hypot(ga, gb)
        if norm <= tol or steps == max_iter:
            return a, b, norm, steps
        ridge = 1e-12 * (aa + bb)
        aa, bb = aa + ridge, bb + ridge
        det = aa * bb - ab * ab
        da, db = (ab * gb - bb * ga) / det, (ab * ga - aa * gb) / det
        before, h = loss(f, target, w, a, b), 1.0
        promise = 1e-4 * (ga * da + gb * db)
        while h > 1e-10 and loss(f, target, w, a + h * da, b + h * db) > before + h * promise + 1e-15 * before:
            h *= 0.5
        a, b, steps = a + h * da, b + h * db, steps + 1
