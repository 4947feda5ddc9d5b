"""svmlight: `label index:value index:value ... # comment`, sparse rows of numbers.

Column j of the matrix is index j of the file, whether the file counts from 0 or from 1.  So two files of one data set
have the same columns; a first column of zeros makes no difference to a kernel.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from mercer.errors import TableError
from mercer.tables.cells import fault, number, shown

LARGEST = 2**31 - 2
_ROW = re.compile(r"\s*[-+.\w]+(\s+qid:\d+)?(\s+\d+:[-+.\w]+)+\s*(#.*)?")


def looks_like(line: str) -> bool:
    """Whether a line of text is a row of this format."""
    return _ROW.fullmatch(line) is not None


def rows(text: str) -> tuple[Any, list[float], list[int]]:
    """(CSR matrix, labels, lines) of a text."""
    from scipy.sparse import csr_array

    labels, lines, starts = [], [], [0]
    indices: list[int] = []
    values: list[float] = []
    for line, content in enumerate(text.split("\n"), start=1):
        label, *pairs = content.partition("#")[0].split() or [""]
        if not label:
            continue
        labels.append(_finite(label, f"line {line}, label"))
        row = dict(_pair(pair, f"line {line}") for pair in pairs if not pair.startswith("qid:"))
        if len(row) < sum(not pair.startswith("qid:") for pair in pairs):
            raise fault(f"line {line}", "each index once", "one twice", "Remove or add up its values.")
        indices += sorted(row)
        values += [row[index] for index in sorted(row)]
        starts.append(len(indices))
        lines.append(line)
    if not indices:
        raise TableError("expected rows `label index:value ...`, got no values. Write one row for every item.")
    shape = (len(labels), max(indices) + 1)
    return csr_array((np.array(values), np.array(indices), np.array(starts)), shape=shape), labels, lines


def _pair(pair: str, place: str) -> tuple[int, float]:
    index, _, value = pair.partition(":")
    if not (index.isascii() and index.isdigit() and len(index) < 11 and int(index) <= LARGEST):
        raise fault(place, f"index:value with an index up to {LARGEST}", shown(pair), "Write e.g. 3:0.5.")
    return int(index), _finite(value, f"{place}, index {index}")


def _finite(text: str, place: str) -> float:
    found = number(text)
    if found is None or not math.isfinite(found):
        raise fault(place, "a number", shown(text), "Correct it, or leave it out.")
    return found
