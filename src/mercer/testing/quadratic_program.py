"""Convex quadratic programs with proof: the slow, general reference for every machine whose optimum is one.

    minimise  1/2 x'Px + q'x   subject to  Gx <= h,  Ax = b        multipliers  u >= 0  and  v

An interior-point solver finds the point; everything claimed about it (objective, bound, KKT residuals, certificates
of infeasibility) is recomputed here in float64 from the point alone.  The constraints are linear, so a feasible
problem needs no Slater point: its duality gap is zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.errors import NotPositiveDefinite, bad
from mercer.solvers.kkt import KKT
from mercer.solvers.solution import Solution
from mercer.typing import Array


def _absent() -> Array:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class QP:
    """minimise 1/2 x'Px + q'x subject to Gx <= h, Ax = b; constraints left out are absent."""

    P: Array
    q: Array
    G: Array = field(default_factory=_absent)
    h: Array = field(default_factory=_absent)
    A: Array = field(default_factory=_absent)
    b: Array = field(default_factory=_absent)

    def __post_init__(self) -> None:
        n = np.size(self.q)
        shapes = {"P": (n, n), "q": (n,)}
        for matrix, vector in (("G", "h"), ("A", "b")):
            rows = np.size(getattr(self, vector))
            shapes |= {matrix: (rows, n), vector: (rows,)}
        for name, shape in shapes.items():
            object.__setattr__(self, name, _checked(name, getattr(self, name), shape))

    @property
    def n_variables(self) -> int:
        return len(self.q)

    @property
    def n_constraints(self) -> int:
        """Rows of G and of A together."""
        return len(self.h) + len(self.b)

    def objective(self, x: Array) -> float:
        """1/2 x'Px + q'x."""
        return float(0.5 * x @ self.P @ x + self.q @ x)

    def lagrangian(self, x: Array, u: Array, v: Array) -> float:
        """L(x, u, v) = 1/2 x'Px + q'x + u'(Gx - h) + v'(Ax - b)."""
        return float(self.objective(x) + u @ (self.G @ x - self.h) + v @ (self.A @ x - self.b))

    def dual_objective(self, u: Array, v: Array) -> float:
        """inf_x L(x, u, v), at most the optimum for every u >= 0 and v; -inf where L has no lower bound."""
        values, V = np.linalg.eigh(self.P)
        slope = V.T @ (self.q + self.G.T @ u + self.A.T @ v)
        curved = values > len(values) * np.finfo(float).eps * np.abs(values).max(initial=0.0)
        flat = np.abs(slope[~curved]).max(initial=0.0) <= 1e-12 * np.abs(self.q).max(initial=1.0)
        if (values[~curved] < -1e-12 * np.abs(values).max(initial=0.0)).any() or not flat:
            return -np.inf
        return float(-0.5 * (slope[curved] ** 2 / values[curved]).sum() - u @ self.h - v @ self.b)

    def kkt(self, x: Array, u: Array, v: Array) -> KKT:
        """The residuals of the four optimality conditions at any point."""
        Px, Gu, Av, Gx, Ax = self.P @ x, self.G.T @ u, self.A.T @ v, self.G @ x, self.A @ x
        slack = self.h - Gx
        return KKT(
            stationarity=_size(Px + self.q + Gu + Av) / _scale(Px, self.q, Gu, Av),
            primal=max(_size(np.minimum(slack, 0.0)), _size(Ax - self.b)) / _scale(self.h, self.b, Gx, Ax),
            dual=_size(np.minimum(u, 0.0)) / _scale(u),
            complementarity=_size(u * slack) / (1.0 + abs(self.objective(x))),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class QPSolution(Solution):
    """The point, its multipliers and its residuals.

    `dual` is the Lagrangian at the point, a lower bound of the optimum to within the stationarity residual.
    reason "infeasible": `certificate` holds (u, v) with u >= 0, G'u + A'v = 0, h'u + b'v = -1; the optimum is +inf.
    reason "unbounded": `certificate` holds d with Pd = 0, Gd <= 0, Ad = 0, q'd = -1; the optimum is -inf.
    """

    x: Array
    inequality: Array  # u
    equality: Array  # v
    kkt: KKT
    certificate: Array | None = None


def solve_qp(problem: QP, *, tol: float = 1e-8, max_iter: int = 200) -> QPSolution:
    """The optimum of a convex QP, converged when the KKT residuals and the relative gap are all at most `tol`."""
    _refuse_nonconvex(problem.P)
    x, u, v, n_iter, status = _clarabel(problem, max_iter)
    if "Infeasible" in status:
        return _without_optimum(problem, x, u, v, n_iter, unbounded="Dual" in status)
    u = np.maximum(u, 0.0)
    primal, dual, kkt = problem.objective(x), problem.lagrangian(x, u, v), problem.kkt(x, u, v)
    converged = max(kkt.worst, abs(primal - dual) / (1.0 + abs(primal))) <= tol
    reason = "converged" if converged else "max_iter" if status == "MaxIterations" else "stalled"
    return QPSolution(primal=primal, dual=dual, n_iter=n_iter, converged=converged, reason=reason,
                      x=x, inequality=u, equality=v, kkt=kkt)  # fmt: skip


def _without_optimum(problem: QP, x: Array, u: Array, v: Array, n_iter: int, *, unbounded: bool) -> QPSolution:
    """The result when no optimum exists, if the ray that the solver found really shows it; else "stalled"."""
    ray, miss = _recession(problem, x) if unbounded else _separation(problem, u, v)
    proved, nan = miss <= 1e-6, float("nan")
    optimum = nan if not proved else -np.inf if unbounded else np.inf
    return QPSolution(
        primal=optimum,
        dual=optimum,
        n_iter=n_iter,
        converged=False,
        reason="stalled" if not proved else "unbounded" if unbounded else "infeasible",
        x=np.full_like(x, nan),
        inequality=np.full_like(u, nan),
        equality=np.full_like(v, nan),
        kkt=KKT(nan, nan, nan, nan),
        certificate=ray if proved else None,
    )


def _recession(problem: QP, d: Array) -> tuple[Array, float]:
    """d scaled to q'd = -1, and how far it misses Pd = 0, Gd <= 0, Ad = 0 in units of those matrices and d."""
    d, fall = _unit_fall(d, problem.q)
    miss = np.concatenate([problem.P @ d, np.maximum(problem.G @ d, 0.0), problem.A @ d])
    return d, _size(miss) / (_scale(problem.P, problem.G, problem.A) * _size(d)) if fall > 0.0 else np.inf


def _separation(problem: QP, u: Array, v: Array) -> tuple[Array, float]:
    """(u, v) scaled to h'u + b'v = -1, and how far it misses G'u + A'v = 0 in units of those matrices and itself.

    Where it misses nothing, the constraints add up to 0 <= -1.
    """
    ray, fall = _unit_fall(np.concatenate([np.maximum(u, 0.0), v]), np.concatenate([problem.h, problem.b]))
    rows = np.vstack([problem.G, problem.A])
    return ray, _size(rows.T @ ray) / (_scale(rows) * _size(ray)) if fall > 0.0 else np.inf


def _unit_fall(ray: Array, slope: Array) -> tuple[Array, float]:
    """The ray scaled so that the linear form `slope` falls by 1 along it, and the fall before."""
    fall = -float(slope @ ray)
    return (ray / fall if fall > 0.0 else ray), fall


def _clarabel(problem: QP, max_iter: int) -> tuple[Array, Array, Array, int, str]:
    """x, u, v, the iterations and the verdict of the interior-point solver."""
    try:
        import clarabel
    except ImportError as error:
        raise ImportError("solve_qp: needs the solver clarabel, which is not installed. "
                          "Install it with `pip install clarabel`.") from error  # fmt: skip
    from scipy.sparse import csc_matrix, triu

    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter, settings.max_threads = False, max_iter, 1
    # as precise as the solver can be: this module checks the point itself
    settings.tol_gap_abs = settings.tol_gap_rel = 1e-12
    settings.tol_feas = 1e-10
    m, k = len(problem.b), len(problem.h)
    cones = [clarabel.ZeroConeT(m), clarabel.NonnegativeConeT(k)]
    rows, right = np.vstack([problem.A, problem.G]), np.concatenate([problem.b, problem.h])
    solver = clarabel.DefaultSolver(csc_matrix(triu(problem.P)), problem.q, csc_matrix(rows), right, cones, settings)
    found = solver.solve()
    z = np.asarray(found.z)
    return np.asarray(found.x), z[m:], z[:m], int(found.iterations), str(found.status)


def _refuse_nonconvex(P: Array) -> None:
    values = np.linalg.eigvalsh(P)
    if values[0] < -1e-9 * np.abs(values).max():
        raise NotPositiveDefinite(
            f"solve_qp: P must be positive semi-definite; got smallest eigenvalue {values[0]:.3g}. "
            "A non-convex program may have a duality gap, and then no certificate."
        )


def _checked(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """`given` as float64 of that shape; an absent constraint has no rows."""
    M = np.array(given, dtype=float) if np.size(given) else np.zeros(shape)
    if M.shape != shape:
        raise bad("QP", name, f"of shape {shape}", M.shape, "P is (n, n), q (n,), G (m, n), h (m,), A (k, n), b (k,).")
    if not np.isfinite(M).all():
        raise bad("QP", name, "finite", "NaN or infinity", "Leave a bound out rather than make it infinite.")
    if name == "P" and _size(M - M.T) > 1e-8 * _size(M):
        raise bad("QP", "P", "symmetric", f"entries that differ by {_size(M - M.T):.3g}", "Use (P + P.T) / 2.")
    return M


def _size(v: Array) -> float:
    return float(np.abs(v).max(initial=0.0))


def _scale(*terms: Array) -> float:
    return 1.0 + max(map(_size, terms))
