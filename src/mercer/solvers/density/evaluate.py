"""log sum_i v_i f(|q - x_i|) within a stated error: on a grid, by a tree, or over all pairs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mercer.errors import bad
from mercer.solvers.density.exact import exact_log_sums
from mercer.solvers.density.grid import Frame, Table, frame_for
from mercer.solvers.density.mixture import Mixture
from mercer.solvers.density.tails import nearby_log_sums
from mercer.solvers.density.tree import in_tree
from mercer.typing import Array
from mercer.windows import Gaussian

METHODS = ("auto", "fft", "tree", "exact")
_FEW = 2**18  # pairs, up to which all are computed
_FEW_OFF_GRID = 2**21  # the same for queries that a grid is not good enough for: a tree must be grown first
_PAIRS_PER_NODE = 30  # a grid pays if there are so many pairs for each of its nodes


@dataclass(frozen=True)
class Accuracy:
    """A sum s is returned as one within rtol s + atol, where sums count as densities."""

    rtol: float = 0.0
    atol: float = 0.0


@dataclass(frozen=True)
class Cost:
    """How sums were computed: the method, values of the window at points, boxes looked at, queries sent to the tree."""

    method: str
    values: int = 0
    boxes: int = 0
    off_grid: int = 0


@dataclass
class _Plan:
    method: str
    frame: Frame | None = field(default=None)


def log_sums(
    mixture: Mixture, Q: Array, accuracy: Accuracy, method: str = "auto", skip: Array | None = None
) -> tuple[Array, Cost]:
    """The logarithms of the sums at rows Q, in units of the data; `skip` names a point that each query leaves out."""
    plan = _plan(mixture, len(Q), accuracy, method)
    if plan.method == "exact":
        return exact_log_sums(mixture, _scaled(mixture, Q), skip), Cost("exact", len(Q) * len(mixture))
    if plan.frame is not None:
        return _on_grid(mixture, Q, accuracy, plan.frame, skip)
    atol = accuracy.atol * float(np.exp(-mixture.log_constant)) if accuracy.atol > 0.0 else 0.0
    logs, values, boxes = mixture.tree.log_sums(_scaled(mixture, Q), mixture.window, accuracy.rtol, atol, skip)
    return logs, Cost("tree", values, boxes)


def _scaled(mixture: Mixture, Q: Array) -> Array:
    return np.ascontiguousarray(Q / mixture.scale, dtype=np.float64)


def _plan(mixture: Mixture, queries: int, accuracy: Accuracy, method: str) -> _Plan:
    """Which way is taken; a way that was asked for and is not open is refused."""
    radial = (mixture.form == "radial" or isinstance(mixture.window, Gaussian)) and mixture.norm == "euclidean"
    tree = radial and in_tree(mixture.window)
    grid = tree and isinstance(mixture.window, Gaussian) and mixture.factor is None and mixture.columns <= 3
    pairs = queries * len(mixture)
    if method == "exact" or (method == "auto" and (pairs <= _FEW or not tree)):
        return _Plan("exact")
    if method == "tree" or not grid or accuracy.rtol <= 0.0:
        if not tree:
            raise _closed(method, "a radial window of mercer.windows and Euclidean distances", mixture)
        if method == "fft":
            raise _closed(
                method, "the Gaussian window, one bandwidth for all points, 1 to 3 columns and rtol > 0", mixture
            )
        return _Plan("tree")
    frame = frame_for(mixture, accuracy.rtol)
    if method == "fft" and frame is None:
        raise _closed(method, "a grid of at most 4 million nodes", mixture)
    pays = frame is not None and (method == "fft" or pairs > _PAIRS_PER_NODE * frame.nodes)
    return _Plan("fft", frame) if pays else _Plan("tree")


def _closed(method: str, needs: str, mixture: Mixture) -> ValueError:
    got = f"{type(mixture.window).__name__} in {mixture.columns} columns, form {mixture.form!r}"
    return bad("KernelDensity", f"method={method!r}", f"used with {needs}", got, "method='auto' always finds a way.")


def _on_grid(mixture: Mixture, Q: Array, accuracy: Accuracy, frame: Frame, skip: Array | None) -> tuple[Array, Cost]:
    """From the grid where its bound of the error allows, and from the tree elsewhere."""
    Q = np.ascontiguousarray(Q)
    sums, errors = Table.make(mixture, frame).read(Q)
    if skip is not None:
        sums -= mixture.weights[skip]
    atol = accuracy.atol * float(np.exp(-mixture.log_constant)) if accuracy.atol > 0.0 else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(sums)
        rest = np.flatnonzero(~(errors <= accuracy.rtol * (sums - errors) + atol) | ~np.isfinite(logs))
    values = boxes = 0
    if len(rest):
        out = None if skip is None else skip[rest]
        near = nearby_log_sums(mixture, Q[rest], accuracy.rtol) if mixture.columns == 1 and out is None else None
        if near is not None:
            logs[rest] = near
        elif len(rest) * len(mixture) <= _FEW_OFF_GRID:
            logs[rest] = exact_log_sums(mixture, _scaled(mixture, Q[rest]), out)
        else:
            logs[rest], values, boxes = mixture.tree.log_sums(
                _scaled(mixture, Q[rest]), mixture.window, accuracy.rtol, atol, out
            )
    return logs, Cost("fft", values, boxes, len(rest))
