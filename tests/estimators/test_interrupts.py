"""Ctrl-C: every machine keeps what it has found, with its gap, and raises (SPEC C2)."""

import inspect
import os
import signal
import threading
import time
import warnings
from importlib import import_module

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC, KernelSearchCV
from mercer.engine.interrupts import interrupted, one_fit, until_interrupted
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=150) > 0.0).astype(int)
three = (X[:, 0] + 0.3 * rng.normal(size=150) > 0.5).astype(int) + (X[:, 1] > 0.0)
t = np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=150)
counts = rng.poisson(np.exp(0.5 * X[:, 0]))

DUAL = "mercer.solvers.dual.decomposition:Decomposition.check"
KRYLOV = "mercer.linalg.leading_eigenpairs:_Space.grow"
NEWTON = "mercer.solvers.glm:GLMProblem.newton"
PROOF = "mercer.solvers.dual.decomposition:Decomposition.prove"  # once in a fit
MANY = 10**9  # a limit of steps that is watched but never reached

# name, options, targets, the step in which Ctrl-C comes, and in which call of it
INTERRUPTED = [
    ("SVC", {"C": 10.0, "max_iter": MANY}, y, DUAL, 1),
    ("SVC", {"C": 10.0, "max_iter": MANY}, three, DUAL, 2),
    ("SVC", {"C": 10.0}, three, "mercer.solvers.dual.batch:solve_batch", 1),
    ("SVC", {"C": 10.0, "probability": True}, y, "mercer.estimators.svm.classifier:calibrate", 1),
    ("SVC", {"C": 10.0, "method": "cells", "cell_rows": 40, "max_iter": MANY}, y, DUAL, 3),
    ("NuSVC", {}, y, DUAL, 1),
    ("SVR", {"max_iter": MANY}, t, DUAL, 1),
    ("NuSVR", {}, t, DUAL, 1),
    ("OneClassSVM", {"max_iter": MANY}, None, DUAL, 1),
    ("KernelLogisticRegression", {}, y, "mercer.solvers.risk.newton:_Engine.step", 2),
    ("KernelLogisticRegression", {"kernel": "linear"}, three, "mercer.solvers.risk.newton:_Engine.step", 2),
    ("KernelQuantileRegressor", {"tol": 1e-12}, t, DUAL, 1),
    ("KernelQuantileRegressor", {"kernel": "linear"}, t, "mercer.solvers.linear_svm:_Run._subproblem", 2),
    ("KernelRiskClassifier", {"loss": "hinge", "tol": 1e-12}, three, DUAL, 2),
    ("KernelRiskRegressor", {"loss": "huber"}, t, "mercer.solvers.risk.newton:_Engine.step", 2),
    ("BayesianSVC", {"burn_in": 5, "random_state": 0}, y, "mercer.solvers.hinge_posterior:draw_weights", 9),
    ("BayesianSVC", {"burn_in": 5, "random_state": 0}, three, "mercer.solvers.hinge_posterior:draw_weights", 3),
    ("BayesianSVC", {"method": "em", "tol": 1e-12}, y, "mercer.solvers.hinge_posterior:_bound", 3),
    ("L1VMClassifier", {"alpha": 0.1}, y, "mercer.solvers.sparse.problem:SparseProblem.prove", 2),
    ("L1VMClassifier", {"alpha": "cv"}, y, "mercer.solvers.sparse.proximal_newton:ProximalNewton.improve", 150),
    ("L1VMRegressor", {"alpha": 0.1}, t, "mercer.solvers.sparse.proximal_newton:ProximalNewton.improve", 2),
    ("L2VMClassifier", {"alpha": 0.1}, y, NEWTON, 3),
    ("L2VMClassifier", {"alpha": "evidence", "kernel": RBF(1.0), "tune_kernel": True}, y, NEWTON, 60),
    ("L2VMRegressor", {"alpha": "evidence", "kernel": RBF(1.0), "tune_kernel": True}, t,
     "mercer.solvers.least_squares:Spectral.best_alpha", 3),
    ("RBFNetworkClassifier", {"prototypes": 5, "optimise": True, "random_state": 0}, y, NEWTON, 20),
    ("RBFNetworkRegressor", {"prototypes": 5, "optimise": True, "random_state": 0}, t,
     "mercer.estimators.feature_machines.moving_prototypes:Moving.loss", 5),
    ("FeatureGLMClassifier", {"features": 2}, three, NEWTON, 3),
    ("FeatureGLMClassifier", {"features": 2, "link": "probit"}, y, "mercer.solvers.fisher_scoring:_Problem.scored", 3),
    ("FeatureGLMRegressor", {"features": 2, "family": "poisson"}, counts, NEWTON, 3),
    ("RVMClassifier", {}, y, "mercer.solvers.rvm.greedy:GreedyClimb._ascend", 3),
    ("RVMRegressor", {}, t, "mercer.solvers.rvm.greedy:GreedyClimb._ascend", 8),
    ("RVMRegressor", {"method": "mackay"}, t, "mercer.solvers.rvm.em:_step", 4),
    ("GaussianProcessRegressor", {"kernel": "rbf"}, t,
     "mercer.estimators.gaussian_process.regression_evidence:RegressionEvidence.value_and_slope", 4),
    ("GaussianProcessRegressor", {"kernel": "rbf", "method": "sgpr", "n_inducing": 30}, t,
     "mercer.estimators.gaussian_process.methods.inducing:InducingEvidence.value_and_slope", 4),
    ("GaussianProcessRegressor", {"kernel": "rbf", "method": "neighbours"}, t,
     "mercer.estimators.gaussian_process.methods.neighbours:BlockEvidence.value_and_slope", 4),
    ("GaussianProcessClassifier", {"kernel": 1.0 * RBF(1.0)}, y,
     "mercer.estimators.gaussian_process.label_evidence:LabelEvidence.value_and_slope", 3),
    ("GaussianProcessClassifier", {"kernel": 1.0 * RBF(1.0)}, three, "mercer.solvers.laplace:_half_norm", 60),
    ("GaussianProcessClassifier", {"kernel": 1.0 * RBF(1.0), "method": "inducing", "n_inducing": 20}, y,
     "mercer.estimators.gaussian_process.methods.inducing_labels:InducingLabelEvidence.value_and_slope", 3),
    ("GPLVM", {"n_restarts": 2, "random_state": 0}, None,
     "mercer.estimators.gaussian_process.gplvm:_value_and_slope", 6),
    ("Loess", {"family": "symmetric"}, t, "mercer.solvers.loess.fit:_bisquare", 2),
    ("KMedoids", {"n_clusters": 6, "random_state": 0}, None, "mercer.solvers.medoids.swaps:_look", 4),
    ("KMedoids", {"n_clusters": 6, "method": "pam", "random_state": 0}, None, "mercer.solvers.medoids.swaps:best_swap",
     2),
    ("KMedoids", {"n_clusters": 6, "method": "alternate", "random_state": 0}, None,
     "mercer.solvers.medoids.alternate:_moved", 2),
    ("NearestMedoidClassifier", {"n_medoids": 6, "random_state": 0}, y, "mercer.solvers.medoids.swaps:_look", 4),
    ("KernelKMeans", {"n_clusters": 6, "random_state": 0}, None, "mercer.solvers.kernel_k_means:_means", 3),
    ("KernelPCA", {"n_components": 4, "kernel": "rbf", "eigen_solver": "krylov"}, None, KRYLOV, 2),
    ("ClassicalMDS", {"eigen_solver": "krylov"}, None, KRYLOV, 1),
    ("KernelGradientDescent", {"tol": 1e-12}, t, "mercer.solvers.gradient_descent:_norm", 7),
    ("NadarayaWatson", {}, t, "mercer.solvers.local_regression.bandwidth:criterion", 4),
    ("LocalRegression", {}, t, "mercer.solvers.local_regression.bandwidth:criterion", 15),
    ("KernelRiskRegressor", {"loss": "huber", "method": "cells", "cell_rows": 40}, t,
     "mercer.solvers.risk.newton:_Engine.step", 2),
    ("KernelRidgeCV", {"kernels": [RBF(0.5), RBF(1.0), RBF(2.0)]}, t,
     "mercer.estimators.ridge.kernel_ridge:KernelRidge._fit", 3),
    ("RFMRegressor", {"distance_kernel": "rbf", "alphas": 0.1}, t, "mercer.solvers.metric_rounds:mean_outer", 2),
    ("RFMClassifier", {"distance_kernel": "rbf", "alphas": 0.1}, three, "mercer.solvers.metric_rounds:mean_outer", 1),
    ("KernelSearchCV", {"estimator": SVC(), "param_grid": {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}}, y,
     "mercer.selection.scoring:FoldScorer.outcome", 17),
]  # fmt: skip
# one factorisation, one pass, nothing but remembering: no step after which there is a model
AT_ONCE = {
    "KernelDensity",
    "KernelDensityClassifier",
    "KernelKNeighborsClassifier",
    "KernelKNeighborsRegressor",
    "KernelLDA",
    "KernelRidge",
    "NeighbourDensity",
    "Nystroem",
    "RandomFeatures",
    "TableScaler",
}
IDS = [
    f"{name}{'-cells' * (options.get('method') == 'cells')}-{place.rpartition(':')[2]}-{call}"
    for name, options, _, place, call in INTERRUPTED
]


def interrupt_in(monkeypatch, place, call):
    """Ctrl-C in the given call of a function; a list that has the number of calls."""
    module, _, path = place.partition(":")
    *owner, name = path.split(".")
    home = import_module(module)
    for part in owner:
        home = getattr(home, part)
    inner, calls = getattr(home, name), [0]

    def counted(*args, **options):
        calls[0] += 1
        if calls[0] == call:
            raise KeyboardInterrupt
        return inner(*args, **options)

    monkeypatch.setattr(home, name, counted)
    return calls


@pytest.fixture(autouse=True)
def short_looks(monkeypatch):
    """Few steps between two looks at the limits, so that small problems have a middle."""
    monkeypatch.setattr("mercer.solvers.dual.decomposition.CHUNK", 1)
    monkeypatch.setattr("mercer.solvers.dual.decomposition.LEAST", 10)
    monkeypatch.setattr("mercer.solvers.medoids.swaps.PIECE", 30 * 150)


def is_estimator(name):
    return inspect.isclass(getattr(mercer, name)) and hasattr(getattr(mercer, name), "fit")


def test_every_public_machine_is_interrupted_here():
    public = {name for name in mercer.__all__ if is_estimator(name)}
    assert {name for name, *_ in INTERRUPTED} | AT_ONCE == public


@pytest.mark.parametrize(("name", "options", "targets", "place", "call"), INTERRUPTED, ids=IDS)
def test_an_interrupted_machine_keeps_what_it_has_and_raises(name, options, targets, place, call, monkeypatch):
    machine = getattr(mercer, name)(**options)
    calls = interrupt_in(monkeypatch, place, call)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning that is made an error must not take the interrupt's place
        with pytest.raises(KeyboardInterrupt, match=rf"^{name} was interrupted and keeps what it had found: \S"):
            machine.fit(X) if targets is None else machine.fit(X, targets)
    assert calls[0] >= call
    if hasattr(machine, "predict"):
        assert np.isin(machine.predict(X[:7]), targets).all() if machine.__sklearn_tags__().classifier_tags else True
        assert np.isfinite(machine.predict(X[:7])).all()
    else:
        assert np.isfinite(machine.transform(X[:7])).all()
    assert not interrupted()  # nothing of it is left for the next fit
    searched = {"tune_kernel", "optimise"} & set(options) or options.get("alpha") == "cv"
    assert ("converged" if searched else "interrupted") in told(
        machine
    )  # the weights of what a search found are solved


def told(machine):
    """How the fit ended, by its own account; every machine that has a gap has it."""
    if hasattr(machine, "search_"):
        return machine.search_.reason
    if hasattr(machine, "cv_results_"):
        return "interrupted" if len(machine.cv_results_["params"]) < 6 else "converged"
    if hasattr(machine, "leaves_"):
        return [leaf.reason for leaf in machine.leaves_]
    if hasattr(machine, "loo_error_"):
        return "interrupted" if np.isinf(machine.loo_error_).any() else "converged"
    if hasattr(machine, "posterior_"):
        return [one.reason for one in machine.posterior_]
    if hasattr(machine, "climbs_"):
        return machine.climbs_[0].reason
    if getattr(machine, "probability", False) is True:
        return "interrupted" if machine._platts == [None] else "converged"
    reports = np.ravel(getattr(machine, "fit_report_", None))
    found = [climb.reason for report in reports if report is not None for climb in report.climbs]
    proof = machine.certificate_
    if hasattr(proof, "gap"):
        assert proof.gap >= -1e-9 * abs(proof.primal)
    return [*found, proof.reason, *(part.reason for part in getattr(proof, "parts", ()))]


def test_the_model_of_an_interrupted_fit_predicts_in_a_pipeline(monkeypatch):
    interrupt_in(monkeypatch, DUAL, 1)
    pipeline = make_pipeline(StandardScaler(), SVC(max_iter=MANY))
    with pytest.raises(KeyboardInterrupt):
        pipeline.fit(X, y)
    assert pipeline.predict(X).shape == y.shape
    assert pipeline[-1].certificate_.reason == "interrupted"
    assert np.isfinite(pipeline[-1].certificate_.relative_gap)


def test_a_loop_and_a_grid_search_stop_and_score_no_interrupted_fold(monkeypatch):
    scored = []

    def scorer(machine, X, y):
        scored.append(machine.certificate_.reason)
        return machine.score(X, y)

    interrupt_in(monkeypatch, PROOF, 3)
    with pytest.raises(KeyboardInterrupt):
        GridSearchCV(SVC(max_iter=MANY), {"C": [1.0, 10.0]}, scoring=scorer, cv=3, error_score=0.0).fit(X, y)
    assert scored == ["converged"] * 2
    monkeypatch.undo()
    interrupt_in(monkeypatch, PROOF, 2)
    with pytest.raises(KeyboardInterrupt):
        cross_val_score(SVC(max_iter=MANY), X, y, scoring=scorer)
    assert scored == ["converged"] * 3


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("strategy", ["grid", "halving", "evidence"])
def test_a_search_keeps_its_best_so_far(monkeypatch, strategy, threads):
    if strategy == "evidence":
        machine, place, call = (
            mercer.GaussianProcessRegressor(optimizer=None),
            "mercer.selection.evidence:evidence_of",
            3,
        )
        grid, targets = {"kernel": [RBF(scale) for scale in (0.3, 1.0, 3.0, 10.0)]}, t
    else:
        machine, place, call = SVC(max_iter=MANY), PROOF, 18
        grid, targets = {"C": [0.1, 1.0, 10.0, 100.0]}, y
    interrupt_in(monkeypatch, place, call)
    search = KernelSearchCV(machine, grid, strategy=strategy, random_state=0)
    with mercer.configure(threads=threads), pytest.raises(KeyboardInterrupt, match="the best of"):
        search.fit(X, targets)
    assert len(search.cv_results_["params"]) > 0
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_ in search.cv_results_["params"]
    assert search.best_estimator_.predict(X).shape == targets.shape
    assert search.certificate_.converged  # the best one was fitted to its end


def test_an_interrupt_in_the_last_fit_of_a_search_keeps_search_and_machine(monkeypatch):
    interrupt_in(monkeypatch, PROOF, 11)
    search = KernelSearchCV(SVC(max_iter=MANY), {"C": [1.0, 10.0]})
    with mercer.configure(threads=1), pytest.raises(KeyboardInterrupt, match="the best of 2 settings"):
        search.fit(X, y)
    assert np.isfinite(search.certificate_.gap)
    assert search.predict(X).shape == y.shape


def test_a_search_that_is_interrupted_before_its_first_score_has_nothing_to_keep(monkeypatch):
    interrupt_in(monkeypatch, DUAL, 1)
    search = KernelSearchCV(SVC(max_iter=MANY), {"C": [1.0, 10.0]})
    with mercer.configure(threads=1), pytest.raises(KeyboardInterrupt, match="before one setting"):
        search.fit(X, y)
    assert not hasattr(search, "cv_results_")


def test_an_interrupt_before_there_is_a_model_is_raised_at_once(monkeypatch):
    interrupt_in(monkeypatch, "mercer.solvers.ridge:solve_ridge", 1)
    machine = mercer.KernelRidge(kernel="rbf")
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, t)
    assert not hasattr(machine, "dual_coef_")


def test_a_second_interrupt_is_raised_where_it_comes(monkeypatch):
    interrupt_in(monkeypatch, DUAL, 1)
    interrupt_in(monkeypatch, "mercer.solvers.dual.decomposition:Decomposition.settle", 1)
    machine = SVC(max_iter=MANY)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, y)
    assert not hasattr(machine, "dual_coef_")


def test_a_signal_ends_a_fit_on_many_items_soon():
    """With a process of its own signal, not a call that was replaced: all threads come to their end."""
    Z = np.random.default_rng(1).normal(size=(8000, 10))
    labels = np.random.default_rng(2).integers(0, 3, 8000)
    sent = []
    timer = threading.Timer(0.4, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
    machine = SVC(C=1e6)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(Z, labels)
    assert time.perf_counter() - sent[0] < 5.0  # a fraction of it, on a machine that does nothing else
    assert machine.predict(Z[:5]).shape == (5,)
    assert machine.certificate_.reason == "interrupted"


# ---- the mechanism


def test_outside_of_a_fit_an_interrupt_is_raised():
    with pytest.raises(KeyboardInterrupt), until_interrupted():
        raise KeyboardInterrupt
    assert not interrupted()


def test_the_first_interrupt_of_a_fit_ends_a_stage_and_the_next_stage_runs():
    with one_fit(object()) as fit:
        with until_interrupted() as outer:
            with until_interrupted() as inner:
                raise KeyboardInterrupt
            assert inner.came()
            assert outer.came()
        with until_interrupted() as later:
            assert interrupted()
            assert not later.came()
    assert fit.came
    assert not interrupted()


def test_fits_within_fits_have_interrupts_of_their_own():
    machine = object()
    with one_fit(machine) as outer:
        with one_fit(machine) as same:
            assert same is None
        with one_fit(object()) as inner, until_interrupted():
            raise KeyboardInterrupt
        assert inner.came
        assert not outer.came
