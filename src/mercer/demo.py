"""`make demo`: a composed kernel on a built-in dataset, certified, with its spectrum and its speed.

Everything printed is computed here and now; the timing is a ratio against scikit-learn in the same process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import mercer
from mercer.kernels import RBF, Linear, Matern
from mercer.typing import Array


def main() -> None:
    """Build, certify, decompose, measure."""
    console = Console()
    X, name = dataset()
    k = 2.0 * RBF(4.0) * Matern(6.0, nu=2.5) + 0.1 * Linear()
    console.print(f"[bold]mercer {mercer.__version__}[/]: one kernel object, every machine, with proof\n")
    console.print(f"data      {name}: {X.shape[0]} items, {X.shape[1]} columns, standardised")
    console.print(f"kernel    k = {k!r}")
    console.print(f"          parse(repr(k)) == k: {mercer.parse(repr(k)) == k}")
    console.print(f"          free hyper-parameters: {', '.join(k.theta_names)}\n")
    console.print(f"[bold]certificate[/]\n{mercer.certify(k, X)}\n")
    show_spectrum(console, k(X))
    show_gradient(console, k, X)
    show_speed(console, X)


def dataset() -> tuple[Array, str]:
    """The Wisconsin breast-cancer measurements that come with scikit-learn, standardised."""
    from sklearn.datasets import load_breast_cancer

    X = load_breast_cancer().data
    return (X - X.mean(axis=0)) / X.std(axis=0), "breast cancer"


def show_spectrum(console: Console, K: Array) -> None:
    """The leading eigenvalues and how much of the trace they hold."""
    eigenvalues = np.linalg.eigvalsh(K)[::-1]
    share = np.cumsum(eigenvalues) / eigenvalues.sum()
    table = Table(title="spectrum of the Gram matrix", title_justify="left")
    for heading in ("rank", "eigenvalue", "share of the trace", ""):
        table.add_column(heading, justify="left" if not heading else "right")
    for rank in (1, 2, 5, 10, 20, 50, 100):
        bar = "█" * round(28 * share[rank - 1])
        table.add_row(str(rank), f"{eigenvalues[rank - 1]:.3g}", f"{share[rank - 1]:.1%}", bar)
    console.print(table)


def show_gradient(console: Console, k: Any, X: Array) -> None:
    """The derivative of sum W * K in every hyper-parameter, and by central differences."""
    W = np.random.default_rng(0).normal(size=(len(X), len(X)))
    exact = mercer.LazyGram(k, X).vjp(W)
    h, numeric = 1e-5, []
    for step in h * np.eye(k.theta.size):
        ends = (np.sum(W * k.with_theta(k.theta + s * step)(X)) for s in (1.0, -1.0))
        numeric.append((next(ends) - next(ends)) / (2.0 * h))
    error = np.abs(exact - numeric).max() / np.abs(exact).max()
    console.print(f"\ngradient in {len(exact)} hyper-parameters agrees with central differences to {error:.0e}\n")


def show_speed(console: Console, X: Array) -> None:
    """The Gaussian Gram of 6000 jittered items, ours and scikit-learn's, alternating, best of three."""
    from sklearn.metrics.pairwise import rbf_kernel

    rng = np.random.default_rng(0)
    Z = X[rng.integers(len(X), size=6000)] + 0.1 * rng.normal(size=(6000, X.shape[1]))
    k = RBF(4.0)
    k(Z[:1000])  # compile, or load the compiled code
    ours, theirs = best_of(3, lambda: k(Z), lambda: rbf_kernel(Z, gamma=k.gamma))
    error = np.abs(k(Z[:500]) - rbf_kernel(Z[:500], gamma=k.gamma)).max()
    console.print(
        f"speed     RBF Gram of {len(Z)} items: {ours:.3f} s, scikit-learn {theirs:.3f} s, "
        f"[bold]{theirs / ours:.1f}x[/]; largest difference {error:.0e}"
    )


def best_of(repeats: int, *tasks: Callable[[], Any]) -> list[float]:
    """The best time of each task in seconds, the tasks taking turns."""
    best = [np.inf] * len(tasks)
    for _ in range(repeats):
        for i, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


if __name__ == "__main__":
    main()
