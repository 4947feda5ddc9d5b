"""Certificates of machines: their numbers, where the samples lie (T22, T23), and the words they are told in."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.solvers.machines import MACHINES, K, X, n, t, y

from mercer import SVC, SVR, OneClassSVM
from mercer.estimators.svm.certificate import REGIMES, certificate_of, worst_of
from mercer.gram import StoredGram
from mercer.solvers.dual import nu_svc, nu_svr, one_class, solve, svc, svr
from mercer.solvers.dual.proof import condition_residuals
from mercer.solvers.kkt import KKT

machines = pytest.mark.parametrize("name", MACHINES)


def task_of(name):
    return "regression" if "svr" in name else "novelty" if "one" in name else "classification"


def solved(name, tol=1e-8):
    machine = MACHINES[name]
    gram = StoredGram(machine.K).sub(np.tile(np.arange(n), len(machine.problem) // n))
    return solve(gram, machine.problem, tol=tol), machine.problem


# ---- regimes


@machines
def test_every_sample_is_in_exactly_one_regime_T22_T23(name):
    solution, problem = solved(name)
    certificate = certificate_of(solution, problem, task_of(name), labels=True)
    assert tuple(certificate.counts) == REGIMES[task_of(name)]
    assert sum(certificate.counts.values()) == len(certificate.regimes) == n
    for regime, count in certificate.counts.items():
        assert (certificate.regimes == regime).sum() == count


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_slacks_bound_the_number_of_errors_T22(C):
    problem = svc(y, C)
    solution = solve(StoredGram(K), problem, tol=1e-6)
    margins = y * (K @ solution.coef + solution.bias)
    counts = certificate_of(solution, problem, "classification").counts
    assert counts["on the wrong side"] + counts["on the hyperplane"] >= (margins < 0.0).sum()
    assert np.maximum(0.0, 1.0 - margins).sum() >= counts["on the wrong side"]


def test_a_large_C_is_the_hard_margin_with_nobody_inside_T22():
    hard = solve(StoredGram(K), svc(y, np.inf), tol=1e-9)
    soft = solve(StoredGram(K), svc(y, 1e4 * np.abs(hard.coef).max()), tol=1e-9)
    assert_allclose(K @ soft.coef + soft.bias, K @ hard.coef + hard.bias, atol=1e-5)
    for solution, C in ((hard, np.inf), (soft, 1e4 * np.abs(hard.coef).max())):
        counts = certificate_of(solution, svc(y, C), "classification").counts
        assert counts["on the margin"] > 0
        assert sum(list(counts.values())[2:]) == 0


@pytest.mark.parametrize(
    ("machine", "target", "task"),
    [(SVC(), y, "classification"), (SVR(), t, "regression"), (OneClassSVM(nu=0.3), None, "novelty")],
    ids=lambda value: type(value).__name__,
)
def test_machines_of_few_items_count_their_regimes_T22_T23(machine, target, task):
    """Solved in one native call, which writes its own proof: the counts are those of the scores."""
    machine.fit(X, target)
    counts = machine.certificate_.counts
    f = machine.predict(X) if task == "regression" else machine.decision_function(X)
    assert tuple(counts) == REGIMES[task]
    assert sum(counts.values()) == n
    tol = machine.certificate_.kkt
    if task == "classification":
        assert counts["on the wrong side"] == (y * f < -tol).sum()
    elif task == "regression":
        assert counts["above the tube"] == (t - f > 0.1 + tol).sum()
    else:
        assert counts["outside"] == (f < -tol).sum()
        assert counts["on the boundary"] > 0


# ---- the certificate


def test_it_repeats_the_numbers_of_the_solution():
    solution, problem = solved("svc", tol=1e-3)
    certificate = certificate_of(solution, problem, "classification", name="a against b", psd=True, projection=0.25)
    for field in ("primal", "dual", "gap", "relative_gap", "n_iter", "converged", "reason", "gradient_error"):
        assert getattr(certificate, field) == getattr(solution, field)
    assert certificate.kkt == solution.violation
    assert certificate.residuals == KKT(*condition_residuals(solution, problem))
    assert certificate.projection == 0.25
    assert certificate.regimes is None
    assert pickle.loads(pickle.dumps(certificate)) == certificate


def test_it_reads_as_sentences():
    solution, problem = solved("svc", tol=1e-3)
    told = str(replace(certificate_of(solution, problem, "classification", psd=True), gradient_error=0.0))
    first = told.splitlines()[0]
    assert first.startswith(f"The objective is within {solution.relative_gap:.1e} (relative) of the best possible: ")
    assert f"primal {solution.primal:.8g}" in first
    assert f"hold to {solution.violation:.1e}" in told
    assert f"Of {n} samples, " in told
    assert f"after {solution.n_iter} steps: converged." in told
    assert "0 on the hyperplane" not in told
    assert "single precision" not in told
    assert "moved" not in told


def test_it_says_what_is_not_certain():
    solution, problem = solved("svc", tol=1e-3)

    def told(**changes):
        return str(replace(certificate_of(solution, problem, "classification", psd=True), **changes))

    assert "if the kernel is positive semi-definite on these items" in told(psd=None)
    assert "not positive semi-definite, so this is a stationary point only" in told(psd=False)
    assert "of the best possible" not in told(psd=False)
    assert "changed f by 1.0e-05" in told(gradient_error=1e-5)
    assert "moved by 2.0e-03 of the largest" in told(projection=2e-3)
    assert "The objective is not bounded from both sides: primal inf" in told(primal=np.inf)


def test_of_several_the_worst_is_shown_and_all_are_kept():
    solution, problem = solved("svc", tol=1e-3)
    good = certificate_of(solution, problem, "classification", name="a against b", psd=True)
    loose = replace(good, name="a against c", primal=good.primal + 1.0)
    open_ = replace(good, name="b against c", converged=False, reason="max_iter")
    infinite = replace(good, name="c against d", primal=np.inf)
    assert worst_of([good]) is good
    assert worst_of([good, loose]).name == "a against c"
    assert worst_of([good, loose, infinite]).name == "c against d"
    worst = worst_of([good, open_, loose])
    assert worst.name == "b against c"
    assert not worst.converged
    assert worst.parts == (good, open_, loose)
    assert str(worst).startswith("The worst of 3 problems is b against c:\nThe objective is within ")
    assert str(good).startswith("a against b:\nThe objective")


@pytest.mark.parametrize(
    ("problem", "task", "copies"),
    [
        (svc(y, 1.0), "classification", 1),
        (nu_svc(y, 0.3), "classification", 1),
        (svr(t, 1.0, 0.1), "regression", 1),
        (nu_svr(t, 0.3, 1.0), "regression", 2),
        (one_class(n, 0.3), "novelty", 1),
    ],
)
def test_a_tighter_tolerance_gives_a_better_certificate_T18(problem, task, copies):
    gram = StoredGram(K).sub(np.tile(np.arange(n), copies))
    loose, tight = (certificate_of(solve(gram, problem, tol=tol), problem, task) for tol in (1e-1, 1e-7))
    assert tight.gap < loose.gap
    assert tight.kkt < loose.kkt
    assert tight.residuals.worst < loose.residuals.worst
