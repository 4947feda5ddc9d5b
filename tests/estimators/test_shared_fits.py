"""What estimators offer to a search, for whom the offer holds, and that a search uses it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import RegressorMixin
from sklearn.model_selection import GridSearchCV, KFold

import mercer
from mercer import SVC, SVR, GaussianProcessRegressor, KernelRidge, KernelSearchCV, L2VMRegressor, RBFNetworkRegressor
from mercer.estimators.base import KernelEstimator
from mercer.estimators.shared_fits import GivenPredictions, SharedFits, offered, overrides
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
labels = (X[:, 0] + 0.5 * rng.normal(size=80) > 0.0).astype(int)
numbers = np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)


def offer(machine, y=numbers, *, psd=True, leave_one_out=False):
    return offered(machine, y, psd=psd, leave_one_out=leave_one_out)


class Renamed(SVC):
    """Other defaults and a method more, but the same machine."""

    def __init__(self, C=10.0, *, kernel="rbf", gamma="scale", tol=1e-3):
        super().__init__(C=C, kernel=kernel, gamma=gamma, tol=tol)

    def margin(self):
        return 1.0


class OtherFit(SVC):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, 1 - y, sample_weight)


class OtherProblem(SVC):
    def _bounds(self, weight, codes):
        return 0.01 * super()._bounds(weight, codes)


class OtherScore(SVC):
    def score(self, X, y, sample_weight=None):
        return -1.0


class Mixin(KernelEstimator):
    def _checked(self, *given, **options):
        return super()._checked(*given, **options)


class OtherBase(SVC, Mixin):
    """SVC itself overrides what the mixin does not, but not `_checked`, which comes before KernelEstimator's."""


class OwnOffer(OtherProblem):
    def shared_fits(self, y, *, psd, leave_one_out):
        return SharedFits(lambda machines, folds: [], "mine")


def test_a_subclass_that_changes_no_method_inherits_the_offer():
    assert offer(Renamed(), labels) == offer(SVC(), labels) is not None
    assert not overrides(Renamed, SVC)


@pytest.mark.parametrize("kind", [OtherFit, OtherProblem, OtherScore, OtherBase])
def test_a_subclass_that_changes_a_method_does_not(kind):
    assert overrides(kind, SVC)
    assert offer(kind(), labels) is None


def test_a_subclass_may_make_an_offer_of_its_own():
    assert offer(OwnOffer(), labels).key == "mine"


@pytest.mark.parametrize("kind", [Renamed, OtherFit, OtherProblem, OtherScore])
def test_a_search_of_a_subclass_finds_what_scikit_learn_finds(kind):
    ours, theirs = (search(kind(), {"C": [0.1, 1.0, 10.0]}, cv=3).fit(X, labels) for search in
                    (KernelSearchCV, GridSearchCV))  # fmt: skip
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.03)
    assert isinstance(ours.best_estimator_, kind)


@pytest.mark.parametrize(
    ("machine", "y"),
    [(SVC(probability=True), labels), (SVC(squared=True), labels), (SVC(penalty_intercept=True), labels),
     (SVC(C=np.inf), labels), (SVC(C="one"), labels), (SVC(time_limit=1.0), labels), (SVC(max_iter=10), labels),
     (SVC(), numbers[:, None]), (SVR(epsilon=-1.0), numbers), (SVR(), labels.astype(str)), (SVR(), numbers * np.nan),
     (KernelRidge((0.1, 1.0)), numbers), (KernelRidge(0.0), numbers), (KernelRidge(solver="primal"), numbers),
     (mercer.NuSVC(), labels), (mercer.KernelLogisticRegression(), labels)],
    ids=str,
)  # fmt: skip
def test_what_the_shared_way_does_not_solve_is_not_offered(machine, y):
    assert offer(machine, y) is None


def test_a_kernel_that_fit_would_refuse_is_not_offered():
    for machine, y in ((SVC(), labels), (SVR(), numbers), (KernelRidge(), numbers)):
        assert offer(machine, y, psd=None) is not None
        assert offer(machine, y, psd=False) is None
        assert offer(machine.set_params(check_psd="raise"), y, psd=None) is None


@pytest.mark.parametrize(
    "machine",
    [GaussianProcessRegressor(RBF(1.0), optimizer=None), L2VMRegressor(), RBFNetworkRegressor()],
    ids=lambda machine: type(machine).__name__,
)
def test_some_share_only_where_one_item_is_left_out(machine):
    assert offer(machine) is None
    assert offer(machine, leave_one_out=True) is not None


def test_machines_of_equal_offers_are_fitted_in_one_call():
    assert offer(SVC(C=1.0), labels) == offer(SVC(C=2.0), labels)
    assert offer(SVC(tol=1e-3), labels) != offer(SVC(tol=1e-4), labels)
    assert offer(KernelRidge(1.0)) == offer(KernelRidge(2.0)) != offer(KernelRidge(2.0, fit_intercept=True))


CALLS = []


class Level(RegressorMixin, KernelEstimator):
    """Predicts one number; offers all levels and folds in one call."""

    def __init__(self, level=0.0, kernel="linear"):
        self.level, self.kernel = level, kernel

    def shared_fits(self, y, *, psd, leave_one_out):
        return SharedFits(self.fit_levels)

    @staticmethod
    def fit_levels(machines, folds):
        CALLS.append((len(machines), len(folds)))
        return [[fold.fit(GivenPredictions(), np.full(len(fold.scored), m.level), 0.0) for m in machines]
                for fold in folds]  # fmt: skip

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), self.level)


def test_an_estimator_from_elsewhere_is_asked_as_ours_are():
    CALLS.clear()
    search = KernelSearchCV(Level(), {"level": [0.0, 1.0, 2.0]}, cv=KFold(4), scoring="neg_mean_squared_error")
    search.fit(X, numbers + 1.0)
    assert CALLS == [(3, 4)]
    assert search.best_params_ == {"level": 1.0}
    alone = GridSearchCV(Level(), {"level": [0.0, 1.0, 2.0]}, cv=KFold(4), scoring="neg_mean_squared_error")
    alone.fit(X, numbers + 1.0)
    assert_allclose(search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])


def test_a_scorer_that_asks_for_more_than_predictions_gets_machines_that_were_fitted():
    CALLS.clear()
    search = KernelSearchCV(Level(), {"level": [0.0, 1.0]}, cv=2, scoring=lambda machine, X, y: machine.level)
    assert search.fit(X, numbers).best_params_ == {"level": 1.0}
    assert not CALLS


def test_machines_that_fit_features_take_no_gram_and_can_be_searched():
    machine = mercer.FeatureGLMRegressor(features=2)
    assert not machine.takes_gram
    search = KernelSearchCV(machine, {"alpha": [1e-3, 1e3]}, cv=3).fit(X, numbers)
    assert search.best_params_ == {"alpha": 1e-3}


@pytest.mark.parametrize(
    ("machine", "takes"),
    [(SVC(), True), (L2VMRegressor(tune_kernel=True, alpha="evidence"), False), (RBFNetworkRegressor(), True),
     (RBFNetworkRegressor(prototypes=5), False), (RBFNetworkRegressor(optimise=True), False),
     (GaussianProcessRegressor(RBF(1.0)), False), (GaussianProcessRegressor(RBF(1.0), optimizer=None), True),
     (GaussianProcessRegressor("rbf", optimizer=None), False), (GaussianProcessRegressor("precomputed"), True),
     (GaussianProcessRegressor(RBF(1.0), optimizer=None, mean="linear"), False),
     (mercer.GaussianProcessClassifier(RBF(1.0), optimizer=None), False)],
    ids=str,
)  # fmt: skip
def test_who_needs_kernel_values_only(machine, takes):
    assert machine.takes_gram is takes
