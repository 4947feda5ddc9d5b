"""Table 14.1 from behaviour: every cell is found out by fitting machines, and compared with what is declared.

E22, M35, T33, and the Mercer policy of all machines (I6).
"""

from __future__ import annotations

import inspect
from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone

import mercer
from mercer.errors import NotPositiveDefinite
from mercer.estimators.base import KernelEstimator
from mercer.estimators.capabilities import CAPABILITIES, Capabilities, capabilities, capability_table
from mercer.figures.measured_capabilities import CLASSIFIERS, INDEFINITE, REGRESSORS, Behaviour, K

probe = Behaviour()
n, X, label, number = probe.n, probe.X, probe.label, probe.number


def parameters(function):
    return inspect.signature(function).parameters


@pytest.mark.parametrize("row", CAPABILITIES)
@pytest.mark.parametrize("column", [field.name for field in fields(Capabilities)])
def test_every_cell_of_the_table_is_what_the_machine_does_E22(row, column):
    assert probe.cell(row, column) == getattr(CAPABILITIES[row], column)


# ---- T33, by the definition of convexity


def objective(row):
    """(J, minimum): the training objective in (weights, intercept), and the machine's own minimum."""
    Phi, s = K(X), np.where(label == 1, 1.0, -1.0)
    machine = probe.fitted(row)
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
    assert J(best) == pytest.approx(probe.fitted(row).certificate_.primal, rel=1e-3)
    for size in np.logspace(-3, 0, 20):
        u, v = best + size * draw.normal(size=(2, n + 1))
        assert J((u + v) / 2.0) <= (J(u) + J(v)) / 2.0
        assert J(best) <= min(J(u), J(v)) * (1.0 + 1e-4)


def test_the_evidence_of_a_relevance_vector_machine_has_several_maxima_T33():
    """No change of one precision gains anything at the lower of them, and yet there is a higher one."""
    lower, higher = probe.local_maxima
    assert lower.certificate_.gain < 1e-4
    assert higher.log_evidence_ > lower.log_evidence_ + 0.1


# ---- I6: the Mercer policy

FEATURE_MACHINES = {"L1VM", "L2VM", "RVM", "RBFNetwork"}  # I6 names these; all the others rest on the kernel trick


# Nystroem takes the sizes of eigenvalues, as in scikit-learn; random features exist for kernels of x - y only.
TRANSFORMERS = (mercer.Nystroem, mercer.RandomFeatures)


def kernel_machines():
    """All public machines with a kernel."""
    found = [getattr(mercer, name) for name, home in mercer._HOME.items() if home.startswith("mercer.estimators")]
    classes = [c for c in found if inspect.isclass(c) and issubclass(c, KernelEstimator)]
    return [c for c in classes if "kernel" in parameters(c.__init__) and c not in TRANSFORMERS]


@pytest.mark.parametrize("machine", kernel_machines(), ids=lambda c: c.__name__)
def test_non_mercer_kernels_are_accepted_exactly_where_the_table_says_I6(machine):
    of_features = machine.__name__.removesuffix("Classifier").removesuffix("Regressor") in FEATURE_MACHINES
    assert np.linalg.eigvalsh(INDEFINITE(X))[0] < -1.0
    assert probe.accepts_indefinite(machine()) == of_features


@pytest.mark.parametrize("machine", [c for c in kernel_machines() if "check_psd" in parameters(c.__init__)],
                         ids=lambda c: c.__name__)  # fmt: skip
def test_machines_of_the_kernel_trick_refuse_where_that_is_asked_for_I6(machine):
    for one, data in probe.given(machine(check_psd="raise")):
        with pytest.raises(NotPositiveDefinite, match="smallest eigenvalue"):
            one.fit(data, label)


@pytest.mark.parametrize("machine", [*CLASSIFIERS.values(), *REGRESSORS.values()], ids=lambda m: type(m).__name__)
def test_feature_machines_learn_from_an_indefinite_kernel_and_the_others_from_a_positive_one_I6(machine):
    """Acceptance is more than silence: the machine predicts better than a constant."""
    target = label if hasattr(machine, "predict_proba") or isinstance(machine, mercer.SVC) else number
    able = capabilities(machine).non_mercer
    one = clone(machine).set_params(kernel=INDEFINITE if able else K).fit(X, target)
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
