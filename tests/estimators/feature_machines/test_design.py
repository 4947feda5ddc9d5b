"""What all feature machines share: any similarity, any item, probabilities, only prototypes with a weight (M1, I6)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression, Ridge

from mercer import (
    L2VMClassifier,
    L2VMRegressor,
    MemoryBudgetError,
    NotConverged,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    configure,
)
from mercer.kernels import RBF, Intersection, Normalised, Sigmoid, Spectrum, TfIdf

rng = np.random.default_rng(0)
n = 45
code = np.arange(n) % 3
labels = np.array(["x", "y", "z"])[code]
words = ["".join(rng.choice(list("abcd"[c : c + 2]), size=12)) for c in code]
numbers = rng.normal(size=(n, 2)) + code[:, None]
KINDS = {
    "strings": (Normalised(Spectrum(2)), words),
    "sets": (Intersection(), [set(rng.choice(range(4 * c, 4 * c + 6), size=4).tolist()) for c in code]),
    "documents": (TfIdf(), [f"{' '.join(word)} word{i}" for i, word in enumerate(words)]),
    "vectors": (RBF(1.0), numbers),
    "sparse": (RBF(1.0), csr_matrix(numbers)),
    "no Mercer kernel": (Sigmoid(0.5, offset=-1.0), numbers),
}
kinds = pytest.mark.parametrize("kind", KINDS)
CLASSIFIERS = [L2VMClassifier(), RBFNetworkClassifier(prototypes=9, init="medoids", random_state=0)]
REGRESSORS = [L2VMRegressor(), RBFNetworkRegressor(prototypes=9, init="medoids", random_state=0)]


def fitted(machine, kernel, items, y):
    return type(machine)(**machine.get_params() | {"kernel": kernel}).fit(items, y)


@pytest.mark.parametrize("machine", [*CLASSIFIERS, *REGRESSORS], ids=lambda m: type(m).__name__)
@kinds
def test_a_machine_on_items_is_the_machine_on_their_matrix_I1_I3_I6(machine, kind):
    """Also where that matrix is indefinite: no warning (warnings are errors here)."""
    k, items = KINDS[kind]
    y = labels if machine in CLASSIFIERS else code.astype(float)
    K = k.fit(items)(items)
    if kind == "no Mercer kernel":
        assert np.linalg.eigvalsh(K)[0] < -0.1
    direct, given = fitted(machine, k, items, y), fitted(machine, "precomputed", K, y)
    assert_array_equal(direct.support_, given.support_)
    assert_allclose(direct.predict_proba(items) if machine in CLASSIFIERS else direct.predict(items),
                    given.predict_proba(K) if machine in CLASSIFIERS else given.predict(K), atol=1e-6)  # fmt: skip


@kinds
def test_probabilities_are_those_of_scikit_learn_on_the_same_features_M1(kind):
    k, items = KINDS[kind]
    K = k.fit(items)(items)
    theirs = LogisticRegression(C=2.0, tol=1e-10, max_iter=10**5).fit(K, labels)
    ours = L2VMClassifier(k, alpha=0.5).fit(items, labels)
    P = ours.predict_proba(items)
    assert_allclose(P, theirs.predict_proba(K), atol=1e-5)
    assert_allclose(P.sum(axis=1), 1.0)
    assert_allclose(np.exp(ours.predict_log_proba(items)), P)
    assert_array_equal(ours.predict(items), ours.classes_[np.argmax(P, axis=1)])
    assert_array_equal(ours.predict(items), theirs.predict(K))


def test_two_classes_have_one_function_M1():
    y = labels == "x"
    K = RBF(1.0)(numbers)
    theirs = LogisticRegression(C=2.0, tol=1e-10, max_iter=10**5).fit(K, y)
    ours = L2VMClassifier(RBF(1.0), alpha=0.5).fit(numbers, y)
    assert_allclose(ours.decision_function(numbers), theirs.decision_function(K), atol=1e-3)
    assert_array_equal(ours.predict(numbers), ours.decision_function(numbers) > 0.0)


def test_numbers_are_those_of_scikit_learns_ridge_on_the_same_features_M1():
    y, w = numbers[:, 0] ** 2, rng.uniform(0.5, 2.0, n)
    K = RBF(1.0)(numbers)
    ours = L2VMRegressor(RBF(1.0), alpha=0.5).fit(numbers, y, sample_weight=w)
    assert_allclose(ours.predict(numbers), Ridge(alpha=0.5).fit(K, y, sample_weight=w).predict(K), atol=1e-9)


@pytest.mark.parametrize("machine", [L2VMClassifier(RBF(1.0)), L2VMRegressor(RBF(1.0))], ids=lambda m: type(m).__name__)
def test_weight_zero_is_absence_of_row_and_prototype(machine):
    w = (np.arange(n) % 4 > 0).astype(float)
    some = np.flatnonzero(w)
    one = machine.fit(numbers, code, sample_weight=w).predict(numbers)
    assert_array_equal(machine.support_, some)
    assert_allclose(machine.fit(numbers[some], code[some]).predict(numbers), one, atol=1e-8)


def test_classes_can_be_weighed():
    y = (code == 0).astype(int)
    balanced = L2VMClassifier(RBF(1.0), class_weight="balanced").fit(numbers, y)
    by_hand = L2VMClassifier(RBF(1.0)).fit(numbers, y, sample_weight=np.where(y, n / 30.0, n / 60.0))
    assert_allclose(balanced.predict_proba(numbers), by_hand.predict_proba(numbers), atol=1e-8)


def test_only_prototypes_are_kept_and_pickled_I7():
    X = rng.normal(size=(300, 20))
    m = RBFNetworkRegressor(prototypes=5, init="random", random_state=0).fit(X, X[:, 0])
    again = pickle.loads(pickle.dumps(m))
    assert len(pickle.dumps(m)) < X.nbytes / 4
    assert len(m._kept) == len(m.support_) == 5
    assert_array_equal(m.support_vectors_, X[m.support_])
    assert_array_equal(again.predict(X), m.predict(X))


@pytest.mark.parametrize("X", [numbers.astype("f4"), csr_matrix(numbers.astype("f4"))], ids=["dense", "sparse"])
def test_single_precision_is_solved_in_double_precision(X):
    m = L2VMRegressor(RBF(1.0)).fit(X, code)
    assert_allclose(m.predict(X), L2VMRegressor(RBF(1.0)).fit(numbers, code).predict(numbers), atol=1e-4)
    assert m.dual_coef_.dtype == np.float64


def test_a_linear_kernel_has_weights_of_columns():
    m = L2VMRegressor("linear").fit(numbers, code)
    assert_allclose(m.predict(numbers), numbers @ m.coef_[0] + m.intercept_, atol=1e-10)


def test_an_open_fit_is_told_and_usable():
    with pytest.warns(NotConverged, match=r"L2VMClassifier: stopped early \(max_iter\) after 1 steps.*gap") as told:
        m = L2VMClassifier(RBF(1.0), alpha=1e-6, max_iter=1).fit(numbers, labels)
    assert told[0].filename == __file__
    assert not m.converged_
    assert m.n_iter_ == 1
    assert m.predict(numbers).shape == (n,)


def test_a_design_over_budget_is_refused_before_it_is_made():
    with configure(memory=2**16), pytest.raises(MemoryBudgetError, match="design matrix"):
        L2VMRegressor(RBF(1.0)).fit(rng.normal(size=(200, 2)), np.arange(200.0))


@pytest.mark.parametrize(("machine", "fault"), [
    (L2VMRegressor(alpha=-1.0), "L2VMRegressor: alpha must be a number >= 0; got -1.0"),
    (L2VMClassifier(alpha=np.nan), "L2VMClassifier: alpha must be a number >= 0; got nan"),
    (L2VMRegressor(alpha="auto"), "L2VMRegressor: alpha must be a number >= 0; got 'auto'"),
    (RBFNetworkRegressor(alpha=None), "RBFNetworkRegressor: alpha must be a number >= 0; got None"),
    (L2VMClassifier(tol=0.0), "L2VMClassifier: tol must be a positive number"),
    (RBFNetworkClassifier(max_iter=0), "RBFNetworkClassifier: max_iter must be an integer >= 1"),
    (RBFNetworkClassifier(n_init=0), "RBFNetworkClassifier: n_init must be an integer >= 1; got 0"),
    (L2VMRegressor(n_restarts=-1), "L2VMRegressor: n_restarts must be an integer >= 0; got -1"),
    (RBFNetworkClassifier(prototypes="some"), "prototypes must be 'all', items, or their number; got 'some'"),
    (RBFNetworkRegressor(prototypes=2.5), "prototypes must be 'all', items, or their number as an integer"),
    (RBFNetworkRegressor(prototypes=-1), "prototypes must be 'all', items, or their number as an integer"),
    (RBFNetworkRegressor(prototypes=3, init="best"), "init must be one of .* got 'best'"),
    (RBFNetworkRegressor(prototypes=n + 1), rf"at most as many as there are distinct training items \({n}\); got"),
    (RBFNetworkRegressor(prototypes=np.ones((2, 3))), "as many columns wide as X"),
    (L2VMRegressor(tune_kernel=True), "alpha must be 'evidence' for tune_kernel=True; got 1.0"),
], ids=str)  # fmt: skip
def test_settings_out_of_range_are_refused_I5(machine, fault):
    with pytest.raises(ValueError, match=fault):
        machine.fit(numbers, code)


@pytest.mark.parametrize("machine", [*CLASSIFIERS, L2VMClassifier(alpha="evidence")], ids=lambda m: type(m).__name__)
def test_one_class_is_refused_I5(machine):
    with pytest.raises(ValueError, match="two classes or more"):
        machine.fit(numbers, np.zeros(n))


@pytest.mark.parametrize(
    "machine", [L2VMRegressor(), L2VMRegressor(alpha="evidence"), RBFNetworkRegressor(prototypes=3)], ids=str
)
def test_constant_targets_give_a_constant_I5(machine):
    assert_allclose(machine.fit(numbers, np.full(n, 7.0)).predict(numbers + 5.0), 7.0)


@pytest.mark.parametrize("machine", [L2VMClassifier(RBF(0.1), alpha=0.0), RBFNetworkClassifier(RBF(0.1), alpha=0.0)],
                         ids=lambda m: type(m).__name__)  # fmt: skip
def test_separable_classes_need_a_penalty_I5(machine):
    with pytest.raises(ValueError, match="alpha must be positive for classes that the features separate"):
        machine.fit(numbers, labels)
