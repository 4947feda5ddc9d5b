"""What save and load promise beside equal predictions: atomic and small files, pipelines, clear refusals."""

from __future__ import annotations

import json
import os
import zipfile
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import mercer
from mercer import SVC, SVR, KernelRidge, ModelFileError
from mercer.files import archive, registry
from mercer.kernels import RBF, FeatureMap, Linear, Modulated, Pullback, Similarity

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
y = np.where(X[:, 0] + X[:, 1] > 0.0, "yes", "no")


def again(model, tmp_path):
    mercer.save(model, tmp_path / "model.mercer")
    return mercer.load(tmp_path / "model.mercer")


@pytest.mark.parametrize("link", ["probit", "cloglog"])
def test_links_that_are_not_canonical_are_saved_with_their_certificate(link, tmp_path):
    m = mercer.FeatureGLMClassifier(link=link).fit(X, y)
    loaded = again(m, tmp_path)
    np.testing.assert_array_equal(loaded.predict_proba(X), m.predict_proba(X))
    assert str(loaded.certificate_) == str(m.certificate_)


# ---- the file


def test_a_sparse_machine_keeps_only_its_vectors(tmp_path):
    Z = np.vstack([rng.normal(size=(2000, 20)) - 2.0, rng.normal(size=(2000, 20)) + 2.0])
    m = SVC(kernel="linear").fit(Z, np.repeat([0, 1], 2000))
    mercer.save(m, tmp_path / "model.mercer")
    assert len(m.support_) < 100
    assert (tmp_path / "model.mercer").stat().st_size < m.support_vectors_.nbytes + 8000 < Z.nbytes / 10


def test_words_of_documents_that_are_not_kept_are_not_in_the_file(tmp_path):
    texts = [f"good word{i}" for i in range(300)] + [f"bad word{300 + i}" for i in range(300)]
    m = SVC(kernel=mercer.parse("Bag()"), C=100.0).fit(["good", "bad", *texts], ["+", "-"] + ["+"] * 300 + ["-"] * 300)
    mercer.save(m, tmp_path / "model.mercer")
    with zipfile.ZipFile(tmp_path / "model.mercer") as inside:
        assert inside.read("model.json").count(b"word") <= len(m.support_) < 400


def test_equal_models_make_equal_files(tmp_path):
    for name in "ab":
        mercer.save(SVC().fit(X, y), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_file_is_a_zip_of_json_and_arrays_with_checksums(tmp_path):
    mercer.save(SVC().fit(X, y), tmp_path / "model.mercer")
    with zipfile.ZipFile(tmp_path / "model.mercer") as inside:
        manifest = json.loads(inside.read("manifest.json"))
        assert (manifest["format"], manifest["version"]) == ("mercer model", 1)
        assert manifest["made_with"]["mercer"] == mercer.__version__
        assert {"manifest.json", *manifest["members"]} == set(inside.namelist())
        for name, (size, checksum) in manifest["members"].items():
            assert (size, checksum) == (len(inside.read(name)), archive.digest(inside.read(name)))


@pytest.mark.parametrize("step", ["_write", "os.fsync", "os.replace"])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(step, tmp_path, monkeypatch):
    path = tmp_path / "model.mercer"
    mercer.save(Linear(), path)
    before = path.read_bytes()

    def interrupt(*args):
        if step == "_write":
            args[0].write(b"half of")
        raise KeyboardInterrupt

    monkeypatch.setattr(f"mercer.files.archive.{step}", interrupt)
    with pytest.raises(KeyboardInterrupt):
        mercer.save(RBF(), path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.mercer"]
    assert mercer.load(path) == Linear()


def test_a_link_to_a_file_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "model.mercer")
    mercer.save(RBF(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert mercer.load(tmp_path / "model.mercer") == RBF()


def test_a_missing_file_or_folder_is_the_systems_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        mercer.load(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        mercer.save(RBF(), tmp_path / "none" / "model.mercer")


def test_a_model_that_cannot_be_saved_leaves_no_file(tmp_path):
    with pytest.raises(ModelFileError):
        mercer.save(SVC(kernel=lambda A, B: A @ B.T), tmp_path / "model.mercer")
    assert os.listdir(tmp_path) == []


# ---- versions and strangers


def test_a_newer_format_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "VERSION", 7)
    mercer.save(RBF(), tmp_path / "model.mercer")
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match=r"model\.mercer: the format .* version 1; got version 7.*install"):
        mercer.load(tmp_path / "model.mercer")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", os.urandom(500), b"\x80\x04\x95."], ids=range(5))
def test_a_file_that_is_no_zip_is_refused_in_a_sentence(content, tmp_path):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ModelFileError, match=r"x: the file must be one that mercer\.save has written; got"):
        mercer.load(tmp_path / "x")


def test_a_zip_of_something_else_is_refused_in_a_sentence(tmp_path):
    with zipfile.ZipFile(tmp_path / "x", "w") as inside:
        inside.writestr("../../etc/passwd", "root")
    with pytest.raises(ModelFileError, match=r"got a zip without manifest\.json"):
        mercer.load(tmp_path / "x")
    assert os.listdir(tmp_path) == ["x"]


# ---- pipelines


def test_names_of_columns_come_back(tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=list("abcd"))
    m = make_pipeline(StandardScaler(), SVC()).fit(table, y)
    loaded = again(m, tmp_path)
    assert loaded[0].feature_names_in_.tolist() == list("abcd")
    assert_array_equal(loaded.predict(table), m.predict(table))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(table[list("dcba")])


def test_a_process_with_a_kernel_of_scikit_learn_comes_back(tmp_path):
    from sklearn.gaussian_process import kernels

    k = 1.5 * kernels.RBF(2.0) + kernels.WhiteKernel(0.1)
    m = mercer.GaussianProcessRegressor(kernel=k).fit(X, X[:, 0] + np.random.default_rng(0).normal(size=len(X)))
    loaded = again(m, tmp_path)
    assert loaded.kernel_ == m.kernel_
    assert_allclose(loaded.predict(X, return_std=True), m.predict(X, return_std=True), rtol=1e-12)


def test_a_dict_of_models_and_plain_values_is_a_model(tmp_path):
    found = again({"model": SVC().fit(X, y), "target": "class", "columns": ["a", "b"]}, tmp_path)
    assert (found["target"], found["columns"]) == ("class", ["a", "b"])
    assert found["model"].predict(X).shape == (60,)


# ---- what cannot be saved


def double(A):
    return 2 * A


@pytest.mark.parametrize(("model", "message"), [
    (SVC(kernel=lambda A, B: A @ B.T), r"SVC.*\.kernel must be made of values; got the function or class <lambda>"),
    (SVC(kernel=FeatureMap(np.sin)), r"\.kernel must be .* got FeatureMap\. Functions"),
    (SVR(kernel=2.0 * Similarity(np.dot)), r"\.terms|\.kernel.* got Similarity"),
    (Pullback(RBF(), double), "got Pullback"),
    (Modulated(RBF(), np.sum), "got Modulated"),
    (make_pipeline(FunctionTransformer(double), SVC()), r"\.steps\[0\]\[1\].*\.func must be made of values.* double"),
    (SVC(kernel=np.exp), r"\.kernel must be made of values; got the function or class exp"),
    (make_pipeline(StandardScaler(), RandomForestClassifier()), "got RandomForestClassifier"),
    (SVC(random_state=np.random.RandomState(0)), r"\.random_state must be .* got RandomState"),
    (SVC, r"got the function or class SVC"),
    (2**64, "an integer of 64 bits"),
    (Counter("a"), "got Counter"),
    (np.ma.masked_array([1.0], [True]), "a plain array"),
    (np.zeros(2, dtype=[("a", "f8")]), r"an array must be of numbers, text or dates; got dtype"),
])  # fmt: skip
def test_what_cannot_be_saved_is_named_with_its_place_and_a_cure(model, message, tmp_path):
    with pytest.raises(ModelFileError, match=message) as found:
        mercer.save(model, tmp_path / "model.mercer")
    assert str(found.value).endswith(".")


def test_a_search_says_to_save_its_best_machine(tmp_path):
    search = GridSearchCV(KernelRidge(), {"alpha": [0.1, 1.0]}, cv=2).fit(X, X[:, 0])
    with pytest.raises(ModelFileError, match=r"got the search GridSearchCV\. Save its best_estimator_\."):
        mercer.save(search, tmp_path / "model.mercer")
    assert_array_equal(again(search.best_estimator_, tmp_path).predict(X), search.predict(X))


def test_an_endless_list_is_refused(tmp_path):
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ModelFileError, match="nested at most 100 deep"):
        mercer.save(endless, tmp_path / "model.mercer")


@pytest.mark.parametrize("former", sorted(registry._FORMER))
def test_names_in_files_of_earlier_versions_find_their_classes(former):
    assert registry.name_of(registry.named(former)) == registry._FORMER[former]
