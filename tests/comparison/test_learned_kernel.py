"""One lengthscale per column of a large table, shared by all methods."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.comparison import learned_kernel
from mercer.comparison.learned_kernel import with_learned_kernel
from mercer.comparison.table_sample import sample_of_table
from mercer.kernels import RBF

rng = np.random.default_rng(0)
n = 240
NUMBERS = rng.normal(size=(n, 3))
KIND, NOISE = (rng.choice(list("abc"), size=n) for _ in range(2))
f = 2.0 * np.sin(1.5 * NUMBERS[:, 0]) + (KIND == "a") + 0.1 * rng.normal(size=n)
MIXED = {"x": NUMBERS[:, 0], "u": NUMBERS[:, 1], "v": NUMBERS[:, 2], "kind": KIND, "noise": NOISE}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.setattr(learned_kernel, "MANY", 100)
    monkeypatch.setattr(learned_kernel, "_ROWS", 80)


def _sample(X, y, kernel=None):
    return sample_of_table(X, y, kernel, None, 0.25, n, 0)


def _frame():
    return pytest.importorskip("pandas").DataFrame(MIXED)


def test_columns_that_tell_nothing_count_less_in_numbers_and_in_categories():
    sample = with_learned_kernel(_sample(_frame(), f), None)
    numbers, kinds = (sample.kernel.get_params()[f"k{part}__k1__lengthscale"] for part in (1, 2))
    assert 2.0 * numbers[0] < min(numbers[1:])
    assert kinds[0] < kinds[1]
    assert max(numbers) <= 9.1 * min(numbers)  # of three columns each counts a third of the mean at least
    assert "a lengthscale for each column" in sample.notes[-1]


@pytest.mark.parametrize("y", [f, np.where(f > 0.0, "yes", "no"), np.digitize(f, [0.0, 1.0]).astype(str)],
                         ids=["numbers", "two labels", "three labels"])  # fmt: skip
def test_a_matrix_has_a_lengthscale_for_each_column_whatever_is_predicted(y):
    sample = with_learned_kernel(_sample(NUMBERS, y), None)
    assert np.shape(sample.kernel.lengthscale) == (3,)
    assert np.argmin(sample.kernel.lengthscale) == 0


def test_kernels_that_were_given_and_those_of_few_rows_stay(monkeypatch):
    given = _sample(NUMBERS, f, RBF(2.0))
    assert with_learned_kernel(given, None) is given
    monkeypatch.setattr(learned_kernel, "MANY", 1000)
    few = _sample(NUMBERS, f)
    assert with_learned_kernel(few, None) is few


def test_without_time_the_default_kernel_stays(monkeypatch):
    def endless(sample):
        while True:
            pass

    monkeypatch.setattr(learned_kernel, "_learned", endless)
    sample = _sample(NUMBERS, f)
    assert with_learned_kernel(sample, 1.0) is sample


def test_all_methods_share_the_learned_kernel():
    found = mercer.compare(NUMBERS, f, methods=["knn", "ridge"], tune=True)
    learned = found.sample.kernel
    assert np.shape(learned.lengthscale) == (3,)
    for name in ("knn", "ridge"):
        own = np.array(found.fitted[name].best.kernel.lengthscale) / np.array(learned.lengthscale)
        assert np.allclose(own, own[0])
