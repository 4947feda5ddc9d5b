"""Counts of keys in groups, and codes for keys, against Python's Counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.native.refusals import refuses

from mercer.native import tally


def some_keys(seed, shape):
    """Keys of which many are equal, near 0 and all over the range."""
    rng = np.random.default_rng(seed)
    few = np.concatenate([rng.integers(-(2**63), 2**63 - 1, 5), np.arange(-2, 3)])
    return few[rng.integers(0, len(few), shape)]


@given(seed=st.integers(0, 10**6), rows=st.integers(0, 3), lengths=st.lists(st.integers(0, 40), max_size=6))
def test_tally(isa, seed, rows, lengths):
    ends = np.cumsum([0, *lengths], dtype=np.int64)
    keys = some_keys(seed, (rows, int(ends[-1])))
    found, counts, out = np.zeros(keys.size, np.int64), np.zeros(keys.size), np.zeros(len(ends), np.int64)
    tally.tally(keys, ends, found, counts, out)
    for g in range(len(lengths)):
        expected = Counter(keys[:, ends[g] : ends[g + 1]].ravel().tolist())
        part = slice(out[g], out[g + 1])
        assert list(zip(found[part].tolist(), counts[part].tolist(), strict=True)) == list(expected.items())


@given(seed=st.integers(0, 10**6), n=st.integers(0, 60), m=st.integers(0, 60))
def test_codes_and_their_keys(isa, seed, n, m):
    keys, others = some_keys(seed, n), some_keys(seed + 1, m)
    code, different = np.zeros(n, np.int32), np.zeros(n, np.int64)
    count = tally.codes(keys, code, different)
    assert different[:count].tolist() == list(dict.fromkeys(keys.tolist()))
    assert different[code].tolist() == keys.tolist()
    found = np.zeros(m, np.int32)
    tally.look_up(others, different[:count].copy(), found)
    place = {key: i for i, key in enumerate(different[:count].tolist())}
    assert found.tolist() == [place.get(key, -1) for key in others.tolist()]


def test_wrong_arguments_are_named():
    whole, counts, ends = np.arange(4), np.zeros(4), np.array([0, 1, 2])
    arguments = {"keys": whole.reshape(2, 2), "ends": ends, "out_keys": whole, "out_counts": counts, "out_ends": ends}
    refuses(tally.tally, arguments, {"out_keys", "out_counts", "out_ends"}, free={"keys", "ends"})
    with pytest.raises(ValueError, match=r"^tally: ends must be ascending"):
        tally.tally(**arguments | {"ends": np.array([0, 5, 2])})
    code = np.zeros(4, np.int32)
    refuses(tally.codes, {"keys": whole, "code": code, "different": whole}, {"code", "different"}, free={"keys"})
    refuses(tally.look_up, {"keys": whole, "different": whole, "code": code}, {"code"}, free={"keys", "different"})
