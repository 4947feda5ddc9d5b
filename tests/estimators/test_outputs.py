"""What transformers and probabilistic classifiers offer everywhere: names, data frames, log probabilities (I4)."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import TransformerMixin, clone
from sklearn.pipeline import make_pipeline

import mercer
from mercer import GPLVM, SVC, TableScaler
from mercer.kernels import RBF, Hamming, On

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
frame = pd.DataFrame(X, columns=["a", "b", "c"], index=range(30, 60))
people = pd.DataFrame({"age": X[:, 0], "job": np.where(X[:, 1] > 0.0, "clerk", "smith")}, index=range(30, 60))


def public():
    found = {name: getattr(mercer, name) for name in mercer.__all__}
    return {name: one for name, one in found.items() if inspect.isclass(one) and hasattr(one, "fit")}


def made(name):
    """The estimator with settings that give it probabilities, and soon."""
    search = mercer.KernelSearchCV(mercer.L2VMClassifier(), {"alpha": [0.1, 1.0]}, cv=2)
    special = {"SVC": SVC(probability=True), "NuSVC": mercer.NuSVC(probability=True), "KernelSearchCV": search,
               "GPLVM": GPLVM(max_iter=2), "KMedoids": mercer.KMedoids(random_state=0),
               "KernelKMeans": mercer.KernelKMeans(random_state=0),
               "Nystroem": mercer.Nystroem(n_components=5, random_state=0),
               "RandomFeatures": mercer.RandomFeatures(random_state=0)}  # fmt: skip
    return special[name] if name in special else public()[name]()


TRANSFORMERS = [name for name, one in public().items() if issubclass(one, TransformerMixin)]
PROBABILISTIC = [name for name, one in public().items() if hasattr(one, "predict_proba")]


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_what_transforms_has_names_for_its_columns_and_makes_frames_I4(name):
    machine = made(name).set_output(transform="pandas")
    out = machine.fit(frame, frame["a"] > 0.0).transform(frame)
    assert isinstance(out, pd.DataFrame)
    assert_array_equal(out.columns, machine.get_feature_names_out())
    assert_array_equal(out.index, frame.index)
    assert_allclose(out, clone(machine).set_output(transform="default").fit(frame, frame["a"] > 0.0).transform(frame))


def test_latent_coordinates_and_scaled_columns_have_names_I4():
    assert GPLVM(2, max_iter=2).fit(X).get_feature_names_out().tolist() == ["gplvm0", "gplvm1"]
    assert TableScaler().fit(X).get_feature_names_out().tolist() == ["x0", "x1", "x2"]
    assert TableScaler().fit(people).get_feature_names_out().tolist() == ["age", "job"]


@pytest.mark.parametrize("output", ["auto", "table"])
def test_tables_of_every_kind_become_frames_with_their_types_I4(output):
    scaler = TableScaler(output=output).set_output(transform="pandas").fit(people)
    out = scaler.transform(people)
    assert out["age"].dtype == float
    assert_allclose(out["age"].mean(), 0.0, atol=1e-12)
    assert out["job"].tolist() == people["job"].tolist()
    again = TableScaler(output=output).set_output(transform="polars").fit_transform(pl.from_pandas(people))
    assert isinstance(again, pl.DataFrame)
    assert_allclose(again["age"].to_numpy(), out["age"])
    texts = TableScaler({"t": "text"}).set_output(transform="polars").fit_transform({"t": ["one", None]})
    assert texts["t"].to_list() == ["one", ""]


def test_a_pipeline_that_passes_frames_on_works_I4():
    k = On("age", RBF(1.0)) + On("job", Hamming())
    y = X[:, 0] + X[:, 1] > 0.0
    one, other = (make_pipeline(TableScaler(), SVC(kernel=k)) for _ in range(2))
    other.set_output(transform="pandas")
    assert_array_equal(one.fit(people, y).decision_function(people), other.fit(people, y).decision_function(people))


@pytest.mark.parametrize("name", PROBABILISTIC)
@pytest.mark.parametrize("classes", [2, 3])
def test_what_has_probabilities_has_their_logarithms_I4(name, classes):
    y = np.arange(30) % classes
    m = made(name).fit(X, y)
    P, L = m.predict_proba(X), m.predict_log_proba(X)
    assert_allclose(np.exp(L), P)
    assert_allclose(P.sum(axis=1), 1.0)


def test_logarithms_keep_what_probabilities_round_to_zero():
    y = np.sign(X[:, 0])
    far = np.array([[1e5, 0.0, 0.0]])
    L = mercer.BayesianSVC(kernel="linear", C=100.0, method="em").fit(X, y).predict_log_proba(far)
    assert L.min() < -1000.0
    assert np.isfinite(L).all()
