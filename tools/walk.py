"""How far a reader has to walk to follow a fit: python tools/walk.py [-v]

For each of three fits, with everything that loads on first use loaded before:

    hops     calls from a function of one file to a function of another, each pair of functions counted once
    files    files of mercer that were entered
    levels   classes of mercer that the estimator inherits from, itself included

With -v every hop is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import mercer
from mercer.kernels import RBF

HOME = Path(mercer.__file__).parent

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 4))
y = np.repeat([0, 1, 2], 50)
X[y == 1] += 2.0
X[y == 2, 1] -= 3.0


def fits() -> dict[str, tuple[type, Callable[[], Any]]]:
    """The three walks."""
    search = mercer.KernelSearchCV(mercer.SVC(kernel=RBF(1.0)), {"C": [0.1, 1.0, 10.0]}, cv=3)
    return {
        "SVC().fit": (mercer.SVC, lambda: mercer.SVC().fit(X, y)),
        'GaussianProcessRegressor("rbf").fit': (
            mercer.GaussianProcessRegressor,
            lambda: mercer.GaussianProcessRegressor("rbf").fit(X[:, :3], X[:, 3]),
        ),
        "KernelSearchCV(SVC()).fit": (mercer.KernelSearchCV, lambda: search.fit(X, y)),
    }


def walked(fit: Callable[[], Any]) -> tuple[set[tuple[CodeType, CodeType]], set[str]]:
    """(pairs of functions in different files, files)."""
    hops: set[tuple[CodeType, CodeType]] = set()
    files: set[str] = set()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(str(HOME)):
            return
        files.add(frame.f_code.co_filename)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(str(HOME)):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != frame.f_code.co_filename:
            hops.add((caller.f_code, frame.f_code))

    sys.setprofile(watch)
    try:
        fit()
    finally:
        sys.setprofile(None)
    return hops, files


def levels(cls: type) -> int:
    """Classes of mercer among the bases."""
    return sum(base.__module__.startswith("mercer.") for base in cls.__mro__)


def _place(code: CodeType) -> str:
    """File and name of a function."""
    return f"{Path(code.co_filename).relative_to(HOME)}:{code.co_qualname}"


def main() -> None:
    """Print the table."""
    print(f"{'fit':38} {'hops':>5} {'files':>6} {'levels':>7}")
    for name, (cls, fit) in fits().items():
        fit()
        hops, files = walked(fit)
        print(f"{name:38} {len(hops):5} {len(files):6} {levels(cls):7}")
        if "-v" in sys.argv[1:]:
            for pair in sorted(f"{_place(caller)} -> {_place(callee)}" for caller, callee in hops):
                print(f"    {pair}")


if __name__ == "__main__":
    main()
