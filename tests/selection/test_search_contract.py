"""A search behaves as users of scikit-learn expect: cloning, pickling, nesting, failing (I4)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer import SVC, SVR, KernelSearchCV
from mercer.kernels import RBF

X, y = make_classification(120, 5, n_informative=3, flip_y=0.1, random_state=0)
GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.05, 0.5]}


def test_parameters_come_back_and_clones_are_unfitted():
    search = KernelSearchCV(SVC(), GRID, cv=3, strategy="halving", time_limit=9.0)
    params = search.get_params()
    assert params["cv"] == 3
    assert params["estimator__C"] == 1.0
    copy = clone(search.set_params(estimator__C=5.0))
    assert copy.estimator.C == 5.0
    assert copy.strategy == "halving"
    with pytest.raises(NotFittedError):
        copy.predict(X)


def test_fitting_changes_neither_the_estimator_nor_the_grid():
    machine, kernels = SVC(kernel=RBF(1.0)), {"kernel": [RBF(1.0), RBF(2.0)]}
    KernelSearchCV(machine, kernels, cv=3).fit(X, y)
    assert not hasattr(machine, "support_")
    assert kernels == {"kernel": [RBF(1.0), RBF(2.0)]}
    assert set(vars(machine)) == set(machine.get_params(deep=False))


def test_a_pickled_search_predicts_alike():
    search = KernelSearchCV(SVC(), "libsvm", cv=2).fit(X, y)
    again = pickle.loads(pickle.dumps(search))
    assert_array_equal(again.predict(X), search.predict(X))
    assert_allclose(again.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])


def test_nested_cross_validation():
    ours = cross_val_score(KernelSearchCV(SVC(), GRID, cv=3), X, y, cv=3)
    theirs = cross_val_score(GridSearchCV(SVC(), GRID, cv=3), X, y, cv=3)
    assert_allclose(ours, theirs, atol=0.05)
    assert cross_val_score(KernelSearchCV(SVC(), "libsvm", cv=2), X, y, cv=2).min() > 0.6


def test_scikit_learns_own_search_sets_parameters_of_kernels():
    search = GridSearchCV(SVC(kernel=RBF(1.0)), {"kernel__lengthscale": [0.5, 1.0, 2.0]}, cv=3).fit(X, y)
    assert search.best_estimator_.kernel == RBF(search.best_params_["kernel__lengthscale"])


def test_what_the_best_machine_has_the_search_has():
    search = KernelSearchCV(SVC(probability=True), {"C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert_array_equal(search.classes_, [0, 1])
    assert search.n_features_in_ == 5
    assert search.predict_proba(X).shape == (120, 2)
    assert_allclose(search.score(X, y), np.mean(search.predict(X) == y))
    assert "relative" in str(search.certificate_)


@pytest.mark.parametrize("C", [-1.0, "large"])
def test_a_fit_that_fails_has_the_error_score(C):
    with pytest.warns(FitFailedWarning, match="C must be"), pytest.warns(UserWarning, match="non-finite"):
        search = KernelSearchCV(SVC(), {"C": [1.0, C]}, cv=3).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"][0])
    assert np.isnan(search.cv_results_["mean_test_score"][1])
    assert search.best_params_ == {"C": 1.0}


def test_error_scores_may_be_numbers_or_errors():
    with pytest.warns(FitFailedWarning):
        search = KernelSearchCV(SVC(), {"C": [1.0, -1.0]}, cv=3, error_score=-7.0).fit(X, y)
    assert search.cv_results_["mean_test_score"][1] == -7.0
    with pytest.raises(ValueError, match="C must be"):
        KernelSearchCV(SVC(), {"C": [1.0, -1.0]}, cv=3, error_score="raise").fit(X, y)


def test_failures_with_several_scorers():
    with pytest.warns(FitFailedWarning), pytest.warns(UserWarning, match="non-finite"):
        search = KernelSearchCV(SVC(), {"C": [1.0, -1.0]}, scoring=["accuracy", "roc_auc"], refit="roc_auc").fit(X, y)
    assert np.isnan(search.cv_results_["mean_test_accuracy"][1])


def test_when_all_fits_fail_the_search_does():
    with pytest.raises(ValueError, match="All the 3 fits failed"):
        KernelSearchCV(SVC(), {"C": [-1.0]}, cv=3).fit(X, y)


def test_a_fold_of_one_class_fails_alone():
    one = [(np.flatnonzero(y == 0)[:30], np.arange(60, 120)), (np.arange(60), np.arange(60, 120))]
    with pytest.warns(FitFailedWarning, match="two classes"), pytest.warns(UserWarning, match="non-finite"):
        search = KernelSearchCV(SVC(), {"C": [1.0]}, cv=one).fit(X, y)
    assert np.isfinite(search.cv_results_["split1_test_score"]).all()


@pytest.mark.parametrize(
    ("data", "says"),
    [((np.where(X > 3.0, np.nan, X), y), "NaN"), ((X[:-1], y), "inconsistent"), ((X, None), "y to be passed")],
    ids=["missing numbers", "lengths", "no targets"],
)
def test_bad_data_are_refused(data, says):
    with pytest.raises(ValueError, match=says):
        KernelSearchCV(SVC(), {"C": [1.0]}, cv=3).fit(*data)


def test_a_precomputed_matrix_must_be_square():
    with pytest.raises(ValueError, match="square"):
        KernelSearchCV(SVC(kernel="precomputed"), {"C": [1.0]}, cv=3).fit(X, y)


def test_unknown_parameters_of_fit_are_refused():
    with pytest.raises(ValueError, match="sample_weight and groups"):
        KernelSearchCV(SVC(), {"C": [1.0]}, cv=3).fit(X, y, coef_init=y)


def test_targets_that_are_no_numbers_fail():
    with pytest.raises(ValueError, match=r"fits failed|NaN|infinity"):
        KernelSearchCV(SVR(), {"C": [1.0]}, cv=3).fit(X, np.where(y == 1, np.nan, 0.0))
