"""The table of methods: who takes part, with what kernel (M35, M37)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.linear_model import Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import SVC
from mercer.comparison import CLASSIFIERS, REGRESSORS, baselines, machines
from mercer.comparison.methods import CLASSIFICATION, METHODS, METRICS, REGRESSION, SMOOTHERS, entrants
from mercer.estimators.base import KernelEstimator
from mercer.kernels import RBF, Spectrum

EVERY = [(task, name) for task, methods in METHODS.items() for name in methods]


def built(task, given, kernel="rbf", seed=7):
    (one,) = entrants([given], task)
    return one.build(task, kernel, seed)


@pytest.mark.parametrize(("task", "name"), EVERY)
def test_every_method_of_the_table_can_be_built_for_its_task(task, name):
    k = RBF(0.3)
    made = built(task, name, k)
    assert is_classifier(made) if task == CLASSIFICATION else is_regressor(made)
    assert (name in machines(task)) == isinstance(made, KernelEstimator)
    assert (name in machines(task)) + (name in baselines(task)) + (name in SMOOTHERS | METRICS) == 1
    if name in machines(task):
        assert made.kernel == k
    assert made.get_params().get("random_state", 7) == 7


def test_the_baselines_are_scikit_learns_M37():
    assert {"perceptron", "least squares", "lda", "qda", "naive bayes", "logistic regression", "dummy"} <= set(
        baselines(CLASSIFICATION)
    )
    for task in METHODS:
        homes = {type(built(task, name)).__module__.split(".")[0] for name in baselines(task)}
        assert homes == {"sklearn"}


def test_every_row_of_the_capability_table_takes_part_M35():
    assert {"svm", "l2vm", "l1vm", "rvm", "gp", "klr"} <= set(machines(CLASSIFICATION))
    assert {"svm", "l2vm", "l1vm", "rvm", "gp", "ridge"} <= set(machines(REGRESSION))


def test_names_are_found_whatever_their_case_and_one_may_stand_alone():
    assert [one.name for one in entrants("SVM", CLASSIFICATION)] == ["svm"]
    assert [one.name for one in entrants(None, REGRESSION)] == machines(REGRESSION)


def test_estimators_are_cloned_and_used_as_they_are():
    mine = SVC(C=3.0, kernel=RBF(2.0))
    made = built(CLASSIFICATION, ("mine", mine), kernel=RBF(0.1))
    assert made is not mine
    assert (made.C, made.kernel) == (3.0, RBF(2.0))
    assert entrants([mine], CLASSIFICATION)[0].name == "SVC"


@pytest.mark.parametrize("mine", [
    SVC(), make_pipeline(StandardScaler(), SVC()), GridSearchCV(SVC(), {"C": [1.0]}), mercer.KernelLogisticRegression()
], ids=lambda m: type(m).__name__)  # fmt: skip
def test_a_machine_on_items_is_not_given_a_gram_nor_the_other_way_round(mine):
    with pytest.raises(ValueError, match=r"kernel must be 'precomputed' in the estimator and in compare, or"):
        built(CLASSIFICATION, ("mine", mine), kernel="precomputed")
    with pytest.raises(ValueError, match=r"kernel must be 'precomputed' in the estimator and in compare, or"):
        built(CLASSIFICATION, SVC(kernel="precomputed"), kernel=RBF())
    assert built(CLASSIFICATION, ("mine", mine), kernel=RBF()) is not None


@pytest.mark.parametrize("kernel", ["precomputed", Spectrum(2)])
def test_linear_baselines_need_vectors(kernel):
    with pytest.raises(TypeError, match=r"lda: the data must be rows of numbers; got"):
        built(CLASSIFICATION, "lda", kernel)
    assert built(CLASSIFICATION, "dummy", kernel) is not None


def test_a_method_without_a_regressor_says_so_when_it_is_built():
    with pytest.raises(ValueError, match=r"perceptron: task .* got regression. Methods for regression: svm"):
        built(REGRESSION, "perceptron")


@pytest.mark.parametrize(("methods", "fault"), [
    (["forest"], r"methods must be of \['svm'.*got 'forest'"),
    ([SVC], "Estimators are instances"),
    ([("a", 3)], r"got \('a', 3\)"),
    ([], "got none"),
    (["svm", "SVM"], r"got \['svm'\]"),
    ([SVC(), SVC(C=2.0)], r"got \['SVC'\]. Pass pairs"),
])  # fmt: skip
def test_what_is_no_method_is_refused_before_anything_is_fitted(methods, fault):
    with pytest.raises(ValueError, match=fault):
        entrants(methods, CLASSIFICATION)


def test_a_new_method_is_one_line(monkeypatch):
    from mercer.comparison import Method

    monkeypatch.setitem(CLASSIFIERS, "hard margin", Method("mercer.SVC", {"C": np.inf}))
    assert np.isinf(built(CLASSIFICATION, "hard margin", RBF()).C)
    assert "hard margin" in machines(CLASSIFICATION)
    assert "hard margin" not in REGRESSORS
    assert isinstance(built(CLASSIFICATION, Perceptron()), Perceptron)
