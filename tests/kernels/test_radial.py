"""Gaussian (K2, K3), Matern (K14), exponential (K15) and rational quadratic kernels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics.pairwise import rbf_kernel

from mercer.kernels.radial import RBF, Exponential, Matern, RationalQuadratic

rng = np.random.default_rng(11)
X, Y = rng.normal(size=(8, 4)), rng.normal(size=(6, 4))
SCALES = (0.5, 1.5, 1.0, 3.0)
FAMILY = [RBF, Exponential, Matern, RationalQuadratic]


def at(k, r):
    """k as a function of the distance r, in one dimension."""
    return k(np.zeros((1, 1)), np.reshape(r, (-1, 1)))[0]


@pytest.mark.parametrize("kind", FAMILY)
def test_an_infinite_lengthscale_drops_its_column_K2(kind):
    dropped = kind((0.5, np.inf, 1.0, 3.0))(X, Y)
    assert_allclose(dropped, kind((0.5, 1.0, 3.0))(X[:, [0, 2, 3]], Y[:, [0, 2, 3]]), rtol=1e-13)


@pytest.mark.parametrize("kind", FAMILY)
def test_only_infinite_lengthscales_give_ones_K2(kind):
    assert_array_equal(kind((np.inf,) * 4)(X, Y), 1.0)
    assert_array_equal(kind(np.inf)(X, Y), 1.0)


@pytest.mark.parametrize("kind", FAMILY)
def test_equal_lengthscales_are_one_lengthscale_K2(kind):
    assert_allclose(kind((0.7,) * 4)(X, Y), kind(0.7)(X, Y), rtol=1e-13)
    assert kind(0.7).isotropic
    assert not kind((0.7,) * 4).isotropic


def test_an_infinite_lengthscale_is_a_choice_not_a_free_hyper_parameter_K2():
    k = RBF((0.5, np.inf, 1.0, 3.0))
    assert k.theta_names == ["RBF.lengthscale[0]", "RBF.lengthscale[2]", "RBF.lengthscale[3]"]
    A, B = k.prepare(X), k.prepare(Y)
    W = rng.normal(size=(8, 6))
    three = RBF((0.5, 1.0, 3.0))
    some = [0, 2, 3]
    assert_allclose(k.vjp(A, B, W), three.vjp(three.prepare(X[:, some]), three.prepare(Y[:, some]), W), rtol=1e-12)


def test_the_ard_kernel_is_the_product_of_its_columns_K2_A13():
    columns = [RBF(s)(X[:, [j]], Y[:, [j]]) for j, s in enumerate(SCALES)]
    assert_allclose(RBF(SCALES)(X, Y), np.prod(columns, axis=0), rtol=1e-13)


@pytest.mark.parametrize("kind", FAMILY)
@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, (1.0, 0.0), (1.0, -2.0), "wide", [[1.0]], ()])
def test_a_lengthscale_must_be_positive_K15_I5(kind, wrong):
    with pytest.raises(ValueError, match=f"{kind.__name__}: lengthscale must be a "):
        kind(wrong)


def test_as_many_lengthscales_as_columns_K2():
    with pytest.raises(ValueError, match=r"one number or one per column \(4\); got 3 numbers"):
        RBF((1.0, 2.0, 3.0))(X)


def test_gamma_and_lengthscale_convert_K3():
    for gamma in (1e-3, 0.5, 7.0, 1e6):
        k = RBF.from_gamma(gamma)
        assert_allclose(k.gamma, gamma, rtol=4e-16)
        assert_allclose(k.lengthscale, 1 / np.sqrt(2 * gamma), rtol=4e-16)
        assert_allclose(k(X, Y), rbf_kernel(X, Y, gamma=gamma), rtol=1e-12, atol=1e-300)
    assert RBF.from_gamma(0.5) == RBF(1.0)
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="gamma must be a positive number"):
            RBF.from_gamma(wrong)


@pytest.mark.parametrize("kind", FAMILY)
def test_values_lie_in_0_1_and_are_1_at_equal_points_K3(kind):
    twice = np.vstack([X, X])
    K = kind(0.8)(twice)
    assert (K > 0.0).all()
    assert (K <= 1.0).all()
    assert_array_equal(np.diag(K), 1.0)
    assert_array_equal(np.diag(K, 8), 1.0)  # equal points, though not the same ones


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", FAMILY[:3])
def test_tiny_lengthscales_give_the_identity_and_huge_ones_ones_K3(kind, dtype):
    V = np.vstack([X, X[:1]]).astype(dtype)
    same = np.eye(9)
    same[0, 8] = same[8, 0] = 1.0
    for tiny in (1e-4, 1e-12):
        assert_array_equal(kind(tiny)(V), same)
    for huge in (1e12, 1e30, 1e150):
        assert_allclose(kind(huge)(V), 1.0, atol=1e-11)
    if dtype == np.float64:
        assert_array_equal(kind(1e-100)(V), same)


def test_lengthscales_whose_square_leaves_the_number_range_K3():
    for scale in (1e-200, 1e200):
        for kind in FAMILY:
            assert_allclose(kind(scale)(scale * X, scale * Y), kind(1.0)(X, Y), rtol=1e-12)
    small = (1e-25 * X).astype(np.float32)
    assert_allclose(RBF(1e-25)(small), RBF(1.0)(X), rtol=1e-5)


def test_the_reach_of_a_sample_shrinks_as_gamma_grows_K3():
    r = np.linspace(0.1, 3.0, 20)
    values = np.array([at(RBF.from_gamma(gamma), r) for gamma in (0.1, 0.5, 1.0, 4.0)])
    assert (np.diff(values, axis=0) < 0.0).all()


@pytest.mark.parametrize("kind", FAMILY)
def test_complex_vectors_have_hermitian_distances_K3_K37(kind):
    Z, U = X + 1j * rng.normal(size=X.shape), Y + 1j * rng.normal(size=Y.shape)
    r = np.linalg.norm(Z[:, None] - U, axis=2)
    K = kind(1.3)(Z, U)
    assert K.dtype == np.float64
    assert_allclose(K, np.array([at(kind(1.3), row) for row in r]), rtol=1e-12)
    assert np.linalg.eigvalsh(kind(1.3)(Z)).min() > 0.0
    assert_allclose(kind((1.3,) * 4)(Z, U), K, rtol=1e-12)
    assert kind(1.0)(Z.astype(np.complex64)).dtype == np.float32


def test_the_slope_of_an_ard_kernel_on_complex_vectors_K2():
    Z, U, W = X + 1j * X[::-1], Y - 1j * Y[::-1], rng.normal(size=(8, 6))
    k, h = RBF(SCALES), 1e-6
    A = k.prepare(Z)
    differences = [
        np.sum(W * (k.with_theta(k.theta + s)(Z, U) - k.with_theta(k.theta - s)(Z, U))) for s in h * np.eye(4)
    ]
    assert_allclose(k.vjp(A, k.prepare(U, A.frame), W), np.array(differences) / (2 * h), rtol=1e-6)


# ---- Matern

VALUES = [(0.5, 0.3678794412), (1.5, 0.4833577246), (2.5, 0.5239941088), (3.5, 0.5449424471), (1.0, 0.4443425236),
          (100.0, 0.6042555686), (np.inf, 0.6065306597)]  # fmt: skip


@pytest.mark.parametrize(("nu", "expected"), VALUES)
def test_matern_at_distance_one_K14(nu, expected):
    assert_allclose(at(Matern(1.0, nu=nu), 1.0), expected, atol=5e-11)


@pytest.mark.parametrize("nu", [0.1, 0.5, 1.0, 1.5, 2.5, 3.0, 8.5, 9.5, 100.0, np.inf])
def test_matern_falls_from_one_to_zero_K14(nu):
    k = at(Matern(0.7, nu=nu), np.array([0.0, 1e-150, 1e-8, 1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 50.0, 1e5, 1e12]))
    assert k[0] == 1.0
    assert (k <= 1.0).all()
    assert (np.diff(k) <= 1e-13).all()
    assert k[-1] == 0.0
    assert_allclose(k[1], 1.0)


@pytest.mark.parametrize("p", range(9))
def test_half_integer_orders_meet_their_neighbours_K14(p):
    """The closed form at nu = p + 1/2 lies on the curve of the general formula."""
    r = np.linspace(0.01, 4.0, 30)
    nu, h = p + 0.5, 1e-4
    about = (at(Matern(1.0, nu=nu + h), r) + at(Matern(1.0, nu=nu - h), r)) / 2
    assert_allclose(at(Matern(1.0, nu=nu), r), about, atol=1e-7)


def test_infinite_order_is_the_gaussian_K14():
    assert_allclose(Matern(SCALES, nu=np.inf)(X, Y), RBF(SCALES)(X, Y), rtol=1e-15)


@pytest.mark.parametrize("wrong", [0.0, -0.5, np.nan])
def test_the_order_must_be_positive_K14(wrong):
    with pytest.raises(ValueError, match="nu must be a positive number"):
        Matern(1.0, nu=wrong)


# ---- exponential


def test_the_exponential_kernel_is_matern_one_half_K15():
    assert_allclose(Exponential(SCALES)(X, Y), Matern(SCALES, nu=0.5)(X, Y), rtol=1e-14)
    assert_allclose(at(Exponential(2.0), [1.0, 3.0]), np.exp([-0.5, -1.5]), rtol=1e-15)


def test_the_exponential_process_is_markov_K15():
    """In one dimension the inverse Gram of sorted points is tridiagonal."""
    points = np.sort(rng.uniform(0, 5, size=9)).reshape(-1, 1)
    P = np.linalg.inv(Exponential(1.3)(points))
    outside = abs(np.triu(P, 2))
    assert outside.max() < 1e-10 * abs(P).max()
    assert abs(np.diag(P, 1)).min() > 1e-3


def test_exponential_paths_have_increments_of_variance_2_dt_over_l_K15():
    """Var(f(t + dt) - f(t)) = 2 (1 - k(dt)) falls like dt, not like dt^2: paths have no derivative."""
    for dt in (1e-3, 1e-5):
        increment = 2.0 * (1.0 - at(Exponential(0.8), dt).item())
        assert_allclose(increment, 2.0 * dt / 0.8, rtol=1e-3)
        assert 2.0 * (1.0 - at(Matern(0.8, nu=1.5), dt).item()) < 10 * dt**2


# ---- rational quadratic


def test_the_rational_quadratic_is_a_mixture_of_gaussians():
    """E exp(-t s / 2) over t ~ Gamma(a, 1/a) is (1 + s / (2a))^(-a)."""
    a, r = 1.7, 1.4
    mean, _ = integrate.quad(lambda t: stats.gamma.pdf(t, a, scale=1 / a) * np.exp(-t * r**2 / 2), 0, 60)
    assert_allclose(at(RationalQuadratic(alpha=a), r), mean, rtol=1e-7)


def test_the_rational_quadratic_tends_to_the_gaussian():
    assert_allclose(RationalQuadratic(0.8, alpha=1e12)(X, Y), RBF(0.8)(X, Y), rtol=1e-9)
    with pytest.raises(ValueError, match="alpha must be finite"):
        RationalQuadratic(alpha=np.inf)


# ---- agreement with scikit-learn

RIVALS = [
    (RBF(0.8), gp.RBF(0.8)),
    (RBF(SCALES), gp.RBF(SCALES)),
    (RationalQuadratic(0.8, alpha=1.7), gp.RationalQuadratic(0.8, 1.7)),
    *[(Matern(s, nu=nu), gp.Matern(s, nu=nu)) for s in (0.8, SCALES) for nu in (0.5, 0.8, 1.5, 2.5, 3.3, np.inf)],
]


@pytest.mark.parametrize(("ours", "theirs"), RIVALS, ids=repr)
def test_grams_and_gradients_agree_with_scikit_learn(ours, theirs):
    K, gradient = theirs(X, eval_gradient=True)
    assert_allclose(ours(X), K, rtol=1e-10)
    assert_allclose(ours(X, Y), theirs(X, Y), rtol=1e-10)
    W = rng.normal(size=(8, 8))
    A = ours.prepare(X)
    ours_by_name = dict(zip(ours.theta_names, ours.vjp(A, A, W), strict=True))
    theirs_in_order = [np.sum(W * gradient[:, :, p]) for p in range(theirs.n_dims)]
    names = [n for n in ours.theta_names if "alpha" in n] + [n for n in ours.theta_names if "alpha" not in n]
    assert_allclose([ours_by_name[n] for n in names], theirs_in_order, rtol=1e-3, atol=1e-4)  # differences, for odd nu
