"""The exact regularisation path of the SVM (M23), and what it shows (E14)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.engine.interrupts import one_fit
from mercer.gram import StoredGram
from mercer.solvers import path as module
from mercer.solvers.path import svm_path
from mercer.testing.quadratic_program import solve_qp
from mercer.testing.svm_programs import svc_dual


def gaussian(X, gamma=0.5):
    return np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2))


def clouds(positive, negative, seed=0, apart=1.0):
    """Two overlapping Gaussian clouds in the plane, and their labels."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], [positive, negative])
    return rng.normal(size=(len(y), 2)) + apart * y[:, None], y


SIZES = {"balanced": (18, 18), "more positive": (25, 11), "more negative": (9, 20)}
KERNELS = {"linear": lambda X: X @ X.T, "gaussian": gaussian}


@pytest.fixture(params=[(size, kernel) for size in SIZES for kernel in KERNELS], ids="-".join)
def case(request):
    size, kernel = request.param
    X, y = clouds(*SIZES[size])
    K = KERNELS[kernel](X)
    return K, y, svm_path(K, y)


def objectives(K, y, beta, b, C):
    """Primal and dual of the C-SVC at f = K beta + b."""
    norm = beta @ K @ beta
    return 0.5 * norm + C * np.maximum(0.0, 1.0 - y * (K @ beta + b)).sum(), (y * beta).sum() - 0.5 * norm


def test_every_knot_is_optimal_M23(case):
    _, y, path = case
    assert path.converged
    assert (np.diff(path.lambdas) < 0.0).all()
    assert (path.primals - path.duals <= 1e-9 * path.primals).all()
    assert_allclose(path.alphas @ y, 0.0, atol=1e-11)
    assert path.alphas.min() >= 0.0
    assert path.alphas.max() <= 1.0


def test_it_is_the_svc_at_and_between_events_M23(case):
    K, y, path = case
    middle = len(path.lambdas) // 2
    knots = path.lambdas[[0, 1, middle, -1]]
    between = np.sqrt(path.lambdas[:-1] * path.lambdas[1:])[:: max(middle // 3, 1)]
    for lam in np.concatenate([knots, between, [3.0 * path.lambdas[0]]]):
        C, reference = 1.0 / lam, solve_qp(svc_dual(K, y, 1.0 / lam))
        beta, b = path.coef(C)
        primal, dual = objectives(K, y, beta, b, C)
        assert reference.converged
        assert_allclose([primal, dual], -reference.primal, rtol=1e-8)
        assert_allclose(K @ beta, K @ (reference.x * y), atol=1e-4 * C**0.5)


def test_alpha_is_linear_inside_a_segment_M23(case):
    K, y, path = case
    for k in range(0, len(path.lambdas) - 1, 7):
        lams = np.linspace(path.lambdas[k], path.lambdas[k + 1], 7)[1:-1]
        assert np.abs(np.diff(path.alpha(lams), n=2, axis=0)).max() < 1e-8
        # and what lies between was optimal, not merely drawn straight
        for lam in lams[1::2]:
            primal, dual = objectives(K, y, *path.coef(1.0 / lam), 1.0 / lam)
            assert primal - dual <= 1e-8 * primal


def test_a_balanced_path_starts_with_every_point_at_one_M23():
    X, y = clouds(12, 12)
    path = svm_path(gaussian(X), y)
    assert_array_equal(path.alphas[0], 1.0)
    assert_array_equal(path.alpha(1e3 * path.lambdas[0]), 1.0)
    assert path.start_slope == 0.0


@pytest.mark.parametrize(("positive", "negative"), [(25, 11), (9, 20)])
def test_an_unbalanced_path_starts_with_the_smaller_class_at_one_M23(positive, negative):
    X, y = clouds(positive, negative)
    path = svm_path(gaussian(X), y)
    smaller = y == (1.0 if positive < negative else -1.0)
    assert_array_equal(path.alphas[0][smaller], 1.0)
    assert_allclose(path.alphas[0][~smaller].sum(), min(positive, negative))
    far = 50.0 * path.lambdas[0]
    reference = solve_qp(svc_dual(gaussian(X), y, 1.0 / far))
    assert_allclose(path.alpha(far), far * reference.x, atol=1e-5)
    assert_allclose(path.intercept(far), reference.equality[0], atol=1e-5)


def test_margin_and_support_grow_with_lambda_E14(case):
    K, _, path = case
    lams = np.geomspace(path.lambdas[-1], 2.0 * path.lambdas[0], 60)
    margin = path.margin(lams)
    assert (np.diff(margin) >= -1e-9 * margin[1:]).all()
    assert path.n_support(lams[-1]) == path.n_support(lams).max()
    assert path.n_support(lams[0]) < path.n_support(lams[-1])
    beta, _ = path.coef(1.0 / lams[20])
    assert_allclose(path.norm(lams[20]), np.sqrt(beta @ K @ beta), rtol=1e-9)


def test_separated_classes_end_at_the_hard_margin_M23():
    X, y = clouds(15, 12, apart=3.0)
    K = X @ X.T
    path = svm_path(K, y, lambda_min=1e-12)
    assert path.reason == "separable"
    assert path.converged
    hard = solve_qp(svc_dual(K, y, np.inf))
    for C in (1.0 / path.lambdas[-1], 1e3 / path.lambdas[-1]):
        beta, b = path.coef(C)
        assert_allclose(beta * y, hard.x, atol=1e-6)
        assert_allclose(b, hard.equality[0], atol=1e-6)
    assert_allclose(path.slacks[-1], 0.0, atol=1e-12)


def test_two_points_are_solved_by_hand_M23():
    """x = 1 and -1: every a_i = 1 until lambda = |x_1 - x_2|^2 / 2 = 2, where the margins meet."""
    path = svm_path(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0]))
    assert path.reason == "separable"
    assert_allclose(path.lambdas, [2.0])
    assert_allclose(path.alpha(1.0), 0.5)
    assert_allclose(path.margin([0.5, 2.0, 8.0]), [1.0, 1.0, 4.0])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kernel", KERNELS)
def test_points_on_a_grid_with_copies_and_ties_end_well_M23(kernel, seed):
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.integers(-1, 2, size=(15, 2)), 3, axis=0).astype(float)
    y = rng.permutation(np.repeat([1.0, -1.0], [20 + seed, 25 - seed]))
    path = svm_path(KERNELS[kernel](X), y)
    assert path.converged
    assert (path.primals - path.duals <= 1e-8 * path.primals).all()


@pytest.mark.parametrize("seed", range(25))
def test_copies_that_share_the_total_at_the_start_are_no_fault_M23(seed):
    X = np.random.default_rng(seed).normal(size=(12, 2))
    X = np.concatenate([X, X[:6]])
    path = svm_path(gaussian(X), np.where(X[:, 0] * X[:, 1] > 0.0, 1.0, -1.0))
    assert path.converged


def test_the_order_of_arrays_in_memory_does_not_matter():
    X, y = clouds(9, 7)
    expected = svm_path(gaussian(X), y)
    found = svm_path(np.asfortranarray(gaussian(X)), np.repeat(y, 2)[::2])
    assert_allclose(found.alphas, expected.alphas, atol=1e-12)


def test_copies_of_every_point_halve_nothing_but_alpha_M23():
    X, y = clouds(8, 11)
    once, twice = svm_path(gaussian(X), y), svm_path(gaussian(np.vstack([X, X])), np.r_[y, y])
    for lam in np.geomspace(0.01, 20.0, 9):
        both = twice.alpha(2.0 * lam)
        assert_allclose(0.5 * (both[:19] + both[19:]), once.alpha(lam), atol=1e-8)


def test_identical_points_have_nothing_to_follow_M23():
    path = svm_path(np.ones((6, 6)), np.array([1.0, -1.0, 1.0, -1.0, 1.0, 1.0]))
    assert path.converged
    assert len(path.lambdas) == 1
    assert_allclose(path.norm(1.0), 0.0, atol=1e-7)


def test_a_ridge_is_a_kernel_with_a_heavier_diagonal_M23():
    X, y = clouds(10, 13)
    K = X @ X.T
    with_ridge, written_out = svm_path(K, y, ridge=0.1), svm_path(K + 0.1 * np.eye(23), y)
    assert_allclose(with_ridge.lambdas, written_out.lambdas)
    assert_allclose(with_ridge.alphas, written_out.alphas, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_path_does_not_depend_on_the_unit_or_the_offset_of_the_kernel_M23(scale):
    X, y = clouds(10, 13)
    plain, scaled = svm_path(gaussian(X), y), svm_path(scale * (gaussian(X) + 5.0), y, lambda_min=1e-3 * scale)
    assert_allclose(scaled.lambdas / scale, plain.lambdas, rtol=1e-6)
    assert_allclose(scaled.alpha(0.1 * scale), plain.alpha(0.1), atol=1e-7)


def test_events_tell_what_changes_at_each_knot_M23():
    X, y = clouds(18, 18)
    path = svm_path(gaussian(X), y)
    for event in path.events:
        a = path.alphas[event.knot, event.index]
        assert a == {"zero": 0.0, "one": 1.0}.get(event.kind, a)
        if event.kind == "enter":
            assert a in (0.0, 1.0)
            beta, b = path.coef(1.0 / path.lambdas[event.knot])
            assert_allclose(y[event.index] * ((gaussian(X) @ beta)[event.index] + b), 1.0, atol=1e-8)
    assert path.n_iter == len(path.events)


def test_a_gram_is_as_good_as_an_array_M23():
    X, y = clouds(6, 7)
    assert_array_equal(svm_path(StoredGram(gaussian(X)), y).alphas, svm_path(gaussian(X), y).alphas)


def test_a_walk_cut_short_says_so_and_keeps_its_knots_M23(monkeypatch):
    X, y = clouds(18, 18)
    whole, cut = svm_path(gaussian(X), y), svm_path(gaussian(X), y, max_events=20)
    assert cut.reason == "max_events"
    assert not cut.converged
    assert_allclose(cut.lambdas, whole.lambdas[: len(cut.lambdas)])
    with pytest.raises(ValueError, match="where the path ends"):
        cut.alpha(whole.lambdas[-1])

    def interrupt(self):
        if len(self.knots) == 30:
            raise KeyboardInterrupt
        return direction(self)

    direction = module._Walk._direction
    monkeypatch.setattr(module._Walk, "_direction", interrupt)
    monkeypatch.setattr(module._Walk, "_follow_single_events", lambda self, *limits: 0)
    with one_fit(object()):
        stopped = svm_path(gaussian(X), y)
    assert stopped.reason == "interrupted"
    assert_allclose(stopped.lambdas, whole.lambdas[:30], rtol=1e-9)
    with pytest.raises(KeyboardInterrupt):  # nothing would raise it later
        svm_path(gaussian(X), y)


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_compiled_stretches_and_the_careful_steps_walk_the_same_path_M23(kernel, copies, monkeypatch):
    X, y = clouds(30, 25)
    X, y = np.vstack([X] * copies), np.tile(y, copies)
    strolled, stroll = [], module._Walk._follow_single_events
    monkeypatch.setattr(
        module._Walk,
        "_follow_single_events",
        lambda self, *limits: strolled.append(stroll(self, *limits)) or strolled[-1],
    )
    fast = svm_path(KERNELS[kernel](X), y)
    monkeypatch.setattr(module._Walk, "_follow_single_events", lambda self, *limits: 0)
    careful = svm_path(KERNELS[kernel](X), y)
    assert copies > 1 or sum(strolled) > 0.5 * len(fast.events)
    assert (fast.reason, fast.converged) == (careful.reason, careful.converged) == (fast.reason, True)
    assert_allclose(fast.lambdas, careful.lambdas, rtol=1e-7)
    assert [(e.knot, e.kind, e.index) for e in fast.events] == [(e.knot, e.kind, e.index) for e in careful.events]
    assert_allclose(fast.alphas, careful.alphas, atol=1e-7)


def test_an_indefinite_kernel_is_not_called_solved_M23():
    X, y = clouds(18, 18)
    assert not svm_path(np.tanh(2.0 * X @ X.T - 1.0), y).converged


def test_bad_input_is_named():
    K = np.eye(4)
    with pytest.raises(ValueError, match="both present"):
        svm_path(K, np.ones(4))
    with pytest.raises(ValueError, match="one row per label"):
        svm_path(K, np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="lambda_min must be positive"):
        svm_path(K, np.array([1.0, -1.0, 1.0, -1.0]), lambda_min=0.0)
    with pytest.raises(ValueError, match="ridge must be not negative"):
        svm_path(K, np.array([1.0, -1.0, 1.0, -1.0]), ridge=-1.0)
    with pytest.raises(ValueError, match="finite"):
        svm_path(K * np.nan, np.array([1.0, -1.0, 1.0, -1.0]))
