"""Linear machines on columns of any scale, at any C: solved, proved, and never worse than scikit-learn's."""

import warnings

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning

from mercer import SVC, SVR, OneClassSVM, verify

cancer, wine = load_breast_cancer(), load_wine()
some = slice(0, 400)  # fewer rows than are solved on their features at once


def fitted(machine, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # not one that says it stalled
        return machine.fit(*data)


@pytest.mark.parametrize("C", [1.0, 10.0, 100.0, 1e4])
@pytest.mark.parametrize(("X", "y"), [(cancer.data[some], cancer.target[some]), (wine.data, wine.target)])
def test_a_classifier_on_raw_columns_is_solved_and_better_than_scikit_learns(X, y, C):
    ours = fitted(SVC(kernel="linear", C=C), X, y)
    theirs = svm.SVC(kernel="linear", C=C, max_iter=20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit(X, y)
    assert ours.certificate_.relative_gap < 1e-2
    assert ours.n_iter_.max() < 300_000
    proof, rival = verify(ours, X, y), verify(theirs, X, y)
    assert proof.relative_gap < 1e-2 or C > 100.0  # at more, f by its coefficients is off by rounding, as is told
    for own, other in zip(proof.parts or [proof], rival.parts or [rival], strict=True):
        assert own.dual >= other.dual - 1e-3 * abs(other.dual)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "columns"), [(200, 5), (400, 10), (400, 60), (1000, 150)])
def test_machines_on_columns_of_unlike_scale_are_solved(n, columns, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns)) * 10.0 ** rng.uniform(-2, 3, columns)
    y = (X / np.abs(X).max(axis=0)).sum(axis=1) + 0.3 * rng.normal(size=n) > 0.0
    for machine, target in ((SVC(kernel="linear"), y), (SVR(kernel="linear"), 1.0 * y)):
        fitted(machine, X, target)
        assert machine.certificate_.relative_gap < 1e-3
        assert machine.n_iter_ if np.ndim(machine.n_iter_) == 0 else machine.n_iter_[0] < 300_000
    for nu in (0.1, 0.5):
        machine = fitted(OneClassSVM(kernel="linear", nu=nu), X)
        assert machine.n_iter_ < 300_000
        assert machine.certificate_.kkt <= 1e-3


@pytest.mark.parametrize("C", [1e3, 1e5, 1e8])
@pytest.mark.parametrize("n", [100, 300, 3000])
def test_a_large_C_on_classes_that_can_be_separated_is_proved(n, C):
    """The slacks that a tolerance leaves cost C each; a multiple of f next to 1 has none of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = X.sum(axis=1) > 0.0
    X = X + np.where(y, 0.2, -0.2)[:, None]
    ours = fitted(SVC(kernel="linear", C=C), X, y)
    theirs = svm.SVC(kernel="linear", C=C).fit(X, y)
    hard = fitted(SVC(kernel="linear", C=np.inf), X, y).certificate_
    for proof in (ours.certificate_, verify(ours, X, y), verify(theirs, X, y)):
        assert 0.0 <= proof.relative_gap <= 1e-2
        assert proof.dual <= hard.primal * (1.0 + 1e-9)  # the optimum of a hard margin is that of every large C
        assert proof.primal >= hard.dual * (1.0 - 1e-9)
