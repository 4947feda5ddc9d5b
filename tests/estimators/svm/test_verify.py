"""verify: the proof recomputed from data and coefficients, for our machines and for scikit-learn's (T17-T19)."""

import copy
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn import svm as theirs

import mercer
from mercer import verify
from mercer.estimators.svm.model_reader import READERS
from mercer.estimators.svm.verify import project
from mercer.gram import StoredGram
from mercer.kernels import RBF, Spectrum
from mercer.solvers.dual import nu_svc, one_class, solve, svc, svr

n = 120
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 3))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.0, "yes", "no")
three = np.array(["a", "b", "c"])[(X[:, 0] > 0.4).astype(int) + (X[:, 1] > 0.0)]
t = np.sin(X[:, 0]) + 0.2 * rng.normal(size=n)
sparse = csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
weight = rng.uniform(0.1, 2.0, n) * (np.arange(n) % 6 > 0)
K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))


def dot(A, B):
    return A @ B.T


MODELS = {
    "svc": ("SVC", {"C": 3.0}, X, y),
    "svc, class weights": ("SVC", {"class_weight": "balanced"}, X, y),
    "svc, linear": ("SVC", {"kernel": "linear"}, X, y),
    "svc, polynomial": ("SVC", {"kernel": "poly", "coef0": 1.0, "degree": 2, "gamma": 0.7}, X, y),
    "svc, precomputed": ("SVC", {"kernel": "precomputed"}, K, y),
    "svc, function": ("SVC", {"kernel": dot}, X, y),
    "svc, sparse": ("SVC", {"gamma": "auto"}, sparse, y),
    "svc, three classes": ("SVC", {"C": 2.0, "class_weight": {"a": 2.0}}, X, three),
    "svc, three classes, sparse": ("SVC", {}, sparse, three),
    "nu svc": ("NuSVC", {"nu": 0.3}, X, y),
    "nu svc, three classes": ("NuSVC", {"nu": 0.2, "class_weight": {"a": 3.0}}, X, three),
    "svr": ("SVR", {"C": 2.0, "epsilon": 0.2}, X, t),
    "svr, no tube": ("SVR", {"epsilon": 0.0}, X, t),
    "nu svr": ("NuSVR", {"nu": 0.4, "C": 2.0}, X, t),
    "nu svr, nu 1": ("NuSVR", {"nu": 1.0}, X, t),
    "one class": ("OneClassSVM", {"nu": 0.2}, X, None),
}
models = pytest.mark.parametrize("name", MODELS)
homes = pytest.mark.parametrize("home", [mercer, theirs], ids=["mercer", "scikit-learn"])
weighted = pytest.mark.parametrize("w", [None, weight], ids=["alike", "weighted"])


def fitted(home, name, w=None, **changes):
    kind, options, data, target = MODELS[name]
    model = getattr(home, kind)(**(options | changes))
    return model.fit(data, target, sample_weight=w), data, target


@models
@homes
@weighted
def test_a_fitted_model_is_confirmed_T18(home, name, w):
    model, data, target = fitted(home, name, w)
    proof = verify(model, data, target, sample_weight=w)
    assert proof.converged
    assert proof.kkt <= 1.1e-3
    assert proof.residuals.worst <= 1e-2
    assert 0.0 <= proof.relative_gap < 0.05
    assert proof.projection < 1e-12


@models
@homes
def test_a_tighter_model_has_a_tighter_proof_T18(home, name):
    loose, data, target = fitted(home, name, tol=1e-2)
    tight, _, _ = fitted(home, name, tol=1e-6)
    one, other = verify(loose, data, target), verify(tight, data, target)
    assert other.relative_gap < 1e-3
    assert other.relative_gap < one.relative_gap
    for a, b in zip(one.parts or [one], other.parts or [other], strict=True):  # both enclose the same optimum
        assert a.dual <= b.primal + 1e-6 * abs(b.primal)
        assert b.dual <= a.primal + 1e-6 * abs(b.primal)


@models
@weighted
def test_both_libraries_are_held_against_the_same_optimum_T17(name, w):
    proofs = []
    for home in (mercer, theirs):
        model, data, target = fitted(home, name, w, tol=1e-5)
        proofs.append(verify(model, data, target, sample_weight=w))
    one, other = proofs
    scale = abs(one.primal)
    for a, b in zip(one.parts or [one], other.parts or [other], strict=True):
        assert a.dual <= b.primal + 1e-7 * scale
        assert b.dual <= a.primal + 1e-7 * scale
        assert_allclose(a.primal, b.primal, rtol=1e-3)


@models
@weighted
def test_our_own_certificate_is_confirmed(name, w):
    model, data, target = fitted(mercer, name, w)
    proof, own = verify(model, data, target, sample_weight=w), model.certificate_
    assert_allclose([proof.primal, proof.dual], [own.primal, own.dual], rtol=1e-4)
    assert_allclose(proof.kkt, own.kkt, atol=1e-4)
    assert proof.counts == own.counts
    assert len(proof.parts) == len(own.parts)
    assert proof.name == own.name


@pytest.mark.parametrize("options", [{"squared": True}, {"penalty_intercept": True}], ids=str)
@pytest.mark.parametrize("name", ["svc", "svc, precomputed", "svc, three classes", "svr"])
def test_our_variants_are_confirmed_M28_M29(name, options):
    model, data, target = fitted(mercer, name, tol=1e-5, **options)
    proof = verify(model, data, target)
    assert proof.converged
    assert_allclose([proof.primal, proof.dual], [model.certificate_.primal, model.certificate_.dual], rtol=1e-6)
    plain, _, _ = fitted(mercer, name, tol=1e-5)
    pretender = copy.copy(plain).set_params(**options)  # says it solved another problem than it did
    assert verify(pretender, data, target).relative_gap > 10.0 * proof.relative_gap


def test_a_penalised_intercept_must_be_the_sum_of_the_coefficients_M28():
    model, data, target = fitted(mercer, "svr", penalty_intercept=True, tol=1e-6)
    assert_allclose(model.intercept_, model.dual_coef_.sum())
    f = model.predict(X)
    support = model.support_
    beta = model.dual_coef_[0]
    kernel = RBF.from_gamma(1.0 / (3 * X.var()))
    wrong = copy.copy(model)
    wrong.intercept_ = model.intercept_ + 0.1
    loss = 2.0 * np.maximum(0.0, np.abs(t - f - 0.1) - 0.2).sum()
    norm2 = beta @ kernel(X[support]) @ beta + float(wrong.intercept_[0]) ** 2
    assert_allclose(verify(wrong, data, target).primal, 0.5 * norm2 + loss, rtol=1e-10)
    assert verify(wrong, data, target).dual == verify(model, data, target).dual


# ---- the numbers themselves


@homes
def test_the_primal_is_that_of_the_model_as_it_predicts_M16(home):
    model, _, _ = fitted(home, "svc")
    beta, kernel = model.dual_coef_[0], RBF.from_gamma(1.0 / (3 * X.var()))
    f, sign = model.decision_function(X), np.where(y == "yes", 1.0, -1.0)
    norm2 = beta @ kernel(X[model.support_]) @ beta
    proof = verify(model, X, y)
    assert_allclose(proof.primal, 0.5 * norm2 + 3.0 * np.maximum(0.0, 1.0 - sign * f).sum(), rtol=1e-9)
    assert_allclose(proof.dual, np.abs(beta).sum() - 0.5 * norm2, rtol=1e-9)
    double = copy.copy(model)
    double.dual_coef_ = 2.0 * model.dual_coef_  # beyond C: the primal is still that of this w and this intercept
    f = f + (f - model.intercept_)
    loss = 3.0 * np.maximum(0.0, 1.0 - sign * f).sum()
    assert_allclose(verify(double, X, y).primal, 0.5 * 4.0 * norm2 + loss, rtol=1e-9)


@homes
def test_the_primal_of_a_regression_M26(home):
    model, _, _ = fitted(home, "svr")
    beta, kernel = model.dual_coef_[0], RBF.from_gamma(1.0 / (3 * X.var()))
    norm2 = beta @ kernel(X[model.support_]) @ beta
    proof = verify(model, X, t)
    loss = 2.0 * np.maximum(0.0, np.abs(t - model.predict(X)) - 0.2).sum()
    assert_allclose(proof.primal, 0.5 * norm2 + loss, rtol=1e-9)
    assert_allclose(proof.dual, t[model.support_] @ beta - 0.2 * np.abs(beta).sum() - 0.5 * norm2, rtol=1e-9)


@homes
def test_the_tube_of_nu_svr_is_the_best_for_its_function_M27(home):
    model, _, _ = fitted(home, "nu svr")
    residual = np.abs(t - model.predict(X))
    beta, kernel = model.dual_coef_[0], RBF.from_gamma(1.0 / (3 * X.var()))
    norm2 = beta @ kernel(X[model.support_]) @ beta
    tried = [2.0 * (0.4 * n * e + np.maximum(0.0, residual - e).sum()) for e in [0.0, *residual]]
    assert_allclose(verify(model, X, t).primal, 0.5 * norm2 + min(tried), rtol=1e-9)


@homes
@weighted
def test_regimes_are_those_of_the_decision_function_T22(home, w):
    model, _, _ = fitted(home, "svc", w)
    used = slice(None) if w is None else w > 0.0
    margins = (np.where(y == "yes", 1.0, -1.0) * model.decision_function(X))[used]
    regimes = verify(model, X, y, sample_weight=w).regimes
    assert ((regimes == "on the wrong side") == (margins < -1e-3)).all()
    inside = (margins > 2e-3) & (margins < 1.0 - 2e-3)
    assert (regimes[inside] == "inside but correct").all()
    assert (regimes[margins > 1.0 + 2e-3] == "outside the margin").all()
    assert (regimes == "on the margin").any()


@homes
def test_every_pair_of_classes_is_a_problem_of_its_own_M21(home):
    model, _, _ = fitted(home, "svc, three classes", tol=1e-6, gamma=0.5, class_weight=None)
    proof = verify(model, X, three)
    assert [part.name for part in proof.parts] == ["a against b", "a against c", "b against c"]
    assert proof.relative_gap == max(part.relative_gap for part in proof.parts)
    for part, pair in zip(proof.parts, ("ab", "ac", "bc"), strict=True):
        some = np.isin(three, list(pair))
        alone = theirs.SVC(C=2.0, tol=1e-6, gamma=0.5).fit(X[some], three[some])
        assert_allclose(part.primal, verify(alone, X[some], three[some]).primal, rtol=1e-5)
        assert sum(part.counts.values()) == some.sum()


# ---- wrong models


def spoiled(model, how):
    wrong = copy.copy(model)
    if how == "coefficients":
        noise = 1.0 + 0.3 * np.random.default_rng(0).uniform(-1.0, 1.0, model.dual_coef_.shape)
        wrong.dual_coef_ = model.dual_coef_.multiply(noise) if hasattr(model.dual_coef_, "multiply") else (
            model.dual_coef_ * noise)  # fmt: skip
    elif how == "intercept":
        wrong.intercept_ = model.intercept_ + 0.3
    elif how == "other C":
        wrong.C = 10.0 * model.C
    elif how == "other nu":
        wrong.nu = 0.5 * model.nu
    elif how == "support":
        wrong.support_ = (model.support_ + 1) % n
    return wrong


SPOILS = {"coefficients": None, "intercept": None, "support": None, "other C": "C", "other nu": "nu"}


def spoils(name):
    """The ways in which this kind of model can be wrong."""
    known = getattr(theirs, MODELS[name][0])().get_params()
    return [how for how, parameter in SPOILS.items() if parameter is None or parameter in known]


@pytest.mark.parametrize(("name", "how"), [(name, how) for name in MODELS for how in spoils(name)])
@homes
def test_a_wrong_model_is_found_out_T19(home, name, how):
    model, data, target = fitted(home, name, tol=1e-4)
    right, wrong = verify(model, data, target), verify(spoiled(model, how), data, target)
    assert wrong.relative_gap > max(20.0 * right.relative_gap, 1e-3)
    assert wrong.residuals.worst > 10.0 * right.residuals.worst


@homes
def test_other_data_and_another_kernel_are_found_out(home):
    model, _, _ = fitted(home, "svc")
    assert verify(copy.copy(model).set_params(gamma=3.0), X, y).relative_gap > 0.1
    assert verify(model, X[::-1], y).relative_gap > 0.1
    assert verify(model, X * [1.2, 1.0, 1.0], y).relative_gap > 100.0 * verify(model, X, y).relative_gap


# ---- coefficients that miss their constraints


@homes
def test_infeasible_coefficients_are_projected_and_the_projection_told_T19(home):
    model, _, _ = fitted(home, "svc", tol=1e-6)
    exact = verify(model, X, y)
    wrong = copy.copy(model)
    wrong.dual_coef_ = model.dual_coef_ * (1.0 + 1e-7)  # those at C now exceed it, and the sum is off
    proof = verify(wrong, X, y)
    assert 1e-8 < proof.projection < 1e-6
    assert "moved by" in str(proof)
    assert "moved by" not in str(exact)
    assert_allclose([proof.primal, proof.dual], [exact.primal, exact.dual], rtol=1e-5)
    assert proof.gap >= 0.0


@pytest.mark.parametrize(
    "problem",
    [
        svc(np.where(y == "yes", 1.0, -1.0), 2.0),
        svc(np.where(y == "yes", 1.0, -1.0), np.inf),
        svc(np.where(y == "yes", 1.0, -1.0), 2.0, bias=False),
        svr(t, 2.0, 0.1),
        one_class(n, 0.3),
        nu_svc(np.where(y == "yes", 1.0, -1.0), 0.4),
    ],
    ids=["svc", "hard", "no bias", "svr", "one class", "nu svc"],
)
def test_a_projection_is_feasible_and_leaves_feasible_points_alone(problem):
    for seed in range(5):
        found = project(np.random.default_rng(seed).normal(scale=3.0, size=n), problem)
        assert ((found >= problem.lo) & (found <= problem.hi)).all()
        if problem.bias:
            for group in [slice(None)] if problem.second is None else [problem.second, ~problem.second]:
                assert_allclose(found[group].sum(), problem.start[group].sum(), atol=1e-10)
        assert_allclose(project(found, problem), found, atol=1e-10)


def test_a_projection_keeps_zeros_while_the_others_can_do_it():
    problem = svc(np.where(y == "yes", 1.0, -1.0), 2.0)
    b = solve(StoredGram(K), problem, tol=1e-6).coef
    found = project(1.01 * b + 1e-3 * (b > 0.0), problem)
    assert ((found != 0.0) == (b != 0.0)).all()
    assert_allclose(found.sum(), 0.0, atol=1e-12)


def test_rounding_off_a_bound_does_not_count_as_a_violation():
    problem = svc(np.where(y == "yes", 1.0, -1.0), 2.0)
    b = solve(StoredGram(K), problem, tol=1e-6).coef
    nudged = np.where(b != 0.0, np.nextafter(b, 0.0), 1e-16 * problem.z)
    assert ((project(nudged, problem) == problem.hi) == (b == problem.hi)).all()
    assert ((project(nudged, problem) == 0.0) == (b == 0.0)).all()


# ---- precision, memory, kinds of items


def test_single_precision_data_are_verified_in_double():
    small = X.astype(np.float32)
    model = mercer.SVC(C=3.0).fit(small, y)
    twin = copy.copy(model)
    assert verify(model, small, y) == verify(twin, small.astype(np.float64), y)


def test_items_that_are_not_arrays_are_verified_too_I1():
    words = ["".join(np.random.default_rng(i).choice(list("ab" if i % 2 else "bc"), 8)) for i in range(40)]
    labels = np.arange(40) % 2
    model = mercer.SVC(kernel=Spectrum(2), tol=1e-5).fit(words, labels)
    proof = verify(model, words, labels)
    assert proof.converged
    assert proof.psd is True
    assert proof.relative_gap < 1e-3


def test_an_unknown_kernel_makes_the_proof_conditional_I6():
    assert verify(*fitted(theirs, "svc")).psd is True
    assert verify(*fitted(theirs, "svc, precomputed")).psd is None
    model, data, target = fitted(theirs, "svc", kernel="sigmoid", coef0=-2.0)
    assert verify(model, data, target).psd is not True


def test_the_gram_is_never_stored():
    many = 6000
    rng = np.random.default_rng(2)
    big = rng.normal(size=(many, 3))
    labels = big[:, 0] > 0.0
    model = theirs.SVC(C=10.0).fit(big, labels)
    verify(model, big, labels)  # what is imported on first use is not counted
    tracemalloc.start()
    assert verify(model, big, labels).converged
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.1 * 8 * many**2


def test_it_is_a_public_name():
    assert "verify" in mercer.__all__
    assert mercer.verify is verify
    assert set(READERS) <= set(mercer.__all__)
