"""E12: x of one class uniform on (0, 1), of the other on (1/2, 3/2).

The true probability is 1/2 between 1/2 and 1, where half of the items lie, and 0 or 1 elsewhere: the best error is 1/4
and the best log loss (log 2)/2.  A sigmoid of an SVM's score cannot have this shape, for the score is not the log odds;
a model of the probabilities can.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from mercer import SVC, RVMClassifier
from mercer.comparison import compare
from mercer.kernels import RBF

SEEDS = range(4)
N, M = 200, 10_000
BEST = np.log(2.0) / 2.0
k = RBF(0.2)
METHODS = ["rvm", "svm + platt", "gp", "klr"]


def problem(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, N + M)
    return (rng.uniform(size=N + M) + 0.5 * y)[:, None], y


@cache
def found(seed):
    return compare(*problem(seed), k, METHODS, cv=[(np.arange(N), np.arange(N, N + M))])


@pytest.mark.parametrize("seed", SEEDS)
def test_probabilities_of_the_relevance_vector_machine_are_better_than_platts_E12(seed):
    """By their loss, that is.  The calibration error does not tell: it is small for both, averaged over many x."""
    rows = found(seed)
    assert rows["rvm"].log_loss < rows["svm + platt"].log_loss - 0.05


@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_nearer_to_the_truth_at_every_x_on_average_E12(seed):
    X, y = problem(seed)
    x = np.linspace(0.0, 1.5, 301)
    truth = np.where(x < 0.5, 0.0, np.where(x > 1.0, 1.0, 0.5))
    machines = [RVMClassifier(k), SVC(kernel=k, probability=True)]
    rvm, platt = (machine.fit(X[:N], y[:N]).predict_proba(x[:, None])[:, 1] for machine in machines)
    assert np.mean(np.abs(rvm - truth)) < 0.7 * np.mean(np.abs(platt - truth))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bayes_error_is_a_quarter_and_nothing_beats_it_E12(seed):
    noise = 4.0 * np.sqrt(0.25 * 0.75 / M)
    for row in found(seed):
        assert -noise < (1.0 - row.score) - 0.25 < noise + 0.02
        assert row.log_loss > BEST - noise


def test_models_of_probability_come_near_the_best_loss_and_platt_does_not_E12():
    excess = {name: np.mean([found(seed)[name].log_loss for seed in SEEDS]) - BEST for name in METHODS}
    assert excess["rvm"] < 0.1
    assert max(excess["gp"], excess["klr"]) < excess["svm + platt"]
