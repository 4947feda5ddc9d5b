"""Transformers of scikit-learn in files: what is stored in another form, and what is checked before it is used.

Most hold numbers and arrays, whose shapes NumPy checks at their first use.  Some hold indices of columns that compiled
code uses without a check: a vocabulary of words, the codes of categories.  A bad index from a file would write outside
of an array.  So these indices are made again, or compared with the data that they follow from.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.files.faults import broken
from mercer.typing import Array

State = dict[str, Any]
_TEXT = "sklearn.feature_extraction.text"
_VECTORIZERS = (f"{_TEXT}.CountVectorizer", f"{_TEXT}.TfidfVectorizer")
# The functions that a file may name, and the parameters that may hold them.
FUNCTIONS = {
    "numpy": "absolute cbrt ceil cos exp exp2 expm1 floor log log10 log1p log2 negative reciprocal rint sign sin sqrt "
    "square tanh",
    "scipy.special": "expit logit",
    "sklearn.feature_selection": "chi2 f_classif f_regression mutual_info_classif mutual_info_regression r_regression",
}
HOLDERS = {
    "sklearn.compose.TransformedTargetRegressor": ("func", "inverse_func"),
    "sklearn.feature_selection.SelectKBest": ("score_func",),
    "sklearn.feature_selection.SelectPercentile": ("score_func",),
    "sklearn.preprocessing.FunctionTransformer": ("func", "inverse_func"),
}


def function_name(function: Any) -> str | None:
    """The name of a function in files; None if it has none."""
    from importlib import import_module

    name = getattr(function, "__name__", None)
    homes = (home for home, names in FUNCTIONS.items() if name in names.split())
    return next((f"{home}.{name}" for home in homes if getattr(import_module(home), str(name)) is function), None)


def named_function(name: Any) -> Callable[..., Any]:
    """The function of that name."""
    from importlib import import_module

    home, _, own = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if own not in FUNCTIONS.get(home, "").split():
        raise broken("a function", f"one of {FUNCTIONS}", repr(name))
    found: Callable[..., Any] = getattr(import_module(home), own)
    return found


# ---- what is stored


def packed(name: str, state: State) -> State:
    """The fitted attributes of a transformer of that name as they are stored."""
    if name in _VECTORIZERS:
        state = {key: value for key, value in state.items() if key != "_stop_words_id"}  # an address in memory
        words = state.get("vocabulary_")
        return state if words is None else state | {"vocabulary_": sorted(words, key=words.__getitem__)}
    if name == "sklearn.compose.ColumnTransformer" and "transformers_" in state:
        return state | {"transformers_": [(*one, _plain(columns)) for *one, columns in state["transformers_"]]}
    return state


def _plain(columns: Any) -> Any:
    """Columns of the remainder, which some versions of scikit-learn hold in a UserList."""
    return list(columns.data) if isinstance(columns, UserList) else columns


def unpacked(name: str, machine: Any) -> None:
    """Make again, or check, the stored attributes of a transformer of that name."""
    if name in _VECTORIZERS and "vocabulary_" in machine.__dict__:
        machine.vocabulary_ = _vocabulary(machine.vocabulary_)
    if name == "sklearn.preprocessing.OneHotEncoder" and "categories_" in machine.__dict__:
        _require_codes(machine)


def _vocabulary(words: Any) -> dict[str, int]:
    """{word: column}, of words in the order of their columns."""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise broken("a vocabulary", "a list of words", type(words).__name__)
    found = {word: column for column, word in enumerate(words)}
    if len(found) != len(words):
        raise broken("a vocabulary", "of different words", "a word twice")
    return found


# ---- the codes of categories


def _require_codes(encoder: Any) -> None:
    """Refuse an encoder with fewer or more columns than codes: it would write outside of its output."""
    known = encoder.__dict__
    categories = known["categories_"]
    grouped = known.get("_infrequent_enabled") is True
    groups = known.get("_default_to_infrequent_mappings") if grouped else None
    rare = known.get("_infrequent_indices") if grouped else None
    dropped, widths = known.get("_drop_idx_after_grouping"), known.get("_n_features_outs")
    lists = [widths, categories, *((groups, rare) if grouped else ())]
    if not all(isinstance(part, list) and len(part) == len(widths) for part in lists):
        raise broken("an encoder", "given by lists of one entry for each column", "others")
    if dropped is not None and not (isinstance(dropped, np.ndarray) and dropped.shape == (len(widths),)):
        raise broken("an encoder", "given one category to drop for each column, or none", "others")
    for i, width in enumerate(widths):
        codes = _codes(categories[i], groups[i] if groups else None, rare[i] if rare else None)
        drop = None if dropped is None else dropped[i]
        if drop is not None and not (isinstance(drop, (int, np.integer)) and 0 <= drop < codes):
            raise broken("a category to drop", f"below {codes}", repr(drop))
        if not isinstance(width, (int, np.integer)) or width != codes - (drop is not None):
            raise broken("the columns of an encoder", f"{codes - (drop is not None)}", repr(width))


def _codes(categories: Any, groups: Any, rare: Any) -> int:
    """The number of codes of the categories of one column; rare categories share one."""
    if not isinstance(categories, np.ndarray) or categories.ndim != 1:
        raise broken("categories", "an array", type(categories).__name__)
    if categories.dtype.kind not in "OUS" and not _ascending(categories):
        raise broken("categories that are numbers", "in ascending order", "others")
    if (groups is None) != (rare is None):
        raise broken("rare categories", "grouped", "without their groups")
    if groups is None:
        return len(categories)
    fine = isinstance(groups, np.ndarray) and groups.dtype.kind in "iu" and groups.shape == categories.shape
    if not fine or not groups.size or groups.min() < 0:
        raise broken("groups of categories", "a code for each", "others")
    return int(groups.max()) + 1


def _ascending(values: Array) -> bool:
    """Whether numbers ascend, with at most one NaN at the end."""
    gaps = np.isnan(values) if values.dtype.kind in "fc" else np.zeros(len(values), dtype=bool)
    known = values[~gaps]
    return bool(gaps.sum() <= 1 and not gaps[:-1].any() and (known[1:] > known[:-1]).all())
