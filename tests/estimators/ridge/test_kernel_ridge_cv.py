"""KernelRidgeCV: the kernel and the alpha of least leave-one-out error (M10)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import KernelRidge, KernelRidgeCV
from mercer.estimators.ridge.kernel_ridge_cv import _contenders
from mercer.kernels import RBF, Linear
from mercer.kernels import Spectrum as Substrings

rng = np.random.default_rng(0)
n = 800
X = rng.normal(size=(n, 2))
y = np.sin(2.0 * X[:, 0]) * X[:, 1] + 0.2 * rng.normal(size=n)
KERNELS = [RBF(l) for l in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 8.0, 30.0)]
ALPHAS = np.logspace(-3, 1, 5)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_full_search_compares_every_kernel_on_all_items_M10(fit_intercept):
    some = slice(150)
    found = KernelRidgeCV(KERNELS, ALPHAS, screen=False, fit_intercept=fit_intercept).fit(X[some], y[some])
    single = [KernelRidge(ALPHAS, kernel=k, fit_intercept=fit_intercept).fit(X[some], y[some]) for k in KERNELS]
    assert_allclose(found.loo_error_, [m.loo_error_ for m in single])
    best = int(np.argmin([m.loo_error_.min() for m in single]))
    assert (found.kernel_, found.alpha_) == (KERNELS[best], single[best].alpha_)
    assert_allclose(found.predict(X), single[best].predict(X))
    assert_array_equal(found.n_items_, 150)


def test_screening_finds_what_the_full_search_finds():
    screened, full = (KernelRidgeCV(KERNELS, ALPHAS, screen=screen).fit(X, y) for screen in (True, False))
    assert screened.kernel_ == full.kernel_
    assert screened.alpha_ == full.alpha_
    tried = screened.n_items_ == n
    assert 2 <= tried.sum() < len(KERNELS)
    assert set(screened.n_items_) <= {n // 4, n // 2, n}
    assert_allclose(screened.loo_error_[tried], full.loo_error_[tried], rtol=1e-8)


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        ([1.0, 2.0, 2.0], [1.0, 2.0, 1.4], [0, 2]),  # the third comes nearer: 1.4^2 / 2 is within a tenth
        ([1.0, 1.0, 1.0], [1.0, 1.5, 1.05], [0, 2]),  # near, though it falls behind
        ([1.0, 1.1, 3.0], [1.0, 1.3, 1.9], [0, 1]),  # the two best stay whatever they promise
        ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0, 1]),  # nothing is left to improve
        (None, [1.0, 9.0, 9.0], [0, 1, 2]),  # one look tells nothing of what more items bring
    ],
)
def test_contenders_are_judged_by_what_more_items_did_for_them(before, now, kept):
    ranked = np.argsort(now, kind="stable")
    assert sorted(_contenders(ranked, None if before is None else np.array(before), np.array(now))) == kept


def test_one_alpha_is_a_choice_of_kernels_alone():
    found = KernelRidgeCV(KERNELS, 0.1, screen=False).fit(X[:80], y[:80])
    assert found.loo_error_.shape == (9, 1)
    assert found.alpha_ == 0.1


def test_as_many_alphas_as_outputs_are_still_candidates():
    Y = np.column_stack([y, X[:, 0]])[:100]
    found = KernelRidgeCV([RBF(), Linear()], [0.1, 1.0]).fit(X[:100], Y)
    assert found.loo_error_.shape == (2, 2)
    assert found.alpha_ in (0.1, 1.0)


def test_items_of_any_kind_can_be_searched():
    words = ["".join(rng.choice(list("ab"), size=6)) for _ in range(60)]
    target = [sum(pair == ("a", "a") for pair in pairwise(word)) for word in words]
    found = KernelRidgeCV([Substrings(1), Substrings(2), Substrings(3)], ALPHAS).fit(words, target)
    assert found.kernel_ == Substrings(2)
    assert found.score(words, target) > 0.99


def test_no_kernels_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        KernelRidgeCV([]).fit(X, y)
