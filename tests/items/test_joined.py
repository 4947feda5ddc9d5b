"""Two datasets of one kind as one, for every kind of item (I1)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from mercer.items import PointLists, Rankings, Sets, Strings, Table, Vectors
from mercer.items.joined import joined

rng = np.random.default_rng(0)
X = rng.normal(size=(6, 3))
words = ["a", "bc", "d", "ef", "g", "hi"]
DATA = {
    "vectors": Vectors.check(X, "test"),
    "sparse": Vectors.check(csr_matrix(X), "test"),
    "strings": Strings.check(words, "test"),
    "packed sets": Sets.check(X > 0, "test"),
    "points": PointLists.check([X[:2], X[:0], X[1:4], X, X[3:], X[:1]], "test"),
    "rankings": Rankings.check([rng.permutation(4) for _ in words], "test"),
    "table": Table.check({"word": words, "size": X[:, 0]}, "test"),
}


@pytest.mark.parametrize("items", DATA.values(), ids=DATA)
def test_the_parts_joined_are_the_whole(items):
    again = joined(items[:4], items[4:])
    assert type(again) is type(items)
    assert again.fingerprint() == items.fingerprint()


def test_unlike_data_are_not_joined():
    with pytest.raises(TypeError, match="vectors like those before; got strings"):
        joined(DATA["vectors"], DATA["strings"])
    with pytest.raises(TypeError, match="columns"):
        joined(DATA["table"], Table.check({"other": words}, "test"))
