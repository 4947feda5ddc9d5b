"""What verify reads from a fitted model, and what it refuses to read."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import svm as theirs
from sklearn.exceptions import NotFittedError

import mercer
from mercer import verify

n = 120
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 3))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.0, "yes", "no")
three = np.array(["a", "b", "c"])[(X[:, 0] > 0.4).astype(int) + (X[:, 1] > 0.0)]
homes = pytest.mark.parametrize("home", [mercer, theirs], ids=["ours", "scikit-learn"])


def test_scikit_learn_counts_support_vectors_without_weightless_samples():
    """Its support_ points into the samples of positive weight; the proof knows."""
    w = np.where(np.arange(n) < 40, 0.0, 1.0)
    some = w > 0.0
    model = theirs.SVC(gamma=0.5).fit(X, y, sample_weight=w)
    alone = theirs.SVC(gamma=0.5).fit(X[some], y[some])
    assert_allclose(verify(model, X, y, sample_weight=w).primal, verify(alone, X[some], y[some]).primal)


def test_subclasses_are_read_like_their_parents():
    class Mine(theirs.SVC):
        pass

    assert verify(Mine().fit(X, y), X, y).converged


def test_labels_and_rows_may_come_in_any_order_and_type():
    order = np.random.default_rng(1).permutation(n)
    for labels in (three, (three == "a").astype(int), three == "b"):
        model = theirs.SVC().fit(X[order], labels[order])
        assert verify(model, X[order].tolist(), labels[order].tolist()).converged


def test_a_model_of_another_kind_is_refused_with_the_list():
    with pytest.raises(ValueError, match=r"model must be one of SVC, NuSVC, SVR, NuSVR, OneClassSVM.*got LinearSVC"):
        verify(theirs.LinearSVC().fit(X, y), X, y)


@homes
def test_an_unfitted_model_is_refused(home):
    with pytest.raises(NotFittedError):
        verify(home.SVC(), X, y)


@homes
def test_what_does_not_belong_to_the_fit_is_refused(home):
    model = home.SVC().fit(X, y)
    with pytest.raises(ValueError, match=r"X must be the 120 samples the model was fitted on; got 50 samples"):
        verify(model, X[:50], y[:50])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        verify(model, X, y[:50])
    with pytest.raises(ValueError, match=r"classes .*no.*yes.*; got maybe"):
        verify(model, X, np.where(y == "no", "no", "maybe"))
    with pytest.raises(ValueError, match="y must be labels"):
        verify(model, X)
    with pytest.raises(ValueError, match="sample_weight must be"):
        verify(model, X, y, sample_weight=-np.ones(n))
    regression = home.SVR().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="y must be one number per sample"):
        verify(regression, X)


def test_coefficients_that_are_no_numbers_are_refused():
    model = theirs.SVC().fit(X, y)
    model.dual_coef_ = model.dual_coef_ * np.nan
    with pytest.raises(ValueError, match="dual_coef_ must be finite"):
        verify(model, X, y)
