"""What every kind of item must do: check once, be sliced, be recognised in another process."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.items import samples
from tests.items.samples import KINDS, fingerprints

from mercer.items import Vectors

kinds = pytest.mark.parametrize("name", KINDS)


def made(name):
    kind, X, _ = KINDS[name]
    return kind.check(X, "test")


@kinds
def test_check_is_idempotent(name):
    items = made(name)
    assert type(items).check(items, "test") is items


@kinds
def test_length_and_slices(name):
    items = made(name)
    assert len(items) == 3
    assert len(items[1:]) == 2
    assert len(items[:0]) == 0
    assert items[np.array([2, 0])].keys() == [items.keys()[2], items.keys()[0]]
    assert items[np.array([0, 1, 2])].fingerprint() == items.fingerprint()
    assert items[::-1].fingerprint() != items.fingerprint()


@kinds
def test_slices_are_of_the_same_kind(name):
    items = made(name)
    assert type(items[:1]) is type(items)
    assert type(items).check(items[:1], "test").keys() == items.keys()[:1]


@kinds
def test_different_content_has_another_fingerprint(name):
    kind, X, other = KINDS[name]
    assert kind.check(X, "test").fingerprint() != kind.check(other, "test").fingerprint()


def test_fingerprints_tell_the_kinds_apart():
    assert len(set(fingerprints().values())) == len(KINDS)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_fingerprints_are_the_same_in_another_process(seed):
    """With another seed of Python's hash, sets are iterated in another order."""
    done = subprocess.run(
        [sys.executable, samples.__file__],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == fingerprints()


@kinds
@pytest.mark.parametrize("other", KINDS)
def test_items_of_another_kind_are_refused_I1(name, other):
    kind, items = KINDS[name][0], made(other)
    if isinstance(items, kind):
        return
    with pytest.raises(TypeError, match=f"^test: the data must be .*{items.kind}"):
        kind.check(items, "test")


@kinds
def test_vectors_are_refused_I1(name):
    kind = KINDS[name][0]
    vectors = Vectors.check(np.eye(2), "test")
    if kind.kind == "table":  # a matrix is a table without names
        assert kind.check(vectors, "test") is vectors
        return
    with pytest.raises(TypeError, match="got vectors"):
        kind.check(vectors, "test")


@pytest.mark.parametrize("name", [name for name in KINDS if name != "table"])
@pytest.mark.parametrize(
    "X", [3, {"a": [1]}, {1, 2}, None, iter("ab")], ids=["number", "dict", "set", "none", "iterator"]
)
def test_what_is_no_list_is_refused_I1(name, X):
    with pytest.raises(TypeError, match=f"got {type(X).__name__}"):
        KINDS[name][0].check(X, "test")


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("table",)])
@pytest.mark.parametrize("X", ["abc", b"abc"])
def test_one_text_is_not_a_list_of_texts(name, X):
    with pytest.raises(TypeError, match=r"got one (str|bytes)\. Put it in a list, even for one item"):
        KINDS[name][0].check(X, "test")


@pytest.mark.parametrize("column", [3, 99, -1])
def test_a_sparse_matrix_whose_indices_lead_outside_is_refused(column):
    """SciPy builds such a matrix and follows its indices in compiled code."""
    A = csr_array((np.ones(2), np.array([0, column]), np.array([0, 1, 2])), shape=(2, 3))
    with pytest.raises(ValueError, match="X must be a sparse matrix with columns from 0 to 2"):
        Vectors.check(A, "test")
