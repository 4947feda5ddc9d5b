"""Names of a package that load on first use, so that a program waits only for the modules it needs.

if TYPE_CHECKING:
    from mercer.kernels.radial import RBF, Matern
else:
    __getattr__, __dir__ = on_first_use(__name__, {"radial": "RBF Matern"})
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_first_use(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions __getattr__ and __dir__ of a package; `names` has those of each of its modules."""
    home = {name: f"{package}.{module}" for module, some in names.items() for name in some.split()}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home})

    return get, listed
