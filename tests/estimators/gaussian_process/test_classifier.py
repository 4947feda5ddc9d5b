"""Gaussian process classification (M38): scikit-learn's model and more, on any kind of item."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.gaussian_process import GaussianProcessClassifier as Reference
from sklearn.gaussian_process import kernels as reference
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import SVC, GaussianProcessClassifier, NotConverged
from mercer.estimators.positivity import Indefinite
from mercer.kernels import RBF, Constant, Fixed, Linear, Matern, Sigmoid, Spectrum

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0.0, "yes", "no")
three = (X[:, 0] + 0.3 * rng.normal(size=60) > 0.0).astype(int) + (X[:, 1] > 0.5)
NEW = rng.normal(size=(40, 2))
IRIS, SPECIES = load_iris(return_X_y=True)
KERNEL = 2.0 * RBF(0.8)
MODES = [
    {"likelihood": "logistic"},
    {"likelihood": "probit"},
    {"multi_class": "softmax"},
    {"multi_class": "one_vs_rest"},
    {"multi_class": "one_vs_one", "likelihood": "probit"},
]
modes = pytest.mark.parametrize("options", MODES, ids=str)


def labels(options):
    return three if "multi_class" in options else y


def fixed(kernel=KERNEL, **options):
    return GaussianProcessClassifier(kernel, optimizer=None, **options)


def expected_failures(estimator):
    """A prior of mean 0 and a fixed, short lengthscale: between the items of a class its weight says nothing."""
    reason = "far from the items of a heavy class the prior decides, as it should"
    return {"check_class_weight_classifiers": reason}  # the default kernel is fixed too


@parametrize_with_checks([GaussianProcessClassifier(), fixed(likelihood="probit", multi_class="one_vs_rest"),
                          fixed(multi_class="one_vs_one"), fixed(method="inducing")],
                         expected_failed_checks=expected_failures)  # fmt: skip
def test_scikit_learns_own_checks_pass_I4(estimator, check):
    check(estimator)


# ---- weights


@pytest.mark.parametrize("tune", [None, "fmin_l_bfgs_b"], ids=["fixed", "tuned"])
@modes
def test_a_weight_is_a_number_of_equal_items_M38(options, tune):
    w, t = np.random.default_rng(1).integers(0, 4, size=60), labels(options)
    weighted = GaussianProcessClassifier(KERNEL, optimizer=tune, **options).fit(X, t, sample_weight=w)
    repeated = GaussianProcessClassifier(KERNEL, optimizer=tune, **options).fit(
        np.repeat(X, w, axis=0), np.repeat(t, w)
    )
    assert_allclose(weighted.predict_proba(NEW), repeated.predict_proba(NEW), atol=1e-8)
    assert_allclose(weighted.log_marginal_likelihood_value_, repeated.log_marginal_likelihood_value_, rtol=1e-9)
    theta = np.array([0.3, -0.2])
    slopes = [gp.log_marginal_likelihood(theta, eval_gradient=True)[1] for gp in (weighted, repeated)]
    assert_allclose(*slopes, atol=1e-8)


@modes
def test_class_weights_are_weights_of_their_items_M38(options):
    t = labels(options)
    share = {label: 1.0 + i for i, label in enumerate(np.unique(t))}
    by_class = fixed(class_weight=share, **options).fit(X, t)
    by_item = fixed(**options).fit(X, t, sample_weight=[share[label] for label in t])
    assert_allclose(by_class.predict_proba(NEW), by_item.predict_proba(NEW), atol=1e-12)
    with pytest.raises(ValueError, match="positive somewhere in every class"):
        fixed(**options).fit(X, t, sample_weight=(t != t[0]).astype(float))


# ---- agreement


def test_two_classes_agree_with_scikit_learn_M38():
    """scikit-learn replaces the logistic function by five error functions, which cost up to 3e-4."""
    ours, theirs = fixed().fit(X, y), Reference(2.0 * reference.RBF(0.8), optimizer=None).fit(X, y)
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-10)
    assert_array_equal(ours.predict(NEW), theirs.predict(NEW))
    assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=3e-4)
    mean, variance = ours.latent_mean_and_variance(NEW)
    f, K = theirs.base_estimator_.f_cached, 2.0 * np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2) / 0.64)
    assert_allclose(ours.dual_coef_ @ K, f[None, :], atol=1e-6)
    assert mean.shape == variance.shape == (40,)


def test_the_tuned_kernel_is_scikit_learns_M38():
    ours = GaussianProcessClassifier(KERNEL).fit(X, y)
    theirs = Reference(2.0 * reference.RBF(0.8)).fit(X, y)
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, atol=2e-3)
    assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=0.1)
    assert ours.fit_report_.log_marginal_likelihood == ours.log_marginal_likelihood_value_
    assert "converged" in str(ours.fit_report_)


def test_one_against_the_rest_agrees_with_scikit_learn_M38():
    ours = fixed(multi_class="one_vs_rest").fit(X, three)
    theirs = Reference(2.0 * reference.RBF(0.8), optimizer=None).fit(X, three)
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-10)
    assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=5e-4)
    assert len(ours.kernel_) == 3


@modes
def test_the_gradient_is_that_of_differences_M38(options):
    m = fixed((Constant(0.5) + Linear()) * RBF((0.8, 1.5)), **options).fit(X, labels(options))
    theta = np.array([-0.2, 0.1, 0.6])
    value, slope = m.log_marginal_likelihood(theta, eval_gradient=True)
    assert_allclose(m.log_marginal_likelihood(theta), value, rtol=1e-10)
    steps = 1e-5 * np.eye(3)
    wanted = [(m.log_marginal_likelihood(theta + h) - m.log_marginal_likelihood(theta - h)) / 2e-5 for h in steps]
    assert_allclose(slope, wanted, rtol=1e-5, atol=1e-6)


def test_several_models_take_one_theta_each_or_one_for_all_M38():
    m = fixed(multi_class="one_vs_rest").fit(X, three)
    theta = np.array([0.3, -0.2])
    all_at_once = m.log_marginal_likelihood(np.tile(theta, 3), eval_gradient=True)
    one = m.log_marginal_likelihood(theta, eval_gradient=True)
    assert_allclose(all_at_once[0], one[0], rtol=1e-10)
    assert_allclose(all_at_once[1].reshape(3, 2).sum(axis=0), one[1], atol=1e-8)
    with pytest.raises(ValueError, match="theta"):
        m.log_marginal_likelihood(None, eval_gradient=True)
    with pytest.raises(ValueError, match="theta"):
        m.log_marginal_likelihood(np.zeros(5))


def test_a_gradient_needs_no_tensor_of_all_parameters_M38():
    """100 lengthscales, 300 items: a tensor would be 72 MB, ten matrices are 7."""
    wide = rng.normal(size=(300, 100))
    m = fixed(RBF((10.0,) * 100)).fit(wide, wide[:, 0] > 0.0)
    m.log_marginal_likelihood(m.kernel_.theta, eval_gradient=True)
    tracemalloc.start()
    m.log_marginal_likelihood(m.kernel_.theta, eval_gradient=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * 8 * 300**2


# ---- models


@modes
def test_probabilities_add_up_and_go_to_the_priors_far_away_M38(options):
    m = fixed(**options).fit(X, labels(options))
    P, far = m.predict_proba(NEW), m.predict_proba(np.full((1, 2), 1e3))
    assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
    assert ((P > 0.0) & (P < 1.0)).all()
    assert_allclose(far, 1.0 / m.n_classes_, atol=1e-3)
    assert_array_equal(m.predict(NEW), m.classes_[P.argmax(axis=1)])
    assert_allclose(m.predict_log_proba(NEW), np.log(P), rtol=1e-12)


@modes
def test_tuning_raises_the_evidence_to_where_its_slope_vanishes_M38(options):
    m = GaussianProcessClassifier(KERNEL, **options).fit(X, labels(options))
    assert m.log_marginal_likelihood_value_ > fixed(**options).fit(X, labels(options)).log_marginal_likelihood_value_
    kernels = m.kernel_ if isinstance(m.kernel_, tuple) else (m.kernel_,)
    theta = np.concatenate([k.theta for k in kernels])
    value, slope = m.log_marginal_likelihood(theta, eval_gradient=True)
    assert_allclose(value, m.log_marginal_likelihood_value_, rtol=1e-9)
    assert abs(slope).max() < 0.1
    assert m.converged_
    assert "one maximum" in str(m.certificate_)


def test_the_softmax_does_not_depend_on_the_names_of_classes_M38():
    m, turned = fixed().fit(X, three), fixed().fit(X, 2 - three)
    assert_allclose(turned.log_marginal_likelihood_value_, m.log_marginal_likelihood_value_, rtol=1e-12)
    assert_allclose(turned.predict_proba(NEW)[:, ::-1], m.predict_proba(NEW), atol=2e-3)


def test_iris_is_learned_all_three_ways_M38():
    """With a prior on the variance of f: else that grows, and with it the doubt of Laplace's approximation."""
    train = np.arange(150) % 2 == 0
    for way in ("softmax", "one_vs_rest", "one_vs_one"):
        losses = []
        for prior in ("auto", 1.0, None):
            m = GaussianProcessClassifier("rbf", multi_class=way, prior=prior).fit(IRIS[train], SPECIES[train])
            assert m.score(IRIS[~train], SPECIES[~train]) > 0.93
            losses.append(log_loss(SPECIES[~train], m.predict_proba(IRIS[~train])))
        assert max(losses[:2]) < min(losses[2], 0.35)


@pytest.mark.parametrize(
    "kernel", [KERNEL, reference.ConstantKernel(1.0) * reference.RBF(1.0)], ids=["ours", "scikit-learn"]
)
def test_kernel_objects_are_tuned_by_the_evidence_alone_unless_a_prior_is_given_M38(kernel):
    free, auto, held = (
        GaussianProcessClassifier(kernel, prior=p).fit(X, three > 0).kernel_.theta for p in (None, "auto", 0.1)
    )
    assert_array_equal(auto, free)
    assert np.abs(held - free).max() > 0.1


def test_probabilities_of_overlapping_uniforms_are_calibrated_E12():
    """True probabilities are 0, 1/2 and 1: the best log loss is log(2)/2 = 0.347, the best error 0.25."""
    draws = np.random.default_rng(1)

    def draw(n):
        t = np.arange(n) % 2
        return (draws.random(n) + 0.5 * t)[:, None], t

    (train, t), (test, t_test) = draw(200), draw(10_000)
    svm = SVC(probability=True, random_state=0).fit(train, t)
    platt = log_loss(t_test, svm.predict_proba(test))
    for likelihood in ("logistic", "probit"):
        m = GaussianProcessClassifier(1.0 * RBF(0.3), likelihood=likelihood).fit(train, t)
        assert log_loss(t_test, m.predict_proba(test)) < min(0.43, platt)
        assert abs(1.0 - m.score(test, t_test) - 0.25) < 0.02
        assert_allclose(m.predict_proba([[0.65], [0.75], [0.85]])[:, 1], 0.5, atol=0.2)
        assert_allclose(m.predict_proba([[0.2], [1.3]])[:, 1], [0.0, 1.0], atol=0.1)


def test_one_item_of_each_class_is_enough_M38():
    Z = np.array([[0.0], [1.0], [2.0]])
    for m in (fixed(), GaussianProcessClassifier(), fixed(multi_class="one_vs_one")):
        assert_array_equal(clone(m).fit(Z, [3, 1, 2]).predict(Z), [3, 1, 2])
        assert_array_equal(clone(m).fit(Z[:2], [True, False]).predict(Z[:2]), [True, False])


def test_rare_classes_are_found_and_stay_rare_M38():
    Z = np.concatenate([rng.normal(size=(95, 1)), 6.0 + 0.3 * rng.normal(size=(5, 1))])
    t = np.repeat([0, 1], [95, 5])
    m = GaussianProcessClassifier(KERNEL, prior=1.0).fit(Z, t)
    assert_array_equal(m.predict(Z), t)
    assert m.predict_proba([[0.0]])[0, 1] < 0.1


def test_equal_items_with_different_labels_get_their_share_M38():
    Z, t = np.repeat([[0.0], [5.0]], 20, axis=0), np.concatenate([np.arange(20) < 5, np.arange(20) < 15])
    P = fixed(9.0 * RBF(1.0)).fit(Z, t).predict_proba([[0.0], [5.0]])[:, 1]
    assert_allclose(P, [0.25, 0.75], atol=0.05)


@modes
@pytest.mark.parametrize("encode", [str, float, lambda c: -5 * c, lambda c: "xyz"[c]], ids=["str", "float", "int", "x"])
def test_labels_may_be_of_any_type_M38(options, encode):
    t = (y == "yes").astype(int) if "multi_class" not in options else three
    found = fixed(**options).fit(X, np.array([encode(c) for c in t])).predict(NEW)
    assert_array_equal(found, [encode(c) for c in fixed(**options).fit(X, t).predict(NEW)])


# ---- items


def test_strings_are_classified_by_the_same_class_M38():
    words = ["abab", "ababab", "aabb", "bababa", "cdcd", "cdcdcd", "ccdd", "dcdcdc"]
    m = GaussianProcessClassifier(1.0 * Spectrum(2)).fit(words, ["ab"] * 4 + ["cd"] * 4)
    assert_array_equal(m.predict(["baba", "dcdc"]), ["ab", "cd"])
    P = m.predict_proba(["baba", "xyz"])
    assert P[0, 0] > 0.6
    assert_allclose(P[1], 0.5, atol=1e-12)


@modes
def test_a_precomputed_gram_is_the_kernel_it_came_from_M38(options):
    t, k = labels(options), 2.0 * RBF(0.8) + 0.3 * Linear()
    items, gram = fixed(k, **options).fit(X, t), GaussianProcessClassifier("precomputed", **options).fit(k(X), t)
    assert_allclose(gram.log_marginal_likelihood_value_, items.log_marginal_likelihood_value_, rtol=1e-10)
    diag = 2.0 + 0.3 * (NEW**2).sum(axis=1)
    assert_allclose(gram.predict_proba(k(NEW, X), prior=diag), items.predict_proba(NEW), atol=1e-8)
    assert_array_equal(gram.predict(k(NEW, X), prior=diag), items.predict(NEW))
    with pytest.raises(ValueError, match="Pass prior"):
        gram.predict_proba(k(NEW, X))
    with pytest.raises(ValueError, match="precomputed"):
        gram.log_marginal_likelihood(np.zeros(2))


def test_a_precomputed_gram_of_constant_diagonal_needs_no_other_M38():
    gram = GaussianProcessClassifier("precomputed").fit(KERNEL(X), three)
    assert_allclose(gram.predict_proba(KERNEL(NEW, X)), fixed().fit(X, three).predict_proba(NEW), atol=1e-8)


def test_sparse_and_single_precision_data_give_the_same_model_M38():
    from scipy.sparse import csr_array

    m = fixed().fit(X, three)
    for other in (csr_array(X), X.astype(np.float32)):
        assert_allclose(fixed().fit(other, three).predict_proba(NEW), m.predict_proba(NEW), atol=1e-5)


def test_scikit_learns_kernels_are_converted_M38():
    """kernel_, theta and gradient stay scikit-learn's; its WhiteKernel is a part of the latent function."""
    given = 2.0 * reference.RBF(0.8) + reference.WhiteKernel(0.3)
    ours, theirs = fixed(given).fit(X, y), Reference(given, optimizer=None).fit(X, y)
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-10)
    assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=3e-4)
    theta = given.theta + np.array([0.3, -0.2, 0.1])
    for a, b in zip(
        ours.log_marginal_likelihood(theta, True), theirs.log_marginal_likelihood(theta, True), strict=True
    ):
        assert_allclose(a, b, rtol=1e-6)
    assert fixed(given).set_params(kernel__k2__noise_level=0.5).kernel.k2.noise_level == 0.5
    tuned = GaussianProcessClassifier(2.0 * reference.RBF(0.8)).fit(X, y)
    assert isinstance(tuned.kernel_, reference.Product)
    assert_allclose(tuned.log_marginal_likelihood(tuned.kernel_.theta), tuned.log_marginal_likelihood_value_, rtol=1e-9)


# ---- options


def test_kernels_may_be_names_functions_and_partly_fixed_M38():
    assert GaussianProcessClassifier("matern").fit(X, y).score(X, y) > 0.8
    m = GaussianProcessClassifier(Fixed(2.0) * Matern(0.8, nu=2.5)).fit(X, y)
    assert m.kernel_.factor == Fixed(2.0)
    assert m.kernel_.kernel.lengthscale != 0.8
    ours = fixed(lambda A, B: np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2))).fit(X, y)
    assert_allclose(ours.predict_proba(NEW), fixed(RBF.from_gamma(1.0)).fit(X, y).predict_proba(NEW), atol=1e-9)


def test_restarts_never_end_lower_and_repeat_M38():
    lonely = 1.0 * RBF(1e-4)  # every item on its own: a flat start
    one = GaussianProcessClassifier(lonely).fit(X, y)
    more = GaussianProcessClassifier(lonely, n_restarts_optimizer=4, random_state=0).fit(X, y)
    assert more.log_marginal_likelihood_value_ > one.log_marginal_likelihood_value_ + 1.0
    again = GaussianProcessClassifier(lonely, n_restarts_optimizer=4, random_state=0).fit(X, y)
    assert again.kernel_ == more.kernel_


def test_an_optimizer_may_be_a_function_of_scikit_learns_form_M38():
    seen = []

    def stay(obj_func, initial_theta, bounds):
        value, slope = obj_func(initial_theta)
        seen.append((value, slope.shape, bounds.shape, obj_func(initial_theta, eval_gradient=False)))
        return initial_theta + 0.1, value

    m = GaussianProcessClassifier(KERNEL, optimizer=stay).fit(X, y)
    assert_allclose(m.kernel_.theta, KERNEL.theta + 0.1)
    assert seen[0][1:3] == ((2,), (2, 2))
    assert_allclose(seen[0][0], seen[0][3], rtol=1e-10)


def test_large_data_are_searched_on_subsets_first_with_all_classes_M38():
    """All but three of 700 items are of one class: the subset has one of them at least."""
    Z = rng.normal(size=(700, 1))
    t = np.where(Z[:, 0] > np.sort(Z[:, 0])[-4], 1, 0)
    climbs = GaussianProcessClassifier(KERNEL).fit(Z, t).fit_report_.climbs
    assert [climb.size for climb in climbs] == [234, 700, 700]  # once more from the start
    assert all(climb.converged for climb in climbs)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_long_ridge_is_climbed_to_its_end_M38():
    """Variance and lengthscale grow together: 0.56 nats beyond where a quadratic model promises next to nothing."""
    rows, species = IRIS[50::2], SPECIES[50::2]
    ours = GaussianProcessClassifier(1.0 * RBF(1.0)).fit(rows, species)
    theirs = Reference(1.0 * reference.RBF(1.0)).fit(rows, species)
    assert ours.log_marginal_likelihood_value_ > -10.56
    assert ours.log_marginal_likelihood_value_ > theirs.log_marginal_likelihood_value_ - 1e-3
    _, slope = ours.log_marginal_likelihood(ours.kernel_.theta, eval_gradient=True)
    assert np.abs(slope).max() < 1e-4


def test_rounding_under_a_large_variance_ends_newtons_method_M38():
    """K of the size 3e4 leaves 1e-10 of a' K a to rounding: that is the end, not a reason for 100 steps."""
    r = np.random.default_rng(0)
    Z = r.normal(size=(60, 2))
    m = fixed(3e4 * RBF(4.0)).fit(Z, np.digitize(np.sin(Z[:, 0]) + 0.1 * r.normal(size=60), [-0.4, 0.4]))
    assert m.certificate_.converged
    assert m.n_iter_ < 30


def test_a_warm_start_begins_at_the_last_maximum_M38():
    m = fixed(warm_start=True).fit(X, three)
    cold = m.n_iter_
    assert m.fit(X, three).n_iter_ == 0 < cold
    assert m.fit(X[:30], y[:30]).n_iter_ > 0  # another problem begins anew


def test_items_are_copied_unless_that_is_not_wanted_M38():
    Z = X.copy()
    m, shared = fixed().fit(Z, y), fixed(copy_X_train=False).fit(Z, y)
    before = m.predict_proba(NEW)
    assert_array_equal(shared.predict_proba(NEW), before)
    Z[:] = 0.0
    assert_array_equal(m.predict_proba(NEW), before)


def test_too_few_steps_are_told_with_the_gap_M38():
    with pytest.warns(NotConverged, match=r"max_iter.*max_iter_predict"):
        m = fixed(max_iter_predict=1).fit(X, three)
    assert not m.converged_
    assert m.certificate_.gap > 1e-6
    assert m.predict(NEW).shape == (40,)


def test_a_search_without_end_is_told_M38(monkeypatch):
    monkeypatch.setattr("mercer.solvers.evidence_climb._FINISH_LIMIT", 2)
    with pytest.warns(NotConverged, match="search of hyper-parameters"):
        m = GaussianProcessClassifier(KERNEL).fit(X, y)
    assert not m.converged_
    assert m.certificate_.converged


def test_a_precomputed_matrix_is_not_kept_I7():
    """One factor stays, and not the matrix it came from."""
    m = GaussianProcessClassifier("precomputed").fit(KERNEL(IRIS[:100]), SPECIES[:100])
    assert len(pickle.dumps(m)) < 1.5 * 8 * 100**2


def test_an_indefinite_kernel_is_told_I6():
    K = np.diag([1.0, -1.0, 1.0, -1.0])
    with pytest.warns(Indefinite, match="not positive"):
        GaussianProcessClassifier("precomputed").fit(K, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="positive semi-definite"):
        fixed(Sigmoid(2.0, offset=-1.0), check_psd="raise").fit(X, y)


def test_the_common_outputs_describe_the_expansion_M38():
    for options, functions in ((MODES[0], 1), (MODES[2], 3), (MODES[3], 3), (MODES[4], 3)):
        m = fixed(**options).fit(X, labels(options))
        assert m.dual_coef_.shape == (functions, 60)
        assert_array_equal(m.support_, np.arange(60))
        assert_allclose(m.intercept_, np.zeros(functions))
        mean = m.latent_mean_and_variance(NEW)[0]
        assert_allclose(KERNEL(NEW, X) @ m.dual_coef_.T, mean.reshape(40, functions), atol=1e-9)


def test_clones_pickles_and_searches_work_I4():
    m = fixed().fit(X, three)
    assert_array_equal(pickle.loads(pickle.dumps(m)).predict_proba(NEW), m.predict_proba(NEW))
    assert not hasattr(clone(m), "kernel_")
    search = GridSearchCV(fixed(), {"kernel__k1__lengthscale": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel__k1__lengthscale": 1.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"likelihood": "softmax"}, "likelihood"),
        ({"multi_class": "ovr"}, "one_vs_rest"),
        ({"likelihood": "probit"}, "multi_class='one_vs_rest'"),
        ({"optimizer": "adam"}, "optimizer"),
        ({"max_iter_predict": 0}, "max_iter_predict"),
        ({"n_restarts_optimizer": -1}, "n_restarts_optimizer"),
        ({"check_psd": "maybe"}, "check_psd"),
        ({"prior": 0.0}, "prior"),
        ({"prior": "strong"}, "prior"),
        ({"kernel": "rfb"}, "kernel"),
    ],
)
def test_bad_options_are_refused_with_a_cure_I5(options, message):
    with pytest.raises(ValueError, match=message):
        GaussianProcessClassifier(**{"kernel": KERNEL, **options}).fit(X, three)
