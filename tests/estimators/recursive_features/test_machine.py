"""Recursive feature machines: the directions a function depends on are found, and every leaf is a proven ridge."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer import KernelRidge, RFMClassifier, RFMRegressor
from mercer.estimators.cells.tree import grow, routed
from mercer.estimators.recursive_features.choice import WIDTHS, choose, median_distance
from mercer.estimators.recursive_features.columns import Columns, deviations
from mercer.estimators.recursive_features.leaf import Sample, Settings, Trial, cheaper_solver, learn_leaf
from mercer.kernels import RBF, Exponential, Laplacian, Mahalanobis, Matern, On
from mercer.kernels.input_gradient import function_gradient, input_gradient

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 6))
w = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
t = np.sin(2.0 * X @ w)
CHEAP = {"rounds": 3, "alphas": (1e-4, 1e-2)}
FITTED = RFMRegressor("exponential", **CHEAP).fit(X, t)


def test_the_direction_of_a_ridge_function_is_found():
    values, vectors = np.linalg.eigh(FITTED.metric_)
    assert abs(vectors[:, -1] @ w) / np.linalg.norm(w) > 0.99
    assert values[-2] < 0.05 * values[-1]
    assert FITTED.feature_importances_[:2].sum() > 0.95
    plain = RFMRegressor("exponential", rounds=0, alphas=(1e-4, 1e-2)).fit(X, t)
    assert FITTED.loo_error_ < 0.01 * plain.loo_error_
    new = rng.normal(size=(200, 6))
    assert FITTED.score(new, np.sin(2.0 * new @ w)) > 0.99


def test_columns_one_by_one_need_the_laplacian():
    y = np.sign(X[:, 0]) + np.sign(X[:, 1])
    auto = RFMRegressor(**CHEAP).fit(X, y)
    assert isinstance(auto.leaves_[0].ridge.kernel, Laplacian)
    T = auto.leaves_[0].transform
    assert_allclose(T, np.diag(np.diag(T)), atol=1e-15)
    assert auto.feature_importances_[:2].sum() > 0.9


def test_the_leave_one_out_error_is_that_of_refits():
    n = 40
    machine = RFMRegressor("rbf", rounds=1, alphas=0.1).fit(X[:n], t[:n])
    leaf = machine.leaves_[0]
    Z, errors = X[:n] / machine.scale_ @ leaf.transform, []
    for i in range(n):
        rest = np.arange(n) != i
        ridge = KernelRidge(0.1, kernel=leaf.ridge.kernel, fit_intercept=True).fit(Z[rest], t[:n][rest])
        errors.append((ridge.predict(Z[i : i + 1])[0] - t[i]) ** 2)
    assert_allclose(machine.loo_error_, np.mean(errors), rtol=1e-8)


def test_with_a_gaussian_it_is_ridge_regression_with_a_full_covariance_K1():
    machine = RFMRegressor("rbf", columns="standard", rounds=2, alphas=0.01).fit(X, t)
    ridge = machine.leaves_[0].ridge
    metric = machine.metric_ / np.outer(machine.scale_, machine.scale_)
    precision = metric / ridge.kernel.lengthscale**2 + 1e-12 * np.eye(6)
    full = KernelRidge(0.01, kernel=Mahalanobis(precision=precision), fit_intercept=True).fit(X, t)
    assert_allclose(machine.predict(X), full.predict(X), atol=1e-6)


def test_units_of_columns_and_of_the_target_do_not_matter():
    scale = np.array([1e3, 1.0, 1e-3, 1.0, 7.0, 1.0])
    machine = RFMRegressor("exponential", **CHEAP).fit(X * scale, 1e6 * t)
    assert_allclose(machine.predict(X * scale), 1e6 * FITTED.predict(X), rtol=1e-6, atol=1e-3)
    assert_allclose(machine.feature_importances_, FITTED.feature_importances_, atol=1e-8)


@pytest.mark.parametrize("kernel", [RBF(1.3), Exponential(0.9), Matern(1.1, nu=1.5), Laplacian(0.8)])
def test_gradients_of_a_function_are_differences(kernel):
    A, B, c = X[:5, :3] + 0.01, X[5:12, :3], rng.normal(size=7)
    found = function_gradient(kernel, A, B, c)
    assert_allclose(found, input_gradient(kernel, A, B, np.tile(c, (5, 1))), rtol=1e-12)
    for j in range(3):
        step = 1e-6 * np.eye(3)[j]
        assert_allclose(found[:, j], (kernel(A + step, B) - kernel(A - step, B)) @ c / 2e-6, atol=1e-7)


def test_probabilities_are_calibrated_on_values_left_out():
    y = np.array(["no", "yes"])[(X @ w + rng.normal(size=240) > 0.0).astype(int)]
    machine = RFMClassifier("rbf", rounds=1, alphas=(0.1, 10.0)).fit(X, y)
    p = machine.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)
    assert (machine.classes_[p.argmax(axis=1)] == machine.predict(X)).all()
    new = rng.normal(size=(2000, 6))
    truth = new @ w + rng.normal(size=2000) > 0.0
    p = machine.predict_proba(new)[:, 1]
    assert abs(p.mean() - (y == "yes").mean()) < 0.05
    confident = np.maximum(p, 1.0 - p)
    assert abs(confident.mean() - ((p > 0.5) == truth).mean()) < 0.06


def test_leaves_cover_all_rows_and_learn_beyond_their_borders():
    tree = grow(X, np.eye(6), 40, 0.1)
    inside = [rows[:n] for rows, n in zip(tree.rows, tree.own, strict=True)]
    assert sorted(np.concatenate(inside)) == list(range(240))
    assert max(tree.own) <= 40
    assert all(len(rows) > n for rows, n in zip(tree.rows, tree.own, strict=True))
    for leaf, rows in routed(tree.root, X):
        assert sorted(rows) == sorted(inside[leaf])


def test_many_rows_have_several_proven_leaves_and_predict_well():
    machine = RFMRegressor("exponential", max_leaf=100, **CHEAP).fit(X, t)
    assert len(machine.leaves_) == 4
    assert machine.score(X, t) > 0.99
    assert mercer.verify(machine, X, t).residual < 1e-8
    assert mercer.verify(machine, X, 1.1 * t + X[:, 2]).residual > 1e-3


@pytest.mark.parametrize("rows", [np.zeros((30, 2)), np.repeat([[0.0, 1.0], [1.0, 1.0]], 15, axis=0)])
def test_equal_rows_and_constant_columns_are_taken(rows):
    y = np.arange(30) % 3 + 0.0
    machine = RFMRegressor(rounds=1, max_leaf=10, alphas=0.1).fit(rows, y)
    assert_allclose(machine.predict(rows), 1.0, atol=0.2)
    assert (machine.metric_[1] == 0.0).all()


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_deviations_of_any_size_and_constant_columns(size):
    assert_allclose(deviations(size * X) / size, X.std(axis=0), rtol=1e-10)
    assert np.isinf(deviations(np.ones((5, 2)))).all()
    assert median_distance(np.ones((5, 2)), 2) == 1.0


def test_the_same_seed_gives_the_same_machine_and_a_file_predicts_alike(tmp_path):
    again = RFMRegressor("exponential", **CHEAP).fit(X, t)
    assert (again.predict(X) == FITTED.predict(X)).all()
    mercer.save(FITTED, tmp_path / "m.mercer")
    assert (mercer.load(tmp_path / "m.mercer").predict(X) == FITTED.predict(X)).all()


@pytest.mark.parametrize(("option", "value"), [
    ("distance_kernel", "linear"), ("distance_kernel", RBF((1.0, 2.0, 1.0, 1.0, 1.0, 1.0))),
    ("columns", "quantiles"), ("columns", None), ("rounds", -1), ("powers", ()),
    ("powers", (3.0,)), ("overlap", 0.5), ("max_leaf", 2), ("metric_rows", 1.5),
])  # fmt: skip
def test_options_out_of_range_are_refused_with_a_cure(option, value):
    with pytest.raises(ValueError, match=f"RFMRegressor: {option} must be"):
        RFMRegressor(**{option: value}).fit(X, t)


def test_many_rows_are_fitted_by_conjugate_gradients_to_the_same_function(monkeypatch):
    exact, ours = RFMRegressor("exponential", rounds=1, alphas=0.1), RFMRegressor("exponential", rounds=1, alphas=0.1)
    exact.fit(X, t)
    monkeypatch.setattr("mercer.estimators.recursive_features.leaf.cheaper_solver", lambda n, alpha: "iterative")
    ours.fit(X, t)
    assert ours.leaves_[0].ridge.solver_ == "iterative"
    assert ours.certificate_.converged
    assert_allclose(ours.predict(X), exact.predict(X), atol=1e-5)


def test_a_factor_is_for_few_rows_or_small_penalties_and_enough_memory():
    assert [cheaper_solver(n, 0.1) for n in (4000, 5000)] == ["dual", "iterative"]
    assert [cheaper_solver(n, 0.01) for n in (11_000, 13_000)] == ["dual", "iterative"]
    with mercer.configure(memory=2**20):
        assert cheaper_solver(1000, 1e-4) == "iterative"


def test_a_verbose_fit_tells_of_every_round(capsys):
    RFMClassifier("rbf", rounds=1, alphas=0.1, verbose=True).fit(X, t > 0.0)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6  # two forms of columns, the start, two powers, and the fit
    assert all(line.startswith("[RFMClassifier] columns ") for line in lines[:2])
    assert all(line.startswith("[RFMClassifier] RBF(") for line in lines[2:5])
    assert lines[5] == "[RFMClassifier] fit to 240 rows"


def test_two_classes_are_one_function_and_three_are_three():
    labels = np.digitize(t, [-0.5, 0.5])
    two, three = (RFMClassifier("rbf", rounds=1, alphas=0.1).fit(X, y) for y in (labels > 0, labels))
    assert two.leaves_[0].outputs == 1
    assert three.leaves_[0].outputs == 3
    assert two.predict_proba(X).shape == (240, 2)
    assert_allclose(two.decision_function(X), 2.0 * two._values(X)[:, 0] - 1.0)


def test_a_leaf_tells_what_it_predicts_without_the_row():
    settings = Settings((RBF(),), 0, (1.0,), 50, np.array([0.1]), lambda line: None)
    trial = Trial(X, t[:, None], Sample.of(np.arange(50), 50, np.random.default_rng(0)), settings.alphas)
    leaf, attempt = learn_leaf(trial, np.arange(50), np.eye(6), settings)
    order = np.argsort(trial.sample.judges)
    assert_allclose(attempt.predicted[order], leaf.ridge.leave_one_out(), rtol=1e-7)


def test_by_ranks_a_rising_function_of_a_column_changes_nothing():
    y = np.sin(X[:, 0]) + X[:, 1]
    ours, theirs = (RFMRegressor("rbf", columns="ranks", rounds=1, alphas=0.1) for _ in range(2))
    assert_allclose(ours.fit(X, y).predict(X), theirs.fit(np.exp(3.0 * X), y).predict(np.exp(3.0 * X)), rtol=1e-8)


def test_heavy_tails_are_measured_by_ranks_and_normal_columns_are_not():
    heavy = np.sinh(4.0 * X)
    y = X[:, 0] * X[:, 1]
    options = {"distance_kernel": "rbf", "rounds": 0, "alphas": (1e-3, 0.1)}
    by_ranks, as_is = RFMRegressor(**options).fit(heavy, y), RFMRegressor(**options).fit(X, y)
    assert sorted(by_ranks.columns_.knots) == list(range(6))
    assert not as_is.columns_.knots
    plain = RFMRegressor(columns="standard", **options).fit(heavy, y)
    assert by_ranks.loo_error_ < 0.5 * plain.loo_error_


def test_scores_of_ranks_are_symmetric_equal_for_ties_and_constant_beyond_the_ends():
    x = np.array([1.0, 1.0, 2.0, 5.0, 5.0])[:, None]
    scores = Columns.of(x, "ranks")
    found = scores(np.array([[1.0], [2.0], [5.0], [3.5], [-9.0], [99.0]]))[:, 0]
    assert_allclose(found[:3], -found[2::-1], atol=1e-12)
    assert_allclose(found[3:], [(found[1] + found[2]) / 2.0, found[0], found[2]])


@pytest.mark.parametrize("form", ["standard", "ranks"])
def test_columns_of_two_values_are_divided_by_their_distance(form):
    rare = (np.arange(200) == 7) * 3.0 + 1.0
    columns = Columns.of(np.column_stack([rare, np.linspace(0.0, 1.0, 200), np.ones(200)]), form)
    assert_allclose(columns.scale[0], 3.0)
    assert_allclose(np.ptp(columns(np.array([[1.0, 0.0, 1.0], [4.0, 0.0, 1.0]]))[:, 0]), 1.0)
    assert np.isinf(columns.scale[2])


def test_rows_that_judge_are_not_those_that_learn_unless_there_are_few():
    many = Sample.of(np.arange(9000), 4000, np.random.default_rng(0))
    assert not set(many.learners) & set(many.judges)
    assert (len(many.learners), len(many.judges)) == (4000, 3000)
    assert many.apart
    few = Sample.of(np.arange(900), 4000, np.random.default_rng(0))
    assert sorted(few.learners) == sorted(few.judges) == list(range(900))
    assert not few.apart


def test_with_many_rows_the_error_is_that_of_rows_from_which_nothing_was_learned(monkeypatch):
    monkeypatch.setattr("mercer.estimators.recursive_features.leaf.APART", 100)
    sample = Sample.of(np.arange(240), 240, np.random.default_rng(0))
    attempt = Trial(X, t[:, None], sample, np.array([0.1])).of(RBF(), np.eye(6))
    ridge = KernelRidge(0.1, kernel=attempt.chosen.kernel, fit_intercept=True).fit(
        X[sample.learners], t[sample.learners]
    )
    assert_allclose(attempt.predicted[:, 0], ridge.predict(X[sample.judges]), rtol=1e-8)
    assert_allclose(attempt.error, np.mean((ridge.predict(X[sample.judges]) - t[sample.judges]) ** 2))


def test_the_search_finds_the_least_leave_one_out_error_of_all_pairs():
    Z, Y, alphas = X[:120], np.sin(X[:120, :1]) + 0.3 * rng.normal(size=(120, 1)), 10.0 ** np.arange(-3.0, 1.0)
    found = choose(Z, Y, RBF(), alphas)
    errors = {}
    for width in WIDTHS * median_distance(Z, 2):
        for alpha in alphas:
            ridge = KernelRidge(alpha, kernel=RBF(float(width)), fit_intercept=True).fit(Z, Y)
            errors[float(width), float(alpha)] = np.mean((ridge.leave_one_out() - Y) ** 2)
    assert_allclose(found.error, min(errors.values()), rtol=1e-8)
    assert choose(Z, Y, RBF(), alphas, found.place).error == found.error
    assert_allclose(errors[found.kernel.lengthscale, found.alpha], found.error, rtol=1e-6)
    assert_allclose(np.mean((found.left_out - Y) ** 2), found.error)


def _on(kernel):
    return kernel if isinstance(kernel, On) else _on(kernel.children[0])


def test_a_smooth_and_a_jumping_part_have_a_kernel_each(tmp_path):
    y = X[:, 0] * X[:, 1] + np.sign(X[:, 3])
    machine = RFMRegressor(rounds=2, alphas=(1e-4, 1e-2)).fit(X, y)
    leaf = machine.leaves_[0]
    assert leaf.transform.shape == (6, 12)
    Z = X / machine.scale_ @ leaf.transform
    smooth, jumping = (_on(scaled).kernel for scaled in leaf.ridge.kernel.children)
    assert isinstance(smooth, Exponential)
    assert isinstance(jumping, Laplacian)
    assert_allclose(leaf.ridge.kernel(Z), (smooth(Z[:, :6]) + jumping(Z[:, 6:])) / 2.0, atol=1e-12)
    assert machine.loo_error_ < 0.99 * min(
        RFMRegressor(kernel, rounds=2, alphas=(1e-4, 1e-2)).fit(X, y).loo_error_
        for kernel in ("exponential", "laplacian")
    )
    assert mercer.verify(machine, X, y).residual < 1e-8
    mercer.save(machine, tmp_path / "both.mercer")
    assert (mercer.load(tmp_path / "both.mercer").predict(X) == machine.predict(X)).all()


def test_parts_keep_the_two_metrics_of_a_mean_of_kernels():
    y = X[:, 0] * X[:, 1] + np.sign(X[:, 3])
    machine = RFMRegressor(rounds=1, alphas=1e-3, max_leaf=150).fit(X, y)
    first, second = machine.leaves_
    assert first.transform.shape == (6, 12)
    assert (first.transform == second.transform).all()
    assert machine.metric_.shape == (6, 6)
