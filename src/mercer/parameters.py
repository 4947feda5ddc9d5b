"""Hyper-parameters: from a kernel's fields to one free vector theta, and back.

A kernel declares a field with `hyper(default, transform)`.  The field holds a number, a tuple of numbers
(one per column), or either of them marked:

    RBF(1.5)                       free, with the bounds the kernel declares
    RBF(Fixed(1.5))                never tuned
    RBF(Bounded(1.5, 0.1, 10.0))   free between 0.1 and 10

A transform is an object, so that dK/dp and dK/dtheta cannot be confused: kernels differentiate in p, and
`pull` makes that the derivative in theta.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

Number = float | tuple[float, ...]


@dataclass(frozen=True, repr=False)
class Fixed:
    """A hyper-parameter that is never tuned."""

    value: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_number("Fixed", "value", self.value))

    def __repr__(self) -> str:
        return f"Fixed({self.value!r})"


@dataclass(frozen=True, repr=False)
class Bounded:
    """A hyper-parameter that is tuned between `low` and `high`."""

    value: Number
    low: float
    high: float

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            object.__setattr__(self, name, as_number("Bounded", name, getattr(self, name)))
        p, numbers = np.asarray(self.value), not isinstance(self.low, tuple) and not isinstance(self.high, tuple)
        if not (numbers and self.low < self.high and np.all((self.low <= p) & (p <= self.high))):
            raise bad("Bounded", "value", f"between low = {self.low} and high = {self.high}", self.value,
                      "Give low < high with the value inside.")  # fmt: skip

    def __repr__(self) -> str:
        return f"Bounded({self.value!r}, {self.low!r}, {self.high!r})"


Parameter = float | tuple[float, ...] | Fixed | Bounded


class Log:
    """p > 0, free as theta = log p."""

    rule = "a positive number"

    @staticmethod
    def allows(p: Array) -> bool:
        return bool(np.all(p > 0.0))

    @staticmethod
    def theta(p: Array) -> Array:
        return np.asarray(np.log(p))

    @staticmethod
    def value(theta: Array) -> Array:
        return np.asarray(np.exp(theta))

    @staticmethod
    def pull(dp: Array, p: Array) -> Array:
        """dp/dtheta = p."""
        return dp * p


class LogOrZero(Log):
    """p >= 0, free as theta = log p when positive; zero is a choice, not a limit, and stays."""

    rule = "a number >= 0"

    @staticmethod
    def allows(p: Array) -> bool:
        return bool(np.all(p >= 0.0) and np.all(np.isfinite(p)))


class Real:
    """Any real p, free as itself."""

    rule = "a finite number"

    @staticmethod
    def allows(p: Array) -> bool:
        return bool(np.all(np.isfinite(p)))

    @staticmethod
    def theta(p: Array) -> Array:
        return np.asarray(p, dtype=float)

    @staticmethod
    def value(theta: Array) -> Array:
        return np.asarray(theta)

    @staticmethod
    def pull(dp: Array, p: Array) -> Array:
        """dp/dtheta = 1."""
        return dp


class UnitInterval:
    """0 < p <= 1, free as theta = log(p / (1 - p)); 1 is a choice, not a limit, and stays."""

    rule = "above 0 and at most 1"

    @staticmethod
    def allows(p: Array) -> bool:
        return bool(np.all((p > 0.0) & (p <= 1.0)))

    @staticmethod
    def theta(p: Array) -> Array:
        return np.asarray(np.log(p) - np.log1p(-p))

    @staticmethod
    def value(theta: Array) -> Array:
        return np.asarray(1.0 / (1.0 + np.exp(-np.asarray(theta))))

    @staticmethod
    def pull(dp: Array, p: Array) -> Array:
        """dp/dtheta = p (1 - p)."""
        return dp * p * (1.0 - p)


@dataclass(frozen=True)
class Hyper:
    """What a kernel class says of one hyper-parameter: its transform, default bounds, one number or many."""

    transform: Any
    low: float
    high: float
    vector: bool


def hyper(default: Any, transform: Any = Log, *, low: float = 1e-5, high: float = 1e5, vector: bool = False) -> Any:
    """A dataclass field that is a hyper-parameter; `vector` allows one value per column."""
    return dataclasses.field(default=default, metadata={"hyper": Hyper(transform, low, high, vector)})


def as_number(owner: str, name: str, p: Any) -> Number:
    """A float, or a tuple of floats; the same object when it already is one, so that `clone` is an identity."""
    if type(p) is float or (type(p) is tuple and p and all(type(v) is float for v in p)):
        return p
    try:
        values = np.asarray(p)
    except ValueError:  # ragged lists
        values = np.empty(0)
    if values.dtype.kind in "fiu" and values.ndim == 0:
        return float(values)
    if values.dtype.kind in "fiu" and values.ndim == 1 and values.size:
        return tuple(float(v) for v in values)
    raise bad(owner, name, "a number, or a sequence of numbers", repr(p), "Pass a float or one float per column.")


def value(p: Parameter) -> Any:
    """The number (float) or numbers (array) a parameter stands for, without its mark."""
    bare = p.value if isinstance(p, (Fixed, Bounded)) else p
    return np.asarray(bare) if isinstance(bare, tuple) else bare


def with_value(p: Parameter, new: Array) -> Parameter:
    """The same parameter, mark kept, at a new value."""
    bare: Number = float(new) if np.ndim(new) == 0 else tuple(float(v) for v in new)
    return dataclasses.replace(p, value=bare) if isinstance(p, (Fixed, Bounded)) else bare


def hypers(kernel: Any) -> Iterator[tuple[str, Hyper]]:
    """(field name, Hyper) of a kernel's own hyper-parameters, in declaration order."""
    for field in dataclasses.fields(kernel):
        if "hyper" in field.metadata:
            yield field.name, field.metadata["hyper"]


def check(kernel: Any) -> None:
    """Put a kernel's hyper-parameters into normal form and refuse what their transforms do not allow."""
    owner = type(kernel).__name__
    for name, spec in hypers(kernel):
        given = getattr(kernel, name)
        if not isinstance(given, (Fixed, Bounded)):
            given = as_number(owner, name, given)
            object.__setattr__(kernel, name, given)
        p = np.asarray(value(given))
        if p.ndim and not spec.vector:
            raise bad(owner, name, "one number", f"{p.size} numbers", "Pass a single number.")
        if np.isnan(p).any() or not spec.transform.allows(p):
            many = " (or one per column)" if spec.vector else ""
            raise bad(owner, name, spec.transform.rule + many, given, _cure(kernel, name))
        if isinstance(given, Bounded) and np.isnan(_ends(spec, given)).any():
            raise bad(owner, f"the bounds of {name}", f"within the range of {spec.transform.rule}",
                      f"{given.low} and {given.high}", f"{spec.low} and {spec.high} are the default.")  # fmt: skip


def _cure(kernel: Any, name: str) -> str:
    """What to pass instead of a value that is not allowed: the default, if there is one."""
    default = type(kernel).__dataclass_fields__[name].default
    return "Pass a number in this range." if default is dataclasses.MISSING else f"{name}={default!r} is the default."


def _ends(spec: Hyper, p: Bounded | Hyper) -> Array:
    """[low, high] in theta; infinite where there is no such bound."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(spec.transform.theta(np.array([p.low, p.high])))


@dataclass(frozen=True)
class Slot:
    """One free hyper-parameter of a kernel and its piece of theta.

    Entries at a value that theta cannot hold (0, or a lengthscale of inf) are a choice and stay as they are.
    """

    owner: Any
    name: str
    spec: Hyper

    @property
    def parameter(self) -> Parameter:
        found: Parameter = getattr(self.owner, self.name)
        return found

    @property
    def numbers(self) -> Array:
        return np.atleast_1d(np.asarray(value(self.parameter), dtype=float))

    @property
    def free(self) -> Array:
        """Which entries are tuned."""
        if isinstance(self.parameter, Fixed):
            return np.zeros(self.numbers.size, dtype=bool)
        with np.errstate(divide="ignore"):
            return np.asarray(np.isfinite(self.spec.transform.theta(self.numbers)))

    @property
    def theta(self) -> Array:
        return np.asarray(self.spec.transform.theta(self.numbers[self.free]))

    @property
    def bounds(self) -> Array:
        """(size, 2): low and high in theta."""
        p = self.parameter
        return np.tile(_ends(self.spec, p if isinstance(p, Bounded) else self.spec), (int(self.free.sum()), 1))

    @property
    def names(self) -> list[str]:
        """A name for every entry of theta, e.g. `RBF.lengthscale[2]`."""
        stem, free = f"{type(self.owner).__name__}.{self.name}", self.free
        return [f"{stem}[{j}]" if len(free) > 1 else stem for j in np.flatnonzero(free)]

    def at(self, theta: Array) -> Parameter:
        """The parameter, mark and fixed entries kept, at a new theta."""
        numbers, p = self.numbers, self.parameter
        numbers[self.free] = self.spec.transform.value(theta)
        if isinstance(p, Bounded):  # theta at a bound may come back a rounding beyond it
            inside = np.clip(numbers, p.low, p.high)
            numbers = np.where(np.isclose(numbers, inside, rtol=1e-12, atol=0.0), inside, numbers)
        many = isinstance(value(self.parameter), np.ndarray)
        return with_value(self.parameter, numbers if many else numbers[0])

    def pull(self, dp: Any) -> Array:
        """The derivative in theta from the derivative in p."""
        dp, p, free = np.atleast_1d(np.asarray(dp, dtype=float)), self.numbers, self.free
        return np.asarray(self.spec.transform.pull(dp[free], p[free]))


def slots(kernel: Any) -> list[Slot]:
    """The free hyper-parameters among a kernel's own fields (not its children's), in declaration order."""
    found = [Slot(kernel, name, spec) for name, spec in hypers(kernel)]
    return [slot for slot in found if slot.free.any()]
