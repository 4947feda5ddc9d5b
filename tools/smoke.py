"""A few minutes' use of an installed mercer in a few seconds; run by the Python of the environment to try.

python -I tools/smoke.py        # -I: the checkout around this file is not looked at
"""

from __future__ import annotations

import importlib.resources
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

import mercer
from mercer import SVC, KernelRidge, KernelSearchCV, native
from mercer.kernels import RBF

DATA = ("py.typed", "report/template.html", "figures/gallery.html", "plots/mercer.mplstyle")


def main() -> None:
    """Fit, search, save, load and ask the command for help."""
    home = Path(mercer.__file__).parent
    assert home.is_relative_to(sysconfig.get_path("platlib")), f"mercer is not that of this environment: {home}"
    X, y = load_iris(return_X_y=True)

    machine = SVC(C=10.0, kernel=RBF(1.0)).fit(X, y)
    assert machine.score(X, y) > 0.95

    ridge = KernelRidge(alpha=0.1, kernel=RBF(1.0)).fit(X[:, :3], X[:, 3])
    assert np.abs(ridge.predict(X[:, :3]) - X[:, 3]).mean() < 0.2

    search = KernelSearchCV(SVC(), {"C": [0.1, 10.0], "kernel": [RBF(0.1), RBF(1.0)]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "iris.mercer")
        mercer.save(machine, path)
        assert (mercer.load(path).predict(X) == machine.predict(X)).all()

    command = Path(sysconfig.get_path("scripts"), "mercer")
    assert "compare" in subprocess.check_output([command, "--help"], text=True)

    files = importlib.resources.files(mercer)
    missing = [name for name in DATA if not files.joinpath(name).is_file()]
    assert not missing, f"not installed: {missing}"
    print(f"mercer {mercer.__version__} works: Python {sys.version.split()[0]}, loops for {native.isa()}, in {home}")


if __name__ == "__main__":
    main()
