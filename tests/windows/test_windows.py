from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtri

from mercer import windows
from mercer.windows import NAMES, FunctionWindow, window_of

ALL = {name: window for name, window in NAMES.items() if name not in ("tophat", "linear")}
ALL["own"] = FunctionWindow(lambda x: 3.0 * (1.0 - (x / 2.0) ** 2) ** 2, radius=2.0)
each = pytest.mark.parametrize("window", ALL.values(), ids=list(ALL))
TABLE = {  # second moment and roughness
    "gaussian": (1.0, 0.28209479177387814),
    "epanechnikov": (1 / 5, 3 / 5),
    "tricube": (35 / 243, 175 / 247),
    "boxcar": (1 / 3, 1 / 2),
    "biweight": (1 / 7, 5 / 7),
    "triweight": (1 / 9, 350 / 429),
    "triangular": (1 / 6, 2 / 3),
    "cosine": (1 - 8 / np.pi**2, np.pi**2 / 16),
    "exponential": (2.0, 1 / 4),
}


def end(window):
    return min(window.radius, 60.0)


def integral(function, window):
    return 2.0 * quad(function, 0.0, end(window), epsabs=1e-13, epsrel=1e-12, limit=200)[0]


@each
def test_axioms_S1(window):
    assert integral(window, window) == pytest.approx(1.0, rel=1e-9)
    assert window.partial_moment(1, np.inf) == pytest.approx(0.0, abs=1e-12)
    assert integral(lambda x: x**2 * window(x), window) == pytest.approx(window.second_moment(), rel=1e-8)
    assert integral(lambda x: window(x) ** 2, window) == pytest.approx(window.roughness(), rel=1e-8)
    assert window.second_moment() > 0.0
    x = np.linspace(-1.2, 1.2, 50)
    np.testing.assert_array_equal(window(x), window(-x))


@pytest.mark.parametrize("name", TABLE)
def test_table_of_moments_S1_S2_S5_S6_S7(name):
    window = NAMES[name]
    assert (window.second_moment(), window.roughness()) == pytest.approx(TABLE[name], rel=1e-12)


@pytest.mark.parametrize("h", [0.3, 7.0])
@each
def test_bandwidth_scales_S3(window, h):
    def at(x):
        return window.radial(np.array([x]), h)

    scale = h * end(window)
    assert 2.0 * quad(at, 0.0, scale, limit=200)[0] == pytest.approx(1.0, rel=1e-6)
    assert 2.0 * quad(lambda x: x**2 * at(x), 0.0, scale, limit=200)[0] == pytest.approx(
        h**2 * window.second_moment(), rel=1e-6
    )


@pytest.mark.parametrize("columns", [1, 2, 3, 7])
@each
def test_radial_form_integrates_to_one_S4(window, columns):
    area = 2.0 * np.pi ** (columns / 2) / np.exp(windows.window.gammaln(columns / 2))
    point = np.zeros(columns)

    def shell(r):
        point[0] = r
        return area * r ** (columns - 1) * float(window.radial(point))

    assert quad(shell, 0.0, end(window), limit=200)[0] == pytest.approx(1.0, rel=1e-8)
    moment = quad(lambda r: r**2 * shell(r), 0.0, end(window), limit=200)[0] / columns
    assert moment == pytest.approx(window.second_moment(columns), rel=1e-8)


def test_constants_in_two_columns_S4():
    assert windows.Epanechnikov().mass(2) == pytest.approx(np.pi / 2)
    assert windows.Gaussian().mass(3) == pytest.approx((2 * np.pi) ** 1.5)


def test_radial_and_product_agree_for_the_gaussian_only_S4():
    x, h = np.random.default_rng(0).normal(size=(5, 3)) * 0.3, (0.5, 1.0, 2.0)
    for name, window in ALL.items():
        same = np.allclose(window.log_radial(x, h), window.log_product(x, h))
        assert same == (name == "gaussian")


@each
def test_product_form_integrates_to_one_S4(window):
    r = np.linspace(-end(window), end(window), 1501) * 0.7
    grid = np.stack(np.meshgrid(r, r[::30], indexing="ij"), axis=-1)
    inner = np.trapezoid(window.product(grid, 0.7), r, axis=0) if np.isfinite(window.radius) else None
    if inner is not None:  # integrated over the first column, the window of the second stays
        np.testing.assert_allclose(inner, window(r[::30] / 0.7) / 0.7, rtol=5e-3, atol=1e-3)


def test_tricube_has_two_derivatives_at_its_end_S6():
    window, step = windows.TriCube(), 1e-4
    x = 1.0 + step * np.arange(-4, 5)
    second = np.diff(window(x), 2) / step**2
    assert np.abs(np.diff(second)).max() < 0.1


def test_boxcar_includes_its_ends_S7():
    assert windows.Boxcar()(np.array([-1.0, 1.0, 1.0 + 1e-12])) == pytest.approx([0.5, 0.5, 0.0])


@each
def test_partial_moments(window):
    for x in (-0.7, -0.2, 0.0, 0.4, 0.9, 5.0):
        for order in (0, 1, 2):
            below = quad(lambda u, p=order: u**p * window(u), -end(window), min(x, end(window)), limit=200,
                         points=[0.0] if x > 0 else None)[0]  # fmt: skip
            assert window.partial_moment(order, x) == pytest.approx(below, abs=1e-8)
    assert window.partial_moment(2, np.inf) == pytest.approx(window.second_moment(), rel=1e-8)


@pytest.mark.parametrize("columns", [1, 3])
@each
def test_samples_have_the_variance(window, columns):
    rows = window.sample(20_000, columns, np.random.default_rng(1))
    assert rows.shape == (20_000, columns)
    np.testing.assert_allclose(rows.var(axis=0), window.second_moment(columns), rtol=0.08)


def test_log_form_holds_in_the_tails_S2():
    assert windows.Gaussian().log(100.0) == pytest.approx(-5000.0 - 0.5 * np.log(2 * np.pi))
    assert windows.Epanechnikov().log(2.0) == -np.inf
    assert windows.Gaussian().log_mass(2000) == pytest.approx(1000 * np.log(2 * np.pi))


def test_a_window_of_ones_own_equals_the_built_in_one():
    own, known = ALL["own"], windows.Biweight()
    x = np.linspace(-1.1, 1.1, 23)
    np.testing.assert_allclose(own(2 * x) * 2, known(x), atol=1e-12)
    normal = FunctionWindow(lambda x: np.exp(-0.5 * x**2), radius=np.inf)
    assert normal.second_moment(2) == pytest.approx(1.0, rel=1e-6)
    assert normal.cdf(ndtri(0.9)) == pytest.approx(0.9, rel=1e-6)


@pytest.mark.parametrize(
    ("function", "radius", "fault"),
    [
        (lambda x: np.cos(3 * x), 1.0, ">= 0"),
        (lambda x: np.exp(-np.abs(x - 0.1)), 1.0, "symmetric"),
        (lambda x: 1.0 + x**2, 1.0, "never rising"),
        (lambda x: 1.0 / (1.0 + x**2), np.inf, "finite variance"),
        (lambda x: 0.0 * x, 1.0, "positive"),
        (lambda x: np.exp(-np.abs(x)), 0.0, "radius"),
    ],
    ids=["negative", "skew", "rising", "heavy", "zero", "radius"],
)
def test_a_function_that_is_no_window_is_refused_S1(function, radius, fault):
    with pytest.raises(ValueError, match=fault):
        FunctionWindow(function, radius)


@pytest.mark.parametrize("h", [0.0, -1.0, np.nan, np.inf])
def test_bandwidth_must_be_positive_S3(h):
    with pytest.raises(ValueError, match="bandwidth must be positive"):
        windows.Gaussian().radial(np.zeros(2), h)


def test_names():
    assert window_of("tophat") == windows.Boxcar()
    assert window_of(windows.TriCube()) == window_of("tricube")
    with pytest.raises(ValueError, match="FunctionWindow takes a function"):
        window_of("gauss")
