"""Kernels of time series: global alignment and signatures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.kernels import GlobalAlignment, Normalised, SignaturePDE
from mercer.testing import reference

rng = np.random.default_rng(0)
SERIES = [rng.normal(size=(m, 2)) for m in (4, 1, 9, 6, 3, 7, 2, 5, 8, 4, 6)]


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=11), st.sampled_from([None, 1.0, 2.5, 4.0]), st.integers(0, 99)
)
def test_alignments_of_any_lengths_are_those_of_plain_loops(lengths, band, seed):
    X = [np.random.default_rng(seed + i).normal(size=(m, 1)) for i, m in enumerate(lengths)]
    k = GlobalAlignment(0.9, band=band)
    assert_allclose(k(X), reference.gram(k, X), rtol=1e-11, atol=1e-13)


def test_values_are_those_of_tslearn():
    metrics = pytest.importorskip("tslearn.metrics")
    X = rng.normal(size=(9, 20, 1)).cumsum(axis=1)
    assert_allclose(GlobalAlignment(2.0)(X), metrics.cdist_gak(X, sigma=2.0), rtol=1e-10)


def test_long_series_give_numbers():
    """The sum over alignments of 5 000 steps is about e^8700; the normalised kernel and its slope are finite."""
    X = [np.sin(np.arange(5000)[:, None] / 50.0 + shift) for shift in (0.0, 0.2)]
    k = GlobalAlignment(5.0, band=100.0)
    A = k.prepare(X)
    K = k.block(A, A)
    assert np.isfinite(K).all()
    assert 0.0 < K[0, 1] < 1.0
    assert_allclose(np.diagonal(K), 1.0, rtol=1e-9)
    assert np.isfinite(k.parameter_gradients(A, A, np.ones((2, 2)))["lengthscale"])


def test_the_sum_before_normalising():
    """Two series of one equal point each: one alignment of value 1; of three zeros, 13 alignments (Delannoy)."""
    assert_allclose(GlobalAlignment().log([[0.0], [0.0, 0.0, 0.0]]), np.log([[1.0, 1.0], [1.0, 13.0]]), atol=1e-12)


def test_lengths_that_differ_by_the_band_never_meet():
    K = GlobalAlignment(1.0, band=3)([[0.0], [0.0, 0.0, 0.0], [0.0] * 4])
    assert K[0, 2] == 0.0
    assert K[0, 1] > 0.0
    assert_allclose(GlobalAlignment(1.0, band=1e9)(SERIES), GlobalAlignment(1.0)(SERIES), rtol=1e-6)


def test_a_path_of_one_line_is_a_bessel_function():
    """<S(x), S(y)> of two lines is sum_m a^m / (m!)^2 with a = <dx, dy>; the grid converges to it."""
    from scipy.special import iv

    a = 2.0 * 0.7
    gaps = [abs(SignaturePDE(1.0, refinement=r)([[0.0, 2.0]], [[1.0, 1.7]])[0, 0] - iv(0, 2.0 * np.sqrt(a)))
            for r in range(5)]  # fmt: skip
    assert gaps[-1] < 1e-3
    assert gaps[4] < gaps[3] / 3.0


def test_where_a_path_starts_and_how_it_is_cut_does_not_count():
    k = SignaturePDE(2.0, refinement=6)
    path = SERIES[0]
    cut = np.insert(path, 1, (path[0] + path[1]) / 2.0, axis=0)
    assert_allclose(k([path + 5.0], SERIES), k([path], SERIES), rtol=1e-12)
    assert_allclose(k([cut], SERIES), k([path], SERIES), rtol=1e-3)
    assert_allclose(k([path[:1]], SERIES), 1.0)


def test_long_steps_make_the_scheme_indefinite_and_a_longer_lengthscale_mends_it():
    X = [20.0 * path for path in SERIES]
    assert SignaturePDE.psd is False
    assert np.linalg.eigvalsh(Normalised(SignaturePDE(2.0))(X))[0] < -1e-2
    lowest = [np.linalg.eigvalsh(SignaturePDE(100.0, refinement=r)(X))[0] for r in (0, 3)]
    assert -1e-3 < lowest[0] < lowest[1]


@pytest.mark.parametrize("k", [GlobalAlignment(), SignaturePDE()], ids=lambda k: type(k).__name__)
def test_bad_series_are_refused(k):
    with pytest.raises(ValueError, match="an empty list in row 1"):
        k([[1.0], []])
    with pytest.raises(ValueError, match="as many columns wide as X"):
        k([[[1.0, 2.0]]], [[1.0]])
    with pytest.raises(ValueError, match="points of one width"):
        k([[[1.0, 2.0]], [[1.0]]])


def test_bad_settings_are_refused():
    for band in (0.0, -1.0, np.inf, "wide", True):
        with pytest.raises(ValueError, match="GlobalAlignment: band must be"):
            GlobalAlignment(1.0, band=band)
    for refinement in (-1, 1.5, 11):
        with pytest.raises(ValueError, match="SignaturePDE: refinement must be"):
            SignaturePDE(1.0, refinement=refinement)
