"""Gaussian processes on sequences like promoters and on texts, by the classes for vectors (M31, M38, I1)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss, r2_score

from mercer import GaussianProcessClassifier as Gpc
from mercer import GaussianProcessRegressor as Gpr
from mercer.kernels import Constant, Normalised, Spectrum, TfIdf

rng = np.random.default_rng(0)
TOPICS = ("win cash prize claim now urgent call", "home later dinner sorry love tonight see")
COMMON = ["you", "the", "to", "a", "is", "in", "your", "we", "have", "of", "it", "be", "on", "at"]


def gene(promoter):
    """57 bases, with the box of a promoter, in which one letter may differ, or without it."""
    bases = rng.choice(list("acgt"), size=57)
    if promoter:
        at, box = rng.integers(0, 40), list("ttgacatataat")
        box[rng.integers(0, 12)] = rng.choice(list("acgt"))
        bases[at : at + 12] = box
    return "".join(bases)


def message(topic):
    return " ".join(rng.permutation([*rng.choice(TOPICS[topic].split(), size=3), *rng.choice(COMMON, size=6)]))


labels = np.arange(160) % 2
DATA = {
    "genes": ([gene(label) for label in labels], Normalised(Spectrum(4))),
    "texts": ([message(label) for label in labels], TfIdf()),
}
kinds = pytest.mark.parametrize("kind", DATA)


def halves(items):
    return items[:100], items[100:]


@kinds
def test_classes_are_learned_with_probabilities_M38(kind):
    items, k = DATA[kind]
    (own, new), (t, truth) = halves(items), halves(labels)
    m = Gpc(1.0 * k + Constant(1.0)).fit(own, t)
    P = m.predict_proba(new)
    assert np.mean(m.predict(new) == truth) > 0.8
    assert log_loss(truth, P) < 0.75 * np.log(2.0)
    assert m.log_marginal_likelihood_value_ > Gpc(1.0 * k + Constant(1.0), optimizer=None).fit(
        own, t
    ).log_marginal_likelihood_value_  # fmt: skip


@kinds
def test_numbers_are_learned_M31(kind):
    items, k = DATA[kind]
    (own, new), (t, truth) = halves(items), halves(3.0 * labels + 5.0)
    gp = Gpr(1.0 * k, noise="learn", mean="constant").fit(own, t)
    assert r2_score(truth, gp.predict(new)) > 0.3
    assert gp.sample_y(new[:3], 5).shape == (3, 5)


@kinds
def test_bands_cover_numbers_drawn_from_the_prior_E23(kind):
    items, k = DATA[kind]
    f = Gpr(4.0 * k).sample_y(items, 10, random_state=0)
    Y = f + 0.5 * np.random.default_rng(1).normal(size=f.shape)
    gp = Gpr(1.0 * k, noise="learn").fit(items[:100], Y[:100])
    mean, std = gp.predict(items[100:], return_std=True, of="y")
    assert abs(np.mean(np.abs(Y[100:] - mean) < 1.96 * std) - 0.95) < 0.03


@kinds
def test_items_without_anything_in_common_have_the_prior_M31_M38(kind):
    items, k = DATA[kind]
    strange = "zzzzzzz" if kind == "genes" else "quux frobnicate"
    own, t = items[:60], labels[:60]
    assert np.allclose(Gpc(1.0 * k).fit(own, t).predict_proba([strange]), 0.5)
    gp = Gpr(1.0 * k, noise="learn", mean="constant").fit(own, t + 7.0)
    assert abs(gp.predict([strange])[0] - gp.intercept_[0]) < 1e-9
