"""The table of `mercer compare` without DATA: two classes in a plane that overlap and that no line separates.

Each class is a mixture of ten Gaussians around its own fixed centres.
"""

from __future__ import annotations

import numpy as np

from mercer.items.column_kinds import CATEGORICAL, NUMERIC
from mercer.tables import Table

NAME = "mixture (built in)"
ROWS, CENTRES, DEVIATION = 800, 10, 0.35
CLASSES = {"blue": (1.0, 0.0), "orange": (0.0, 1.0)}  # the middle of the centres of each


def mixture(random_state: int = 12) -> Table:
    """Columns x1, x2 and class."""
    rng = np.random.default_rng(random_state)
    parts = []
    for middle in CLASSES.values():
        centres = rng.normal(middle, 1.0, size=(CENTRES, 2))
        own = centres[rng.integers(0, CENTRES, ROWS // 2)]
        parts.append(own + DEVIATION * rng.normal(size=own.shape))
    X, labels = np.vstack(parts), np.repeat(np.array(list(CLASSES), dtype=object), ROWS // 2)
    order = rng.permutation(ROWS)
    columns = {"x1": X[order, 0], "x2": X[order, 1], "class": labels[order]}
    return Table(NAME, columns, {"x1": NUMERIC, "x2": NUMERIC, "class": CATEGORICAL})
