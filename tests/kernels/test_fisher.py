"""Fisher kernels and features of generative models: closed forms, sums to zero, invariance, no leak between folds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.items import PointLists, Sequences, Strings
from mercer.kernels import RBF, Fisher, GenerativeFeatures, GlobalAlignment, Linear, Spectrum
from mercer.models import DiagonalGaussian, GaussianEmissions, GaussianMixture, HiddenMarkov

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


SERIES = [np.vstack([rng.normal(m, 0.5, (5, 2)), rng.normal(-m, 0.5, (n, 2))]) for n, m in [(4, 1), (0, 2)] * 5]


@pytest.mark.parametrize("k", [Fisher("hidden markov"), GenerativeFeatures(RBF(0.5), "hidden markov")], ids=repr)
def test_sequences_of_vectors_are_those_of_a_model_with_gaussian_emissions_K31(k):
    model = HiddenMarkov.fit(SERIES, 2)
    given = k.with_params(model=model)
    new = [SERIES[0][::-1], np.array([[0.0, 0.1]]), []]
    assert given.items is PointLists
    assert_allclose(k.fit(SERIES)(new), given.fit(SERIES)(new), rtol=1e-10)
    assert_allclose(k.fit([x.tolist() for x in SERIES])(SERIES), k(SERIES), rtol=1e-10)
    with pytest.raises(TypeError, match="lists of points, as in the first dataset; got strings"):
        k.fit(SERIES)(["ab"])
    with pytest.raises(TypeError, match="strings, as in the first dataset; got lists of points"):
        k.fit(WORDS)(SERIES)
    with pytest.raises(ValueError, match="vectors of 2 columns"):
        k.fit(SERIES)([np.ones((2, 3))])


def test_the_gradient_of_gaussian_emissions_is_that_of_the_density_K31():
    model, x, step = HiddenMarkov.fit(SERIES, 2), [SERIES[0]], 1e-6
    found = model.scores(x)[0][6:]
    means, variances = model.emissions.means, model.emissions.variances
    for at in range(8):
        moved = [np.array([means, variances]) for _ in range(2)]
        for one, sign in zip(moved, (1.0, -1.0), strict=True):
            one.reshape(-1)[at] += sign * step
        high, low = (HiddenMarkov(model.start, model.transitions, GaussianEmissions(*one)) for one in moved)
        assert_allclose(found[at], (high.log_density(x) - low.log_density(x))[0] / (2 * step), rtol=1e-4, atol=1e-5)


def test_both_forms_of_sequences_stand_beside_kernels_of_one_form():
    k = Fisher("hidden markov")
    assert (k + Spectrum(2)).items is Strings
    assert (k * GlobalAlignment(1.0)).items is PointLists
    assert Sequences.check([["a", 1], [2]], "test").kind == "strings"
    assert Sequences.check([[1, 2.5], [2]], "test").kind == "lists of points"
    with pytest.raises(TypeError, match="ndarray of shape"):
        k(np.ones((3, 2)))


@pytest.mark.parametrize("data", [WORDS, SERIES], ids=["symbols", "vectors"])
def test_learned_models_of_sequences_come_back_from_files_K30(data, tmp_path):
    machine = mercer.SVC(kernel=Fisher("hidden markov")).fit(data, np.arange(len(data)) % 2)
    mercer.save(machine, tmp_path / "m.mercer")
    new = [data[0][:3], data[1][1:], data[0][:0]]
    assert_allclose(mercer.load(tmp_path / "m.mercer").decision_function(new), machine.decision_function(new))


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
