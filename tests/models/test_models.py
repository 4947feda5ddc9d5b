"""Probability models: densities, gradients by differences, and EM that never loses likelihood."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import softmax
from scipy.stats import multivariate_normal, norm

from mercer.models import (
    Bernoulli,
    Density,
    DiagonalGaussian,
    Discrete,
    Gaussian,
    GaussianEmissions,
    GaussianMixture,
    HiddenMarkov,
    Multinomial,
    SymbolEmissions,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2)) * [1.0, 3.0] + [0.0, 5.0]
WORDS = ["abab", "aabb", "b", "", "abbbaaab"]


def differences(log_density, theta):
    """The gradient of a function of theta, by differences."""
    return approx_fprime(theta, log_density, 1e-6)


def test_densities_are_those_of_scipy_K27():
    model = Gaussian.of(X)
    assert_allclose(model.log_density(X), multivariate_normal(model.mean, model.covariance).logpdf(X))
    diagonal = DiagonalGaussian.fit(X)
    assert_allclose(diagonal.log_density(X), norm(diagonal.mean, diagonal.variance**0.5).logpdf(X).sum(axis=1))


def test_scores_of_independent_columns_are_derivatives_K31():
    model = DiagonalGaussian.fit(X)
    theta = np.concatenate([model.mean, model.variance])
    found = model.scores(X[:3] + 1.0)
    for row, x in zip(found, X[:3] + 1.0, strict=True):
        expected = differences(lambda t, x=x: DiagonalGaussian(t[:2], t[2:]).log_density([x])[0], theta)
        assert_allclose(row, expected, rtol=1e-4, atol=1e-6)
    bits = (X.mean(axis=0) < X).astype(float)
    coin = Bernoulli.fit(bits)
    for row, x in zip(coin.scores(bits[:4]), bits[:4], strict=True):
        expected = differences(lambda t, x=x: Bernoulli(t).log_density([x])[0], coin.probabilities)
        assert_allclose(row, expected, rtol=1e-4)


def test_scores_of_counts_are_derivatives_in_exponents_K31():
    counts = rng.poisson(2.0, (5, 4)).astype(float)
    model = Multinomial.fit(counts)
    for row, x in zip(model.scores(counts), counts, strict=True):
        expected = differences(lambda e, x=x: Multinomial(softmax(e)).log_density([x])[0], np.log(model.probabilities))
        assert_allclose(row, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("diagonal", [True, False])
def test_scores_of_a_mixture_are_derivatives_K31(diagonal):
    model = GaussianMixture.fit(X, 2, diagonal=diagonal, max_iter=3)
    lower = (np.arange(2), np.arange(2)) if diagonal else np.tril_indices(2)

    def moved(theta):
        """The mixture with exponents of the weights, then mean and (co)variance of each component."""
        weights, rest = softmax(theta[:2]), theta[2:].reshape(2, -1)
        covariances = []
        for part in rest:
            C = np.zeros((2, 2))
            C[lower] = part[2:]
            covariances.append(C + C.T - np.diag(np.diag(C)))
        return GaussianMixture(weights, rest[:, :2], np.array(covariances), diagonal)

    parts = [np.concatenate([m, C[lower]]) for m, C in zip(model.means, model.covariances, strict=True)]
    theta = np.concatenate([np.log(model.weights), *parts])
    for row, x in zip(model.scores(X[:3]), X[:3], strict=True):
        assert_allclose(row, differences(lambda t, x=x: moved(t).log_density([x])[0], theta), rtol=1e-3, atol=1e-5)


def hidden(theta, emissions, states=2):
    """A model from exponents of start and transitions, and a function for the emissions."""
    start, rest = softmax(theta[:states]), theta[states:]
    return HiddenMarkov(start, softmax(rest[: states**2].reshape(states, states), axis=1), emissions(rest[states**2 :]))


def test_scores_of_hidden_markov_models_are_derivatives_K31():
    model = HiddenMarkov.fit(WORDS, 2, max_iter=3)
    symbols, B = model.emissions.symbols, model.emissions.probabilities

    def emissions(rest):
        return SymbolEmissions(symbols, softmax(rest.reshape(2, -1), axis=1))

    theta = np.log(np.concatenate([model.start, model.transitions.ravel(), B.ravel()]))
    for row, word in zip(model.scores([*WORDS, "a?b"]), [*WORDS, "a?b"], strict=True):
        expected = differences(lambda t, w=word: hidden(t, emissions).log_density([w])[0], theta)
        assert_allclose(row, expected, rtol=1e-3, atol=1e-5)


def test_scores_of_gaussian_emissions_are_derivatives_K31():
    series = [rng.normal(size=(T, 2)) + 2.0 * rng.integers(0, 2, (T, 1)) for T in (5, 1, 8)]
    model = HiddenMarkov.fit(series, 2, max_iter=3)

    def emissions(rest):
        return GaussianEmissions(rest[:4].reshape(2, 2), rest[4:].reshape(2, 2))

    parts = [np.log(model.start), np.log(model.transitions).ravel()]
    theta = np.concatenate([*parts, model.emissions.means.ravel(), model.emissions.variances.ravel()])
    for row, one in zip(model.scores(series), series, strict=True):
        expected = differences(lambda t, one=one: hidden(t, emissions).log_density([one])[0], theta)
        assert_allclose(row, expected, rtol=2e-3, atol=1e-4)


def test_hidden_markov_density_is_the_sum_over_all_paths_K29():
    model = HiddenMarkov([0.3, 0.7], [[0.9, 0.1], [0.4, 0.6]], SymbolEmissions("ab", [[0.8, 0.2], [0.1, 0.9]]))
    B = dict(zip("ab", model.emissions.probabilities.T, strict=True))
    total = 0.0
    for path in product(range(2), repeat=4):
        p = model.start[path[0]] * B["a"][path[0]]
        for (before, now), symbol in zip(pairwise(path), "bba", strict=True):
            p *= model.transitions[before, now] * B[symbol][now]
        total += p
    assert_allclose(np.exp(model.log_density(["abba"])), total)
    assert_allclose(sum(np.exp(model.log_density(["".join(w) for w in product("ab", repeat=4)]))), 1.0)


def test_a_long_sequence_does_not_underflow_K29():
    model = HiddenMarkov.fit(["ab" * 20], 2, max_iter=5)
    assert np.isfinite(model.log_density(["ab" * 5000])).all()
    assert np.isfinite(model.scores(["ab" * 5000])).all()


@pytest.mark.parametrize("model", [
    lambda: GaussianMixture.fit(np.vstack([X, X + 8.0]), 3, tol=0.0, max_iter=30),
    lambda: GaussianMixture.fit(np.vstack([X, X[:1]]), 2, diagonal=False, ridge=0.0, max_iter=30),
    lambda: HiddenMarkov.fit(WORDS, 3, tol=0.0, max_iter=30),
    lambda: HiddenMarkov.fit([X, X[:10] + 3.0], 2, tol=0.0, max_iter=30),
], ids=["diagonal", "full", "symbols", "vectors"])  # fmt: skip
def test_em_never_loses_likelihood_K31(model):
    history = np.array(model().log_likelihoods)
    assert len(history) > 1
    assert (np.diff(history) >= -1e-9 * abs(history[:-1])).all()


def test_em_finds_two_clusters_and_shares_sum_to_one_K40():
    data = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) + 8.0])
    model = GaussianMixture.fit(data, 2)
    shares = model.posteriors(data)
    assert_allclose(shares.sum(axis=1), 1.0)
    assert_allclose(sorted(model.weights), [0.4, 0.6], atol=1e-6)
    assert len(set(shares[:60].argmax(axis=1))) == 1


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_mixtures_of_scikit_learn_are_taken_as_they_are_K31(kind):
    from sklearn.mixture import GaussianMixture as Theirs

    theirs = Theirs(2, covariance_type=kind, random_state=0).fit(X)
    ours = GaussianMixture.from_fitted(theirs)
    assert_allclose(ours.log_density(X), theirs.score_samples(X), rtol=1e-8)
    assert_allclose(ours.posteriors(X), theirs.predict_proba(X), atol=1e-10)


@pytest.mark.parametrize(("make", "fault"), [
    (lambda: Discrete([0.5, 0.6]), "with sum 1"),
    (lambda: Discrete([-0.5, 1.5]), ">= 0"),
    (lambda: Discrete.of([0, 0]), "not all 0"),
    (lambda: Multinomial([1.0], 0), "draws must be a whole number"),
    (lambda: Bernoulli([1.5]), r"in \[0, 1\]"),
    (lambda: Bernoulli.fit([[0.5]]), "zeros and ones"),
    (lambda: Gaussian([0.0], [[0.0]]), "positive definite"),
    (lambda: Gaussian([0.0, 1.0], [[1.0]]), "2 x 2"),
    (lambda: Gaussian.of([[1.0, 2.0]]), "ridge"),
    (lambda: GaussianMixture.fit(X, 0), "components must be a whole number"),
    (lambda: GaussianMixture.fit(X[:1], 2), "at least 2 rows"),
    (lambda: GaussianMixture([1.0], [[0.0]], [[[0.0]]]), "positive definite"),
    (lambda: HiddenMarkov([1.0], [[0.5]], SymbolEmissions("a", [[1.0]])), "with sum 1"),
    (lambda: HiddenMarkov([1.0], [[1.0]], SymbolEmissions("a", [[1.0], [1.0]])), "as many states"),
    (lambda: HiddenMarkov.fit(["", ""], 2), "only empty ones"),
    (lambda: HiddenMarkov.fit([], 2), "at least one sequence"),
    (lambda: SymbolEmissions("aa", [[0.5, 0.5]]), "different"),
    (lambda: GaussianEmissions([[0.0]], [[0.0]]), "> 0"),
    (lambda: Density(norm.pdf, 1.0, 0.0), "below high"),
    (lambda: Density(lambda x: 2.0 * norm.pdf(x)), "integral 1"),
])  # fmt: skip
def test_faults_are_named_I5(make, fault):
    with pytest.raises(ValueError, match=fault):
        make()


def test_one_point_needs_a_ridge_and_says_so_K26():
    assert_allclose(Gaussian.of([[1.0, 2.0]], ridge=0.5).covariance, 0.5 * np.eye(2))
