"""Estimators are shallow: at most three classes of ours, one of them the base of all machines."""

from __future__ import annotations

import inspect

import pytest
from sklearn.base import BaseEstimator

import mercer

MOST = 3
found = [getattr(mercer, name) for name in mercer.__all__]
estimators = [cls for cls in found if inspect.isclass(cls) and issubclass(cls, BaseEstimator)]


def own(cls):
    """The classes of mercer that a class is made of, itself included."""
    return [base for base in cls.__mro__ if base.__module__.startswith("mercer.")]


def test_all_estimators_are_looked_at():
    names = {cls.__name__ for cls in estimators}
    assert {"SVC", "KernelRidge", "RVMClassifier", "FeatureGLMRegressor", "GaussianProcessRegressor"} <= names


@pytest.mark.parametrize("cls", estimators, ids=lambda cls: cls.__name__)
def test_an_estimator_has_at_most_three_levels(cls):
    assert len(own(cls)) <= MOST, [base.__name__ for base in own(cls)]
