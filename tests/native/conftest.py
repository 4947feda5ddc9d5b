"""Settings for the tests of the compiled loops."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mercer import _native, native

SOURCES = Path(__file__).parents[2] / "native"


@pytest.fixture(scope="module", params=native.available_isas())
def isa(request):
    """Each instruction set this processor has, in turn; the choice that was there before comes back at the end."""
    before = native.isa()
    native.choose_isa(request.param)
    yield request.param
    native.choose_isa(before)


@pytest.fixture(scope="session", autouse=True)
def _the_extension_is_not_older_than_its_sources():
    built = Path(_native.__file__).stat().st_mtime
    newer = [f.name for f in sorted(SOURCES.rglob("*.*")) if f.suffix in {".cpp", ".h"} and f.stat().st_mtime > built]
    assert not newer, f"the extension is older than {', '.join(newer)}: build it again with `make build`"


@pytest.fixture
def _memory_may_run_out():
    """Skips a test of std::bad_alloc where AddressSanitizer, which ends the process instead, has taken over."""
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("AddressSanitizer does not throw std::bad_alloc")
