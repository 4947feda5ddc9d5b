"""|z_i|^2 of the rows of a matrix, which may be on other machines (distributed/matrix.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.typing import Array


def is_elsewhere(Z: Any) -> bool:
    """Whether the rows are on other machines."""
    return hasattr(Z, "gathered")


def row_squares(Z: Any) -> Array:
    """|z_i|^2."""
    return np.asarray(Z.row_squares() if is_elsewhere(Z) else np.einsum("ij,ij->i", Z, Z))
