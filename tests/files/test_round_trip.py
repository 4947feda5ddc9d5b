"""Models come back from their files with the same predictions: every machine, kernel and kind of item."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array, csr_matrix
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection._search import BaseSearchCV
from tests.estimators import test_contract as contract
from tests.items.samples import KINDS

import mercer
from mercer import kernels as ks
from mercer.files.registry import homes
from mercer.items import Vectors
from mercer.kernels import Kernel
from mercer.models import Gaussian
from mercer.solvers.losses import Huber

rng = np.random.default_rng(0)
n = 30
X, new = rng.normal(size=(n, 3)), rng.normal(size=(7, 3))
GRAM, CROSS = ks.RBF(1.2)(X), ks.RBF(1.2)(new, X)
number = X[:, 0] + 0.1 * rng.normal(size=n)
label = np.array(["red", "green", "blue"])[np.digitize(X[:, 0], [-0.5, 0.5])]


def public_machines() -> list[BaseEstimator]:
    """One of every machine that mercer exports, at its defaults."""
    found = [getattr(mercer, name) for name in mercer.__all__]
    classes = [c for c in found if inspect.isclass(c) and issubclass(c, BaseEstimator)]
    return [c() for c in classes if not issubclass(c, BaseSearchCV)]


def contract_machines() -> list[BaseEstimator]:
    """Those of the scikit-learn contract's lists, with the arguments they have there."""
    lists = [held for held in vars(contract).values() if isinstance(held, list)]
    return [m for held in lists for m in held if isinstance(m, BaseEstimator)]


MORE = [
    mercer.SVC(probability=True, random_state=0),
    mercer.SVC(kernel="linear"),
    mercer.SVC(kernel=2.0 * ks.RBF(ks.Bounded(1.5, 0.1, 10.0)) + ks.Fixed(0.5)),
    mercer.SVC(kernel="precomputed", class_weight={"red": 2.0}),
    mercer.KernelRiskRegressor(Huber(0.5)),
    mercer.KernelRidge(kernel="precomputed", fit_intercept=True),
    mercer.GaussianProcessRegressor(mean="linear"),
    mercer.GaussianProcessRegressor(kernel="precomputed"),
    mercer.GaussianProcessClassifier(multi_class="one_vs_one"),
    mercer.GaussianProcessClassifier(kernel="precomputed"),
    mercer.GaussianProcessClassifier("rbf", method="inducing", n_inducing=9),
]


def fitted(machine: BaseEstimator, X=X) -> BaseEstimator:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some defaults are poor on 30 points
        family = getattr(machine, "family", None)
        y = np.arange(n) % 4 if family == "poisson" else label if is_classifier(machine) else number
        return clone(machine).fit(X, y)


def answers(machine, X):
    """Whatever the machine can tell of new items."""
    found = {}
    for name in ("predict", "predict_proba", "decision_function", "score_samples", "transform"):
        if hasattr(machine, name):
            found[name] = getattr(machine, name)(X)
    if getattr(machine, "fit_inverse_transform", hasattr(machine, "inverse_transform")):
        found["inverse_transform"] = machine.inverse_transform(X[:, :2])
    if isinstance(machine, mercer.GaussianProcessRegressor) and not is_given(machine):
        found["std"] = machine.predict(X, return_std=True)[1]
    return found


def is_given(machine) -> bool:
    """Whether the machine takes kernel values instead of items."""
    return "precomputed" in (str(getattr(machine, name, "")) for name in ("kernel", "metric"))


def again(model, tmp_path):
    mercer.save(model, tmp_path / "model.mercer")
    return mercer.load(tmp_path / "model.mercer")


ALL = {str(m): m for m in [*public_machines(), *contract_machines(), *MORE]}


@pytest.mark.filterwarnings("ignore::mercer.estimators.smoothing.loess.Extrapolated")
@pytest.mark.filterwarnings("ignore::mercer.estimators.smoothing.local_smoother.Unsupported")
@pytest.mark.filterwarnings("ignore::mercer.estimators.smoothing.loess.Extrapolated")  # new items lie outside
@pytest.mark.parametrize("machine", ALL.values(), ids=ALL)
def test_every_machine_predicts_alike_after_a_round_trip(machine, tmp_path):
    given = is_given(machine)
    m = fitted(machine, GRAM if given else X)
    loaded = again(m, tmp_path)
    assert type(loaded) is type(m)
    expected, found = answers(m, CROSS if given else new), answers(loaded, CROSS if given else new)
    assert expected
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        exact = value.dtype.kind in "US"
        assert_allclose(*((found[name] == value, True) if exact else (found[name], value)), rtol=1e-12, atol=1e-14)
    assert str(loaded) == str(m)
    assert sorted(vars(loaded)) == sorted(vars(m))
    assert str(getattr(loaded, "certificate_", None)) == str(getattr(m, "certificate_", None))


def test_an_unfitted_machine_is_a_model_too(tmp_path):
    m = mercer.SVC(C=3.0, kernel=ks.RBF(2.0) * ks.Linear())
    assert again(m, tmp_path).get_params() == m.get_params()


def test_a_loaded_machine_can_be_cloned_fitted_pickled_and_saved_again(tmp_path):
    m = fitted(mercer.SVC())
    loaded = again(m, tmp_path)
    twice = again(loaded, tmp_path)
    thrice = again(pickle.loads(pickle.dumps(twice)), tmp_path)
    for other in (loaded, twice, thrice, clone(loaded).fit(X, label)):
        assert_array_equal(other.decision_function(new), m.decision_function(new))


def test_a_loaded_ridge_learns_on(tmp_path):
    m = fitted(mercer.KernelRidge(kernel=ks.RBF(1.0)))
    loaded = again(m, tmp_path)
    more, y = rng.normal(size=(4, 3)), np.ones(4)
    assert_allclose(loaded.update(more, y).predict(new), m.update(more, y).predict(new), rtol=1e-12)


def test_an_array_that_two_attributes_share_is_stored_once_and_still_shared(tmp_path):
    A = rng.normal(size=(100, 100))
    one, two = again({"a": A, "b": A, "c": A.copy()}, tmp_path), A
    assert one["a"] is one["b"]
    assert one["a"] is not one["c"]
    for name in "abc":
        assert_array_equal(one[name], two)
    assert (tmp_path / "model.mercer").stat().st_size < 1.2 * A.nbytes


# ---- kernels

DOCUMENTS = ["the cat sat", "a dog ran home", "the dog sat", "one cat, one dog"]
STRINGS = ["gattaca", "tacgat", "ccgatt", "acca"]
POINTS = [[[0.0, 1.0], [2.0, 0.5]], [[1.0, 1.0]], [[0.5, 0.5], [0.1, 2.0], [1.0, 0.0]], [[2.0, 2.0], [0.0, 0.3]]]
SETS = [{"a", 1}, {"b", (2, "x")}, {"a", "b"}, set()]
LABELS = ["lo", "hi", "lo", "mid"]
CODES = [["red", 1], ["blue", 2], ["red", 2], ["red", 1]]
V = rng.normal(size=(4, 3))
GRAPHS = [{"edges": [[0, 1], [1, 2]], "node_labels": s[:3], "edge_labels": [1, 2]} for s in STRINGS]
TABLE = {"text": DOCUMENTS, "age": [1.0, 2.5, 3.0, 0.5], "town": ["x", None, "y", "x"]}
S = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 3.0]])
EXAMPLES: list[tuple[Kernel, object]] = [
    *((k, V) for k in [
        ks.RBF((0.5, 1.0, np.inf)), ks.RBF(ks.Fixed(1.5)), ks.RBF(ks.Bounded(1.0, 0.5, 2.0)), ks.Exponential(2.0),
        ks.Matern(1.5, nu=2.5), ks.RationalQuadratic(alpha=2.0), ks.Periodic(1.0, period=3.0), ks.Laplacian(0.7),
        ks.Linear(), ks.Polynomial(3, gamma=0.5), ks.Homogeneous(2), ks.Geometric(2), ks.Sigmoid(0.1), ks.ArcSine(0.5),
        ks.Cosine(),
        ks.Constant(2.0), ks.White(0.5), ks.Mahalanobis(S), ks.Bilinear(S), ks.AllSubsets(), ks.ANOVA(2),
        ks.ANOVA(2, base=(ks.RBF(), ks.Linear(), ks.Matern())), ks.Linear() + ks.RBF() * 2.0 - ks.Cosine(),
        ks.Power(ks.Linear(), 3), ks.PolynomialOf(ks.Linear(), (1.0, 0.5)), ks.Exp(ks.Cosine()),
        ks.Normalised(ks.Polynomial(2)), ks.GaussianOf(ks.Linear(), 2.0),
        ks.Centred(ks.RBF()), ks.Centred(ks.RBF()).fit(V), ks.On([0, 2], ks.RBF()),
    ]),
    *((k, abs(V)) for k in [ks.ChiSquared(0.5), ks.AdditiveChiSquared()]),
    *((k, DOCUMENTS) for k in [ks.Bag(), ks.TfIdf("characters"), ks.TfIdf().fit(DOCUMENTS), ks.Normalised(ks.Bag()),
                               ks.TfIdf() + ks.Bag(), ks.Centred(ks.Bag())]),
    (ks.Spectrum(2), STRINGS),
    (ks.Spectrum(2), [tuple(s) for s in STRINGS]),
    *((k, STRINGS) for k in [ks.AllSubstrings(0.7), ks.Dictionary(["a", "ab"]), ks.EditSimilarity(0.3),
                             ks.GapWeighted(2), ks.GappedKmer(3, k=2), ks.LocalAlignment(0.5, form="sum"),
                             ks.Mismatch(2, letters=9), ks.WeightedDegree(2)]),
    (ks.Bag(), np.array([[1, 0, 2], [0, 1, 1], [3, 0, 0], [0, 0, 1]])),
    (ks.Intersection(), SETS),
    (ks.SubsetCount(), SETS),
    (ks.IntervalOverlap(), [[(0, 1)], [(0.5, 2), (3, 4)], [(0, 4)], [(1, 2)]]),
    (ks.Agreement((1, 2, 3), weights=(0.5, 0.25, 0.25)), [{1}, {1, 2}, {3}, set()]),
    (ks.UnionComplement((1, 2, 3)), [{1}, {1, 2}, {3}, set()]),
    (ks.Tanimoto(), np.array([[3], [5], [200], [0]], dtype=np.uint8)),
    (ks.MinMax(), abs(V)),
    (ks.GlobalAlignment(0.8, band=4.0), POINTS),
    (ks.SignaturePDE(3.0), POINTS),
    (ks.MeanEmbedding(ks.RBF(0.5)), POINTS),
    (ks.SlicedWasserstein(0.5), POINTS),
    (ks.PyramidMatch(4), POINTS),
    (ks.Kendall(), [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]]),
    (ks.Mallows(0.5), [list("abc"), list("cba"), list("bac"), list("acb")]),
    (ks.PositiveType("Z6", [2.0, 1.0, 0.5, 0.0, 0.5, 1.0]), [0, 1, 4, 5]),
    *((k, GRAPHS) for k in [ks.WeisfeilerLehman(2), ks.Normalised(ks.WeisfeilerLehman(1, base="assignment")),
                            ks.ShortestPath(ordered=True), ks.RandomWalk(0.05), ks.Graphlet(3), ks.Propagation(2)]),
    (ks.Hamming(0.5), CODES),
    (ks.Lookup(("lo", "mid", "hi"), S), LABELS),
    (ks.On("text", ks.TfIdf()) + ks.On("age", ks.RBF()) * ks.On("town", ks.Constant(1.0)), TABLE),
    (ks.Fisher("gaussian mean"), V),
    (ks.Fisher("hidden markov").fit(STRINGS), STRINGS),
    (ks.GenerativeFeatures(ks.RBF(0.5)).fit(V), V),
    (ks.ProbabilityProduct(0.5), [Gaussian(v, np.eye(3)) for v in V]),
    (ks.RBF(), V.astype(np.float32)),
    (ks.RBF(), csr_matrix(V * (V > 0))),
    (ks.Linear(), csr_array(V * (V > 0))),
]  # fmt: skip


def test_there_is_an_example_of_every_kernel_that_can_be_saved():
    def walk(k):
        yield type(k).__name__
        for child in k.children:
            yield from walk(child)

    shown = {name for k, _ in EXAMPLES for name in walk(k)}
    assert shown == {
        name.rpartition(".")[2] for name in homes() if name.startswith("mercer.kernels.") and name.count(".") == 2
    }


@pytest.mark.parametrize(("k", "items"), EXAMPLES, ids=lambda v: repr(v)[:40] if isinstance(v, Kernel) else "")
def test_every_kernel_is_the_same_after_a_round_trip(k, items, tmp_path):
    loaded = again(k, tmp_path)
    assert repr(loaded) == repr(k)
    assert loaded == k or "Fitted" in str(type(k))  # what was learned compares by identity
    assert_array_equal(loaded(items), k(items))


@pytest.mark.parametrize(("k", "items"), EXAMPLES, ids=lambda v: repr(v)[:40] if isinstance(v, Kernel) else "")
def test_a_machine_with_any_kernel_predicts_alike_after_a_round_trip(k, items, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = mercer.SVR(kernel=k, C=5.0, epsilon=0.3).fit(items, [1.0, 0.0, 0.5, 0.5])
    assert 0 < len(m.support_) < 4
    assert_allclose(again(m, tmp_path).predict(items), m.predict(items), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_item_is_the_same_after_a_round_trip(kind, tmp_path):
    cls, given, _ = KINDS[kind]
    items = cls.check(given, "test")
    loaded = again(items, tmp_path)
    assert type(loaded) is type(items)
    assert loaded.fingerprint() == items.fingerprint()
    assert list(map(type, getattr(loaded, "values", []))) == list(map(type, getattr(items, "values", [])))


# ---- plain values

VALUES = [
    None, True, 3, -(2**63), 2**64 - 1, 0.1, -0.0, np.inf, -np.inf, 1e-320, "", "naïve \ud800 \x00", b"\xff\x00",
    1j, 3 - 0.5j,
    (), (1, "a", (2.0,)), [], [1, [2]], {}, {"a": 1, 2: "b", (1, "c"): None, None: 3}, frozenset({(1, 2)}),
    pytest.param({1, "a"}, id="set"),  # its text depends on the process, and processes that share tests compare names
    range(3, 9, 2), slice(None, 4, 2), np.float32(0.1), np.int8(-3), np.bool_(True), np.str_("é"), np.bytes_(b"x"),
    np.datetime64("2024-05-06"), np.dtype("<f4"), np.dtype(object), np.float64,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_values_keep_type_and_value(value, tmp_path):
    found = again(value, tmp_path)
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_nan_stays_nan(tmp_path):
    assert np.isnan(again([np.nan], tmp_path)[0])


ARRAYS = [
    np.arange(6).reshape(2, 3), np.asfortranarray(rng.normal(size=(3, 4))), np.array(2.5), np.empty((0, 5)),
    np.array([True, False]), np.array(["a", "bcd", ""]), np.array([b"xy"]), np.array([1 + 2j]),
    np.arange(5, dtype=">i2"), rng.normal(size=(6, 4))[::2, ::-1],
    np.array(["a", None, 1.5, (1, 2)], dtype=object), np.array(["2024-01-01"], dtype="M8[D]"),
    np.array([np.nan, -np.inf, -0.0]),
]  # fmt: skip


@pytest.mark.parametrize("A", ARRAYS, ids=lambda A: f"{A.dtype}{A.shape}")
def test_arrays_keep_type_shape_order_and_every_bit(A, tmp_path):
    found = again(A, tmp_path)
    assert found.dtype == A.dtype.newbyteorder("=")
    assert found.shape == A.shape
    assert found.flags.writeable
    assert found.flags.f_contiguous == A.flags.f_contiguous or not A.flags.forc
    assert found.tolist() == A.tolist() or A.tobytes() == found.tobytes()


@pytest.mark.parametrize("form", [csr_array, csr_matrix, csc_array])
def test_sparse_matrices_keep_their_form(form, tmp_path):
    A = form(V * (V > 0))
    found = again(A, tmp_path)
    assert type(found) is form
    assert_array_equal(found.toarray(), A.toarray())


def test_vectors_of_a_model_need_no_copy_of_their_kernel_values(tmp_path):
    """Loading evaluates no kernel: a kernel that would not end is built at once, and only its use would not end."""
    endless = ks.Normalised(ks.ANOVA(10**12, base=ks.RBF()))
    from mercer.estimators.training_data import KernelItems

    data = KernelItems(endless, Vectors(V), ks.RBF().prepare(V))
    assert again(data, tmp_path).kernel == endless
