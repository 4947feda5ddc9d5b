"""Accuracy of SVC on benchmark sets of graphs: python -m benchmarks.graph_accuracy DIR [NAME ...].

Ten folds; in each, rounds and C are chosen by three folds of the training graphs alone.  Published accuracies of the
assignment kernel (Kriege et al., 2016): MUTAG 84.5, NCI1 86.1, PROTEINS 76.4.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Sequence

import numpy as np

from benchmarks import data
from benchmarks.structured_graphs import graphs
from mercer.typing import Array

SETS = ("mutag", "enzymes", "proteins", "nci1")
FOLDS = 10
ROUNDS, CS = (1, 2, 3, 5), (0.1, 1.0, 10.0, 100.0)


def accuracies(name: str, base: str) -> Array:
    """The accuracy on each of the folds."""
    from sklearn.model_selection import StratifiedKFold

    from mercer import SVC, KernelSearchCV
    from mercer.items import Graphs
    from mercer.kernels import Normalised, WeisfeilerLehman

    values, y = graphs(name, 10**6)
    if y is None:
        raise SystemExit(f"graph_{name}.json.gz is not in {os.environ[data.VARIABLE]}")
    X = Graphs.of(values)
    grid = {"kernel": [Normalised(WeisfeilerLehman(rounds, base)) for rounds in ROUNDS], "C": list(CS)}
    found = []
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y):
        search = KernelSearchCV(SVC(), grid, cv=3).fit(X[train], y[train])
        found.append(np.mean(search.predict(X[test]) == y[test]))
    return np.array(found)


def main(argv: Sequence[str]) -> None:
    """Print mean and standard deviation over the folds, set by set."""
    os.environ[data.VARIABLE] = argv[0]
    warnings.simplefilter("ignore")
    for name in argv[1:] or SETS:
        for base in ("subtree", "assignment"):
            start = time.perf_counter()
            found = 100.0 * accuracies(name, base)
            took = time.perf_counter() - start
            print(f"{name:10} {base:11} {found.mean():.1f} +- {found.std():.1f}   {took:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
