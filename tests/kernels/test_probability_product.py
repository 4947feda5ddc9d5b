"""The overlap of two models: closed forms, sums over all outcomes, quadrature, and positivity."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import beta, cauchy, norm

import mercer
from mercer.kernels import RBF, ProbabilityProduct
from mercer.models import (
    Bernoulli,
    Density,
    Discrete,
    Gaussian,
    GaussianEmissions,
    HiddenMarkov,
    Multinomial,
    SymbolEmissions,
)

rng = np.random.default_rng(0)


def hidden(states, seed, symbols="abc"):
    draw = np.random.default_rng(seed).dirichlet
    return HiddenMarkov(draw(np.ones(states)), draw(np.ones(states), states),
                        SymbolEmissions(symbols, draw(np.ones(len(symbols)), states)))  # fmt: skip


@pytest.mark.parametrize(("rho", "expected"), [(0.5, 0.7548396020), (1.0, 0.2009159591), (2.0, 0.0201302398)])
def test_two_gaussians_by_the_numbers_K27(rho, expected):
    pair = [Gaussian([m], [[0.64]]) for m in (0.3, -0.9)]
    assert_allclose(ProbabilityProduct(rho)(pair[:1], pair[1:]), expected, rtol=1e-9)


def test_equal_spheres_are_a_gaussian_kernel_of_the_means_K27():
    means, s, D = rng.normal(size=(5, 3)), 0.7, 3
    found = ProbabilityProduct(1.0)([Gaussian(m, s**2 * np.eye(D)) for m in means])
    assert_allclose(found, (4 * np.pi * s**2) ** (-D / 2) * RBF(s * 2**0.5)(means), rtol=1e-12)


@given(st.floats(0.2, 3.0), st.floats(-2.0, 2.0), st.floats(0.3, 2.0))
@settings(max_examples=10, deadline=None)
def test_closed_form_and_quadrature_agree_K26_K27(rho, mean, scale):
    models = [norm(0.0, 1.0), norm(mean, scale)]
    exact = ProbabilityProduct(rho)([Gaussian([m.mean()], [[m.var()]]) for m in models])
    found = ProbabilityProduct(rho)([Density(m.pdf, centre=m.mean()) for m in models])
    assert_allclose(found, exact, rtol=1e-8)


@given(st.lists(st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3), min_size=1, max_size=6))
@settings(max_examples=20, deadline=None)
def test_bhattacharyya_is_at_most_one_and_positive_K26(weights):
    models = [Discrete.of(w) for w in weights]
    K = ProbabilityProduct(0.5)(models)
    assert_allclose(np.diag(K), 1.0)
    assert K.max() <= 1.0 + 1e-12
    assert np.linalg.eigvalsh(K)[0] >= -1e-10


@pytest.mark.parametrize("rho", [0.5, 1.0, 1.7])
def test_bits_and_draws_are_sums_over_all_outcomes_K28(rho):
    t = rng.uniform(size=(2, 3))
    outcomes = np.array(list(product((0.0, 1.0), repeat=3)))
    p, q = (np.exp(Bernoulli(one).log_density(outcomes)) for one in t)
    assert_allclose(ProbabilityProduct(rho)([Bernoulli(t[0])], [Bernoulli(t[1])]), ((p * q) ** rho).sum())
    p, q = rng.dirichlet(np.ones(4), 2)
    assert_allclose(ProbabilityProduct(rho)([Discrete(p)], [Discrete(q)]), ((p * q) ** rho).sum())
    assert ProbabilityProduct(rho)([Discrete([1.0, 0.0])], [Discrete([0.0, 1.0])])[0, 0] == 0.0


def test_counts_at_one_half_are_a_sum_over_all_counts_K28():
    from scipy.stats import multinomial

    p, q = rng.dirichlet(np.ones(3), 2)
    counts = [(a, b, 4 - a - b) for a in range(5) for b in range(5 - a)]
    expected = sum((multinomial(4, p).pmf(c) * multinomial(4, q).pmf(c)) ** 0.5 for c in counts)
    assert_allclose(ProbabilityProduct(0.5)([Multinomial(p, 4)], [Multinomial(q, 4)]), expected)
    with pytest.raises(NotImplementedError, match=r"rho must be 0\.5"):
        ProbabilityProduct(1.0)([Multinomial(p, 4)])
    with pytest.raises(ValueError, match="draws must be the same"):
        ProbabilityProduct(0.5)([Multinomial(p, 4), Multinomial(q, 3)])


def test_hidden_markov_models_by_all_sequences_K29():
    p, q = hidden(2, 1), hidden(3, 2)
    words = ["".join(w) for w in product("abc", repeat=4)]
    expected = np.exp(p.log_density(words)) @ np.exp(q.log_density(words))
    assert_allclose(ProbabilityProduct(1.0, length=4)([p], [q]), expected, rtol=1e-12)


def test_hidden_markov_models_with_vectors_by_quadrature_K29():
    models = [HiddenMarkov([0.4, 0.6], [[0.7, 0.3], [0.2, 0.8]], GaussianEmissions([[0.0], [m]], [[1.0], [0.5]]))
              for m in (1.0, 2.0)]  # fmt: skip
    grid = np.linspace(-9.0, 11.0, 161)
    pairs = [np.array(pair)[:, None] for pair in product(grid, repeat=2)]
    p, q = (np.exp(model.log_density(pairs)) for model in models)
    assert_allclose(
        ProbabilityProduct(1.0, length=2)(models[:1], models[1:]), p @ q * (grid[1] - grid[0]) ** 2, rtol=1e-6
    )


def test_hidden_markov_models_are_positive_and_compare_when_long_K29():
    models = [hidden(2, seed) for seed in range(6)]
    assert np.linalg.eigvalsh(ProbabilityProduct(1.0, length=5)(models))[0] >= -1e-15
    K = ProbabilityProduct(1.0, length=3000, normalised=True)(models)
    assert_allclose(np.diag(K), 1.0)
    assert ProbabilityProduct(1.0, length=3000)(models).max() == 0.0  # too small for a number


def test_symbols_that_only_one_model_knows_have_no_overlap_K29():
    assert ProbabilityProduct(1.0, length=1)([hidden(2, 0, "ab")], [hidden(2, 0, "cd")])[0, 0] == 0.0


@pytest.mark.parametrize(("make", "error", "fault"), [
    (lambda: ProbabilityProduct(0.0), ValueError, "rho must be"),
    (lambda: ProbabilityProduct(length=0), ValueError, "length must be"),
    (lambda: ProbabilityProduct()([hidden(2, 0)]), ValueError, "length must be"),
    (lambda: ProbabilityProduct(0.5, length=2)([hidden(2, 0)]), NotImplementedError, "rho must be 1"),
    (lambda: ProbabilityProduct()([Discrete([1.0]), Bernoulli([1.0])]), TypeError, "one class"),
    (lambda: ProbabilityProduct()([Discrete([1.0])], [Bernoulli([1.0])]), ValueError, "one class"),
    (lambda: ProbabilityProduct()([Discrete([1.0]), Discrete([0.5, 0.5])]), ValueError, "same space"),
    (lambda: ProbabilityProduct()([[1.0, 2.0]]), TypeError, "models of mercer.models"),
    (lambda: ProbabilityProduct(0.2)([Density(cauchy.pdf)]), ValueError, "diverges towards"),
    (lambda: ProbabilityProduct(1.0)([Density(beta(0.5, 0.5).pdf, 0.0, 1.0)]), ValueError, "smaller one peaks"),
])  # fmt: skip
def test_faults_are_named_K26(make, error, fault):
    with pytest.raises(error, match=fault):
        make()


def test_a_machine_on_models_is_saved_and_read_E28(tmp_path):
    texts = [rng.multinomial(30, p) for p in rng.dirichlet([1.0, 1.0, 12.0], 10)]
    texts += [rng.multinomial(30, p) for p in rng.dirichlet([12.0, 1.0, 1.0], 10)]
    models = [Discrete.of(counts, pseudo_count=0.1) for counts in texts]
    labels = [0] * 10 + [1] * 10
    machine = mercer.SVC(kernel=ProbabilityProduct(0.5)).fit(models, labels)
    mercer.save(machine, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert_allclose(again.decision_function(models), machine.decision_function(models))
    assert machine.score(models, labels) > 0.9
