"""Table 14.1 from behaviour: every cell is found out by fitting machines, and compared with what is declared.

E22, M35, T33, and the Mercer policy of all machines (I6).
"""

from __future__ import annotations

import inspect
import warnings
from dataclasses import fields
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import mercer
from mercer.comparison.calibration import expected_error, log_losses
from mercer.errors import NotPositiveDefinite
from mercer.estimators.base import KernelEstimator
from mercer.estimators.capabilities import CAPABILITIES, Capabilities, capabilities, capability_table
from mercer.estimators.positivity import Indefinite
from mercer.kernels import RBF, Sigmoid

n = 120
rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, size=(n, 2))
wave = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 / 2.0 - 0.7
number = wave + 0.2 * rng.normal(size=n)
label = (wave + 0.4 * rng.normal(size=n) > 0.0).astype(int)
four = (X + 0.5 * rng.normal(size=(n, 2)) > 0.0) @ [1, 2]
new = rng.uniform(-2.0, 2.0, size=(2000, 2))
new_wave = np.sin(2.0 * new[:, 0]) + new[:, 1] ** 2 / 2.0 - 0.7
new_label = (new_wave + 0.4 * rng.normal(size=2000) > 0.0).astype(int)

k = RBF(1.0)
CLASSIFIERS = {
    "L2VM": mercer.L2VMClassifier(k),
    "L1VM": mercer.L1VMClassifier(k),
    "RVM": mercer.RVMClassifier(k),
    "SVM": mercer.SVC(kernel=k),
    "GP": mercer.GaussianProcessClassifier(9.0 * k, optimizer=None),
    "KLR": mercer.KernelLogisticRegression(C=10.0, kernel=k),
}
REGRESSORS = {
    "L2VM": mercer.L2VMRegressor(k, alpha="evidence"),
    "L1VM": mercer.L1VMRegressor(k),
    "RVM": mercer.RVMRegressor(k),
    "SVM": mercer.SVR(kernel=k),
    "GP": mercer.GaussianProcessRegressor(k, optimizer=None, noise=0.04),
    "ridge": mercer.KernelRidge(kernel=k),
}


# ---- how a cell is found out


@cache
def fitted(row):
    """The classifier of a row, or the regressor where there is none."""
    return clone(CLASSIFIERS[row]).fit(X, label) if row in CLASSIFIERS else clone(REGRESSORS[row]).fit(X, number)


def convex(row):
    """Whether all ways lead to one optimum, which is proved; None where there is no way to go."""
    if row == "GP":
        return None if clone(REGRESSORS[row]).fit(X, number).n_iter_ == 0 else False
    found = [ended_at(machine) for machine in different_ways(row)]
    return max(found) - min(found) < 1e-3 * abs(found[0])


def different_ways(row):
    """The same problem solved from different sides, each to its end."""
    if row == "RVM":
        return local_maxima()
    machine, target = (CLASSIFIERS[row], label) if row in CLASSIFIERS else (REGRESSORS[row], number)
    orders = [np.random.default_rng(seed).permutation(n) for seed in range(3)]
    return [clone(machine).fit(X[order], target[order]) for order in orders]


@cache
def local_maxima():
    """Of a few sets of data, that on which a first ascent of the evidence ends lowest beneath the best of several."""
    pairs = []
    for seed in range(4):
        draw = np.random.default_rng(seed)
        T = draw.normal(size=(60, 2))
        t = T[:, 0] * T[:, 1] + 0.3 * draw.normal(size=60)
        pairs.append([mercer.RVMRegressor(RBF(0.7), n_restarts=r, tol=1e-4).fit(T, t) for r in (0, 10)])
    return max(pairs, key=lambda pair: pair[1].log_evidence_ - pair[0].log_evidence_)


def ended_at(machine):
    """The objective of a machine that says it has come to the end of its way."""
    assert machine.certificate_.converged
    if hasattr(machine, "log_evidence_"):
        return machine.log_evidence_
    assert machine.certificate_.relative_gap < 1e-3
    return machine.certificate_.primal


def kernel_tuning(row):
    """EB where the fitted machine has an evidence that knows the right kernel from wrong ones; else a search can."""
    machine, lengthscales = REGRESSORS.get(row, CLASSIFIERS.get(row)), [0.05, 1.0, 20.0]
    target = number if row in REGRESSORS else label
    machines = [clone(machine).set_params(kernel=RBF(ell)).fit(X, target) for ell in lengthscales]
    evidences = [evidence(fit) for fit in machines]
    if all(value is not None for value in evidences):
        assert np.argmax(evidences) == 1
        return "EB"
    assert evidences == [None] * 3
    search = GridSearchCV(machine, {"kernel__lengthscale": lengthscales}, cv=3).fit(X, target)
    assert search.best_params_ == {"kernel__lengthscale": 1.0}
    return "CV"


def evidence(machine):
    return getattr(machine, "log_evidence_", getattr(machine, "log_marginal_likelihood_value_", None))


def sparse(row):
    """Whether items that are not needed for a prediction are many, and are not kept."""
    kept = len(fitted(row).support_)
    assert kept < 0.7 * n or kept == n
    return kept < n


def probabilistic(row):
    """Whether a machine as it comes has probabilities, and honest ones."""
    machine = fitted(row)
    if not hasattr(machine, "predict_proba"):
        return row in REGRESSORS and row not in CLASSIFIERS and "return_std" in parameters(machine.predict)
    P = machine.predict_proba(new)
    chance = -np.log(np.maximum(np.mean(label), 1.0 - np.mean(label)))
    assert np.mean(log_losses(P, machine.classes_, new_label)) < 0.8 * chance
    return expected_error(P.max(axis=1), machine.classes_[P.argmax(axis=1)] == new_label) < 0.1


def parameters(function):
    return inspect.signature(function).parameters


def multiclass(row):
    """Of four classes: one model with four functions, or six machines of two classes each."""
    if row not in CLASSIFIERS:
        return "no"
    machine = clone(CLASSIFIERS[row]).fit(X, four)
    assert np.mean(machine.predict(X) == four) > 0.6
    parts = getattr(machine.certificate_, "parts", ())
    if parts:
        assert len(parts) == 6
        return "indirect"
    assert machine.dual_coef_.shape[0] == 4
    return "yes"


def non_mercer(row):
    """Whether indefinite kernels are welcome; if not, they are warned of, and refused where that is asked for."""
    found = {accepts_indefinite(machines[row]) for machines in (CLASSIFIERS, REGRESSORS) if row in machines}
    (answer,) = found
    return answer


@pytest.mark.parametrize("row", CAPABILITIES)
@pytest.mark.parametrize("column", [field.name for field in fields(Capabilities)])
def test_every_cell_of_the_table_is_what_the_machine_does_E22(row, column):
    derived = {f.__name__: f for f in (convex, kernel_tuning, sparse, probabilistic, multiclass, non_mercer)}
    assert derived[column](row) == getattr(CAPABILITIES[row], column)


# ---- T33, by the definition of convexity


def objective(row):
    """(J, minimum): the training objective in (weights, intercept), and the machine's own minimum."""
    Phi, s = k(X), np.where(label == 1, 1.0, -1.0)
    machine = fitted(row)
    w = np.zeros(n)
    w[machine.support_] = machine.dual_coef_.ravel()
    best = np.append(w, machine.intercept_[0])
    losses = {"SVM": lambda z: np.maximum(0.0, 1.0 - z)}.get(row, lambda z: np.logaddexp(0.0, -z))
    penalties = {"L1VM": lambda w: np.abs(w).sum(), "L2VM": lambda w: w @ w / 2.0, "SVM": lambda w: w @ Phi @ w / 2.0}
    return lambda v: losses(s * (Phi @ v[:n] + v[n])).sum() + penalties[row](v[:n]), best


@pytest.mark.parametrize("row", ["L2VM", "L1VM", "SVM"])
def test_objectives_are_convex_and_machines_are_at_their_minimum_T33(row):
    J, best = objective(row)
    draw = np.random.default_rng(1)
    assert J(best) == pytest.approx(fitted(row).certificate_.primal, rel=1e-3)
    for size in np.logspace(-3, 0, 20):
        u, v = best + size * draw.normal(size=(2, n + 1))
        assert J((u + v) / 2.0) <= (J(u) + J(v)) / 2.0
        assert J(best) <= min(J(u), J(v)) * (1.0 + 1e-4)


def test_the_evidence_of_a_relevance_vector_machine_has_several_maxima_T33():
    """No change of one precision gains anything at the lower of them, and yet there is a higher one."""
    lower, higher = local_maxima()
    assert lower.certificate_.gain < 1e-4
    assert higher.log_evidence_ > lower.log_evidence_ + 0.1


# ---- I6: the Mercer policy

FEATURE_MACHINES = {"L1VM", "L2VM", "RVM", "RBFNetwork"}  # I6 names these; all the others rest on the kernel trick
indefinite = Sigmoid(1.0, offset=-0.5)


def kernel_machines():
    """All public machines with a kernel."""
    found = [getattr(mercer, name) for name, home in mercer._HOME.items() if home.startswith("mercer.estimators")]
    classes = [c for c in found if inspect.isclass(c) and issubclass(c, KernelEstimator)]
    return [c for c in classes if "kernel" in parameters(c.__init__)]


def given(machine):
    """An indefinite kernel in both ways it can be passed, with the data that go with it."""
    yield clone(machine).set_params(kernel="precomputed"), indefinite(X)
    yield clone(machine).set_params(kernel=indefinite), X


def words_of(machine, data):
    """What is said of indefinite kernels when a machine is fitted: by a warning, or by a refusal."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            machine.fit(data, label)
        except NotPositiveDefinite as error:
            return [str(error)]
    return [str(w.message) for w in caught if issubclass(w.category, Indefinite)]


def accepts_indefinite(machine):
    silent = {not words_of(one, data) for one, data in given(machine)}
    (answer,) = silent
    return answer


@pytest.mark.parametrize("machine", kernel_machines(), ids=lambda c: c.__name__)
def test_non_mercer_kernels_are_accepted_exactly_where_the_table_says_I6(machine):
    of_features = machine.__name__.removesuffix("Classifier").removesuffix("Regressor") in FEATURE_MACHINES
    assert np.linalg.eigvalsh(indefinite(X))[0] < -1.0
    assert accepts_indefinite(machine()) == of_features


@pytest.mark.parametrize("machine", [c for c in kernel_machines() if "check_psd" in parameters(c.__init__)],
                         ids=lambda c: c.__name__)  # fmt: skip
def test_machines_of_the_kernel_trick_refuse_where_that_is_asked_for_I6(machine):
    for one, data in given(machine(check_psd="raise")):
        with pytest.raises(NotPositiveDefinite, match="smallest eigenvalue"):
            one.fit(data, label)


@pytest.mark.parametrize("machine", [*CLASSIFIERS.values(), *REGRESSORS.values()], ids=lambda m: type(m).__name__)
def test_feature_machines_learn_from_an_indefinite_kernel_and_the_others_from_a_positive_one_I6(machine):
    """Acceptance is more than silence: the machine predicts better than a constant."""
    target = label if hasattr(machine, "predict_proba") or isinstance(machine, mercer.SVC) else number
    able = capabilities(machine).non_mercer
    one = clone(machine).set_params(kernel=Sigmoid(1.0, offset=-0.5) if able else k).fit(X, target)
    floor = max(np.mean(label), 1.0 - np.mean(label)) if target is label else 0.0
    assert one.score(X, target) > floor + 0.05


# ---- the table itself


def test_machines_are_looked_up_by_instance_class_or_name_M35():
    for machine in (*CLASSIFIERS.values(), *REGRESSORS.values()):
        assert capabilities(machine) == capabilities(type(machine)) == capabilities(type(machine).__name__)
    assert capabilities("RVM").convex is False
    with pytest.raises(ValueError, match=r"one of .*'L2VM'"):
        capabilities("forest")


def test_the_table_prints_as_in_the_book_M35():
    lines = [line.split() for line in capability_table().splitlines()]
    assert lines[0] == ["convex", "kernel", "tuning", "sparse", "probabilistic", "multiclass", "non", "mercer"]
    assert lines[1:6] == [
        ["L2VM", "yes", "EB", "no", "yes", "yes", "yes"],
        ["L1VM", "yes", "CV", "yes", "yes", "yes", "yes"],
        ["RVM", "no", "EB", "yes", "yes", "yes", "yes"],
        ["SVM", "yes", "CV", "yes", "no", "indirect", "no"],
        ["GP", "n/a", "EB", "no", "yes", "yes", "no"],
    ]
