"""scikit-learn's own test files with our classes in the place of theirs.

A test that cannot hold for us stands in the file's EXCEPTIONS with its reason: a private attribute of theirs, the
wording of a message, a deprecation of their own.  It is then expected to fail, and an exception that passes is a
failure, so that the list is never longer than it must be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

import mercer

MOST = 0.1  # the largest share of a file that may be excepted


@contextmanager
def in_place(home: str, names: Sequence[str]) -> Iterator[None]:
    """While this lasts, the module `home` of scikit-learn offers our classes of these names."""
    theirs = import_module(home)
    with ExitStack() as stack:
        for name in names:
            stack.enter_context(patch.object(theirs, name, getattr(mercer, name)))
        yield


def borrow(tests: str, home: str, *names: str) -> dict[str, Any]:
    """What the test module `tests` defines when our classes of these names stand in `home`; its tests see them too."""
    with in_place(home, names):
        defined = vars(_run(tests))

    @pytest.fixture(autouse=True)
    def ours_in_place() -> Iterator[None]:
        with in_place(home, names):
            yield

    kept = {name: value for name, value in defined.items() if not name.startswith("__")}
    return {**kept, "ours_in_place": ours_in_place, "pytestmark": pytest.mark.filterwarnings("default")}


def few(request: pytest.FixtureRequest, exceptions: Mapping[str, str]) -> None:
    """At most a tenth of the file is excepted, and every exception is the name of a test."""
    tests = {item.name for item in request.session.items if item.module is request.module}
    unknown = exceptions.keys() - tests
    assert not unknown, f"no such tests: {sorted(unknown)}"
    assert len(exceptions) <= MOST * (len(tests) - 1), f"{len(exceptions)} of {len(tests) - 1} tests are excepted"


def _run(tests: str) -> ModuleType:
    """A fresh copy of a module, which `import` would take from its store."""
    spec = find_spec(tests)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
