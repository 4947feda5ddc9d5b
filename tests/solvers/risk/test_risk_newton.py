"""Newton's method for smooth losses (M12, T15): closed forms, certificates, and every way of solving its systems."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import xlogy

import mercer.solvers.risk.newton as engine
from mercer import LazyGram, StoredGram, configure
from mercer.engine.interrupts import one_fit
from mercer.gram import FeatureGram
from mercer.kernels import RBF
from mercer.solvers.dual import solve, svc
from mercer.solvers.limits import Limits
from mercer.solvers.losses import Exponential, Huber, Logistic, Squared, SquaredHinge
from mercer.solvers.risk import minimise_risk, softmax_risk
from mercer.testing.quadratic_program import QP, solve_qp

rng = np.random.default_rng(3)
n = 60
X = rng.normal(size=(n, 3))
K = RBF(1.2)(X)
gram = StoredGram(K)
y = np.where(X[:, 0] + 0.6 * rng.normal(size=n) > 0.3, 1.0, -1.0)
t = X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=n)
c = rng.uniform(0.2, 5.0, n)
codes = np.digitize(t, [0.0, 1.0])
tight = Limits(tol=1e-12)

LOSSES = [SquaredHinge(), Logistic(), Logistic(bits=True), Exponential(), Squared(), Huber(0.4)]
losses = pytest.mark.parametrize("loss", LOSSES, ids=str)
biases = pytest.mark.parametrize("bias", [True, False])


def margin_or_residual(loss, f):
    return y * f if loss.margin else t - f


def targets(loss):
    return y if loss.margin else t


def primal(loss, b, r, c=c):
    """1/2 b'Kb + sum c loss, in the words of the textbook."""
    return 0.5 * b @ K @ b + c @ loss.value(margin_or_residual(loss, K @ b + r))


def dual(loss, f):
    """-1/2 b'Kb - sum c L*(-b / c) at minus the slopes at f, from the conjugate."""
    u, b = loss.subgradient(margin_or_residual(loss, f))[0], -slopes(loss, f)
    return -0.5 * b @ K @ b - c @ (loss.conjugate(u) - u * (0.0 if loss.margin else t))


def slopes(loss, f):
    return c * loss.subgradient(margin_or_residual(loss, f))[0] * (y if loss.margin else -1.0)


@biases
@losses
def test_coefficients_are_minus_the_slopes_at_the_optimum_T15(loss, bias):
    s = minimise_risk(gram, loss, targets(loss), c, bias=bias, limits=tight)
    b, r = s.coef[:, 0], s.bias[0]
    assert s.converged
    assert_allclose(b, -slopes(loss, K @ b + r), atol=1e-5 * np.abs(b).max())
    assert_allclose(s.primal, primal(loss, b, r), rtol=1e-12)
    if bias:
        assert_allclose(b.sum(), 0.0, atol=1e-6 * np.abs(b).sum())
    else:
        assert r == 0.0


@biases
@losses
def test_the_gap_is_the_difference_of_primal_and_conjugate_dual_T17(loss, bias):
    """The engine never evaluates a conjugate; the Fenchel dual at minus the slopes is what it says all the same."""
    for steps in range(4):
        s = minimise_risk(gram, loss, targets(loss), c, bias=bias, limits=Limits(1e-15, max_iter=steps))
        assert_allclose(s.dual, dual(loss, K @ s.coef[:, 0] + s.bias[0]), rtol=1e-10)
        best = minimise_risk(gram, loss, targets(loss), c, bias=bias, limits=tight)
        assert s.dual - 1e-10 * abs(best.primal) <= best.primal <= s.primal + 1e-10 * abs(best.primal)


@losses
def test_the_optimum_of_a_general_minimiser_is_inside_the_bounds_M12(loss):
    s = minimise_risk(gram, loss, targets(loss), c, limits=tight)
    L = np.linalg.cholesky(K + 1e-10 * np.eye(n))

    def objective(v):
        f = L @ v[1:] + v[0]
        g = slopes(loss, f)
        value = 0.5 * v[1:] @ v[1:] + c @ loss.value(margin_or_residual(loss, f))
        return value, np.concatenate([[g.sum()], v[1:] + L.T @ g])

    found = minimize(objective, np.zeros(n + 1), jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15})
    assert_allclose(found.fun, s.primal, rtol=1e-6)
    assert found.fun >= s.dual * (1.0 - 1e-7)


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
def test_squared_is_kernel_ridge_regression_with_lambda_1_over_C_M12(C):
    """loss = z^2 / 2; with the loss z^2 of the textbook it is lambda = 1 / (2 C)."""
    s = minimise_risk(gram, Squared(), t, np.full(n, C), bias=False, limits=tight)
    assert s.n_iter == 1
    assert_allclose(K @ s.coef[:, 0], K @ np.linalg.solve(K + np.eye(n) / C, t), rtol=1e-6, atol=1e-9)
    A = np.block([[K + np.eye(n) / C, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    exact = np.linalg.solve(A, np.append(t, 0.0))
    s = minimise_risk(gram, Squared(), t, np.full(n, C), limits=tight)
    assert_allclose(s.bias[0], exact[-1], rtol=1e-6)
    assert_allclose(K @ s.coef[:, 0], K @ exact[:-1], rtol=1e-6, atol=1e-8)


def test_squared_hinge_is_the_support_vector_machine_with_squared_slacks_M29():
    s = minimise_risk(gram, SquaredHinge(), y, c, limits=tight)
    machine = solve(gram, svc(y, c, squared=True), tol=1e-8)
    assert_allclose(s.primal, machine.primal, rtol=1e-7)
    assert_allclose(s.coef[:, 0], machine.coef, atol=1e-5)
    outside = y * (K @ s.coef[:, 0] + s.bias[0]) > 1.0
    assert outside.any()
    assert (s.coef[outside] == 0.0).all()  # exactly: they stay out of the linear system


def test_hubers_loss_is_a_quadratic_program_M12():
    delta, eye = 0.4, np.eye(n)
    qp = QP(K + np.diag(1.0 / c), -t, np.vstack([eye, -eye]), np.tile(c * delta, 2), np.ones((1, n)), np.zeros(1))
    exact = solve_qp(qp)
    s = minimise_risk(gram, Huber(delta), t, c, limits=tight)
    assert_allclose(s.dual, -exact.primal, rtol=1e-7)
    assert_allclose(s.coef[:, 0], exact.x, atol=1e-4)
    far = np.abs(t - K @ s.coef[:, 0] - s.bias[0]) > delta
    assert far.any()
    assert_allclose(np.abs(s.coef[far, 0]), (c * delta)[far])


def test_no_function_of_a_larger_span_has_a_smaller_risk_T15():
    """Items of no weight span more of the space; the minimiser does not use them."""
    more = rng.normal(size=(25, 3))
    wide = RBF(1.2)(np.vstack([X, more]))
    for loss in LOSSES:
        s = minimise_risk(gram, loss, targets(loss), c, bias=False, limits=tight)
        b = np.append(s.coef[:, 0], np.zeros(25))
        for seed in range(5):
            d = np.random.default_rng(seed).normal(size=n + 25)
            d[:n] -= np.linalg.solve(K, wide[:n] @ d)  # not seen by the data
            value = 0.5 * (b + d) @ wide @ (b + d) + c @ loss.value(margin_or_residual(loss, (wide @ (b + d))[:n]))
            assert value >= s.primal
            assert_allclose(value - s.primal, 0.5 * d @ wide @ d, rtol=1e-4)


# ---- several outputs


def softmax_objective(B, r):
    F = K @ B + r
    P = np.exp(F - F.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return 0.5 * np.trace(B.T @ K @ B) - c @ np.log(P[np.arange(n), codes]), P


@biases
def test_the_dual_of_the_softmax_is_the_entropy_M12(bias):
    Y = np.eye(3)[codes]
    best = softmax_risk(gram, codes, 3, c, bias=bias, limits=tight)
    assert best.converged
    for steps in (0, 1, 2, 50):
        s = softmax_risk(gram, codes, 3, c, bias=bias, limits=Limits(1e-13, max_iter=steps))
        value, P = softmax_objective(s.coef, s.bias)
        B = c[:, None] * (Y - P)
        assert_allclose(s.primal, value, rtol=1e-12)
        assert_allclose(s.dual, -0.5 * np.trace(B.T @ K @ B) - c @ xlogy(P, P).sum(axis=1), rtol=1e-9)
        assert s.dual - 1e-9 <= best.primal <= s.primal + 1e-9
    assert_allclose(best.coef, B, atol=1e-5)
    assert_allclose(best.coef.sum(axis=1), 0.0, atol=1e-12)


def test_two_outputs_are_one_logistic_function_M12():
    """f_1 - f_0 of a softmax has half the penalty: 1/2 |f/2|^2 twice."""
    two = (y > 0.0).astype(int)
    both = softmax_risk(gram, two, 2, c, limits=tight)
    one = minimise_risk(StoredGram(2.0 * K), Logistic(), y, c, limits=tight)
    F = K @ both.coef + both.bias
    assert_allclose(F[:, 1] - F[:, 0], 2.0 * K @ one.coef[:, 0] + one.bias[0], atol=1e-5)
    assert_allclose(both.primal, one.primal, rtol=1e-9)


# ---- ways of solving a system


@pytest.fixture
def iterative(monkeypatch):
    """Small problems go the way of large ones, with a preconditioner that is far from exact."""
    monkeypatch.setattr(engine, "DIRECT", 5)
    monkeypatch.setattr(engine, "RANK", 12)


@losses
def test_conjugate_gradients_find_what_factorisations_find(loss, iterative, monkeypatch):
    s = minimise_risk(gram, loss, targets(loss), c, limits=tight)
    monkeypatch.undo()
    direct = minimise_risk(gram, loss, targets(loss), c, limits=tight)
    assert s.converged
    assert_allclose(s.coef, direct.coef, atol=1e-4 * np.abs(direct.coef).max())
    assert_allclose(s.bias, direct.bias, atol=1e-4)


def test_conjugate_gradients_of_several_outputs_find_the_same(iterative, monkeypatch):
    s = softmax_risk(gram, codes, 3, c, limits=tight)
    monkeypatch.undo()
    assert_allclose(s.coef, softmax_risk(gram, codes, 3, c, limits=tight).coef, atol=1e-4)


def test_when_conjugate_gradients_are_slow_the_system_is_factorised_after_all(iterative, monkeypatch):
    monkeypatch.setattr(engine, "PRODUCTS", 1)
    monkeypatch.setattr(engine, "RANK", 1)
    factorised = []
    direct = engine.system.direct
    monkeypatch.setattr(engine.system, "direct", lambda K, W: factorised.append(len(K)) or direct(K, W))
    s = minimise_risk(StoredGram(100.0 * K), Logistic(), y, 1e3 * c, limits=tight)
    assert s.converged
    assert min(factorised) > engine.DIRECT


@losses
def test_a_gram_that_is_never_stored_gives_the_same(loss, iterative):
    stored = minimise_risk(gram, loss, targets(loss), c, limits=Limits(1e-10))
    with configure(memory=2**16):
        streamed = minimise_risk(LazyGram(RBF(1.2), X), loss, targets(loss), c, limits=Limits(1e-10))
    assert_allclose(streamed.primal, stored.primal, rtol=1e-9)


@losses
def test_explicit_features_give_the_same_as_their_gram_T35(loss):
    by_features = minimise_risk(FeatureGram(X), loss, targets(loss), c, limits=tight)
    by_gram = minimise_risk(StoredGram(X @ X.T), loss, targets(loss), c, limits=tight)
    assert_allclose(X.T @ by_features.coef, X.T @ by_gram.coef, atol=1e-5)
    assert_allclose(by_features.bias, by_gram.bias, atol=1e-5)


# ---- invariances, extremes, limits


@losses
def test_the_order_of_items_is_immaterial_and_weights_are_repetitions_M12(loss):
    p = np.random.default_rng(1).permutation(n)
    v = targets(loss)
    s = minimise_risk(gram, loss, v, c, limits=tight)
    moved = minimise_risk(StoredGram(K[np.ix_(p, p)]), loss, v[p], c[p], limits=tight)
    assert_allclose(moved.coef, s.coef[p], atol=1e-5)
    twice = np.concatenate([np.arange(n), np.arange(10)])
    doubled = minimise_risk(StoredGram(K[np.ix_(twice, twice)]), loss, v[twice], np.ones(n + 10), limits=tight)
    weighed = minimise_risk(gram, loss, v, np.where(np.arange(n) < 10, 2.0, 1.0), limits=tight)
    assert_allclose(doubled.primal, weighed.primal, rtol=1e-9)


@losses
@pytest.mark.parametrize("C", [1e-8, 1e6])
def test_extreme_weights_end_with_a_proof_M12(loss, C):
    s = minimise_risk(gram, loss, targets(loss), np.full(n, C), limits=Limits(1e-6))
    assert s.converged
    assert np.isfinite(s.coef).all()


def test_the_exponential_loss_does_not_overflow_on_contradictions_M12():
    """Equal items with both labels, a kernel of large values and a large C."""
    Z = np.repeat(rng.normal(size=(10, 2)), 2, axis=0)
    s = minimise_risk(StoredGram(1e6 * (Z @ Z.T)), Exponential(), np.tile([1.0, -1.0], 10), np.full(20, 1e6))
    assert s.converged
    assert_allclose(s.primal, 2e7, rtol=1e-6)  # nothing beats f = 0


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(LOSSES), st.floats(1e-3, 1e3), st.booleans(), st.integers(2, 12))
def test_bounds_hold_after_any_number_of_steps_T17(seed, loss, C, bias, m):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(m, 2))
    G, v = StoredGram(Z @ Z.T), np.where(np.arange(m) % 2, 1.0, -1.0) if loss.margin else rng.normal(size=m)
    best = minimise_risk(G, loss, v, np.full(m, C), bias=bias, limits=Limits(1e-9))
    for steps in (0, 1, 3):
        s = minimise_risk(G, loss, v, np.full(m, C), bias=bias, limits=Limits(1e-9, max_iter=steps))
        slip = 1e-8 * abs(best.primal)
        assert s.gap >= -slip
        assert s.dual - slip <= best.primal <= s.primal + slip
        h, h_best = Z.T @ s.coef[:, 0], Z.T @ best.coef[:, 0]
        assert np.linalg.norm(h - h_best) <= s.distance + best.distance + 1e-6 * (1.0 + np.linalg.norm(h_best))


def test_limits_are_kept_and_the_bounds_hold_then():
    s = minimise_risk(gram, Logistic(), y, 100.0 * c, limits=Limits(1e-12, max_iter=1))
    assert (s.converged, s.reason, s.n_iter) == (False, "max_iter", 1)
    s = minimise_risk(gram, Logistic(), y, 100.0 * c, limits=Limits(1e-12, time_limit=1e-9))
    assert (s.converged, s.reason) == (False, "time_limit")
    assert np.isfinite(s.gap)


def test_an_interrupt_leaves_the_last_point_and_its_proof(monkeypatch):
    steps = []

    def interrupted(*arguments, **options):
        steps.append(1)
        if len(steps) > 2:
            raise KeyboardInterrupt
        return solve_system(*arguments, **options)

    solve_system = engine.system.solve
    monkeypatch.setattr(engine.system, "solve", interrupted)
    limits = Limits(1e-14)
    with one_fit(object()):
        s = minimise_risk(gram, Logistic(), y, 100.0 * c, limits=limits)
    assert (s.reason, s.n_iter, s.converged) == ("interrupted", 2, False)
    assert_allclose(s.primal, primal(Logistic(), s.coef[:, 0], s.bias[0], 100.0 * c), rtol=1e-10)
    following = minimise_risk(gram, Logistic(), y, 100.0 * c, limits=limits)
    assert (following.reason, following.n_iter) == ("interrupted", 0)  # it ends all problems of the fit


def test_a_kernel_that_is_not_positive_ends_and_does_not_raise_I6():
    A = rng.normal(size=(n, n))
    for loss in LOSSES:
        s = minimise_risk(StoredGram(0.1 * (A + A.T)), loss, targets(loss), np.full(n, 0.1), limits=Limits(1e-6, 30))
        assert np.isfinite(s.coef).all()


def test_a_function_of_the_user_is_minimised_by_its_slopes_alone_M12():
    def logistic(y, f):
        return Logistic().value(y * f), y * Logistic().subgradient(y * f)[0]

    theirs, ours = (minimise_risk(gram, loss, y, c, limits=Limits(1e-10)) for loss in (logistic, Logistic()))
    assert theirs.converged
    assert_allclose(theirs.coef, ours.coef, atol=1e-4)
    assert theirs.n_iter <= ours.n_iter + 2


def test_an_object_without_slopes_is_no_loss():
    with pytest.raises(ValueError, match="loss must be a loss of mercer"):
        minimise_risk(gram, 3.0, y, c)


def test_the_answer_does_not_depend_on_the_number_of_threads():
    coefs = []
    for threads in (1, 2):
        with configure(threads=threads):
            coefs.append(softmax_risk(gram, codes, 3, c).coef)
    assert_array_equal(*coefs)


@biases
def test_many_items_with_features_begin_at_the_answer_of_a_part_M12(bias, monkeypatch):
    features = FeatureGram(np.ascontiguousarray(X))
    ways = [lambda: softmax_risk(features, codes, 3, c, bias=bias, limits=Limits(tol=1e-10)),
            lambda: minimise_risk(features, Logistic(), y, c, bias=bias, limits=Limits(tol=1e-10))]  # fmt: skip
    plain = [way() for way in ways]
    monkeypatch.setattr(engine, "MANY", 20)
    monkeypatch.setattr(engine, "PART", 2)
    for way, before in zip(ways, plain, strict=True):
        found = way()
        assert found.converged
        assert_allclose(X.T @ found.coef, X.T @ before.coef, atol=1e-4)
