"""Transformers of scikit-learn: each that is listed makes the round trip, and none leads outside of an array."""

from __future__ import annotations

import inspect
import random
import warnings
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, SelectPercentile, VarianceThreshold, chi2, f_regression
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from tests.files.test_hostile import COUNT, attempt, changed, forged, parts

import mercer
from mercer import SVC, KernelRidge, ModelFileError
from mercer.files.registry import _TRANSFORMERS
from mercer.kernels import RBF

rng = np.random.default_rng(0)
n = 60
X = rng.normal(size=(n, 4))
y = np.where(X[:, 0] + X[:, 1] > 0.0, "yes", "no")
LEVELS = np.round(X)
GAPS = np.where(rng.random(X.shape) < 0.2, np.nan, X)
SPARSE = csr_array(np.where(X > 0.5, X, 0.0))
WORDS = ["the cat", "a dog and a cat", "no end", "two dogs", "cats and dogs"]
TEXTS = [f"{WORDS[i % 5]} {WORDS[i % 3]} word{i % 11}" for i in range(n)]
NAMES = np.array([["red", "u"], ["green", "v"], ["blue", "u"], ["red", None]] * (n // 4), dtype=object)
COUNTS = rng.integers(0, 5, (n, 6))

CASES = [
    (StandardScaler(), X), (StandardScaler(with_mean=False), SPARSE), (MinMaxScaler(), X), (MaxAbsScaler(), SPARSE),
    (RobustScaler(), X), (Normalizer(), X), (PowerTransformer(), X), (PowerTransformer("box-cox"), np.exp(X)),
    (QuantileTransformer(n_quantiles=20), X), (QuantileTransformer(n_quantiles=9, output_distribution="normal"), X),
    (OneHotEncoder(handle_unknown="ignore"), LEVELS), (OneHotEncoder(drop="if_binary", sparse_output=False), NAMES),
    (OneHotEncoder(drop="first"), NAMES),
    (OneHotEncoder(categories=[["blue", "green", "red"], ["u", "v", None]]), NAMES),
    (OneHotEncoder(min_frequency=20, handle_unknown="infrequent_if_exist"), NAMES),
    (OneHotEncoder(max_categories=2, drop="first"), LEVELS), (OneHotEncoder(), np.where(np.isnan(GAPS), GAPS, LEVELS)),
    (OrdinalEncoder(), NAMES), (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), LEVELS),
    (KBinsDiscretizer(4), X), (KBinsDiscretizer(3, encode="ordinal", strategy="uniform"), X),
    (Binarizer(threshold=0.2), X),
    (PolynomialFeatures(2), X), (PolynomialFeatures(3, interaction_only=True), SPARSE),
    (SimpleImputer(), GAPS), (SimpleImputer(strategy="most_frequent", add_indicator=True), GAPS),
    (SimpleImputer(strategy="constant", fill_value="none", missing_values=None), NAMES),
    (KNNImputer(n_neighbors=3), GAPS), (MissingIndicator(), GAPS),
    (CountVectorizer(), TEXTS), (CountVectorizer(vocabulary=["cat", "dog"]), TEXTS),
    (CountVectorizer(analyzer="char", ngram_range=(2, 3), dtype=np.float32), TEXTS),
    (TfidfVectorizer(), TEXTS), (TfidfVectorizer(stop_words=["the"], min_df=2, sublinear_tf=True), TEXTS),
    (TfidfTransformer(), csr_array(COUNTS)), (HashingVectorizer(n_features=64), TEXTS),
    (PCA(2, random_state=0), X), (PCA(0.9, whiten=True), X), (TruncatedSVD(2, random_state=0), SPARSE),
    (SelectKBest(k=2), X), (SelectKBest(chi2, k=2), COUNTS), (SelectPercentile(percentile=50), X),
    (VarianceThreshold(0.5), X),
    (FeatureUnion([("scaled", StandardScaler()), ("main", PCA(2)), ("none", "drop"), ("same", "passthrough")]), X),
    (Pipeline([("scale", StandardScaler()), ("main", PCA(3))]), X),
    (ColumnTransformer([("s", PCA(1), [0, 1]), ("m", MinMaxScaler(), slice(2, 3))], remainder="passthrough"), X),
    (ColumnTransformer([("s", "drop", np.array([True, False, False, False]))], remainder=RobustScaler()), X),
    (FunctionTransformer(), X), (FunctionTransformer(np.log1p, inverse_func=np.expm1), abs(X)),
    (StandardScaler().set_output(transform="default"), X),
]  # fmt: skip


def name_of(value):
    """The name of a case: no address of a function is in it, as every process has its own."""
    return str(value).split(" at 0x")[0][:60] if isinstance(value, BaseEstimator) else ""


def again(model, tmp_path):
    mercer.save(model, tmp_path / "model.mercer")
    return mercer.load(tmp_path / "model.mercer")


def dense(values):
    return values.toarray() if issparse(values) else np.asarray(values)


def public_names() -> set[str]:
    return {name for home, names in _TRANSFORMERS.items() if home.startswith("sklearn.") for name in names.split()
              if "gaussian_process" not in home}  # fmt: skip


def test_there_is_a_case_of_every_transformer_that_can_be_saved():
    shown = {type(step).__name__ for step, _ in CASES} | {"TransformedTargetRegressor", "make_column_selector"}
    assert shown == public_names()


def test_the_documentation_lists_every_transformer():
    page = Path(__file__).parents[2] / "docs" / "tutorials" / "model_files.md"
    for name in public_names():
        assert f"`{name}`" in page.read_text(encoding="utf-8")
        assert name in inspect.getdoc(mercer.save)


@pytest.mark.parametrize(("step", "data"), CASES, ids=name_of)
def test_every_transformer_gives_the_same_after_a_round_trip(step, data, tmp_path):
    labels = y if isinstance(step, (SelectKBest, SelectPercentile)) else None
    fitted = clone(step).fit(data, labels)
    loaded = again(fitted, tmp_path)
    assert str(loaded) == str(fitted)
    assert_array_equal(dense(loaded.transform(data)), dense(fitted.transform(data)))
    assert set(vars(fitted)) - set(vars(loaded)) <= {"_stop_words_id"}
    twice = again(clone(loaded).fit(data, labels), tmp_path)
    expected, found = dense(fitted.transform(data)), dense(twice.transform(data))
    exact = expected.dtype == object
    assert_allclose(*((found == expected, True) if exact else (found, expected)), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(("step", "data"), CASES, ids=name_of)
def test_a_machine_behind_a_transformer_predicts_alike(step, data, tmp_path):
    if isinstance(step, ColumnTransformer | FunctionTransformer | SimpleImputer | MissingIndicator) and data is NAMES:
        pytest.skip("it gives no numbers")
    m = make_pipeline(clone(step), SVC()).fit(data, y)
    loaded = again(m, tmp_path)
    assert list(loaded.named_steps) == list(m.named_steps)
    assert_array_equal(loaded.decision_function(data), m.decision_function(data))


def test_equal_transformers_make_equal_files(tmp_path):
    for name in "ab":
        mercer.save(TfidfVectorizer(stop_words=["the", name[:0]]).fit(TEXTS), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_table_of_mixed_columns_comes_back(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": GAPS[:, 0], "b": X[:, 1], "c": NAMES[:, 0], "text": TEXTS})
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    mixed = ColumnTransformer([
        ("numbers", numbers, make_column_selector(dtype_include=np.number)),
        ("names", OneHotEncoder(handle_unknown="ignore"), ["c"]),
        ("words", TfidfVectorizer(), "text"),
        ("rest", "drop", make_column_selector("^z", dtype_exclude=[bool, "category"])),
    ])  # fmt: skip
    m = make_pipeline(mixed, SVC(kernel=RBF(2.0))).fit(frame, y)
    loaded = again(m, tmp_path)
    assert_array_equal(loaded.decision_function(frame), m.decision_function(frame))
    assert loaded[0].get_feature_names_out().tolist() == m[0].get_feature_names_out().tolist()
    anew = clone(loaded).fit(frame, y)  # the choice of columns by type works, too
    assert_array_equal(anew.decision_function(frame), m.decision_function(frame))
    with zipfile.ZipFile(tmp_path / "model.mercer") as inside:
        assert b"pickle" not in inside.read("model.json")


def test_output_as_a_frame_comes_back(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = StandardScaler().set_output(transform="pandas").fit(frame)
    loaded = again(fitted, tmp_path).transform(frame)
    pd.testing.assert_frame_equal(loaded, fitted.transform(frame))


@pytest.mark.parametrize("options", [
    {"func": np.log1p, "inverse_func": np.expm1}, {"transformer": StandardScaler()}, {},
])  # fmt: skip
def test_a_machine_of_transformed_targets_comes_back(options, tmp_path):
    m = TransformedTargetRegressor(KernelRidge(kernel=RBF(1.0)), **options).fit(X, np.exp(X[:, 0]))
    assert_array_equal(again(m, tmp_path).predict(X), m.predict(X))


def shifted(A):
    return A + 1.0


@pytest.mark.parametrize(("model", "message"), [
    (FunctionTransformer(shifted), r"\.func must be made of values; got the function or class shifted"),
    (FunctionTransformer(np.sum), r"got the function or class sum"),
    (CountVectorizer(tokenizer=str.split), r"\.tokenizer must be made of values"),
    (TfidfVectorizer(preprocessor=np.log1p), r"\.preprocessor must be made of values; got the function or class log1p"),
    (SelectKBest(lambda A, b: A[0]), r"\.score_func must be made of values"),
    (ColumnTransformer([("a", StandardScaler(), lambda frame: [0])]), r"\.transformers\[0\]\[2\] must be"),
])  # fmt: skip
def test_functions_of_the_user_are_refused_with_their_place(model, message, tmp_path):
    with pytest.raises(ModelFileError, match=message):
        mercer.save(model, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_functions_of_scikit_learn_are_known(tmp_path):
    assert again(SelectKBest(f_regression), tmp_path).score_func is f_regression


# ---- files made to do harm


def loaded_with(change, model, tmp_path):
    """The model of a file whose tree was changed, with the right checksums."""
    tree, arrays = parts(model)
    change(tree)
    (tmp_path / "m").write_bytes(forged(tree, arrays))
    return mercer.load(tmp_path / "m")


def put(key, at, value):
    """Changes one entry of a fitted attribute."""

    def change(fitted):
        (fitted[key] if isinstance(fitted[key], list) else fitted[key]["of"])[at] = value

    return change


MORE = {"is": "values", "shape": [4], "of": ["blue", "green", "red", "x"]}
ENCODERS = {
    "fewer columns": (OneHotEncoder(), put("_n_features_outs", 0, 1)),
    "more columns": (OneHotEncoder(), put("_n_features_outs", 0, 9)),
    "columns that are no number": (OneHotEncoder(), put("_n_features_outs", 0, "3")),
    "a list too short": (OneHotEncoder(), lambda f: f["_n_features_outs"].pop()),
    "no widths": (OneHotEncoder(), lambda f: f.pop("_n_features_outs")),
    "no categories": (OneHotEncoder(), lambda f: f["categories_"].pop()),
    "another category": (OneHotEncoder(), put("categories_", 0, MORE)),
    "a drop that is none": (OneHotEncoder(drop="first"), put("_drop_idx_after_grouping", 0, 99)),
    "a negative drop": (OneHotEncoder(drop="first"), put("_drop_idx_after_grouping", 0, -1)),
    "no groups": (OneHotEncoder(min_frequency=20), lambda f: f.pop("_default_to_infrequent_mappings")),
    "one group less": (OneHotEncoder(min_frequency=20), put("_default_to_infrequent_mappings", 0, None)),
    "groups switched off": (OneHotEncoder(min_frequency=20), lambda f: f.update(_infrequent_enabled=False)),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_an_encoder_that_would_write_beside_its_columns_is_refused(name, tmp_path):
    encoder, harm = ENCODERS[name]
    with pytest.raises(ModelFileError, match=" must be "):
        loaded_with(lambda tree: harm(tree["fitted"]), encoder.fit(NAMES), tmp_path)


def test_categories_that_do_not_ascend_are_refused(tmp_path):
    encoder = OneHotEncoder().fit(LEVELS)
    encoder.categories_[0] = encoder.categories_[0][::-1].copy()
    with pytest.raises(ModelFileError, match="in ascending order"):
        again(encoder, tmp_path)


@pytest.mark.parametrize("words", [["a", "a"], [1, 2], {"is": "dict", "of": [["cat", 10**9]]}, "cat", None])
def test_a_vocabulary_that_leads_outside_cannot_be_written(words, tmp_path):
    for model in (CountVectorizer().fit(TEXTS), TfidfVectorizer().fit(TEXTS)):
        with pytest.raises(ModelFileError, match="a vocabulary must be"):
            loaded_with(lambda tree: tree["fitted"].update(vocabulary_=words), model, tmp_path)


@pytest.mark.parametrize(
    "name", ["os.system", "builtins.eval", "numpy.load", "numpy.fromfile", "numpy.sum", "numpy", "", None, 3]
)
def test_only_functions_of_the_list_are_given_to_a_transformer(name, tmp_path):
    hostile = {"is": "function", "of": name}
    with pytest.raises(ModelFileError, match="a function must be one of"):
        loaded_with(lambda tree: tree["of"].update(func=hostile), FunctionTransformer(), tmp_path)


EXP = {"is": "function", "of": "numpy.exp"}


@pytest.mark.parametrize(
    "place", [lambda tree: tree["of"].update(kernel=EXP), lambda tree: tree["fitted"].update(x_=EXP)]
)
def test_functions_stand_nowhere_else(place, tmp_path):
    with pytest.raises(ModelFileError, match="a value must be one of"):
        loaded_with(place, SVC().fit(X, y), tmp_path)


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda i: type(CASES[i][0]).__name__)
def test_a_forged_transformer_is_one_or_our_error_and_its_matrices_are_sound(at, tmp_path):
    step, data = CASES[at]
    tree, arrays = parts(clone(step).fit(data, y))
    chance = random.Random(at)
    for _ in range(COUNT // len(CASES) + 1):
        found, _ = attempt(tmp_path / "m", forged(changed(tree, chance), arrays))
        if isinstance(found, (OneHotEncoder, KBinsDiscretizer, CountVectorizer)):
            made = None
            with suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = found.transform(data)
            assert not issparse(made) or made.indices.max(initial=0) < made.shape[1]
