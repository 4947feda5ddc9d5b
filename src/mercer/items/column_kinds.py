"""What a column of a table holds: numbers, categories, text, sequences or graphs.

numeric       every entry is a number, also where few differ: whether codes are an order or names, the file does not say
graph         every entry is a JSON object with edges, as items/graph_forms.py has it
text          strings of many words, most of which differ
sequence      strings without spaces, most of which differ: long ones, letters of one case (DNA, proteins), SMILES
categorical   all other strings
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mercer.items.symbols import is_missing

NUMERIC, CATEGORICAL, TEXT, SEQUENCE, GRAPH = "numeric", "categorical", "text", "sequence", "graph"
KINDS = (NUMERIC, CATEGORICAL, TEXT, SEQUENCE, GRAPH)
EMPTY_GRAPH = '{"n": 0, "edges": []}'
MAX_CATEGORIES = 20  # a column with no more different values than this may hold categories
_WORDS, _LENGTH = 3.0, 40.0  # of a typical text, at least one of them
_ONE_WORD = 1.5  # words of a typical sequence, at most
_LETTERS = 12.0  # of a typical sequence of letters, or SMILES: names and codes are shorter
_BIOLOGICAL = re.compile(r"[A-Z]+|[a-z]+")
_SMILES = re.compile(r"[A-Za-z0-9@+\-\[\]()=#$:/\\%.*]+")
_BONDS = re.compile(r"[CcNn][()=#]")  # in most molecules, and in few codes
_SAMPLE = 2000


def kind_of(column: Any) -> str:
    """The kind of a column: an array of numbers, or a sequence of values of which None and NaN are missing."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        return NUMERIC
    given = [value for value in column if not is_missing(value)]
    if all(isinstance(value, (int, float, np.number, np.bool_)) for value in given):
        return NUMERIC
    texts = [str(value) for value in given]
    if all(is_graph(text) for text in texts):
        return GRAPH
    if not _mostly_differ(texts):
        return CATEGORICAL
    some = texts[:: max(1, len(texts) // _SAMPLE)]
    words, length = mean_words(some), sum(map(len, some)) / len(some)
    if words <= _ONE_WORD and (length >= _LENGTH or (length >= _LETTERS and _are_letters(some))):
        return SEQUENCE
    return TEXT if words >= _WORDS or length >= _LENGTH else CATEGORICAL


def is_graph(text: str) -> bool:
    """Whether a text describes a graph."""
    if not (text.lstrip().startswith("{") and '"edges"' in text):
        return False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("edges"), list)


def _mostly_differ(values: Sequence[str]) -> bool:
    return len(set(values)) > min(MAX_CATEGORIES, len(values) / 2)


def _are_letters(values: Sequence[str]) -> bool:
    """Whether all are letters of one case, or all are written like SMILES and most of them have bonds or branches."""
    if all(map(_BIOLOGICAL.fullmatch, values)):
        return len({value.islower() for value in values}) == 1
    bonds = sum(_BONDS.search(value) is not None for value in values)
    return bonds > len(values) / 2 and all(map(_SMILES.fullmatch, values))


def are_single_words(values: Iterable[str]) -> bool:
    """Whether typical strings hold no spaces: they are read letter by letter."""
    return mean_words(values) <= _ONE_WORD


def mean_words(values: Iterable[str]) -> float:
    """How many words a typical string has."""
    counts = [len(value.split()) for value in values]
    return sum(counts) / max(len(counts), 1)
