"""Classification with any loss (M12), and kernel logistic regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV

from mercer import SVC, KernelLogisticRegression, KernelRiskClassifier, NotConverged
from mercer.kernels import RBF, Normalised, Spectrum
from mercer.solvers.losses import NAMED, Hinge, Huber

iris, species = load_iris(return_X_y=True)
moons, side = make_moons(120, noise=0.3, random_state=0)
labels = np.array(["no", "yes"])[side]
sign = 2.0 * side - 1.0
rng = np.random.default_rng(0)

LOSSES = [*NAMED.values(), Huber(0.5)]  # whatever has a name
losses = pytest.mark.parametrize("loss", LOSSES, ids=str)


def expansion(m, X):
    """(items, functions): all coefficients, zeros included."""
    B = np.zeros((len(X), len(m.dual_coef_)))
    B[m.support_] = m.dual_coef_.T
    return B


def test_hinge_is_the_support_vector_machine_M12_M16():
    ours = KernelRiskClassifier("hinge", C=2.0, kernel=RBF(0.7), tol=1e-8).fit(moons, labels)
    theirs = SVC(C=2.0, kernel=RBF(0.7), tol=1e-7).fit(moons, labels)
    assert_allclose(ours.decision_function(moons), theirs.decision_function(moons), atol=1e-3)
    assert_array_equal(ours.support_, np.sort(theirs.support_))


@losses
def test_the_certificate_is_about_the_machine_as_it_predicts_M12(loss):
    m = KernelRiskClassifier(loss, C=3.0, kernel=RBF(0.7), tol=1e-6).fit(moons, labels)
    f, b = m.decision_function(moons), expansion(m, moons)[:, 0]
    losses = loss(sign, f)[0] if callable(loss) else loss.value(sign * f if loss.margin else sign - f)
    value = 0.5 * b @ RBF(0.7)(moons) @ b + 3.0 * losses.sum()
    assert_allclose(m.certificate_.primal, value, rtol=1e-8)
    assert -1e-12 <= m.certificate_.relative_gap <= 1e-6
    assert m.score(moons, labels) > 0.85
    assert "is positive" not in str(m.certificate_)


@losses
def test_more_classes_are_one_against_the_rest(loss):
    m = KernelRiskClassifier(loss, kernel=RBF(1.0), tol=1e-8).fit(iris, species)
    F = m.decision_function(iris)
    assert F.shape == (150, 3)
    assert m.score(iris, species) > 0.95
    assert len(m.certificate_.parts) == 3
    assert "against the rest" in str(m.certificate_)
    for k in range(3):
        one = KernelRiskClassifier(loss, kernel=RBF(1.0), tol=1e-8).fit(iris, species == k)
        assert_allclose(F[:, k], one.decision_function(iris), atol=1e-3)


# ---- logistic regression


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_two_classes_are_scikit_learns_with_a_linear_kernel_M12(C):
    ours = KernelLogisticRegression(C=C, kernel="linear", tol=1e-12).fit(moons, labels)
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(moons, labels)
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    assert_allclose(ours.predict_proba(moons), theirs.predict_proba(moons), atol=1e-4)


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_more_classes_are_scikit_learns_with_a_linear_kernel_M12(C):
    Z = (iris - iris.mean(axis=0)) / iris.std(axis=0)
    ours = KernelLogisticRegression(C=C, kernel="linear", tol=1e-12).fit(Z, species)
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(Z, species)
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    assert_allclose(ours.predict_proba(Z), theirs.predict_proba(Z), atol=1e-4)


def test_the_gradient_is_zero_at_the_optimum_M12():
    m = KernelLogisticRegression(C=2.0, kernel=RBF(0.7), tol=1e-13).fit(moons, labels)
    assert_allclose(expansion(m, moons)[:, 0], 2.0 * (side - expit(m.decision_function(moons))), atol=1e-6)
    m = KernelLogisticRegression(C=2.0, kernel=RBF(1.0), tol=1e-13).fit(iris, species)
    P = softmax(m.decision_function(iris), axis=1)
    assert_allclose(expansion(m, iris), 2.0 * (np.eye(3)[species] - P), atol=1e-6)
    assert_allclose(expansion(m, iris).sum(axis=0), 0.0, atol=1e-6)


@pytest.mark.parametrize(("X", "y"), [(moons, labels), (iris, species)])
def test_probabilities_are_those_of_the_model_and_fit_better_than_none(X, y):
    m = KernelLogisticRegression(kernel=RBF(1.0)).fit(X, y)
    P = m.predict_proba(X)
    assert_allclose(P.sum(axis=1), 1.0)
    assert_allclose(np.log(P), m.predict_log_proba(X))
    assert_array_equal(m.classes_[np.argmax(P, axis=1)], m.predict(X))
    assert log_loss(y, P) < 0.6 * np.log(len(m.classes_))


def test_separable_data_are_no_difficulty():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    for C in (1.0, 1e6):
        m = KernelLogisticRegression(C=C, kernel="linear").fit(X, [0, 0, 1, 1])
        assert m.converged_
        assert np.isfinite(m.coef_).all()
        assert m.score(X, [0, 0, 1, 1]) == 1.0
    far = m.predict_log_proba(np.array([[1e6]]))
    assert np.isfinite(far).all()


def test_the_exponential_loss_does_not_overflow_on_wild_data_M12():
    X = rng.normal(size=(60, 2)) * 300.0
    y = rng.integers(0, 2, 60)
    m = KernelRiskClassifier("exponential", C=10.0, kernel="linear").fit(X, y)
    assert m.converged_
    assert np.isfinite(m.decision_function(X)).all()


# ---- weights, items, searches


@pytest.mark.parametrize(
    "machine",
    [KernelLogisticRegression(kernel=RBF(1.0), tol=1e-12), KernelRiskClassifier(kernel=RBF(1.0), tol=1e-10)],
    ids=["logistic", "squared hinge"],
)
@pytest.mark.parametrize(("X", "y"), [(moons, labels), (iris, species)])
def test_weights_are_repetitions_and_class_weights_are_weights_I4(machine, X, y):
    w = rng.integers(0, 3, len(y))
    weighed = clone(machine).fit(X, y, sample_weight=w).decision_function(X)
    again = np.repeat(np.arange(len(y)), w)
    assert_allclose(weighed, clone(machine).fit(X[again], y[again]).decision_function(X), atol=1e-4)
    first = y == np.unique(y)[0]
    by_class = clone(machine).set_params(class_weight={np.unique(y)[0]: 5.0}).fit(X, y)
    by_item = clone(machine).fit(X, y, sample_weight=np.where(first, 5.0, 1.0))
    assert_allclose(by_class.decision_function(X), by_item.decision_function(X), atol=1e-6)


def test_strings_and_precomputed_grams_go_like_vectors_I1_I3():
    code = np.arange(60) % 3
    words = ["".join(rng.choice(list("abcd"[c : c + 2]), size=12)) for c in code]
    k = Normalised(Spectrum(2))
    m = KernelLogisticRegression(kernel=k, C=10.0, tol=1e-10).fit(words, code)
    given = KernelLogisticRegression(kernel="precomputed", C=10.0, tol=1e-10).fit(k(words), code)
    assert m.score(words, code) > 0.9
    assert_allclose(m.predict_proba(words), given.predict_proba(k(words)), atol=1e-6)


def test_a_search_over_kernel_and_C_runs_I4():
    search = GridSearchCV(
        KernelLogisticRegression(kernel=RBF()), {"kernel__lengthscale": [0.3, 3.0], "C": [0.1, 10.0]}, cv=3,
        scoring="neg_log_loss",
    ).fit(moons, labels)  # fmt: skip
    assert search.best_score_ > -0.5


@pytest.mark.parametrize("machine", [KernelLogisticRegression, KernelRiskClassifier])
def test_bad_settings_and_bad_labels_are_refused_I5(machine):
    name = machine.__name__
    for options, message in (({"C": -1.0}, "C must be"), ({"class_weight": {"no": 0.0}}, "class_weight must be")):
        with pytest.raises(ValueError, match=f"{name}: {message}"):
            machine(**options).fit(moons, labels)
    with pytest.raises(ValueError, match="labels of two classes"):
        machine().fit(moons, np.zeros(120))
    with pytest.raises(ValueError, match="zero for all items of class 'no'"):
        machine().fit(moons, labels, sample_weight=side.astype(float))


def test_a_loss_that_is_none_is_refused():
    for loss in ("hinges", None, 3, Hinge):
        with pytest.raises(ValueError, match="KernelRiskClassifier: loss must be one of"):
            KernelRiskClassifier(loss).fit(moons, labels)


def test_a_step_limit_ends_with_a_usable_machine():
    with pytest.warns(NotConverged, match="max_iter"):
        m = KernelLogisticRegression(C=1e4, kernel=RBF(0.3), max_iter=1).fit(iris, species)
    assert m.predict(iris).shape == (150,)
    assert (
        m.certificate_.primal >= KernelLogisticRegression(C=1e4, kernel=RBF(0.3)).fit(iris, species).certificate_.dual
    )
