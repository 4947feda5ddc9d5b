"""python -m benchmarks.claims [--smoke] [--json FILE]: what books say of the cost of kernel machines, tried here.

Not a race against others: a claim compares our own machines with each other (C3, C9, C10, C14, E3, E22).  One that does
not hold on this machine at this size is reported as such, and is no failure of the run.

Contestants have turns, after one at a small size that is not counted, and the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV

import mercer
from benchmarks.report import surroundings
from mercer.comparison import compare
from mercer.kernels import RBF, AllSubstrings, GapWeighted, Spectrum
from mercer.solvers.medoids.near import row_sums
from mercer.typing import Array

SMALL = 100
CENTRES = np.array([[[-0.7, 0.3], [0.3, 0.3]], [[-0.3, 0.7], [0.4, 0.7]]])
KERNEL = RBF(0.3)


@dataclasses.dataclass(frozen=True)
class Finding:
    """A claim and what was measured of it."""

    item: str
    claim: str
    holds: bool
    detail: str

    def __str__(self) -> str:
        return f"{self.item:<4} {'holds' if self.holds else 'DOES NOT HOLD':<14} {self.claim}: {self.detail}"


def classes(n: int, seed: int = 0) -> tuple[Array, Array]:
    """Two classes in the plane, of two overlapping normal clusters each."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return CENTRES[y, rng.integers(0, 2, n)] + np.sqrt(0.03) * rng.normal(size=(n, 2)), y


# ---- machines, as the claims mean them


def svm_with_cv() -> Any:
    """C from six values by five folds."""
    return GridSearchCV(mercer.SVC(kernel=KERNEL), {"C": np.logspace(-2, 3, 6)}, cv=5)


def l1vm() -> Any:
    """One l1 minimisation."""
    return mercer.L1VMClassifier(KERNEL, alpha=1.0)


def l1vm_with_cv() -> Any:
    """The path of l1 minimisations and its cross-validation."""
    return mercer.L1VMClassifier(KERNEL, alpha="cv")


def greedy_rvm() -> Any:
    """One greedy ascent of the evidence."""
    return mercer.RVMClassifier(KERNEL, n_restarts=0)


def em_rvm() -> Any:
    """Expectation and maximisation over all precisions."""
    return mercer.RVMClassifier(KERNEL, method="em")


# ---- measuring


def seconds(tasks: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The best time of each task over rounds in which all have a turn."""
    best = dict.fromkeys(tasks, math.inf)
    for _ in range(repeat):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def faster(claim: str, quick: Callable[[], Any], slow: Callable[[], Any], n: int, repeat: int) -> Finding:
    """Whether the first machine is fitted in less time than the second."""
    for machine in (quick, slow):
        machine().fit(*classes(SMALL))
    X, y = classes(n)
    took = seconds({"quick": lambda: quick().fit(X, y), "slow": lambda: slow().fit(X, y)}, repeat)
    ratio = took["slow"] / took["quick"]
    detail = f"{took['quick']:.3g} s against {took['slow']:.3g} s at n = {n}, {ratio:.2g} times"
    return Finding("C9", claim, ratio > 1.0, detail)


def linear_prediction(sizes: Sequence[int], new: int, repeat: int) -> Finding:
    """Time of a prediction against the number of vectors kept: t = a + b kept, and the slope of log t."""
    Z, _ = classes(new, seed=1)
    machines = {m: mercer.KernelRidge(alpha=0.1, kernel=KERNEL).fit(*classes(m)) for m in sizes}
    for machine in machines.values():
        machine.predict(Z[:10])
    took = seconds({str(m): lambda machine=machine: machine.predict(Z) for m, machine in machines.items()}, repeat)  # type: ignore[misc]
    kept, t = np.array(sizes, dtype=float), np.array(list(took.values()))
    slope = float(np.polyfit(np.log(kept), np.log(t), 1)[0])
    determined = float(np.corrcoef(kept, t)[0, 1] ** 2)
    detail = (
        f"t = a + b kept explains {determined:.2%} over {sizes[0]} to {sizes[-1]} vectors; log-log slope {slope:.2f}"
    )
    return Finding(
        "C10", "prediction costs time in proportion to the vectors kept", determined > 0.95 and slope > 0.8, detail
    )


def speed_or_calibration(n: int) -> Iterator[Finding]:
    """RVM if speed matters, GP if calibration matters: fit, prediction and log loss of both."""
    X, y = classes(n + 10_000)
    split = [(np.arange(n), np.arange(n, len(y)))]
    process = mercer.GaussianProcessClassifier(1.0 * KERNEL)  # its variance is free, as the weights of the other are
    found = compare(X, y, KERNEL, [("rvm", greedy_rvm()), ("gp", process)], cv=split)
    rvm, gp = (dataclasses.asdict(found[name]) for name in ("rvm", "gp"))

    def finding(claim: str, field: str, less: dict[str, Any], more: dict[str, Any]) -> Finding:
        a, b = less[field], more[field]
        return Finding("E22", claim, a < b, f"{less['name']} {a:.4g}, {more['name']} {b:.4g} at n = {n}")

    yield finding("RVM is fitted faster than GP", "fit_seconds", rvm, gp)
    yield finding("RVM predicts faster than GP", "predict_seconds", rvm, gp)
    yield finding("GP has the lower log loss", "log_loss", gp, rvm)
    yield finding("GP has the lower calibration error", "calibration_error", gp, rvm)


def medoid_or_mean(sizes: Sequence[int], repeat: int) -> Finding:
    """One update of a cluster of n items in 5 columns: n^2 distances for the medoid, 5 n additions for the mean."""
    X = np.random.default_rng(0).normal(size=(sizes[-1], 5))  # stays in cache
    machine = mercer.KMedoids(1)
    medoid = _slope(lambda n: row_sums(machine.distances(X[:n]), np.ones(n)).argmin(), sizes, repeat)
    mean = _slope(lambda n: X[:n].mean(axis=0), sizes, 50 * repeat)  # so short a work needs many rounds
    detail = f"log-log slopes {medoid:.2f} and {mean:.2f} over {sizes[0]} to {sizes[-1]} items"
    holds = 1.6 < medoid < 2.4 and 0.6 < mean < 1.4
    return Finding("C3", "the update of a medoid is quadratic in its cluster, that of a mean linear", holds, detail)


def _slope(work: Callable[[int], Any], sizes: Sequence[int], repeat: int) -> float:
    """The exponent p of a time that grows with n^p."""
    took = seconds({str(n): partial(work, n) for n in sizes}, repeat)
    return float(np.polyfit(np.log(sizes), np.log(list(took.values())), 1)[0])


def pca_through_the_gram(n: int, repeat: int) -> Iterator[Finding]:
    """With ten times as many columns as rows: ten axes by the n x n Gram, against those of the D x D covariance."""
    X = np.random.default_rng(0).normal(size=(n, 10 * n)) * np.linspace(2.0, 0.1, 10 * n)
    V = X - X.mean(axis=0)

    def by_gram() -> Array:
        return np.asarray(mercer.KernelPCA(10).fit_transform(X))

    def by_covariance() -> Array:
        _, U = np.linalg.eigh(V.T @ V)
        return np.asarray(V @ U[:, :-11:-1])

    ours, theirs = by_gram(), by_covariance()
    apart = float(np.abs(np.abs(ours) - np.abs(theirs)).max() / np.abs(theirs).max())
    took = seconds({"gram": by_gram, "covariance": by_covariance}, repeat)
    ratio = took["covariance"] / took["gram"]
    sizes = f"at n = {n}, D = {10 * n}"
    yield Finding("C13", "PCA through the Gram has the same scores", apart < 1e-6, f"apart {apart:.0e} {sizes}")
    yield Finding("C13", "PCA through the Gram is faster where D > n", ratio > 1.0, f"{ratio:.3g} times {sizes}")


def strings_by_length(sizes: Sequence[int], repeat: int) -> Iterator[Finding]:
    """C14: one pair of strings of n letters takes time linear in n by words, and quadratic by gaps."""
    rng = np.random.default_rng(0)
    pairs = {n: ["".join(rng.choice(list("acgt"), n)) for _ in range(2)] for n in (*sizes, *(n // 20 for n in sizes))}
    for kernel, power, lengths in (
        (Spectrum(5), 1, sizes),
        (AllSubstrings(0.5), 1, sizes),
        (GapWeighted(3), 2, [n // 20 for n in sizes]),
    ):
        slope = _slope(lambda n, k=kernel: k(pairs[n][:1], pairs[n][1:]), lengths, repeat)  # type: ignore[misc]
        claim = f"{kernel!r} takes time that grows with length^{power}"
        yield Finding("C14", claim, abs(slope - power) < 0.3, f"exponent {slope:.2f} at {list(lengths)} letters")


def findings(smoke: bool) -> Iterator[Finding]:
    """All claims, each tried when its turn comes."""
    n, few, repeat = (SMALL, SMALL, 1) if smoke else (1000, 200, 3)
    sizes = (100, 200, 400) if smoke else (500, 1000, 2000, 4000, 8000)
    yield faster("RVM is faster than SVM + CV", greedy_rvm, svm_with_cv, n, repeat)
    yield faster("L1VM is faster than EM-RVM", l1vm, em_rvm, few, repeat)
    yield faster("greedy RVM is faster than one l1 minimisation", greedy_rvm, l1vm, n, repeat)
    yield faster("greedy RVM is faster than L1VM + CV", greedy_rvm, l1vm_with_cv, few, repeat)
    yield medoid_or_mean((100, 200, 400) if smoke else (2000, 4000, 8000, 16_000), repeat)
    yield linear_prediction(sizes, 2000 if smoke else 20_000, repeat)
    yield from speed_or_calibration(n)
    yield from pca_through_the_gram(30 if smoke else 200, repeat)
    yield from strings_by_length((2000, 4000) if smoke else (50_000, 100_000, 200_000), repeat)


def main(argv: Sequence[str] | None = None) -> int:
    """Try all claims; 0 whatever holds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims", description="Try claims about cost.")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes: only whether all of it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the findings to FILE")
    arguments = parser.parse_args(argv)
    where, found = surroundings(), []
    print(f"{where['machine']}, {where['threads']} threads")
    for finding in findings(arguments.smoke):
        found.append(finding)
        print(finding, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps([dataclasses.asdict(f) | where for f in found], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
