"""What is a Dask collection, asked without importing Dask."""

from __future__ import annotations

import sys
from typing import Any


def is_spread(X: Any) -> bool:
    """Whether X is a Dask array, frame or series: it can only be one if somebody has imported Dask."""
    if "dask" not in sys.modules or not hasattr(X, "__dask_graph__"):
        return False
    from dask.base import is_dask_collection

    return bool(is_dask_collection(X))


def is_frame(X: Any) -> bool:
    """Whether a Dask collection is a frame or a series."""
    return hasattr(X, "map_partitions")
