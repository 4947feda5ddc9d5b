"""The command `mercer compare` on all rows of four tables within its time limit, each time in a process of its own.

covtype_93k, california_housing, adult   npz tables of --data or MERCER_DATA; cases without a table are left out
mixed                                    50 000 simulated rows of 12 numbers and 8 categories, some of them missing; a
                                         number and a label are predicted from them

An answer counts as the same where every kernel method has a score, learned from all training rows, and the process
ended within the limit and a tenth.  The detail lists score and approximation of all of them, and boosting's score.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import mercer
from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival

LIMIT, OVER = 300.0, 1.1  # seconds, and the share of them that a process may take
SMALL = 200  # rows of a smoke run, with one method
REAL = {"covtype_93k": 92_962, "california_housing": 20_640, "adult": 48_842}
LEVELS = (3, 3, 4, 5, 6, 8, 12, 20)  # of the categories of the simulated table
TARGET = "target"
BASELINES = ("boosting", "perceptron", "least squares", "lda", "qda", "naive bayes", "logistic regression", "dummy")


@dataclass(frozen=True)
class Table:
    """A file of comma-separated values, and how many rows it has."""

    path: Path
    rows: int


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="mercer-compare-")


def _written(name: str, columns: dict[str, Any], n: int) -> Table:
    """The first n rows of some columns in a random order, as a file."""
    import pandas as pd

    frame = pd.DataFrame(columns)
    some = np.random.default_rng(0).permutation(len(frame))[:n]
    path = Path(_folder().name) / f"{name}_{len(some)}.csv"
    if not path.exists():
        frame.iloc[some].to_csv(path, index=False)
    return Table(path, len(some))


def _real(name: str, n: int) -> Table:
    """Codes of categories and classes are written as their names."""
    with np.load(_file(name)) as arrays:
        X, y, names = arrays["X"], arrays["y"], [str(one) for one in arrays["feature_names"]]
        levels = json.loads(str(arrays["cat_levels_json"])) if "cat_levels_json" in arrays else {}
        classes = arrays["classes"].astype(str) if "classes" in arrays else None
    columns = {one: _named(X[:, j], levels.get(one)) for j, one in enumerate(names)}
    return _written(name, columns | {TARGET: y if classes is None else classes[y]}, n)


def _named(column: Any, levels: list[str] | None) -> Any:
    if levels is None:
        return column
    return [None if np.isnan(code) else levels[int(code)] for code in column]


def _file(name: str) -> Path:
    return Path(os.environ.get(data.VARIABLE, "")) / f"{name}.npz"


def _mixed(labels: bool, n: int) -> Table:
    """Waves, products and steps of numbers, effects of categories, and products of both; 8 % or 5 % are missing."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 12))
    X[:, 6:9] += 0.7 * X[:, :3]
    codes = [rng.integers(count, size=n) for count in LEVELS]
    effects = [rng.standard_normal(count)[code] for count, code in zip(LEVELS, codes, strict=True)]
    f = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + np.maximum(X[:, 3], 0.0) + np.exp(-(X[:, 4] ** 2))
    f += 0.3 * X[:, 6] + 0.6 * (effects[0] + effects[2] + effects[4] + effects[6])
    f += 0.5 * effects[1] * X[:, 5] + 0.4 * effects[3] * effects[5]
    noise = rng.standard_normal(n)
    y = np.where(f - np.median(f) + 0.7 * noise > 0.0, "high", "low") if labels else f + 0.5 * noise
    for j in (1, 4, 9):
        X[rng.random(n) < 0.08, j] = np.nan
    named: list[Any] = [np.char.add("abcdefgh"[j], code.astype(str)).astype(object) for j, code in enumerate(codes)]
    for j in (2, 5):
        named[j][rng.random(n) < 0.05] = None
    columns = {f"number{j}": X[:, j] for j in range(12)} | {f"kind{j}": own for j, own in enumerate(named)}
    return _written(f"mixed_{'labels' if labels else 'numbers'}", columns | {TARGET: y}, n)


def _answer(table: Table, methods: str | None) -> dict[str, Any]:
    """What the command prints in a process of its own; of few rows, what it would print, without the report."""
    if table.rows <= SMALL:
        found = mercer.compare(mercer.tables.read(str(table.path)), TARGET, methods=methods, tune=True)
        return dict(found.to_dict())
    words = ["compare", str(table.path), "--target", TARGET, "--time-limit", str(LIMIT), "--json"]
    words += ["-o", str(table.path.with_suffix(".html")), *([] if methods is None else ["--methods", methods])]
    code = "import sys; from mercer.cli.main import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def _compared(table: Table) -> dict[str, Any]:
    """All methods; one of few rows."""
    began = perf_counter()
    found = _answer(table, "knn" if table.rows <= SMALL else None)
    return found | {"wall": perf_counter() - began}


def _trees(table: Table) -> float:
    """Boosting alone, on the same split."""
    return float(_answer(table, "boosting")["rows"][0]["score"])


def _all_rows(table: Table, ours: dict[str, Any], trees: float) -> Agreement:
    """Whether every kernel method learned from all training rows within the limit."""
    most = max(row["n_train"] or 0.0 for row in ours["rows"])
    own = [row for row in ours["rows"] if row["name"] not in BASELINES]
    good = ours["wall"] <= OVER * LIMIT and all(row["score"] is not None and row["n_train"] == most for row in own)
    told = ", ".join(_words(row, most) for row in sorted(own, key=lambda row: -(row["score"] or -np.inf)))
    return Agreement(good, f"{ours['wall']:.0f} s, {most:.0f} training rows: {told}; boosting {trees:.4f}")


def _words(row: dict[str, Any], most: float) -> str:
    if row["score"] is None:
        return f"{row['name']} ({row['error']})"
    rows = "" if row["n_train"] == most else f", {row['n_train']:.0f} rows"
    return f"{row['name']} {row['score']:.4f} ({row['how']}{rows})"


def cases() -> list[Case]:
    """The tables that there are."""
    trees = {"HistGradientBoosting": Rival(_trees, "sklearn")}
    real = [(name, n, partial(_real, name)) for name, n in REAL.items() if _file(name).is_file()]
    simulated = [("mixed, numbers", 50_000, partial(_mixed, False)), ("mixed, labels", 50_000, partial(_mixed, True))]
    return [
        Case("scale", f"mercer compare, {name}", n, SMALL, made, _compared, trees, _all_rows)
        for name, n, made in [*real, *simulated]
    ]
