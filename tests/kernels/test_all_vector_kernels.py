"""What holds for every kernel on vectors: laws, derivatives, sparse and single-precision data, far and scaled data."""

import operator

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from mercer.errors import MemoryBudgetError
from mercer.kernels.additive import AdditiveChiSquared, ChiSquared, Laplacian
from mercer.kernels.angular import ArcSine, Cosine
from mercer.kernels.constant import Constant, White
from mercer.kernels.dot import Geometric, Homogeneous, Linear, Polynomial, Sigmoid
from mercer.kernels.grammar import parse
from mercer.kernels.matrix_weighted import Bilinear, Mahalanobis
from mercer.kernels.periodic import Periodic
from mercer.kernels.radial import RBF, Exponential, Matern, RationalQuadratic
from mercer.kernels.subsets import ANOVA, AllSubsets
from mercer.parameters import Bounded, Fixed
from mercer.testing import check_kernel

SCALES = (0.7, 1.3, 2.1, 0.4, 1.0)
S = np.diag(np.square(SCALES)) + 0.1
PRECISION = np.linalg.inv(S)
PRECISION = (PRECISION + PRECISION.T) / 2

STATIONARY = [
    RBF(0.9),
    RBF(SCALES),
    Exponential(1.2),
    Exponential(SCALES),
    Matern(0.8, nu=0.5),
    Matern(SCALES, nu=1.5),
    Matern(1.1, nu=3.5),
    Matern(0.9, nu=0.8),
    Matern(SCALES, nu=2.2),
    Matern(1.3, nu=60.0),
    Matern(0.9, nu=np.inf),
    RationalQuadratic(0.8, alpha=1.7),
    RationalQuadratic(SCALES, alpha=0.6),
    Laplacian(2.0),
    Laplacian(SCALES),
    Mahalanobis(S),
    Mahalanobis.from_precision(PRECISION),
    Mahalanobis.from_cholesky(np.linalg.cholesky(S)),
    Periodic(0.8, period=2.3),
    ANOVA(2, base=RBF(0.9)),
]
POLYNOMIAL = [
    Linear(),
    Polynomial(2, gamma=0.5, offset=0.7),
    Homogeneous(3),
    Geometric(3),
    Bilinear(S),
    AllSubsets(),
    ANOVA(2),
]
MERCER = [
    *STATIONARY,
    *POLYNOMIAL,
    ArcSine(0.8),
    ArcSine((0.5, *SCALES)),
    ArcSine(0.5, covariance=np.diag([1.0, *SCALES]) + 0.1),
    Cosine(),
    ANOVA(3, base=(RBF(0.9), Linear(), Matern(1.1), Polynomial(2), RationalQuadratic(alpha=2.0))),
    Constant(0.4),
    White(0.3),
]
HISTOGRAM = [ChiSquared(0.6), AdditiveChiSquared()]
ALL = [*MERCER, Sigmoid(0.4, offset=-0.3), *HISTOGRAM]
TUNED = [k for k in ALL if k.theta.size]

rng = np.random.default_rng(7)
DENSE = rng.normal(size=(9, 5)) * (rng.random((9, 5)) < 0.6)
DENSE[4] = DENSE[2]  # an equal pair
OTHER = rng.normal(size=(6, 5)) * (rng.random((6, 5)) < 0.6)
OTHER[0] = DENSE[1]


def short(k):
    return repr(k)[:50]


each = pytest.mark.parametrize("k", ALL, ids=short)


def data(k):
    return (abs(DENSE), abs(OTHER)) if k in HISTOGRAM else (DENSE, OTHER)


@each
def test_the_laws_of_a_kernel_I2_T1(k):
    check_kernel(k, *data(k))


@each
def test_a_kernel_prints_the_expression_that_makes_it(k):
    from mercer import kernels

    names = {name: getattr(kernels, name) for name in kernels.__all__}
    namespace = {type(j).__name__: type(j) for j in ALL} | names | {"inf": np.inf}
    assert eval(repr(k), namespace) == k
    if type(k).__name__ in kernels.__all__:
        assert parse(repr(k)) == k


@pytest.mark.parametrize("k", TUNED, ids=short)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_derivatives_in_the_hyper_parameters_match_differences_K2_I2(k, form):
    X, Y = data(k)
    A = k.prepare(form(X))
    B = k.prepare(form(Y), A.frame)
    W = np.random.default_rng(0).normal(size=(len(X), len(Y)))
    h = np.finfo(float).eps ** (1 / 3)
    steps = h * np.eye(k.theta.size)
    differences = [np.sum(W * (k.with_theta(k.theta + s)(X, Y) - k.with_theta(k.theta - s)(X, Y))) for s in steps]
    assert_allclose(k.vjp(A, B, W), np.array(differences) / (2 * h), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("k", TUNED, ids=short)
def test_derivatives_on_the_diagonal_tile_are_finite_and_right(k):
    """Where x = y: radial kernels with infinite slope at distance zero contribute nothing, not NaN."""
    X, _ = data(k)
    A = k.prepare(X)
    W = np.random.default_rng(1).normal(size=(len(X), len(X)))
    h = 1e-5
    steps = h * np.eye(k.theta.size)
    differences = [np.sum(W * (k.with_theta(k.theta + s)(X) - k.with_theta(k.theta - s)(X))) for s in steps]
    assert_allclose(k.vjp(A, A, W), np.array(differences) / (2 * h), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("k", TUNED, ids=short)
def test_derivatives_in_single_precision_are_close(k):
    X, Y = data(k)
    W = np.random.default_rng(2).normal(size=(len(X), len(Y)))
    single = k.vjp(*_prepared(k, X.astype(np.float32), Y.astype(np.float32)), W)
    assert_allclose(single, k.vjp(*_prepared(k, X, Y), W), rtol=1e-3, atol=1e-4)


def _prepared(k, X, Y):
    A = k.prepare(X)
    return A, k.prepare(Y, A.frame)


@each
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_rows_give_what_dense_rows_give_K4(k, form):
    X, Y = data(k)
    close = {"rtol": 1e-13, "atol": 1e-13}
    assert_allclose(k(form(X)), k(X), **close)
    assert_allclose(k(form(X), form(Y)), k(X, Y), **close)
    assert_allclose(k(form(X), Y), k(X, Y), **close)
    assert_allclose(k(X, form(Y)), k(X, Y), **close)
    assert isinstance(k(form(X)), np.ndarray)


@each
def test_single_precision_stays_single_and_is_close(k):
    X, Y = data(k)
    for form in (np.asarray, sparse.csr_array):
        K = k(form(X.astype(np.float32)), form(Y.astype(np.float32)))
        assert K.dtype == np.float32
        assert_allclose(K, k(X, Y), rtol=2e-5, atol=2e-6)
        assert k.diag(k.prepare(form(X.astype(np.float32)))).dtype == np.float32


@pytest.mark.parametrize("k", [k for k in ALL if not isinstance(k, (Constant, White))], ids=short)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_data_of_different_width_are_refused_I2(k, form):
    X, Y = data(k)
    for left, right in ((X, Y[:, :3]), (X[:, :3], Y)):
        with pytest.raises(ValueError, match=r"column|kernels|size"):
            k(form(left), form(right))
    with pytest.raises(ValueError, match=r"column|kernels|size"):  # one column broadcasts, if nobody looks
        k(form(X[:, :1]), form(Y))


@each
def test_nan_and_infinity_are_refused_I2(k):
    for wrong in (np.nan, np.inf):
        X = data(k)[0].copy()
        X[3, 1] = wrong
        with pytest.raises(ValueError, match="row 3, column 1"):
            k(X)


@each
def test_the_gram_does_not_depend_on_how_it_is_cut_into_tiles(k):
    X = np.random.default_rng(3).normal(size=(401, 5))
    X = abs(X) if k in HISTOGRAM else X
    some = np.array([0, 199, 200, 201, 400])
    K = k(X)
    assert_array_equal(K, K.T)
    assert_allclose(K[np.ix_(some, some)], k(X[some]), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("k", [*POLYNOMIAL, Cosine()], ids=short)
def test_the_feature_map_of_sparse_rows_is_that_of_dense_rows(k):
    phi = k.feature_map(sparse.csr_array(DENSE))
    assert_allclose(phi.toarray() if sparse.issparse(phi) else phi, k.feature_map(DENSE), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("k", [Polynomial(12), Homogeneous(12), Geometric(12), AllSubsets(), ANOVA(20)], ids=short)
def test_huge_feature_maps_are_refused_before_they_are_made_K7_C17(k):
    with pytest.raises(MemoryBudgetError, match="features"):
        k.feature_map(np.ones((2, 40)))


@each
def test_flags_say_how_a_kernel_behaves_under_shifts_K5(k):
    X, Y = data(k)
    moved = k(X + 0.75, Y + 0.75)
    if k.stationary:
        assert_allclose(moved, k(X, Y), rtol=1e-12, atol=1e-12)
    else:
        assert abs(moved - k(X, Y)).max() > 1e-3


@each
def test_flags_say_how_a_kernel_behaves_under_rotations(k):
    if k in HISTOGRAM:
        assert not k.isotropic
        return
    Q = np.linalg.qr(np.random.default_rng(4).normal(size=(5, 5)))[0]
    same = np.allclose(k(DENSE @ Q, OTHER @ Q), k(DENSE, OTHER), rtol=1e-10, atol=1e-10)
    if k.isotropic and not isinstance(k, White):  # a rotation rounds, so equal items need not stay equal
        assert same
    if not k.isotropic and k.stationary:
        assert not same


# ---- data far from the origin, and in odd units

GRID = np.round(rng.normal(size=(40, 5)) * 64) / 64  # sums with 2^20 or 10^6 are exact in float64
COARSE = np.round(rng.normal(size=(40, 5)) * 8) / 8  # and these in float32, up to 2^20


@pytest.mark.parametrize("k", STATIONARY, ids=short)
def test_data_far_away_give_the_same_gram_K3(k):
    assert_allclose(k(GRID + 1e6), k(GRID), rtol=1e-9, atol=1e-9)
    assert_allclose(k(GRID + 1e6, GRID[:7] + 1e6), k(GRID, GRID[:7]), rtol=1e-9, atol=1e-9)
    far, near = (COARSE + 2.0**20).astype(np.float32), COARSE.astype(np.float32)
    assert_array_equal(far - np.float32(2**20), near)
    assert_allclose(k(far), k(near), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("k", STATIONARY, ids=short)
def test_the_diagonal_of_a_stationary_kernel_is_exact(k):
    one = 10.0 if isinstance(k, ANOVA) else 1.0  # C(5, 2) pairs of columns
    for X in (GRID, GRID + 1e6, (COARSE + 2.0**20).astype(np.float32), sparse.csr_array(GRID)):
        assert_array_equal(np.diag(k(X)), one)


UNITS = np.array([1e-8, 1e-4, 1.0, 1e4, 1e8])
MEASURED = {  # kernels by the units u of the columns
    "RBF": lambda u: RBF(u * SCALES),
    "Exponential": lambda u: Exponential(u * SCALES),
    "Matern": lambda u: Matern(u * SCALES, nu=1.5),
    "Matern by Bessel functions": lambda u: Matern(u * SCALES, nu=0.8),
    "RationalQuadratic": lambda u: RationalQuadratic(u * SCALES),
    "Laplacian": lambda u: Laplacian(u * SCALES),
    "Mahalanobis": lambda u: Mahalanobis(S * np.outer(u, u)),
    "its Cholesky factor": lambda u: Mahalanobis.from_cholesky(np.linalg.cholesky(S) * u[:, None]),
    "its inverse": lambda u: Mahalanobis.from_precision(PRECISION / np.outer(u, u)),
}


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_units_of_measurement_do_not_matter_when_lengthscales_follow_K1_K2(name, shift):
    make = MEASURED[name]
    units = np.array([1e-8, 1e-4, 1.0, 1e4, 1e8])
    assert_allclose(make(units)((GRID + shift) * units), make(np.ones(5))(GRID), rtol=1e-9, atol=1e-9)
    powers = 2.0 ** np.array([-26, -13, 0, 13, 26])
    single = ((COARSE + min(shift, 2.0**20)) * powers).astype(np.float32)
    assert_allclose(make(powers)(single), make(np.ones(5))(COARSE), rtol=1e-5, atol=1e-5)


def test_every_kernel_composes_with_every_other():
    """Kernels of one expression share rows and tiles; nobody may write into what another one reads."""
    kernels = [k for k in ALL if k not in HISTOGRAM]
    for operation, expected in ((operator.add, np.add), (operator.mul, np.multiply)):
        for k in kernels:
            composed = operation(RBF(0.9), operation(k, Linear()))
            by_hand = expected(RBF(0.9)(DENSE, OTHER), expected(k(DENSE, OTHER), Linear()(DENSE, OTHER)))
            assert_allclose(composed(DENSE, OTHER), by_hand, rtol=1e-12, atol=1e-12, err_msg=repr(composed))


def test_fixed_hyper_parameters_have_no_derivative_and_bounded_ones_keep_theirs():
    X, Y = DENSE, OTHER
    W = np.ones((len(X), len(Y)))
    k = Periodic(Fixed(0.8), period=Bounded(2.3, 1.0, 5.0))
    free = Periodic(0.8, period=2.3)
    assert_allclose(k.vjp(*_prepared(k, X, Y), W), free.vjp(*_prepared(free, X, Y), W)[1:])
    assert_allclose(k.bounds, np.log([[1.0, 5.0]]))
