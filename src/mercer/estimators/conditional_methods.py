"""Methods that a machine has with certain options only, and whose absence says with which.

scikit-learn's available_if gives the same, but its message leaves out the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any


def available_unless(lack: Callable[[Any], str]) -> Callable[[Callable[..., Any]], Any]:
    """A method that is there if lack(machine) is ""; where it is not, that tells what the machine lacks."""
    return lambda method: Conditional(method, lack)


class Conditional:
    """A method, and what tells why a machine lacks it."""

    def __init__(self, method: Callable[..., Any], lack: Callable[[Any], str]) -> None:
        self.method, self.lack = method, lack
        update_wrapper(self, method)  # type: ignore[arg-type]

    def with_method(self, method: Callable[..., Any]) -> Conditional:
        """Another method under the same condition."""
        return Conditional(method, self.lack)

    def __get__(self, machine: Any, owner: type) -> Any:
        if machine is None:
            return self.method
        lack = self.lack(machine)
        if lack:
            raise AttributeError(f"This {owner.__name__!r} has no attribute {self.method.__name__!r}: {lack}")
        return MethodType(self.method, machine)
