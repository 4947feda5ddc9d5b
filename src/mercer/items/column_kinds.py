"""What a column of a table holds: numbers, categories, text or graphs.

numeric       every entry is a number, also where few differ: whether codes are an order or names, the file does not say
graph         every entry is a JSON object with edges, as items/graph_forms.py has it
text          strings of many words, or long ones, most of which differ
categorical   all other strings
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mercer.items.symbols import is_missing

NUMERIC, CATEGORICAL, TEXT, GRAPH = "numeric", "categorical", "text", "graph"
KINDS = (NUMERIC, CATEGORICAL, TEXT, GRAPH)
EMPTY_GRAPH = '{"n": 0, "edges": []}'
MAX_CATEGORIES = 20  # a column with no more different values than this may hold categories
_WORDS, _LENGTH = 3.0, 40.0  # of a typical text, at least one of them
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
    return TEXT if _is_text(texts) else CATEGORICAL


def is_graph(text: str) -> bool:
    """Whether a text describes a graph."""
    if not (text.lstrip().startswith("{") and '"edges"' in text):
        return False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("edges"), list)


def _is_text(values: Sequence[str]) -> bool:
    if len(set(values)) <= min(MAX_CATEGORIES, len(values) / 2):
        return False
    some = values[:: max(1, len(values) // _SAMPLE)]
    return mean_words(some) >= _WORDS or sum(map(len, some)) / len(some) >= _LENGTH


def mean_words(values: Iterable[str]) -> float:
    """How many words a typical string has."""
    counts = [len(value.split()) for value in values]
    return sum(counts) / max(len(counts), 1)
