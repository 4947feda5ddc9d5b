"""The fixtures that scikit-learn's tests take from its own settings, and the exceptions of each file."""

from __future__ import annotations

import pytest


@pytest.fixture
def global_random_seed() -> int:
    """The seed scikit-learn takes when none is asked for."""
    return 42


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test in its file's EXCEPTIONS is expected to fail, for the reason given there."""
    for item in items:
        reason = getattr(getattr(item, "module", None), "EXCEPTIONS", {}).get(item.name)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
