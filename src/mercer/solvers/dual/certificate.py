"""The proof that comes with a solution: primal and dual values in double precision.

    dual   = -(1/2 b'Qb - z'b + epsilon |b|_1),   Q = K + diag(ridge)
    primal = 1/2 b'Qb + r'b + sum_i max_{lo <= c <= hi} [ c t_i - epsilon |c| - ridge c^2 / 2 ],   t = -F - r + ridge b

The maximum is the conjugate of the box: C max(0, 1 - y f) for classification, C max(0, |y - f| - epsilon) for
regression and C max(0, ...)^2 with a ridge come out of the same line.  The optimum lies between the two values,
whatever b is.

With a large C the slacks within the tolerance cost more than all the rest, though a multiple m f of f with m near 1 has
no slacks.  Any function bounds the optimum, so where the gap is wide the primal is that of the best multiple (not for
nu-machines and one-class machines, which set their own scale).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mercer.native import dual_proof
from mercer.solvers.dual.best_multiple import Multiples
from mercer.solvers.dual.problem import DualProblem
from mercer.solvers.solution import Solution
from mercer.typing import Array

OPEN = 1e-2  # relative gap above which multiples of f are tried for the bound


@dataclass(frozen=True, kw_only=True, eq=False)
class DualSolution(Solution):
    """Signed coefficients and bias of f = K b + bias, with the proof.

    `margin` is rho of nu-SVC (its decision function is f / rho) and epsilon of nu-SVR, 1 elsewhere.  `violation` is the
    largest violation of the optimality conditions, the number that LIBSVM's `tol` bounds.  `gradient` is F = K b - z on
    every item; `gradient_error` is the error of single-precision kernel values in it, measured where it was recomputed
    in double precision (0 if all of it was).
    """

    coef: Array
    bias: float
    margin: float = 1.0
    violation: float
    gradient: Array = field(repr=False)
    gradient_error: float = 0.0
    trace: list[tuple[int, float, float]] = field(default_factory=list, repr=False)  # (active items, violation, dual)


def certify(b: Array, F: Array, problem: DualProblem, *, tol: float, n_iter: int, reason: str, error: float = 0.0,
            trace: list[tuple[int, float, float]] | None = None, proven: bool = True) -> DualSolution:  # fmt: skip
    """The solution at b, given F = (K + diag(ridge)) b - z.

    Where F is known on the support vectors only (`proven` False), so is the dual; the primal is unknown, that is inf.
    """
    r, violation = biases(b, F, problem)
    primal, dual = objectives(b, F, problem, r, multiples=True)
    if not proven:
        primal, violation = np.inf, np.inf
    done = violation <= tol
    bias, margin = _middle(r, problem) if len(b) else (0.0, 1.0)
    return DualSolution(
        coef=b, bias=bias, margin=margin,
        violation=violation, gradient=F, gradient_error=error, trace=trace or [], primal=primal, dual=dual,
        n_iter=n_iter, converged=done, reason="converged" if done else reason,
    )  # fmt: skip


def _middle(r: Array, problem: DualProblem) -> tuple[float, float]:
    """(bias, margin): the middle and half the distance of the offsets of the two groups."""
    if problem.second is None:
        return float(r[0]), 1.0
    low, high = float(r[~problem.second][0]), float(r[problem.second][0])
    return 0.5 * (low + high), 0.5 * (low - high)


def biases(b: Array, F: Array, problem: DualProblem) -> tuple[Array, float]:
    """The offset r_i of every variable, one number per group and 0 without a bias, and the largest violation."""
    if problem.second is None:
        most, least, r = dual_proof.best_offset(b, F, problem.lo, problem.hi, problem.epsilon)
        if problem.bias:
            return np.full(len(b), r), most - least
        return np.zeros(len(b)), max(most, -least, 0.0) if len(b) else 0.0
    ends = [
        dual_proof.best_offset(b[g], F[g], problem.lo[g], problem.hi[g], problem.epsilon)
        for g in (~problem.second, problem.second)
    ]
    return np.where(problem.second, ends[1][2], ends[0][2]), max(most - least for most, least, _ in ends)


def objectives(
    b: Array, F: Array, problem: DualProblem, r: Array, *, rb: float | None = None, multiples: bool = False
) -> tuple[float, float]:
    """(primal, dual) at b with offsets r; with `multiples`, the primal of the best multiple of f where the gap is wide.

    `rb` is r'b, unless the sums of b are not what the problem prescribes.
    """
    bQb, zb, size, own_rb, bRb = dual_proof.inner_products(b, F, problem.z, problem.ridge, r)
    rb = own_rb if rb is None else rb
    dual = -(0.5 * bQb - zb + problem.epsilon * size)
    t = -F - r
    if len(problem.ridge):
        t += problem.ridge * b
    # with a ridge, 1/2 b'Qb counts ridge b^2 / 2 that the primal's |w|^2 does not have
    norm2, loss = bQb - bRb, float(conjugate(t, problem).sum())
    if loss == np.inf:
        return _rescaled(norm2, t, problem), dual
    primal = 0.5 * norm2 + rb + loss
    if multiples and not problem.start.any() and primal - dual > OPEN * max(abs(primal), abs(dual)):
        primal = min(primal, max(_best_multiple(norm2, rb, t, problem), dual))  # less is rounding of F
    return primal, dual


def _best_multiple(norm2: float, rb: float, t: Array, problem: DualProblem) -> float:
    """The least primal value of a multiple of f = z - t."""
    found = Multiples(
        problem.z - t, problem.z, problem.lo, problem.hi, problem.epsilon, problem.ridge, np.array([len(t)]),
        np.array([norm2]), np.array([rb]),
    )  # fmt: skip
    return float(found.best()[0])


def _rescaled(norm2: float, t: Array, problem: DualProblem) -> float:
    """A feasible primal value of a hard margin: w scaled up until every constraint y f >= 1 holds."""
    hard = np.isinf(problem.hi - problem.lo)
    worst = float(np.abs(t[hard & (np.sign(t) == np.sign(problem.z))]).max(initial=0.0))
    labels = (problem.lo == 0.0) | (problem.hi == 0.0)  # a tube is not entered by scaling
    return 0.5 * norm2 / (1.0 - worst) ** 2 if worst < 1.0 and (hard & labels).all() else np.inf


def conjugate(t: Array, problem: DualProblem) -> Array:
    """max over c in [lo, hi] of c t - epsilon |c| - ridge c^2 / 2, for every variable."""
    out = np.empty(len(t))
    dual_proof.conjugate(t, problem.lo, problem.hi, problem.epsilon, problem.ridge, out)
    return out
