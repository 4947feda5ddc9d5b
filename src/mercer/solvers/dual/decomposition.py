"""Decomposition: one problem solved in parts, with a proof on all items at the end.

Three ways, by the number of items that matter:

    whole      few items: their Gram is stored and one SMO runs on it
    growth     few support vectors: the Gram of a growing active set is stored (growth.py)
    blocks     many support vectors: only the Gram of one block of violators is stored

What is stored fits the byte budget (limits.room_for): with a small budget there are more and smaller blocks.

Blocks: a rough solution gives a first gradient on all items.  Blocks of the worst violators, half of them from the last
block, are solved by SMO on their own small Gram; one streamed product with the coefficients that changed then updates
the gradient.  Items at a bound that will hardly move are dropped from the active set.  When the active set is solved,
the gradient of dropped items is updated by what changed since.

At the end the extreme gradients are computed again in double precision; if any item violates the conditions, the work
goes on.  Any certified solution needs at least one evaluation of K(items, support vectors).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import finishing, one_blas_thread, run
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.native import rows
from mercer.solvers.dual.block import Unbounded, grows_without_end, smo_steps, solve_block, with_ridge
from mercer.solvers.dual.certificate import DualSolution, certify
from mercer.solvers.dual.growth import FINEST, Stop, grow
from mercer.solvers.dual.optimality import Conditions, conditions
from mercer.solvers.dual.problem import DualProblem
from mercer.solvers.limits import Limits, room_for
from mercer.typing import Array, Gram

WHOLE_BEFORE_GROWTH = 100  # items up to which the whole Gram is stored though growth is possible
WHOLE = 4096  # items up to which the whole Gram is stored where growth is not possible
COARSE = 2000  # items of the first, rough solution
STORED = 8192  # active items whose Gram is stored when many of them are free
MANY_FREE = 800  # free coefficients from which on blocks are wide and the Gram of the active set is stored
BLOCK, WIDE_BLOCK = 1024, 2048
BYTES_PER_PAIR = 16  # of stored items: in single precision, in double precision, and intermediate results
SLACK = 0.25  # an item is dropped when it loses by more than this share of the violation
DROPPED_SHARE = 0.3  # shrink the active set if at least this share of it can be dropped
CHUNK = 40_000_000  # entries an inner loop reads between two checks of the limits: about a twentieth of a second
LEAST = 1000  # steps of an inner loop, however many entries they read
QUICK = 200_000_000  # kernel values that may be computed after a time limit or an interrupt: a fraction of a second
STEPS = 10_000_000  # SMO steps after which any problem is given up, so that every call ends
ROUNDS = 60
LARGEST_VALUE = 1e37  # of a kernel, so that sums of a few of them are below the largest float32, 3.4e38


@dataclass(eq=False)
class Active:
    """The items being worked on: their place among all, Gram, problem, coefficients and gradient."""

    index: Array | None
    gram: Gram
    problem: DualProblem
    b: Array
    F: Array
    stored: Array | None = None

    def __len__(self) -> int:
        return len(self.b)

    @property
    def free(self) -> int:
        """How many coefficients lie strictly inside their box."""
        inside = (self.b > self.problem.lo) & (self.b < self.problem.hi) & (self.b != 0.0)
        return int(np.count_nonzero(inside))

    def block(self, W: Array) -> Array:
        """K[W, W] in single precision."""
        if self.stored is None:
            return single(self.gram.part(W, W).dense())
        everything = len(W) == len(self) and self.problem.second is None
        return self.stored if everything else np.ascontiguousarray(self.stored[np.ix_(W, W)])

    def product(self, J: Array, v: Array) -> Array:
        """K[:, J] @ v."""
        if self.stored is None:
            return self.gram.part(None, J) @ v
        return row_sum(self.stored, J, v)


def require_single_precision(gram: Gram) -> None:
    """Refuse kernel values too large for single precision, in which most steps are made."""
    size = float(np.abs(gram.diag()).max(initial=0.0))
    if not size <= LARGEST_VALUE:
        raise bad("kernel", "k(x, x)", f"at most {LARGEST_VALUE:.0e}, as this machine computes in single precision",
                  f"{size:.1e}", "Scale the columns of X, or divide the kernel by a number.")  # fmt: skip


def single(K: Array) -> Array:
    """A contiguous float32 array, copied only when it is not one already."""
    return np.ascontiguousarray(K, dtype=np.float32)


def row_sum(K: Array, J: Array, v: Array) -> Array:
    """sum_j v_j K[j, :] for rows of a stored symmetric matrix, in double precision."""
    out = np.zeros(K.shape[1])
    run(lambda c: rows.add_rows(K[:, c], J, v, out[c]), cuts(K.shape[1], 2048))
    return out


def decompose(
    gram: Gram, problem: DualProblem, limits: Limits, start: Array | None = None, patience: int | None = None
) -> DualSolution:
    """Solve the problem on the items of `gram` until the optimality conditions hold to the tolerance.

    `start` is a feasible b to start from.  A limit or Ctrl-C ends the work early with the best solution so far and its
    gap.  Without a limit of steps at most `patience` are made, by default 10 million or 100 per item.
    """
    require_single_precision(gram)
    with one_blas_thread():  # short products of a few thousand numbers are slower on many threads
        state = Decomposition(gram, problem, limits, start)
        state.most_steps = min(state.most_steps, patience or state.most_steps)
        reason = "converged"
        with until_interrupted() as work:
            try:
                state.run()
            except Stop as stop:
                reason = str(stop)
            except Unbounded:
                reason = "unbounded"
        if work.came():
            reason = limits.ended = "interrupted"
        proven = True
        if reason not in ("converged", "stalled"):
            with finishing():
                proven = state.settle()
        return certify(
            state.b, state.F, problem, tol=limits.tol, n_iter=state.steps, reason=reason, error=state.error,
            trace=state.trace, proven=proven,
        )  # fmt: skip


class Decomposition:
    """The state of one solution: coefficients b and gradient F = (K + diag(ridge)) b - z on all items."""

    def __init__(self, gram: Gram, problem: DualProblem, limits: Limits, start: Array | None) -> None:
        self.exact, self.fast = gram, gram.single()
        self.problem, self.tol, self.limits, self.steps = problem, limits.tol, limits, 0
        self.whole, self.coarse, self.stored, self.block, self.wide_block = (
            room_for(most, BYTES_PER_PAIR) for most in (WHOLE, COARSE, STORED, BLOCK, WIDE_BLOCK)
        )
        self.most_steps = max(STEPS, 100 * len(problem)) if limits.max_iter is None else limits.max_iter
        self.b = np.array(problem.start if start is None else start, dtype=np.float64)
        self.F = self.gradient(self.fast) if self.b.any() else -problem.z.astype(np.float64)
        self.error, self.objective = 0.0, 0.0
        self.rounding = 0.0  # error of single precision in the gradient at the last proof
        self.trace: list[tuple[int, float, float]] = []
        self.dropped: list[tuple[Array, Array]] = []  # (items, all coefficients when they were dropped)
        self.rng = np.random.default_rng(0)

    def run(self) -> None:
        """Work until the conditions hold on all items, in double precision."""
        grows = self.problem.fits_native_loops and self.tol >= FINEST and self.limits.max_iter is None
        if len(self.b) <= min(WHOLE_BEFORE_GROWTH if grows else WHOLE, self.whole):
            self.solve_whole()
        elif not (grows and self.grow()):
            self.solve_whole() if len(self.b) <= self.whole else self.solve_by_blocks()

    # ---- limits

    def check(self) -> None:
        """Raise Stop when time or steps are used up, or the fit has been interrupted."""
        reason = self.limits.reached(self.steps)
        if reason or self.steps >= self.most_steps:
            raise Stop(reason or "max_iter")

    def steps_left(self, steps: int) -> int:
        """At most so many steps, and not more than are left."""
        return max(0, min(steps, self.most_steps - self.steps))

    # ---- gradients

    def gradient(self, gram: Gram, index: Array | None = None) -> Array:
        """F on all items, or on some, from the coefficients: len(items) x support vectors kernel values."""
        J = np.flatnonzero(self.b)
        out = (self.problem.ridge_times(self.b) - self.problem.z)[slice(None) if index is None else index]
        return np.asarray(out + gram.part(index, J) @ self.b[J]) if len(J) else out

    def recompute(self) -> None:
        """The whole gradient in double precision."""
        self.F = self.gradient(self.exact)
        self.error = 0.0
        self.dropped.clear()

    def settle(self) -> bool:
        """After an early end: the whole gradient if that is quick (True), else only the part that the dual needs."""
        support = np.flatnonzero(self.b)
        if len(self.b) * len(support) <= QUICK:
            self.recompute()
            return True
        self.F[support] = self.gradient(self.fast, support)
        return False

    def prove(self) -> Conditions:
        """The conditions on all items, with the decisive gradients recomputed in double precision.

        The items that decide the violation and a random sample are computed again; if single precision moved any of
        them by a tenth of the tolerance, all are.
        """
        c = conditions(self.b, self.F, self.problem)
        k = min(256, len(self.b) // 64 + 8, len(self.b) // 2)
        if k:
            ends = np.argpartition(c.u, -k)[-k:], np.argpartition(c.l, k)[:k], self.rng.integers(0, len(self.b), k)
            sample = np.unique(np.concatenate(ends))
            true = self.gradient(self.exact, sample)
            self.error = self.rounding = float(np.abs(true - self.F[sample]).max())
            self.F[sample] = true
        if not k or self.error > 0.1 * self.tol:
            self.recompute()
        c, self.objective = conditions(self.b, self.F, self.problem), self.value()
        self.note(len(self.b), c.violation)
        return c

    def value(self) -> float:
        """The objective 1/2 b'Qb - z'b + epsilon |b|_1 from a gradient that is up to date on every item."""
        smooth = 0.5 * float(self.b @ (self.F - self.problem.z))
        return smooth + self.problem.epsilon * float(np.abs(self.b).sum())

    def note(self, items: int, violation: float) -> None:
        """Record the progress, and report it."""
        self.trace.append((items, violation, -self.objective))
        if self.limits.progress is not None:
            self.limits.progress(items, violation, -self.objective)

    # ---- few support vectors: a growing active set

    def grow(self) -> bool:
        """Solve on a growing active set; False if another method has to continue."""
        before = self.steps

        def report(active: int, violation: float, objective: float, steps: int) -> None:
            self.steps, self.objective = before + steps, objective
            self.note(active, violation)
            self.check()

        end, steps, self.error = grow(self.exact, self.fast, self.problem, self.b, self.F, self.tol, report)
        self.steps = before + steps
        if end == "unbounded" or grows_without_end(self.b, self.F, self.problem, self.exact.diag()):
            raise Unbounded
        if end == "too many":  # blocks start from a rough solution of their own
            self.b[:], self.F = self.problem.start, -self.problem.z
        elif end != "solved":
            self.F = self.gradient(self.fast)  # the loop may have ended before updating it
        return end == "solved"

    # ---- few items: the whole Gram

    def solve_whole(self) -> None:
        """One SMO on the stored Gram, in single precision first, in double if that was not enough."""
        order = self.problem.grouped(np.arange(len(self.b)))
        problem = self.problem.take(order)
        K = single(self.fast.dense()) if len(order) else np.empty((0, 0), dtype=np.float32)
        K = K if problem.second is None else np.ascontiguousarray(K[np.ix_(order, order)])
        least = np.inf
        for attempt in range(4):
            self.smo_whole(K, order, problem, (0.97, 0.9, 0.5, 0.1)[attempt] * self.tol)
            violation = self.prove().violation
            if violation <= self.tol:
                return
            if violation < least:  # if rounding exceeds the tolerance, a later attempt may be worse
                least, best = violation, self.b.copy()
            if K.dtype == np.float32 and self.rounding > 0.01 * self.tol:
                K = np.asarray(self.exact.dense(), dtype=np.float64)
                K = np.ascontiguousarray(K if problem.second is None else K[np.ix_(order, order)])
            self.recompute()
        self.b = best
        self.recompute()
        raise Stop("stalled")

    def smo_whole(self, K: Array, order: Array, problem: DualProblem, tol: float) -> None:
        """SMO in chunks of steps, with a check of the limits between them."""
        chunk = max(LEAST, CHUNK // (2 * len(order) + 400))  # a step costs as much as 400 entries, however few items
        b, F, Q = self.b[order], self.F[order], with_ridge(K, problem)
        try:
            while len(b):
                steps, violation = smo_steps(Q, F, b, problem, tol, self.steps_left(chunk))
                self.steps += steps
                if grows_without_end(b, F, problem, np.diagonal(Q)):
                    raise Unbounded
                if violation <= tol:
                    break
                self.check()
        finally:
            self.b[order], self.F[order] = b, F

    # ---- many items: blocks on an active set

    def solve_by_blocks(self) -> None:
        """Solve blocks of the active set, then check all items, which may show new violators."""
        if len(self.b) > 4 * self.coarse and self.problem.second is None and not self.b.any():
            self.coarse_start()
        active, self.objective = self.everything(), self.value()
        for _ in range(ROUNDS):
            solved = self.improve(active)
            if not solved:
                active = self.shrunk(active, conditions(active.b, active.F, active.problem), SLACK)
                continue
            self.refresh()
            c = self.prove()
            if c.violation <= self.tol:
                return
            active = self.shrunk(self.everything(), c, max(SLACK, 0.05 / max(c.violation, 1e-300)))
        raise Stop("stalled")

    def coarse_start(self) -> None:
        """A rough solution on a random subset with both signs of z, and the gradient it gives on all items."""
        sides = [np.flatnonzero(self.problem.z > 0.0), np.flatnonzero(self.problem.z <= 0.0)]
        share = self.coarse / len(self.b)
        sizes = [min(len(side), max(int(share * len(side)), self.coarse // 4)) for side in sides]
        chosen = [self.rng.choice(side, k, replace=False) for side, k in zip(sides, sizes, strict=True)]
        index = np.sort(np.concatenate(chosen))
        start = Decomposition(self.fast.sub(index), self.problem.take(index), self.limits, None)
        start.smo_whole(single(start.fast.dense()), np.arange(len(index)), start.problem, 10.0 * self.tol)
        self.steps += start.steps
        self.b[index] = start.b
        self.F = self.gradient(self.fast)

    def everything(self) -> Active:
        """All items as the active set."""
        return Active(None, self.fast, self.problem, self.b, self.F)

    def shrunk(self, active: Active, c: Conditions, slack: float) -> Active:
        """The active set without the items that will hardly move."""
        drop = c.shrinkable(slack * c.violation)
        kept, gone = np.flatnonzero(~drop), np.flatnonzero(drop)
        places = np.arange(len(active)) if active.index is None else active.index
        self.dropped.append((places[gone], self.b.copy()))
        index = places[kept]
        smaller = Active(index, active.gram.sub(kept), self.problem.take(index), self.b[index], self.F[index])
        if active.stored is not None:
            smaller.stored = np.ascontiguousarray(active.stored[np.ix_(kept, kept)])
        elif len(index) <= self.stored and smaller.free > MANY_FREE:
            smaller.stored = single(smaller.gram.dense())  # with many free variables, rows are read many times
        return smaller

    def refresh(self) -> None:
        """Update the gradient of dropped items: F_D += K[D, changed] (b - b when they were dropped)."""
        for D, before in self.dropped:
            J = np.flatnonzero(self.b != before)
            step = max(1024, CHUNK // max(len(J), 1))
            for s in range(0, len(D) if len(J) else 0, step):
                self.check()
                some = D[s : s + step]
                self.F[some] += self.fast.part(some, J) @ (self.b - before)[J]
                self.F[some] += self.problem.ridge_times(self.b - before)[some]
        self.dropped.clear()

    def improve(self, active: Active) -> bool:
        """Blocks on one active set; True when it is solved, False when many of its items can be dropped."""
        size = len(active)
        kept, tol, idle, since = np.empty(0, dtype=np.intp), 0.9 * self.tol, 0, 2
        whole = size <= self.whole
        if whole and active.stored is None:
            active.stored = single(active.gram.dense())
        try:
            while True:
                self.check()
                c = conditions(active.b, active.F, active.problem)
                self.note(size, c.violation)
                if c.violation <= tol:
                    return True
                if since >= 2 and size > self.block:
                    since = 0
                    if np.count_nonzero(c.shrinkable(SLACK * c.violation)) > DROPPED_SHARE * size:
                        return False
                W = np.arange(size) if whole else select(c, self.block_size(active), kept)
                goal = 0.95 * tol if whole else max(0.95 * tol, 0.1 * c.violation)
                idle = 0 if self.solve_one(active, active.problem.grouped(W), goal) else idle + 1
                if idle > 2:
                    raise Stop("stalled")
                kept, since = self.next_kept(active, W), since + 1
        finally:
            if active.index is not None:
                self.b[active.index], self.F[active.index] = active.b, active.F

    def solve_one(self, active: Active, W: Array, tol: float) -> bool:
        """Solve one block and update the gradient; returns whether anything moved."""
        K, problem, b = active.block(W), active.problem.take(W), active.b[W]
        most = self.steps_left(min(20 * len(W), max(LEAST, CHUNK // (2 * len(W)))))
        self.steps += solve_block(K, active.F[W], b, problem, tol, most)
        if grows_without_end(active.b, active.F, active.problem, np.diagonal(K)):
            raise Unbounded
        change = b - active.b[W]
        moved = change != 0.0
        kinks = float(np.abs(b).sum() - np.abs(active.b[W]).sum())
        curved = float(change @ (K @ change.astype(K.dtype)))  # in the type of K, which is not converted
        self.objective += float(change @ active.F[W]) + 0.5 * curved + self.problem.epsilon * kinks
        self.objective += 0.5 * float(change @ problem.ridge_times(change))
        active.b[W] = b
        if moved.any():
            J, v = W[moved], change[moved]
            active.F += active.product(J, v)
            if len(problem.ridge):
                active.F[J] += active.problem.ridge[J] * v
        return bool(moved.any())

    def next_kept(self, active: Active, W: Array) -> Array:
        """Half of the next block: free variables of this one first, then a random part of it."""
        k = min(len(W), self.block_size(active) // 2)
        b, problem = active.b[W], active.problem
        score = self.rng.random(len(W)) + 0.5 * ((b > problem.lo[W]) & (b < problem.hi[W]) & (b != 0.0))
        return np.asarray(W[np.argpartition(score, len(W) - k)[len(W) - k :]]) if k < len(W) else W

    def block_size(self, active: Active) -> int:
        """Variables in one block."""
        return self.wide_block if active.free > MANY_FREE else self.block


def select(c: Conditions, size: int, kept: Array) -> Array:
    """A block: `kept` and the worst violators of both kinds, in ascending order."""
    n = len(c.u)
    chosen = np.zeros(n, dtype=bool)
    chosen[kept] = True
    k = min((size - len(kept)) // 2, n - 1)
    for score in (c.u - c.least, c.most - c.l):
        score = np.where(chosen, -np.inf, score)
        top = np.argpartition(score, n - k)[n - k :]
        chosen[top[score[top] > 0.0]] = True
    return np.flatnonzero(chosen)
