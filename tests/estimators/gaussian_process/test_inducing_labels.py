"""GaussianProcessClassifier(method="inducing"): labels through landmarks (M38)."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.gaussian_process import kernels as sk

import mercer
from mercer import GaussianProcessClassifier, NotPositiveDefinite
from mercer.errors import MemoryBudgetError
from mercer.kernels import RBF, Fixed, Linear, Matern, Sigmoid, Spectrum, White

rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (70, 2))
y = np.where(X[:, 0] + 0.6 * rng.normal(size=70) > 0.0, "yes", "no")
three = (X[:, 0] + 0.3 * rng.normal(size=70) > 0.0).astype(int) + (X[:, 1] > 0.5)
NEW = rng.uniform(-2.5, 2.5, (20, 2))
WEIGHT = rng.integers(0, 3, 70).astype(float)
MODES = [
    {"likelihood": "logistic"},
    {"likelihood": "probit", "class_weight": {"yes": 2.0, "no": 1.0}},
    {"multi_class": "softmax"},
    {"multi_class": "one_vs_rest"},
    {"multi_class": "one_vs_one", "likelihood": "probit"},
]
modes = pytest.mark.parametrize("options", MODES, ids=str)


def labels(options):
    return three if "multi_class" in options else y


def pair(kernel, count, options=None, weight=None, **more):
    """An exact machine, and one through landmarks."""
    given, target = {"optimizer": None} | (options or {}) | more, labels(options or {})
    exact = GaussianProcessClassifier(kernel, **given).fit(X, target, weight)
    through = GaussianProcessClassifier(kernel, method="inducing", n_inducing=count, **given)
    return exact, through.fit(X, target, weight)


# ---- the exact machine is the limit


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@modes
def test_with_all_items_as_landmarks_it_is_the_exact_machine_M38(options, weight):
    exact, through = pair(2.0 * RBF(0.3), 70, options, weight)
    assert_allclose(through.predict_proba(NEW), exact.predict_proba(NEW), atol=2e-6)
    for found, expected in zip(*(m.latent_mean_and_variance(NEW) for m in (through, exact)), strict=True):
        assert_allclose(found, expected, atol=1e-5)
    assert_allclose(through.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, rtol=1e-7)
    for found, expected in zip(through._posteriors, exact._posteriors, strict=True):
        assert_allclose(found.mode.latent.ravel(), expected.mode.latent.ravel(), atol=1e-5)
        assert_allclose(found.mode.coef.ravel(), expected.mode.coef.ravel(), atol=1e-6)
    theta = np.log([1.6, 0.35])
    for found, expected in zip(*(m.log_marginal_likelihood(theta, True) for m in (through, exact)), strict=True):
        assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("target", [y, three], ids=["two", "three"])
def test_the_search_ends_where_that_of_the_exact_machine_ends_M38(target):
    exact, through = (
        GaussianProcessClassifier("rbf", method=m, n_inducing=70).fit(X, target) for m in ("exact", "inducing")
    )
    assert_allclose(through.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, atol=1e-3)
    assert_allclose(through.predict_proba(NEW), exact.predict_proba(NEW), atol=2e-2)


def test_a_kernel_of_few_features_needs_few_landmarks_M38():
    exact, through = pair(Linear() + 1.0, 3, {"multi_class": "softmax"})
    assert through.approximation_.rank == 3
    assert through.approximation_.relative_trace_error < 1e-6
    assert_allclose(through.predict_proba(NEW), exact.predict_proba(NEW), atol=1e-5)


@modes
def test_more_landmarks_come_nearer_to_the_exact_machine_M38(options):
    found = [pair(2.0 * RBF(0.7), count, options) for count in (3, 12, 40)]
    apart = [np.abs(b.predict_proba(NEW) - a.predict_proba(NEW)).max() for a, b in found]
    assert apart[0] > apart[1] > apart[2]
    assert apart[2] < 0.02


# ---- the problem that is solved


@pytest.mark.parametrize("kernel", [1.5 * Matern((0.6, 1.2), nu=1.5), 0.7 * Linear() + 0.4, RBF(0.8) + White(0.3),
                                    Fixed(2.0) * RBF(0.5)], ids=["ard", "linear", "white", "partly fixed"])  # fmt: skip
@modes
def test_the_gradient_is_that_of_differences_M38(kernel, options):
    gp = pair(kernel, 9, options)[1]
    theta = np.asarray(kernel.theta) + 0.05
    _, slope = gp.log_marginal_likelihood(theta, eval_gradient=True)
    step = 1e-5 * np.eye(len(theta))
    values = [(gp.log_marginal_likelihood(theta + e), gp.log_marginal_likelihood(theta - e)) for e in step]
    assert_allclose(slope, [(up - down) / 2e-5 for up, down in values], rtol=1e-4, atol=1e-4)


@modes
def test_the_mode_is_proved_and_made_again_C2(options):
    gp = GaussianProcessClassifier(1.0 * RBF(1.0), method="inducing", n_inducing=10, **options)
    gp.fit(X, labels(options), WEIGHT)
    assert gp.converged_
    assert gp.certificate_.gap <= 1e-9
    found = mercer.verify(gp, X, labels(options), WEIGHT)
    assert found.converged
    assert found.gap < 1e-8
    assert_allclose(found.evidence, gp.log_marginal_likelihood_value_, rtol=1e-8)
    gp.dual_coef_ = 0.9 * gp.dual_coef_
    assert mercer.verify(gp, X, labels(options), WEIGHT).reason == "residual"


def test_false_claims_are_found_out_C2():
    gp = pair(2.0 * RBF(0.7), 10)[1]
    with pytest.raises(ValueError, match="the 70 samples"):
        mercer.verify(gp, X[:60], y[:60])
    gp.log_marginal_likelihood_value_ += 0.1
    assert mercer.verify(gp, X, y).reason == "evidence"


@modes
def test_a_weight_is_a_number_of_equal_items_under_the_kernel_of_the_landmarks_M38(options):
    """Under a kernel of few features landmarks leave nothing over, so that equal items are one item."""
    weighted = pair(Linear() + 1.0, 5, options, WEIGHT)[1]
    each, target = np.repeat(np.arange(70), WEIGHT.astype(int)), labels(options)
    repeated = GaussianProcessClassifier(Linear() + 1.0, method="inducing", n_inducing=5, optimizer=None, **options)
    repeated.fit(X[each], target[each])
    assert_allclose(weighted.predict_proba(NEW), repeated.predict_proba(NEW), atol=1e-5)


@modes
def test_the_functions_are_expansions_over_the_landmarks_M38(options):
    gp = pair(2.0 * RBF(0.7), 10, options)[1]
    mean = gp.latent_mean_and_variance(NEW)[0].reshape(20, -1)
    assert_allclose(RBF(0.7)(NEW, X[gp.support_]) @ (2.0 * gp.dual_coef_.T), mean, atol=1e-6)
    assert gp.method_ == "inducing"
    assert len(gp.intercept_) == len(gp.dual_coef_) == mean.shape[1]


def test_far_away_probabilities_are_those_of_the_prior_M38():
    for target, share in ((y, 0.5), (three, 1.0 / 3.0)):
        gp = GaussianProcessClassifier(2.0 * RBF(0.5), optimizer=None, method="inducing", n_inducing=12).fit(X, target)
        assert_allclose(gp.predict_proba([[90.0, 90.0]]), share, atol=1e-3)


def test_a_search_on_many_items_begins_on_few_M38(monkeypatch):
    from mercer.estimators.gaussian_process.methods import inducing_labels

    monkeypatch.setattr(inducing_labels, "_SUBSET", 30)
    gp = GaussianProcessClassifier("rbf", method="inducing", n_inducing=20).fit(X, three)
    sizes = [climb.size for climb in gp.fit_report_.climbs]
    assert sizes[0] < 40
    assert sizes[-1] == 70
    assert gp.score(X, three) > 0.8


def test_features_that_do_not_fit_are_made_anew_in_every_pass_M38():
    many = np.tile(X, (8, 1)) + 0.01 * rng.normal(size=(560, 2))
    gp = GaussianProcessClassifier(2.0 * RBF(0.7), method="inducing", n_inducing=20, optimizer=None)
    stored = gp.fit(many, np.tile(y, 8)).predict_proba(NEW)
    with mercer.configure(memory=2 * 8 * 560 * 20 - 1):
        assert_allclose(gp.fit(many, np.tile(y, 8)).predict_proba(NEW), stored, atol=1e-10)


def test_no_matrix_of_all_pairs_is_made_I7():
    many, target = rng.normal(size=(4000, 2)), np.arange(4000) % 3
    gp = GaussianProcessClassifier(2.0 * RBF(0.7), method="inducing", n_inducing=20, optimizer=None)
    tracemalloc.start()
    gp.fit(many, target).predict_proba(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.15 * 8 * 4000**2


def test_a_warm_start_begins_at_the_last_maximum_M38():
    gp = GaussianProcessClassifier(2.0 * RBF(0.7), method="inducing", n_inducing=20, optimizer=None, warm_start=True)
    assert gp.fit(X, y).n_iter_ > gp.fit(X, y).n_iter_ == 0
    assert gp.set_params(method="exact").fit(X, y).converged_


# ---- other data


def test_strings_are_classified_and_saved_E28(tmp_path):
    words = ["".join(rng.choice(list("ab"), 8)) for _ in range(40)]
    target = np.array(["many" if word.count("ab") > 2 else "few" for word in words])
    gp = GaussianProcessClassifier(1.0 * Spectrum(2), method="inducing", n_inducing=4).fit(words, target)
    assert gp.score(words, target) > 0.9
    mercer.save(gp, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert_allclose(again.predict_proba(words), gp.predict_proba(words), rtol=1e-12)
    assert again.approximation_ == gp.approximation_
    theta = gp.kernel_.theta + 0.1
    assert_allclose(again.log_marginal_likelihood(theta), gp.log_marginal_likelihood(theta), rtol=1e-10)


@pytest.mark.filterwarnings("ignore::mercer.estimators.gaussian_process.report.AtBound")
def test_kernels_of_scikit_learn_keep_their_theta_M38():
    theirs = 1.0 * sk.RBF(1.0) + sk.WhiteKernel(0.1)
    exact, through = (
        GaussianProcessClassifier(theirs, method=m, n_inducing=70).fit(X, y) for m in ("exact", "inducing")
    )
    assert type(through.kernel_) is type(theirs)
    assert_allclose(through.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, atol=1e-2)


@pytest.mark.filterwarnings("ignore::mercer.estimators.gaussian_process.report.AtBound")
@pytest.mark.parametrize("kernel", ["rbf", 1.0 * RBF(1.0), Fixed(1.0) * RBF(Fixed(1.0)), None], ids=str)
@pytest.mark.parametrize(
    ("items", "target"),
    [
        (np.repeat(X[:3], 5, axis=0), np.arange(15) % 2),
        (np.column_stack([X[:20, 0], np.ones(20)]), y[:20]),
        (np.ones((6, 1)), np.arange(6) % 3),
        (X[:2], np.array([0, 1])),
    ],
    ids=["duplicates", "constant column", "all equal", "two items"],
)
def test_degenerate_data_give_probabilities_M38(items, target, kernel):
    gp = GaussianProcessClassifier(kernel, method="inducing", n_inducing=100).fit(items, target)
    P = gp.predict_proba(items)
    assert np.isfinite(P).all()
    assert_allclose(P.sum(axis=1), 1.0)
    assert gp.approximation_.rank <= len(items)
    assert gp.certificate_.converged


def test_equal_items_with_different_labels_get_their_share_M38():
    gp = GaussianProcessClassifier(RBF(1.0), optimizer=None, method="inducing").fit(np.ones((40, 1)), np.arange(40) % 4)
    assert_allclose(gp.predict_proba([[1.0]]), 0.25, atol=1e-3)


# ---- the choice


def test_auto_is_exact_while_that_is_cheap_M38(monkeypatch):
    from mercer.estimators.gaussian_process.methods import label_choice

    gp = GaussianProcessClassifier(2.0 * RBF(0.7), method="auto", n_inducing=30, optimizer=None)
    assert gp.fit(X, y).method_ == "exact"
    assert gp.approximation_ is None
    monkeypatch.setattr(label_choice, "_MOST", 1e4)
    assert gp.fit(X, y).method_ == "inducing"
    gram = GaussianProcessClassifier("precomputed", method="auto").fit(RBF(1.0)(X), y)
    assert gram.method_ == "exact"


def test_what_does_not_fit_is_refused_with_the_cost_of_the_other_method_I7():
    gp = GaussianProcessClassifier(2.0 * RBF(0.7), n_inducing=20)
    costs = gp.estimate_cost(X, y)
    assert set(costs) == {"exact", "inducing"}
    with mercer.configure(memory=2**17):
        many = np.tile(X, (3, 1))
        with pytest.raises(MemoryBudgetError, match=r"exact fit.*210 items.*method='inducing' with 20 landmarks takes"):
            gp.fit(many, np.tile(y, 3))
        assert gp.set_params(method="auto", optimizer=None).fit(many, np.tile(y, 3)).method_ == "inducing"
        with pytest.raises(MemoryBudgetError, match=r"fewer.*n_inducing"):
            gp.set_params(n_inducing=200).fit(many, np.tile(y, 3))


def test_faults_are_named_I5():
    with pytest.raises(ValueError, match="computable for method='inducing'"):
        GaussianProcessClassifier("precomputed", method="inducing").fit(np.eye(3), [0, 1, 0])
    with pytest.raises(ValueError, match="n_inducing must be an integer >= 1"):
        GaussianProcessClassifier(method="inducing", n_inducing=0).fit(X, y)
    with pytest.raises(ValueError, match=r"method must be one of \('exact', 'inducing', 'auto'\)"):
        GaussianProcessClassifier(method="sgpr").fit(X, y)
    with pytest.raises(ValueError, match="class"):
        GaussianProcessClassifier(method="inducing").fit(X, np.ones(70))
    with pytest.raises(NotPositiveDefinite, match="positive semi-definite"):
        GaussianProcessClassifier(Sigmoid(1.0, 1.0), method="inducing", check_psd="off", optimizer=None).fit(X, y)


def test_fits_do_not_depend_on_threads_I7():
    gp = GaussianProcessClassifier(2.0 * RBF(0.7), method="inducing", n_inducing=15)
    found = []
    for threads in (1, 3):
        with mercer.configure(threads=threads):
            found.append(gp.fit(X, three).predict_proba(NEW))
    assert_array_equal(*found)
