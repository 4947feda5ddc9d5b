"""Ridge regression on landmarks: one pass over the rows for every alpha, and one or two more to prove the answer.

    minimise  P(v, b) = sum_i w_i (y_i - phi_i'v - b)^2 + alpha |v|^2,     phi_i = L^-1 k(landmarks, x_i),  K_mm = L L'

The pass adds up A = K_nm'W K_nm and K_nm'W y (blocks.py): nothing with a row per item is stored.  M = L^-1 A L^-T, less
its mean part where there is an intercept, has the eigenvalues d_j.  With g = U' L^-1 K_nm'W y and every alpha

    v = U g / (d + alpha),   sum_i w_i r_i^2 = y'Wy - sum_j g_j^2 (d_j + 2 alpha) / (d_j + alpha)^2
    GCV = (n / (n - trace H))^2 mean w r^2,   trace H = sum_j d_j / (d_j + alpha)  (+ 1 for the intercept)

The error of leaving out one row needs its leverage, which is one more pass with as many products as the first.

The proof is one pass in double precision at the answer: residuals r, q = sum_i w_i r_i phi_i.  With a = W r / alpha

    dual      D = alpha (y'a)^2 / (|q|^2 / alpha^2 + r'Wr / alpha)                        <= min P <= P(v, b)
    exact     D_K = alpha (y'a)^2 / (|q|^2 / alpha^2 + r'Wr / alpha + t r'Wr / alpha^2)   <= the optimum for K itself

t is the trace of K - Phi Phi' (weighted), for a'(K - Phi Phi')a <= t |W^-1/2 a|^2; and the optimum for K is at most P,
as every function of the landmarks is one of the RKHS.  Where the pass was in single precision, the answer is moved by
(M + alpha I)^-1 (q - alpha v) until the gap P - D is small.  For very many landmarks M is that of a sample of blocks,
and the move is found by conjugate gradients with M as the preconditioner, each step a pass in single precision.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from mercer.linalg.blas import cholesky, plus_square, substitute
from mercer.linalg.conjugate_gradients import conjugate_gradients
from mercer.linalg.spectrum import Spectrum
from mercer.solvers.landmarks import LandmarkFactor
from mercer.solvers.ridge.blocks import Blocks, NormalEquations, RowBlock, transposed_product
from mercer.solvers.ridge.certificate import RidgeCertificate
from mercer.solvers.ridge.direct import Shifted, factorised
from mercer.solvers.solution import exact_sentence
from mercer.typing import Array

ONE_PASS, ONE_PASS_SINGLE = 3000, 4000  # landmarks up to which normal equations are quicker than conjugate gradients
SINGLE_WORK = 2e11  # rows x landmarks^2 from which on the first pass is in single precision
LEVERAGE_WORK = 1e11  # rows x landmarks^2 up to which leverages are worth their pass
_SOLVED = 1e-6  # relative gap up to which an answer counts as proved
GAP, SINGLE_GAP = 1e-12, 1e-6  # relative gaps at which an answer is not moved any more; where there is much work
_MOVES = 4  # moves after the first answer, at most
_CG_TOL, _CG_MOST = 1e-3, 25  # of one move by conjugate gradients
_SAFE = 0.1  # of M + alpha I: an error up to which sums in single precision are good enough
_TRIED = 2  # rows for each landmark on which that error is measured
_POWER = 12  # steps of the power method
_SAMPLE = 4  # rows for each landmark in the preconditioner, at least


@dataclass(frozen=True, eq=False)
class LowRankPath:
    """For every alpha: GCV, and the mean squared error of leaving out one row; nan where that was not computed."""

    alphas: Array
    gcv: Array
    errors: Array
    left: Array | None = None  # (alphas, rows, outputs): y_i - f_-i(x_i)

    @property
    def by_leverage(self) -> bool:
        """Whether the errors of leaving out one row are known."""
        return self.left is not None

    @property
    def best(self) -> int:
        """The position of the alpha of least error, by GCV where leaving out was too much work."""
        return int(np.argmin(self.errors if self.by_leverage else self.gcv))


@dataclass(frozen=True, eq=False)
class LowRankSystem:
    """The normal equations in the coordinates of the features; `share` is that of the rows they were made of."""

    sums: NormalEquations
    factor: LandmarkFactor
    intercept: bool
    share: float = 1.0

    @cached_property
    def B(self) -> Array:
        """L^-1 K'W y, less the mean part."""
        B = self.factor.half(self.sums.B)
        return B - np.outer(self.c, self.sums.y) / self.sums.weight if self.intercept else B

    @cached_property
    def c(self) -> Array:
        """L^-1 K'w."""
        return self.factor.half(self.sums.c[:, None])[:, 0]

    @cached_property
    def yy(self) -> Array:
        """y'Wy of every output, around the mean if there is an intercept."""
        return self.sums.yy - self.sums.y**2 / self.sums.weight if self.intercept else self.sums.yy

    @cached_property
    def _whole(self) -> Array:
        """L^-1 A L^-T."""
        A = np.tril(self.sums.A)
        A += np.tril(A, -1).T
        half = self.factor.half(A)
        return np.asarray(self.factor.half(half.T.copy()))

    @cached_property
    def explained(self) -> float:
        """sum_i w_i |phi_i|^2, the trace of the Gram of the features."""
        return float(np.trace(self._whole))

    @property
    def missed(self) -> float:
        """The trace of K - Phi Phi', weighted; scaled up where the sums are of a sample."""
        return max(self.sums.trace - self.explained, 0.0) / self.share

    def matrix(self) -> Array:
        """M, in an array that may be overwritten."""
        M = 0.5 * (self._whole + self._whole.T)
        if self.intercept:
            M -= np.outer(self.c, self.c) / self.sums.weight
        return np.ascontiguousarray(M / self.share)

    @cached_property
    def spectrum(self) -> Spectrum:
        """M by its eigenvectors; eigenvalues that rounding has made negative are 0."""
        found = Spectrum.of_matrix(self.matrix())
        return Spectrum(np.maximum(found.values, 0.0), found.U)

    def shifted(self, alpha: float, *, several: bool) -> Shifted:
        """What solves with M + alpha I, for `several` alphas or for this one."""
        return self.spectrum if several or "spectrum" in self.__dict__ else factorised(self.matrix(), alpha)

    def path(self, alphas: Array) -> LowRankPath:
        """GCV of every alpha, from the sums alone."""
        d, g = self.spectrum.values, self.spectrum.U.T @ self.B
        fitted = [np.sum(np.square(g) * ((d + 2.0 * a) / np.square(d + a))[:, None]) for a in alphas.tolist()]
        squares = np.maximum(self.yy.sum() - np.array(fitted), 0.0)
        return LowRankPath(alphas, self.gcv(alphas, squares), np.full(len(alphas), np.nan))

    def gcv(self, alphas: Array, squares: Array) -> Array:
        """GCV from the sums of squared residuals; n - trace H = n - r - [intercept] + sum_j alpha / (d_j + alpha)."""
        d, n = self.spectrum.values, self.sums.count
        free = [n - len(d) - self.intercept + float(np.sum(a / (d + a))) for a in alphas.tolist()]
        return squares / (len(self.yy) * self.sums.weight) * (n / np.maximum(free, 1e-12)) ** 2


@dataclass(frozen=True, eq=False)
class LandmarkFunction:
    """f(x) = sum_j coef_j k(x, landmark_j) + intercept, one column per output, and its proof."""

    coef: Array
    intercept: Array
    certificate: LowRankRidgeCertificate


@dataclass(frozen=True, kw_only=True)
class LowRankRidgeCertificate(RidgeCertificate):
    """Bounds on the objective of the low-rank problem, and an interval that holds the optimum for the kernel itself.

    `residual` is the largest entry of q - alpha v in units of the largest of Phi'W y.
    """

    exact: tuple[float, float] = (0.0, np.inf)

    def __str__(self) -> str:
        return f"{super().__str__()} {exact_sentence(self.exact)}"


def one_pass(blocks: Blocks, factor: LandmarkFactor, *, intercept: bool, single: bool) -> LowRankSystem:
    """The normal equations of all rows."""
    return LowRankSystem(NormalEquations.of(blocks, single=single), factor, intercept)


def single_is_safe(blocks: Blocks, factor: LandmarkFactor, rows: int, alpha: float, *, intercept: bool) -> bool:
    """Whether sums in single precision are near enough to M + alpha I, measured on s of the rows.

    K'WK of these is added up in both precisions.  The difference D is held against their part of M + alpha I, in the
    coordinates of the landmarks: P = K'WK (around the mean, with an intercept) + alpha s / rows K_mm.  The largest
    eigenvalue of P^-1 D is the share of an error that a move leaves.  For all rows it is no larger, as errors that are
    alike grow as fast as M, and random ones more slowly.
    """
    some = blocks.some(_TRIED * blocks.width)
    exact, rough = (NormalEquations.zero(blocks.width, blocks.outputs) for _ in range(2))
    exact.add(some)
    rough.add(replace(some, K=some.K.astype(np.float32)))
    D = np.tril(rough.A - exact.A)
    D += np.tril(D, -1).T
    P = exact.A
    plus_square(P, np.sqrt(alpha * len(some.K) / rows) * np.ascontiguousarray(factor.L.T))
    if intercept:
        P -= np.outer(exact.c, exact.c) / exact.weight
    return cholesky(P) is None and _largest(P, D) <= _SAFE


def _largest(L: Array, D: Array) -> float:
    """The largest eigenvalue of (L L')^-1 D, by a few steps of the power method."""
    v = np.random.default_rng(0).normal(size=len(D))
    size = 0.0
    for _ in range(_POWER):
        v /= np.linalg.norm(v)
        v = D @ v
        substitute(v, L)
        substitute(v, L, transposed=True)
        size = float(np.linalg.norm(v))
    return size


def sampled(blocks: Blocks, factor: LandmarkFactor, rows: int, *, intercept: bool) -> tuple[LowRankSystem, Array]:
    """The system of a sample of blocks, as a preconditioner, and L^-1 K'W y of all rows."""
    total = NormalEquations.of(blocks, single=True, square=False)
    enough = _SAMPLE * blocks.width
    make = partial(NormalEquations.zero, blocks.width, blocks.outputs)
    part = blocks.added(make, single=True, every=max(1, int(rows // enough)), enough=enough)
    whole = LowRankSystem(total, factor, intercept)
    return LowRankSystem(part, factor, intercept, part.weight / total.weight), whole.B


def leave_one_out(blocks: Blocks, system: LowRankSystem, alphas: Array, *, single: bool = False) -> LowRankPath:
    """The errors of leaving out one row, for all alphas: one more pass, for the leverages."""
    spectrum, sums = system.spectrum, system.sums
    Q = system.factor.back(spectrum.U)
    g = spectrum.U.T @ system.B
    centre = spectrum.U.T @ system.c / sums.weight if system.intercept else np.zeros(len(g))
    mean = sums.y / sums.weight if system.intercept else np.zeros(len(sums.y))
    shrunk = 1.0 / (spectrum.values[:, None] + alphas)  # (r, alphas)
    V = (g[:, None, :] * shrunk[:, :, None]).reshape(len(g), -1)
    per_row = 1.0 / sums.weight if system.intercept else 0.0
    found = blocks.added(partial(_LeftOut, Q, centre, mean, shrunk, V, per_row), single=single)
    errors = found.errors / (len(mean) * sums.weight)
    return LowRankPath(alphas, system.gcv(alphas, found.squares), errors, np.concatenate(found.left, axis=1))


@dataclass(eq=False)
class _LeftOut:
    """Residuals with a row left out, for every alpha, and sums of squares with and without; `left` has one array for

    each block, (alphas, rows, outputs).
    """

    Q: Array
    centre: Array
    mean: Array
    shrunk: Array
    V: Array
    per_row: float
    left: list[Array] = field(default_factory=list)
    errors: Any = 0.0
    squares: Any = 0.0

    def add(self, block: RowBlock) -> None:
        T = np.asarray(block.K @ self.Q.astype(block.K.dtype), dtype=float) - self.centre
        leverage = (np.square(T) @ self.shrunk + self.per_row) * block.weight[:, None]
        R = (block.Y - self.mean)[:, None, :] - (T @ self.V).reshape(len(T), self.shrunk.shape[1], -1)
        self.squares = self.squares + np.einsum("i,iak->a", block.weight, np.square(R))
        R /= np.maximum(1.0 - leverage, 1e-12)[:, :, None]
        self.errors = self.errors + np.einsum("i,iak->a", block.weight, np.square(R))
        self.left.append(R.transpose(1, 0, 2))

    def merge(self, other: _LeftOut) -> None:
        self.left += other.left
        self.errors = self.errors + other.errors
        self.squares = self.squares + other.squares


def solve_low_rank(
    blocks: Blocks,
    system: LowRankSystem,
    alpha: Array | float,
    *,
    missed: float,
    right: Array | None = None,
    enough: float = GAP,
) -> LandmarkFunction:
    """The answer for one alpha, or one per output; proved, and moved until the relative gap is at most `enough`.

    `right` is L^-1 K'W y of all rows where the system is that of a sample.
    """
    exact_sums, B = right is None, system.B if right is None else right
    alphas = np.broadcast_to(np.asarray(alpha, dtype=float), (B.shape[1],))
    solvers = {a: system.shifted(a, several=len(set(alphas.tolist())) > 1) for a in set(alphas.tolist())}

    def solve(R: Array) -> Array:
        """(M + alpha I)^-1 R, column by column."""
        columns = [solvers[a].solve(R[:, [j]], np.array([a]))[0] for j, a in enumerate(alphas.tolist())]
        return np.hstack(columns)

    V = solve(B)
    intercept = np.zeros(B.shape[1])
    best: tuple[_Point, LowRankRidgeCertificate] | None = None
    for moves in range(_MOVES + 1):
        at = _Point.of(blocks, system.factor, V, intercept, system.intercept)
        proof = at.prove(alphas, missed, moves)
        if best is None or proof.gap < 0.5 * best[1].gap:
            best = at, proof
        elif exact_sums:
            exact_sums = False  # M is not exact enough: from the best point so far by conjugate gradients
        else:
            break
        at, proof = best
        if proof.relative_gap <= enough or proof.gap <= 0.0 or moves == _MOVES:
            break
        move = at.Q - alphas * at.V
        V = at.V + (solve(move) if exact_sums else _by_gradients(blocks, system, at, alphas, move, solve))
        intercept = at.intercept
    assert best is not None
    return LandmarkFunction(system.factor.back(best[0].V), best[0].intercept, best[1])


def prove_low_rank(
    blocks: Blocks, factor: LandmarkFactor, coef: Array, intercept: Array, alpha: Array | float, *, missed: float
) -> LowRankRidgeCertificate:
    """The proof of given coefficients of landmarks; the intercept must be right as it is."""
    alphas = np.broadcast_to(np.asarray(alpha, dtype=float), (coef.shape[1],))
    return _Point.of(blocks, factor, factor.L.T @ coef, intercept, bool(intercept.any())).prove(alphas, missed, 0)


@dataclass(frozen=True, eq=False)
class _Point:
    """What one pass in double precision tells of a function: q, and sums of its residuals, around the best intercept.

    rr is r'Wr, yr is (y - mean)'Wr, Y the scale of Phi'W y.
    """

    V: Array
    intercept: Array
    Q: Array
    rr: Array
    yr: Array
    centre: Array
    weight: float
    scale: float

    @classmethod
    def of(cls, blocks: Blocks, factor: LandmarkFactor, V: Array, intercept: Array, free: bool) -> _Point:
        coef = factor.back(V)
        sums = blocks.added(partial(_Residuals.zero, coef, intercept))
        B, moved, c, weight = sums.B, sums.moved, sums.c, sums.weight
        rr, r1, y1, yr = sums.rr, sums.r1, sums.y1, sums.yr
        shift = r1 / weight if free else np.zeros(len(rr))
        mean = y1 / weight if free else np.zeros(len(rr))
        Q = factor.half(moved - np.outer(c, shift))
        rr = np.maximum(rr - weight * shift**2, 0.0) if free else rr
        yr = yr - shift * y1 - mean * (r1 - weight * shift)
        c_half = factor.half(c[:, None])[:, 0] if free else np.zeros(len(V))
        scale = float(np.abs(factor.half(B - np.outer(c, mean))).max(initial=0.0))
        return cls(V, intercept + shift, Q, rr, yr, c_half, weight, scale)

    def prove(self, alphas: Array, missed: float, moves: int) -> LowRankRidgeCertificate:
        """The bounds of the docstring above, summed over outputs."""
        primal = self.rr + alphas * np.einsum("ij,ij->j", self.V, self.V)
        bent = np.einsum("ij,ij->j", self.Q, self.Q) + alphas * self.rr
        dual, low = (_best_dual(alphas, self.yr, bent + more * self.rr) for more in (0.0, missed))
        residual = float(np.abs(self.Q - alphas * self.V).max(initial=0.0)) / max(self.scale, 1e-300)
        gap = float(primal.sum() - dual.sum())
        done = gap <= _SOLVED * float(primal.sum())
        return LowRankRidgeCertificate(
            primal=float(primal.sum()), dual=float(dual.sum()), n_iter=moves + 1, converged=done,
            reason="converged" if done else "ill-conditioned", residual=residual, psd=True,
            exact=(float(low.sum()), float(primal.sum())),
        )  # fmt: skip


@dataclass(eq=False)
class _Residuals:
    """Sums over rows, r = y - intercept - k'coef: w k y', w k r' (`moved`), w k, w r^2, w r, w y, w y r and w."""

    coef: Array
    intercept: Array
    B: Array
    moved: Array
    c: Array
    rr: Array
    r1: Array
    y1: Array
    yr: Array
    weight: float = 0.0

    @classmethod
    def zero(cls, coef: Array, intercept: Array) -> Self:
        k = coef.shape[1]
        return cls(coef, intercept, np.zeros(coef.shape), np.zeros(coef.shape), np.zeros(len(coef)),
                   np.zeros(k), np.zeros(k), np.zeros(k), np.zeros(k))  # fmt: skip

    def add(self, block: RowBlock) -> None:
        w, R = block.weight, np.empty_like(block.Y)

        def columns(r: slice, K: Array) -> Array:
            R[r] = block.Y[r] - self.intercept - K @ self.coef
            return np.column_stack([w[r, None] * R[r], w[r, None] * block.Y[r], w[r]])

        sides = transposed_product(block.K, columns)
        self.moved += sides[:, : R.shape[1]]
        self.B += sides[:, R.shape[1] : -1]
        self.c += sides[:, -1]
        self.rr += w @ np.square(R)
        self.r1 += w @ R
        self.y1 += w @ block.Y
        self.yr += w @ (block.Y * R)
        self.weight += float(w.sum())

    def merge(self, other: _Residuals) -> None:
        for name in ("B", "moved", "c", "rr", "r1", "y1", "yr", "weight"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(eq=False)
class _Product:
    """K'W K coef, in single precision."""

    coef: Array
    total: Array

    @classmethod
    def zero(cls, coef: Array) -> Self:
        return cls(coef, np.zeros_like(coef))

    def add(self, block: RowBlock) -> None:
        F = block.K @ self.coef.astype(block.K.dtype)
        self.total += block.K.T @ (F * block.weight[:, None].astype(block.K.dtype))

    def merge(self, other: _Product) -> None:
        self.total += other.total


def _best_dual(alphas: Array, yr: Array, bent: Array) -> Array:
    """max over s of alpha (2 s y'a - s^2 a'(K + alpha W^-1)a) = alpha (y'a)^2 / (...), a = W r / alpha."""
    return np.asarray(np.divide(alphas * yr**2, bent, out=np.zeros_like(bent), where=bent > 0.0))


def _by_gradients(
    blocks: Blocks, system: LowRankSystem, at: _Point, alphas: Array, right: Array, solve: object
) -> Array:
    """The move by conjugate gradients: products with M + alpha I are passes in single precision."""
    factor = system.factor

    def times(V: Array) -> Array:
        total = blocks.added(partial(_Product.zero, factor.back(V)), single=True).total
        image = factor.half(total) + alphas * V
        return np.asarray(image - np.outer(at.centre, at.centre @ V) / at.weight)

    return conjugate_gradients(times, right, solve=solve, tol=_CG_TOL, most=_CG_MOST)[0]  # type: ignore[arg-type]
