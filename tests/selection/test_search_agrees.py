"""KernelSearchCV finds what GridSearchCV finds over the same machines, folds and scorers (M22, I4)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_classification
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import mercer
from mercer import SVC, SVR, KernelSearchCV
from mercer.kernels import RBF, Linear, Matern, Polynomial

X, y = make_classification(160, 6, n_informative=4, flip_y=0.1, class_sep=0.8, random_state=0)
Xr, yr = load_diabetes(return_X_y=True)
Xr, yr = StandardScaler().fit_transform(Xr[:150]), (yr[:150] - 150.0) / 75.0
iris = load_iris(return_X_y=True)
C_GAMMA = {"C": [0.1, 1.0, 100.0], "gamma": [0.01, 0.1, 1.0]}
FEW = 2.0 / 160  # what one item on the edge, decided the other way, does to a mean of scores


def both(estimator, grid, data, *, folds=4, options=None, **settings):
    """The two searches, fitted to the same data."""
    searches = (
        KernelSearchCV(estimator, grid, cv=folds, **settings),
        GridSearchCV(estimator, grid, cv=folds, **settings),
    )
    return [search.fit(*data, **(options or {})) for search in searches]


def assert_alike(ours, theirs, atol=FEW, names=("score",)):
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for name in names:
        mine, other = ours.cv_results_[f"mean_test_{name}"], theirs.cv_results_[f"mean_test_{name}"]
        assert_allclose(mine, other, atol=atol)
        assert np.mean(np.abs(mine - other) < 2e-3) > 0.85
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    assert_allclose(ours.best_score_, theirs.best_score_, atol=2e-3)


@pytest.mark.parametrize("settings", [{}, {"class_weight": "balanced"}, {"class_weight": {0: 3.0}}], ids=str)
def test_classification(settings):
    assert_alike(*both(SVC(**settings), C_GAMMA, (X, y)))


def test_the_best_setting_is_the_same_and_predicts_alike():
    ours, theirs = both(SVC(), C_GAMMA, (X, y))
    assert ours.best_params_ == theirs.best_params_
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)
    assert ours.certificate_.relative_gap < 1e-2
    assert (ours.cv_results_["mean_gap"] >= 0.0).all()


@pytest.mark.parametrize("scoring", [None, "f1", "neg_log_loss", ["accuracy", "neg_log_loss"]], ids=str)
def test_probabilities_are_made_in_the_folds_only_for_scorers_that_read_them(scoring, monkeypatch):
    made = []
    real = SVC._keep_sigmoid
    monkeypatch.setattr(SVC, "_keep_sigmoid", lambda self, *given: made.append(self) or real(self, *given))
    refit = "accuracy" if isinstance(scoring, list) else True
    ours = KernelSearchCV(SVC(probability=True), {"C": [0.1, 1.0]}, cv=3, scoring=scoring, refit=refit).fit(X, y)
    assert len(made) == (1 if scoring in (None, "f1") else 7)
    assert ours.predict_proba(X).shape == (len(X), 2)


@pytest.mark.parametrize("settings", [{}, {"decision_function_shape": "ovo"}, {"break_ties": True}], ids=str)
def test_several_classes(settings):
    assert_alike(*both(SVC(**settings), C_GAMMA, iris))


def test_labels_that_are_words():
    words = np.array(["setosa", "versicolor", "virginica"])[iris[1]]
    ours, theirs = both(SVC(), C_GAMMA, (iris[0], words))
    assert_alike(ours, theirs)
    assert_array_equal(ours.classes_, theirs.classes_)


def test_regression():
    grid = {"C": [0.5, 5.0, 50.0], "gamma": [0.01, 0.1], "epsilon": [0.0, 0.1, 0.5]}
    assert_alike(*both(SVR(), grid, (Xr, yr)), atol=2e-3)


def test_weights_of_items():
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    assert_alike(*both(SVC(), C_GAMMA, (X, y), options={"sample_weight": weight}), atol=2 * FEW)


@pytest.mark.parametrize(
    "folds",
    [StratifiedKFold(3, shuffle=True, random_state=1), KFold(5), ShuffleSplit(3, train_size=60, random_state=0),
     TimeSeriesSplit(3), [(np.arange(100), np.arange(100, 160))]],
    ids=["stratified", "k-fold", "shuffled", "in time", "given"],
)  # fmt: skip
def test_any_splitter(folds):
    assert_alike(*both(SVC(), C_GAMMA, (X, y), folds=folds), atol=2 * FEW)


def test_a_large_C_and_a_wide_kernel_lose_no_digits():
    """Kernel values are 1 - 1e-4 here, and coefficients in the ten thousands cancel."""
    grid = {"C": [2.0**5, 2.0**15], "gamma": [2.0**-15, 2.0**-11]}
    assert_alike(*both(SVC(), grid, (X, y)))
    ours, theirs = both(SVC(kernel="precomputed"), {"C": grid["C"]}, (RBF.from_gamma(2.0**-15)(X), y))
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=FEW)


def test_masks_are_splits_too():
    first = np.arange(160) < 80
    ours = KernelSearchCV(SVC(), C_GAMMA, cv=[(first, ~first)]).fit(X, y)
    theirs = GridSearchCV(SVC(), C_GAMMA, cv=[(np.flatnonzero(first), np.flatnonzero(~first))]).fit(X, y)
    assert_alike(ours, theirs, atol=2 * FEW)


def test_groups_stay_together():
    groups = np.repeat(np.arange(16), 10)
    assert_alike(*both(SVC(), C_GAMMA, (X, y), folds=GroupKFold(4), options={"groups": groups}))


def test_several_scorers_and_scores_on_the_training_items():
    names = {"accuracy": "accuracy", "auc": "roc_auc", "f1": "f1"}
    ours, theirs = both(SVC(), C_GAMMA, (X, y), scoring=names, refit="auc", return_train_score=True)
    assert_alike(ours, theirs, names=names)
    assert ours.multimetric_
    for name in names:
        key = f"mean_train_{name}"
        assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], atol=FEW)


@pytest.mark.parametrize("scoring", ["roc_auc", "balanced_accuracy", make_scorer(accuracy_score)], ids=str)
def test_one_scorer(scoring):
    assert_alike(*both(SVC(), C_GAMMA, (X, y), scoring=scoring))


def test_a_function_that_scores_sees_the_items_and_a_machine_that_was_fitted():
    seen = []

    def few_support_vectors(machine, items, targets):
        assert items.shape[1] == X.shape[1]
        seen.append(machine.n_support_.sum())
        return float(np.mean(machine.predict(items) == targets)) - 1e-3 * machine.n_support_.sum()

    ours, theirs = both(SVC(), C_GAMMA, (X, y), scoring=few_support_vectors)
    assert len(seen) == 2 * 4 * 9
    assert_alike(ours, theirs)


def test_a_function_with_several_scores():
    def both_errors(machine, items, targets):
        wrong = machine.predict(items) != targets
        return {"first": -float(wrong[targets == 0].mean()), "second": -float(wrong[targets == 1].mean())}

    ours, theirs = both(SVC(), C_GAMMA, (X, y), scoring=both_errors, refit="second")
    assert_alike(ours, theirs, names=("first", "second"), atol=2 * FEW)


def test_a_function_may_not_show_the_machine_other_items():
    def cheat(machine, items, targets):
        return float(np.mean(machine.predict(items[:5]) == targets[:5]))

    with pytest.raises(ValueError, match="items that it was given"):
        KernelSearchCV(SVC(), {"C": [1.0]}, scoring=cheat, error_score="raise").fit(X, y)


def test_refit_may_be_a_function_or_be_left_out():
    def smallest_C_within_one_percent(results):
        good = results["mean_test_score"] >= results["mean_test_score"].max() - 0.01
        return int(np.flatnonzero(good)[0])

    ours, theirs = both(SVC(), C_GAMMA, (X, y), refit=smallest_C_within_one_percent)
    assert ours.best_index_ == theirs.best_index_
    assert not hasattr(ours, "best_score_")
    unfitted = KernelSearchCV(SVC(), C_GAMMA, refit=False).fit(X, y)
    assert unfitted.best_params_
    assert not hasattr(unfitted, "best_estimator_")


def test_refit_may_be_a_function_of_several_metrics():
    def best_auc_of_the_accurate(results):
        good = results["mean_test_accuracy"] >= results["mean_test_accuracy"].max() - 0.05
        return int(np.argmax(np.where(good, results["mean_test_auc"], -np.inf)))

    names = {"accuracy": "accuracy", "auc": "roc_auc"}
    ours, theirs = both(SVC(), C_GAMMA, (X, y), scoring=names, refit=best_auc_of_the_accurate)
    assert ours.multimetric_
    assert ours.best_index_ == best_auc_of_the_accurate(ours.cv_results_)
    assert ours.best_params_ == ours.cv_results_["params"][ours.best_index_]
    assert ours.best_params_ == theirs.best_params_
    assert not hasattr(ours, "best_score_")
    assert_allclose(np.mean(ours.predict(X) == theirs.predict(X)), 1.0, atol=0.02)
    with pytest.raises(IndexError, match="best_index_"):
        KernelSearchCV(SVC(), {"C": [1.0]}, scoring=names, refit=lambda results: 7).fit(X, y)


def test_steps_before_the_machine_are_fitted_to_the_training_items_of_each_fold_once():
    fits = []

    class Counting(StandardScaler):
        def fit(self, X, y=None, sample_weight=None):
            fits.append(len(X))
            return super().fit(X, y)

    shifted = X * np.array([1.0, 10.0, 100.0, 1.0, 0.1, 1.0]) + 5.0
    grid = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.01, 0.1, 1.0]}
    ours = KernelSearchCV(make_pipeline(Counting(), SVC()), grid, cv=4).fit(shifted, y)
    assert fits == [120] * 4 + [160]
    theirs = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=4).fit(shifted, y)
    assert_alike(ours, theirs)


def test_steps_have_parameters_too():
    pipe = make_pipeline(StandardScaler(), SVC())
    grid = {"standardscaler__with_mean": [True, False], "svc__C": [1.0, 10.0], "svc__gamma": [0.1, 1.0]}
    assert_alike(*both(pipe, grid, (X, y)))
    swapped = {"standardscaler": [StandardScaler(), MinMaxScaler(), "passthrough"], "svc__C": [1.0, 10.0]}
    ours, theirs = both(pipe, swapped, (X, y))
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=FEW)


def test_the_kernel_is_a_choice_like_any_other():
    kernels = [RBF(2.0), Matern(2.0), Linear(), 0.1 * RBF(2.0) * Linear(), Polynomial(2, gamma=0.1), "rbf", "linear"]
    ours, theirs = both(SVC(), {"kernel": kernels, "C": [0.1, 1.0]}, (X, y))
    assert_alike(ours, theirs)
    assert ours.best_params_["kernel"] in kernels


def test_parameters_of_the_kernel_I4():
    grid = {"kernel__lengthscale": [0.5, 1.0, 2.0, 4.0], "C": [0.1, 1.0, 10.0]}
    ours, theirs = both(SVC(kernel=RBF()), grid, (X, y))
    assert_alike(ours, theirs)
    assert ours.best_estimator_.kernel == RBF(ours.best_params_["kernel__lengthscale"])


def test_one_lengthscale_per_column():
    grid = {"kernel": [RBF((1.0, 1.0, l, l, 2.0, 2.0)) for l in (0.5, 1.0, np.inf)], "C": [0.1, 1.0]}
    assert_alike(*both(SVC(), grid, (X, y)))


def test_gamma_that_depends_on_the_fold():
    assert_alike(*both(SVC(), {"gamma": ["scale", "auto", 0.5], "C": [0.1, 1.0]}, (X, y)))


def test_a_precomputed_gram_is_cut_in_both_directions():
    K = RBF(2.0)(X)
    given = KernelSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0, 10.0]}, cv=4).fit(K, y)
    computed = KernelSearchCV(SVC(kernel=RBF(2.0)), {"C": [0.1, 1.0, 10.0]}, cv=4).fit(X, y)
    assert_allclose(given.cv_results_["mean_test_score"], computed.cv_results_["mean_test_score"], atol=1e-12)
    assert_array_equal(given.predict(K), computed.predict(X))


def test_tables_and_sparse_matrices():
    import pandas as pd
    from scipy.sparse import csr_matrix

    dense = KernelSearchCV(SVC(), C_GAMMA, cv=4).fit(X, y)
    table = KernelSearchCV(SVC(), C_GAMMA, cv=4).fit(pd.DataFrame(X, columns=list("abcdef")), pd.Series(y))
    sparse = KernelSearchCV(SVC(), C_GAMMA, cv=4).fit(csr_matrix(X), y)
    for other in (table, sparse):
        assert_allclose(other.cv_results_["mean_test_score"], dense.cv_results_["mean_test_score"], atol=FEW)
    assert list(table.feature_names_in_) == list("abcdef")


OTHER_CLASSIFIERS = [
    (mercer.NuSVC(), {"nu": [0.2, 0.5], "gamma": [0.1, 1.0]}),
    (SVC(probability=True), {"C": [0.1, 1.0]}),
    (SVC(squared=True), {"C": [0.1, 1.0]}),
    (SVC(penalty_intercept=True), {"C": [0.1, 1.0]}),
    (mercer.KernelLogisticRegression(kernel=RBF(2.0)), {"kernel__lengthscale": [1.0, 3.0]}),
    (mercer.RVMClassifier(kernel=RBF(2.0)), {"kernel__lengthscale": [2.0, 3.0]}),
    (mercer.L2VMClassifier(kernel=RBF(2.0)), {"kernel__lengthscale": [2.0, 3.0]}),
    (mercer.RBFNetworkClassifier(prototypes=10, random_state=0), {"kernel": [RBF(1.0), RBF(2.0)]}),
    (mercer.GaussianProcessClassifier(kernel=RBF(2.0), optimizer=None), {"kernel__lengthscale": [1.0, 3.0]}),
]
OTHER_REGRESSORS = [
    (mercer.NuSVR(), {"nu": [0.2, 0.5], "C": [0.1, 1.0]}),
    (mercer.KernelRidge(kernel="rbf"), {"alpha": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]}),
    (mercer.KernelRidge(kernel=RBF(3.0), fit_intercept=True), {"alpha": [0.1, 1.0], "kernel__lengthscale": [1.0, 3.0]}),
    (mercer.KernelRiskRegressor(kernel=RBF(3.0)), {"kernel__lengthscale": [2.0, 4.0]}),
    (mercer.KernelGradientDescent(kernel=RBF(3.0)), {"kernel__lengthscale": [2.0, 4.0]}),
    (mercer.RVMRegressor(kernel=RBF(3.0)), {"kernel__lengthscale": [2.0, 4.0]}),
    (mercer.L1VMRegressor(kernel=RBF(3.0)), {"kernel__lengthscale": [2.0, 4.0]}),
    (mercer.GaussianProcessRegressor(RBF(3.0), noise=0.5, optimizer=None), {"kernel__lengthscale": [2.0, 4.0]}),
]


@pytest.mark.parametrize(("machine", "grid"), OTHER_CLASSIFIERS, ids=lambda given: type(given).__name__)
def test_other_classifiers(machine, grid):
    assert_alike(*both(machine, grid, (X[:80], y[:80]), folds=3), atol=1e-9 if "probability" not in grid else FEW)


@pytest.mark.parametrize(("machine", "grid"), OTHER_REGRESSORS, ids=lambda given: type(given).__name__)
def test_other_regressors(machine, grid):
    assert_alike(*both(machine, grid, (Xr[:80], yr[:80]), folds=3), atol=1e-4)


def test_several_targets():
    Y = np.column_stack([yr, yr**2])
    assert_alike(*both(mercer.KernelRidge(kernel="rbf"), {"alpha": [0.1, 1.0, 10.0]}, (Xr, Y)), atol=1e-4)


def test_no_targets():
    def inside(machine, items, targets=None):
        return float(np.mean(machine.predict(items) == 1))

    search = KernelSearchCV(mercer.OneClassSVM(), {"nu": [0.1, 0.5]}, scoring=inside).fit(X)
    assert search.best_params_ == {"nu": 0.1}


def test_wine_in_raw_units():
    assert_alike(
        *both(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1.0, 10.0]}, load_wine(return_X_y=True))
    )
