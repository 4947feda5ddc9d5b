"""A search over kernels of texts, strings and tables; what a kernel learns, it learns from the training fold alone."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV

from mercer import SVC, SVR, KernelRidge, KernelSearchCV
from mercer.kernels import RBF, Bag, Centred, On, Spectrum, TfIdf

rng = np.random.default_rng(0)
WORDS = ["kernel", "margin", "ridge", "prior", "gram", "dual", "loss", "split"]
y = np.arange(60) % 2
TEXTS = [" ".join(rng.choice(WORDS[:5] if label else WORDS[3:], 6)) for label in y]
STRINGS = [
    "".join(rng.choice(list("acgt"), 12, p=[0.4, 0.4, 0.1, 0.1] if label else [0.1, 0.1, 0.4, 0.4])) for label in y
]


def assert_alike(machine, grid, X, targets=y):
    ours = KernelSearchCV(machine, grid, cv=3).fit(X, targets)
    theirs = GridSearchCV(machine, grid, cv=3).fit(X, targets)
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=1e-4)
    assert ours.best_params_ == theirs.best_params_
    return ours


def test_strings():
    search = assert_alike(SVC(), {"kernel": [Spectrum(2), Spectrum(3)], "C": [0.01, 1.0]}, STRINGS)
    assert search.score(STRINGS, y) > 0.8


def test_texts():
    assert_alike(SVC(), {"kernel": [Bag(), TfIdf()], "C": [0.1, 1.0]}, TEXTS)


def test_a_kernel_that_learns_sees_the_training_items_only(monkeypatch):
    seen = []
    learn = TfIdf.fit
    monkeypatch.setattr(TfIdf, "fit", lambda self, X: seen.append(len(X)) or learn(self, X))
    KernelSearchCV(SVC(kernel=TfIdf()), {"C": [0.1, 1.0, 10.0]}, cv=3, refit=False).fit(TEXTS, y)
    assert set(seen) == {40}


def test_a_centred_kernel_is_centred_on_the_training_items():
    X = rng.normal(size=(60, 3)) + 2.0
    grid = {"kernel": [Centred(RBF(1.0)), Centred(RBF(3.0))], "alpha": [0.1, 1.0]}
    assert_alike(KernelRidge(), grid, X, np.sin(X[:, 0]))


def test_columns_of_a_table():
    import pandas as pd

    table = pd.DataFrame({"age": rng.normal(size=60), "place": rng.choice(["here", "there"], 60), "text": TEXTS})
    grid = {"kernel": [On("age", RBF(1.0)) + On("text", Bag()), On("text", Bag())], "C": [0.1, 1.0]}
    assert_alike(SVC(), grid, table)


def test_functions_of_two_arrays():
    X = rng.normal(size=(60, 3))

    def product(A, B):
        return A @ B.T

    assert_alike(SVR(kernel=product), {"C": [0.1, 1.0], "epsilon": [0.1, 0.3]}, X, X[:, 0] + 0.1 * rng.normal(size=60))
