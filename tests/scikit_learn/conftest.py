"""The fixtures that scikit-learn's tests take from its own settings, and the exceptions of each file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent


@pytest.fixture
def global_random_seed() -> int:
    """The seed scikit-learn takes when none is asked for."""
    return 42


@pytest.fixture
def global_dtype() -> type:
    """The number type scikit-learn takes when none is asked for."""
    return np.float64


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test in its file's EXCEPTIONS is expected to fail, for the reason given there; theirs may fail, as there."""
    for item in (item for item in items if item.path.parent == HERE):
        for theirs in item.iter_markers("xfail"):  # a test that fails for them now and then is free to pass for us
            theirs.kwargs.setdefault("strict", False)
        reason = getattr(getattr(item, "module", None), "EXCEPTIONS", {}).get(item.name)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
