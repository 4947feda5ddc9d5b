"""Fisher kernels and features of generative models: closed forms, sums to zero, invariance, no leak between folds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.kernels import RBF, Fisher, GenerativeFeatures, Linear
from mercer.models import DiagonalGaussian, GaussianMixture, HiddenMarkov

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2)) * [1.0, 2.0] + [0.0, 3.0]
X[15:] += 4.0
Y = rng.normal(size=(4, 2))
BITS = (rng.uniform(size=(20, 3)) < [0.2, 0.5, 0.8]).astype(float)
WORDS = ["".join(rng.choice(list("ab"), size=n, p=p)) for n, p in [(6, (0.9, 0.1)), (7, (0.1, 0.9))] * 8]


def test_an_unknown_mean_and_a_coin_in_closed_form_K30():
    m, v = X.mean(axis=0), X.var(axis=0)
    expected = ((X - m) / v) @ (Y - m).T
    assert_allclose(Fisher("gaussian mean").fit(X)(X, Y), expected)
    t = BITS.mean(axis=0)
    assert_allclose(Fisher("bernoulli")(BITS), ((BITS - t) / (t * (1 - t))) @ (BITS - t).T)


@pytest.mark.parametrize(("model", "data"), [
    ("gaussian", X), ("bernoulli", BITS), ("multinomial", BITS), ("mixture", X), ("hidden markov", WORDS),
])  # fmt: skip
def test_rows_of_the_training_gram_sum_to_zero_K30(model, data):
    fitted = {"mixture": lambda: GaussianMixture.fit(X, 2, ridge=0.0, tol=0.0, max_iter=3000),
              "hidden markov": lambda: HiddenMarkov.fit(WORDS, 2, tol=0.0, max_iter=3000)}  # fmt: skip
    K = Fisher(fitted.get(model, lambda: model)(), information="identity")(data)
    assert abs(K.sum(axis=1)).max() <= 1e-3 * abs(K).max()


@pytest.mark.parametrize("model", ["gaussian", "mixture"])
def test_with_an_empirical_information_the_mean_diagonal_is_its_rank_K30(model):
    k = Fisher(model, information="empirical")
    assert_allclose(k(X).diagonal().mean(), k.fit(X).frame.rank)


def test_a_singular_information_leaves_out_directions_and_says_so_K30():
    few = X[:3]
    frame = Fisher("mixture", information="empirical").fit(few).frame
    assert frame.rank <= 3
    with_ridge = Fisher("mixture", information="empirical", ridge=0.1)(few)
    assert with_ridge.diagonal().mean() < frame.rank


def test_the_parametrisation_does_not_matter_with_the_exact_information_K30():
    model = DiagonalGaussian.fit(X)

    def in_log_variances(data):
        scores = model.scores(data)
        return np.hstack([scores[:, :2], scores[:, 2:] * model.variance])

    information = np.concatenate([1.0 / model.variance, np.full(2, 0.5)])
    G = in_log_variances(X) / np.sqrt(information)
    assert_allclose(Fisher("gaussian")(X), G @ G.T)


def test_a_function_of_the_user_and_a_fitted_mixture_of_scikit_learn_K31():
    from sklearn.mixture import GaussianMixture as Theirs

    theirs = Theirs(2, random_state=0).fit(X)
    ours = GaussianMixture.from_fitted(theirs)
    expected = Fisher(ours)(X)
    assert_allclose(Fisher(theirs)(X), expected)
    assert_allclose(Fisher(ours.scores)(X), expected)


def test_a_search_learns_the_model_within_each_fold_K30():
    from sklearn.model_selection import KFold, cross_val_predict

    labels, folds = np.arange(30) // 15, KFold(5, shuffle=True, random_state=0)
    machine = mercer.SVC(kernel=Fisher("mixture"))
    found = cross_val_predict(machine, X, labels, cv=folds, method="decision_function")
    train, test = next(iter(folds.split(X)))
    k = Fisher("mixture").fit(X[train])
    by_hand = mercer.SVC(kernel="precomputed").fit(k(X[train]), labels[train])
    assert_allclose(found[test], by_hand.decision_function(k(X[test], X[train])), atol=1e-6)


def test_features_are_posteriors_and_a_kernel_of_them_K40():
    k = GenerativeFeatures(RBF(0.5), components=3).fit(X)
    phi = GaussianMixture.fit(X, 3).posteriors
    assert_allclose(phi(X).sum(axis=1), 1.0)
    assert_allclose(k(X, Y), RBF(0.5)(phi(X), phi(Y)))
    words = GenerativeFeatures(Linear(), model="hidden markov").fit(WORDS)
    shares = HiddenMarkov.fit(WORDS, 2).posteriors(["", "ab"])
    assert_allclose(words(["", "ab"]), shares @ shares.T)


def test_sequences_go_through_every_machine_and_files_E28(tmp_path):
    labels = np.arange(len(WORDS)) % 2
    k = Fisher("hidden markov", components=2)
    K = k.fit(WORDS)(WORDS)
    for machine in (mercer.SVC, mercer.KernelKNeighborsClassifier, mercer.GaussianProcessClassifier):
        direct = machine(kernel=k).fit(WORDS, labels)
        given = machine(kernel="precomputed")
        if machine is mercer.SVC:
            assert_allclose(direct.decision_function(WORDS), given.fit(K, labels).decision_function(K), atol=1e-6)
        assert direct.score(WORDS, labels) > 0.7
    machine = mercer.SVC(kernel=k).fit(WORDS, labels)
    mercer.save(machine, tmp_path / "m.mercer")
    assert_allclose(mercer.load(tmp_path / "m.mercer").decision_function(["ab?"]), machine.decision_function(["ab?"]))
    medoids = mercer.KMedoids(2, kernel=k).fit(WORDS)
    assert len(set(medoids.labels_)) == 2
    assert mercer.KernelPCA(2, kernel=k).fit_transform(WORDS).shape == (len(WORDS), 2)


@pytest.mark.parametrize(("make", "fault"), [
    (lambda: Fisher("poisson"), "model must be one of"),
    (lambda: Fisher(information="expected"), "information must be one of"),
    (lambda: Fisher(ridge=-1.0), "ridge must be"),
    (lambda: Fisher("mixture", information="exact")(X), "No formula"),
    (lambda: Fisher("bernoulli")(X), "zeros and ones"),
    (lambda: Fisher(lambda data: np.zeros(3))(X), "one row of gradients"),
    (lambda: Fisher(lambda data: np.full((len(data), 1), np.nan))(X), "finite"),
    (lambda: Fisher("gaussian")(X, Y), "learns from a dataset"),
    (lambda: GenerativeFeatures(model="gaussian"), "no hidden causes"),
    (lambda: GenerativeFeatures()(np.empty((0, 2))), "at least one item"),
])  # fmt: skip
def test_faults_are_named_I5(make, fault):
    with pytest.raises(ValueError, match=fault):
        make()
