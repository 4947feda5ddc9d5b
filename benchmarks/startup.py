"""Suite "startup": what a new process waits for.

* import       `import mercer` against `import scipy.linalg`, timed inside the child, modules loaded counted;
* first Gram, SVC, predict_proba, KernelRidge, GaussianProcessRegressor, RVMRegressor, L1VMClassifier, KernelSearchCV
               from the start of a process to the first result on a small table, against the same with scikit-learn.

Where scikit-learn has no such class the nearest one stands in: ARDRegression for the RVM and LogisticRegression with an
l1 penalty for the L1VM, both on the columns of an RBF matrix; GridSearchCV for KernelSearchCV.

Every run is a process of its own, and the clock stops when its answer arrives.  Both sides read the same two .npy files
and import nothing but what the job needs.  Ours is imported from a copy of the package as a wheel would install it, so
that the hooks of an editable install are not counted.

* every time       the bytecode of our modules is there, as after any earlier run;
* very first time  it is not: every module of ours that is imported is compiled from source and its bytecode written.
                   That of scikit-learn, SciPy and NumPy is there for both sides, as pip compiles what it installs.
                   The files of both are in the memory of the operating system.

BAR is what our first result may take longer than scikit-learn's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import Agreement, Case, Rival, Row, SelfTimed

BAR = 0.3  # seconds
HEAVY = ("sklearn", "matplotlib", "pandas", "scipy")  # must not be loaded by `import mercer`

_IMPORT = """
import json, sys, time
start = time.perf_counter()
import {module}
print(json.dumps([time.perf_counter() - start, sorted(sys.modules)]))
"""

_JOB = """
import sys
import numpy as np
X, y = np.load(sys.argv[1] + "/X.npy"), np.load(sys.argv[1] + "/y.npy")
{code}
print(float(result), flush=True)
"""

_ACCURACY = "result = (machine.predict(X) == y).mean()"
_ERROR = "result = ((machine.predict(X) - y) ** 2).mean()"
_LIKELY = "result = machine.predict_proba(X)[range(len(y)), y].mean()"
_COLUMNS = "from sklearn.metrics.pairwise import rbf_kernel\nK = rbf_kernel(X, gamma=0.1)\n"
_GRID = '{"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}'


@dataclass(frozen=True)
class Job:
    """Code for both sides that leaves a number in `result`; how much of theirs the two numbers may differ by."""

    name: str
    table: str
    rows: int
    ours: str
    theirs: str
    apart: float = 0.02


JOBS = (
    Job("first Gram", "iris", 150,
        "from mercer.kernels import RBF\nresult = RBF(2.0)(X).sum()",
        "from sklearn.metrics.pairwise import rbf_kernel\nresult = rbf_kernel(X, gamma=0.125).sum()", 1e-12),
    Job("SVC, 3 classes", "iris", 150,
        f"from mercer import SVC\nmachine = SVC().fit(X, y)\n{_ACCURACY}",
        f"from sklearn.svm import SVC\nmachine = SVC().fit(X, y)\n{_ACCURACY}"),
    Job("SVC, 2 classes", "breast_cancer", 569,
        f"from mercer import SVC\nmachine = SVC().fit(X, y)\n{_ACCURACY}",
        f"from sklearn.svm import SVC\nmachine = SVC().fit(X, y)\n{_ACCURACY}"),
    Job("predict_proba of SVC, 3 classes", "iris", 150,
        f"from mercer import SVC\nmachine = SVC(probability=True, random_state=0).fit(X, y)\n{_LIKELY}",
        f"from sklearn.svm import SVC\nmachine = SVC(probability=True, random_state=0).fit(X, y)\n{_LIKELY}", 0.1),
    Job("KernelRidge", "diabetes", 442,
        f"from mercer import KernelRidge\nmachine = KernelRidge(kernel='rbf', gamma=0.1).fit(X, y)\n{_ERROR}",
        f"from sklearn.kernel_ridge import KernelRidge\n"
        f"machine = KernelRidge(kernel='rbf', gamma=0.1).fit(X, y)\n{_ERROR}", 1e-6),
    Job("GaussianProcessRegressor", "diabetes", 150,
        f"from mercer import GaussianProcessRegressor\nfrom mercer.kernels import RBF\n"
        f"machine = GaussianProcessRegressor(1.0 * RBF(1.0), noise=1.0).fit(X, y)\n{_ERROR}",
        f"from sklearn.gaussian_process import GaussianProcessRegressor\n"
        f"from sklearn.gaussian_process.kernels import RBF, WhiteKernel\n"
        f"machine = GaussianProcessRegressor(1.0 * RBF(1.0) + WhiteKernel()).fit(X, y)\n{_ERROR}", 0.3),
    Job("RVMRegressor", "diabetes", 150,
        f"from mercer import RVMRegressor\nmachine = RVMRegressor(gamma=0.1).fit(X, y)\n{_ERROR}",
        f"{_COLUMNS}from sklearn.linear_model import ARDRegression\n"
        f"machine = ARDRegression().fit(K, y)\nresult = ((machine.predict(K) - y) ** 2).mean()", 1.0),
    Job("L1VMClassifier", "breast_cancer", 300,
        f"from mercer import L1VMClassifier\nmachine = L1VMClassifier(gamma=0.1).fit(X, y)\n{_ACCURACY}",
        f"{_COLUMNS}from sklearn.linear_model import LogisticRegression\n"
        f"machine = LogisticRegression(penalty='l1', solver='liblinear').fit(K, y)\n"
        f"result = (machine.predict(K) == y).mean()", 0.05),
    Job("KernelSearchCV", "iris", 150,
        f"from mercer import SVC, KernelSearchCV\n"
        f"machine = KernelSearchCV(SVC(), {_GRID}, cv=5).fit(X, y)\n{_ACCURACY}",
        f"from sklearn.svm import SVC\nfrom sklearn.model_selection import GridSearchCV\n"
        f"machine = GridSearchCV(SVC(), {_GRID}, cv=5).fit(X, y)\n{_ACCURACY}", 0.05),
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Folders of a case: a copy of our package, and the table as .npy files."""

    package: Path
    table: Path


@cache
def _temporary() -> TemporaryDirectory[str]:
    """Removed at the end of this process."""
    return TemporaryDirectory(prefix="mercer-startup-")


@cache
def _package() -> Path:
    """A folder with a copy of our package in it, compiled extension included, without bytecode."""
    import mercer
    from mercer import _native

    folder = Path(_temporary().name) / "package"
    inside = folder / "mercer"
    shutil.copytree(Path(mercer.__file__).parent, inside, ignore=shutil.ignore_patterns("__pycache__", "_native.*"))
    shutil.copy2(_native.__file__, inside)
    return folder


@cache
def _table(name: str, rows: int) -> Path:
    """X.npy and y.npy of one of scikit-learn's tables: some of its rows in random order, columns of one scale."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(X))[:rows]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = y if y.dtype.kind == "i" else (y - y.mean()) / y.std()
    folder = Path(_temporary().name) / f"{name}-{rows}"
    folder.mkdir()
    np.save(folder / "X.npy", X[chosen])
    np.save(folder / "y.npy", y[chosen])
    return folder


def _place(table: str, rows: int) -> Place:
    return Place(_package(), _table(table, rows))


def _forget(package: Path) -> None:
    """Remove the bytecode of our modules."""
    for folder in list(package.rglob("__pycache__")):
        shutil.rmtree(folder)


def _child(code: str, package: Path, *arguments: str) -> tuple[float, str]:
    """Seconds from the start of a new interpreter to its first line of output, and that line.

    Without `site`, whose hooks are those of this environment; it finds all that this process finds, our copy first.
    """
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")}
    environment["PYTHONPATH"] = os.pathsep.join([str(package), *filter(None, sys.path)])
    command = [sys.executable, "-S", "-c", code, *arguments]
    start = time.perf_counter()
    with subprocess.Popen(
        command, env=environment, cwd=package, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        line = process.stdout.readline() if process.stdout else ""
        seconds = time.perf_counter() - start
        _, complaint = process.communicate()
    if process.returncode:
        raise RuntimeError(f"a new process failed:\n{complaint}")
    return seconds, line


def _run(code: str, first: bool, place: Place) -> SelfTimed:
    """The job in a new process; the first time without bytecode of ours."""
    if first:
        _forget(place.package)
    seconds, line = _child(_JOB.format(code=code), place.package, str(place.table))
    return SelfTimed(seconds, float(line))


def _import(module: str, place: Path) -> SelfTimed:
    _, line = _child(_IMPORT.format(module=module), place)
    return SelfTimed(*json.loads(line))


def _light(place: Path, ours: list[str], theirs: list[str]) -> Agreement:
    loaded = [name for name in HEAVY if name in ours]
    return Agreement(not loaded, f"{len(ours)} modules (rival {len(theirs)}); heavy: {', '.join(loaded) or 'none'}")


def _near(apart: float, place: Place, ours: float, theirs: float) -> Agreement:
    return Agreement(abs(ours - theirs) <= apart * abs(theirs), f"{ours:.4g} and {theirs:.4g}")


def _case(job: Job, first: bool) -> Case:
    return Case(
        suite="startup", name=f"{job.name}, {'very first time' if first else 'every time'}", size=job.rows,
        small=min(job.rows, 80), data=partial(_place, job.table), ours=partial(_run, job.ours, first),
        rivals={"scikit-learn": Rival(partial(_run, job.theirs, False), "sklearn")},
        check=partial(_near, job.apart), cold=first,
    )  # fmt: skip


def cases() -> list[Case]:
    """`size` is the number of rows; an import has none."""
    scipy = {"scipy.linalg": Rival(partial(_import, "scipy.linalg"), "scipy")}
    light = Case("startup", "import", 0, 0, lambda n: _package(), partial(_import, "mercer"), scipy, _light)
    return [light, *(_case(job, first) for job in JOBS for first in (False, True))]


def verdict(rows: Sequence[Row]) -> str:
    """One line: how many first results come within BAR of scikit-learn's, and where we are furthest behind."""
    later = [(row.ours_s - row.rival_s, row.case) for row in rows if row.rival == "scikit-learn" and row.rival_s]
    if not later:
        return ""
    within, (most, case) = sum(wait <= BAR for wait, _ in later), max(later)
    return (
        f"startup: {within} of {len(later)} within {BAR} s of scikit-learn; furthest behind by {most:+.2f} s at {case}"
    )
