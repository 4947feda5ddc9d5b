"""Suite "startup": what a fresh process waits for.

* import       `import mercer` against `import scipy.linalg`, timed inside the child, modules loaded counted;
* first Gram   process start to the first small Gaussian Gram, with compiled code in the cache, against scikit-learn;
* first ever   the same with an empty cache: the compiler runs.

Everything is run in subprocesses, so nothing this process has loaded is counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.harness import Agreement, Case, Rival, SelfTimed, close

HEAVY = ("numba", "sklearn", "matplotlib", "pandas", "scipy")  # must not be loaded by `import mercer`

_IMPORT = """
import json, sys, time
start = time.perf_counter()
import {module}
print(json.dumps([time.perf_counter() - start, sorted(sys.modules)]))
"""

_ROWS = "import numpy as np; X = np.random.default_rng(0).standard_normal(({n}, 8))\n"
_OURS = _ROWS + "from mercer.kernels import RBF; print(float(RBF(2.0)(X).sum()))"
_SKLEARN = _ROWS + "from sklearn.metrics.pairwise import rbf_kernel; print(float(rbf_kernel(X, gamma=0.125).sum()))"


def _child(code: str, **environment: str) -> Any:
    """The JSON that `code` prints in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | environment, capture_output=True, check=True)
    return json.loads(done.stdout)


def _import(module: str) -> SelfTimed:
    return SelfTimed(*_child(_IMPORT.format(module=module)))


def _light(n: int, ours: list[str], theirs: list[str]) -> Agreement:
    loaded = [name for name in HEAVY if name in ours]
    return Agreement(not loaded, f"{len(ours)} modules (rival {len(theirs)}); heavy: {', '.join(loaded) or 'none'}")


def _first_gram(n: int) -> float:
    return float(_child(_OURS.format(n=n)))


def _first_gram_ever(n: int) -> float:
    with TemporaryDirectory() as empty:
        return float(_child(_OURS.format(n=n), NUMBA_CACHE_DIR=empty))


def _first_gram_sklearn(n: int) -> float:
    return float(_child(_SKLEARN.format(n=n)))


def _same_sum(n: int, ours: float, theirs: float) -> Agreement:
    return close(ours, theirs, 1e-12)


def cases() -> list[Case]:
    """`size` is the number of rows of the first Gram; an import has none."""
    sklearn = {"scikit-learn": Rival(_first_gram_sklearn, "sklearn")}
    scipy = {"scipy.linalg": Rival(lambda n: _import("scipy.linalg"), "scipy")}

    def rows(n: int) -> int:
        return n

    return [
        Case("startup", "import", 0, 0, rows, lambda n: _import("mercer"), scipy, _light),
        Case("startup", "first Gram, compiled before", 200, 200, rows, _first_gram, sklearn, _same_sum),
        Case("startup", "first Gram ever", 200, 200, rows, _first_gram_ever, sklearn, _same_sum, cold=True),
    ]
