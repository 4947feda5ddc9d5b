"""Items of every kind in model files, and a lengthscale of time series that the evidence finds (E28)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.experiments.structured_items import KINDS, series, some, test, train, y

import mercer
from mercer import SVC
from mercer.kernels import GlobalAlignment


@pytest.mark.parametrize("kind", KINDS)
def test_models_on_such_items_come_back_from_their_files(kind, tmp_path):
    k, X = KINDS[kind]
    machine = SVC(kernel=k, C=10.0).fit(some(X, train), y[train])
    mercer.save(machine, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert_allclose(again.decision_function(some(X, test)), machine.decision_function(some(X, test)), rtol=1e-12)


def test_a_lengthscale_of_time_series_is_tuned_by_the_evidence():
    target = np.array([x.max() for x in series])
    found = mercer.GaussianProcessRegressor(kernel=1.0 * GlobalAlignment(1.0), alpha=1e-2).fit(series, target)
    assert (
        found.log_marginal_likelihood_value_
        > mercer.GaussianProcessRegressor(kernel=1.0 * GlobalAlignment(1.0), alpha=1e-2, optimizer=None)
        .fit(series, target)
        .log_marginal_likelihood_value_
    )
