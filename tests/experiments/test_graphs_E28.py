"""Graphs beyond what all items have in common: model files, proofs, and explicit features in linear machines (E28)."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal
from tests.experiments.structured_items import graphs, some, test, train, y

import mercer
from mercer import SVC
from mercer.items import Graphs
from mercer.kernels import Normalised, WeisfeilerLehman
from mercer.theory import certify

MAJORITY = float(np.mean(y[test] == "many"))


def test_models_of_graphs_are_saved_and_proved_E28(tmp_path):
    k = Normalised(WeisfeilerLehman(2))
    machine = SVC(kernel=k, C=10.0).fit(some(graphs, train), y[train])
    mercer.save(machine, tmp_path / "graphs.mercer")
    again = mercer.load(tmp_path / "graphs.mercer")
    assert_array_equal(again.decision_function(some(graphs, test)), machine.decision_function(some(graphs, test)))
    assert mercer.verify(machine, some(graphs, train), y[train]).relative_gap < 1e-2
    assert certify(k, graphs).psd
    support = Graphs.check(machine.support_vectors_, "test")
    assert support.fingerprint() == Graphs.check(some(graphs, machine.support_), "test").fingerprint()


def test_explicit_features_go_into_linear_machines_E28():
    k = WeisfeilerLehman(1)
    phi = k.feature_map(graphs)
    machine = SVC(kernel="linear").fit(phi[train], y[train])
    assert np.mean(machine.predict(phi[test]) == y[test]) > MAJORITY
