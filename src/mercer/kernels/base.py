"""Kernel: a small value that can be evaluated, composed, differentiated and checked.

People call `k(X, Y)`.  Engines call `prepare` once per dataset, and then ask for tiles of the Gram from slices A and B
of what it returned; they do so through kernels/checked_values.py, which refuses values that are not finite.

A kernel is a subclass with the decorator `kernel`, which makes it a frozen dataclass; its fields are its parameters
(`mercer.parameters.hyper` declares one that can be tuned).  It overrides

required
    block(A, B)                     one tile, k(a_i, b_j) for all pairs, as a new array

its data
    items = Strings                 the kind of item it understands (mercer/items); by default vectors
    prepare_in(X, frame, pool)      returns the prepared data, after all work that is linear in n; by default X itself
    learned = True                  its values depend on the first dataset; k(X, Y) is then refused, k.fit(X) needed

what is known of it
    psd = True                      positive semi-definite by a theorem; False: known not to be; None: unknown (default)
    psd_reason = "..."              that theorem in words, as `mercer.theory.proof` and `explain-kernel` print it
    feature_map(X)                  phi with k(x, y) = <phi(x), phi(y)>, if it is finite-dimensional
    dimension(D)                    how many features that is on D columns of numbers, without computing them
    stationary = True               k(x, y) depends on x - y only
    isotropic = True                k(x, y) depends on |x - y| only
    bound = 1.0                     |k(x, y)| is at most this; without a bound, values are checked for overflow
    textual = False                 cannot be written as text, because it holds a function or data

speed and accuracy; the defaults are correct, and slower
    costly = True                   one value takes microseconds or more: tiles are small, so that cores share few items
    diag(A)                         k(a_i, a_i); by default from n tiles of one pair
    parameter_gradients(A, B, W)    derivatives in its hyper-parameters; by default central differences
    input_vjp(A, B, W, X)           derivative in the items, if they are vectors; by default central differences
    value_and_vjp(A, B, W)          the weighted sum and its derivative, where both need the same work
    jvp_products(A, B, V)           products of the Gram and of its derivatives with vectors; None by default
    distance_of_rows(S)             k(x,x) + k(y,y) - 2 k(x,y) from S = |a - b|^2 of prepared rows; None by default

kernels made of kernels (composite.py has the bases `Nary` and `Unary`)
    children, with_children(...)    the kernels inside, and the same node over other ones
    vjp(A, B, W)                    `own_vjp` followed by what the children return

Families need less: a subclass of `Radial` (radial.py) or `Dot` (dot.py) gives a function of one number and its
derivative.

Prepared data are an object of any type with `len(A)`, `A[index]` for a slice or an array of positions, and `A.frame`.
Make it a dataclass: for solvers that work in float32 all its float64 arrays are rounded, field by field, except for
the fields with these two names:

    frame    what the kernel took from the first dataset, so that others are measured alike: a centre, a vocabulary, idf
             weights; None if there is nothing.  `prepare_in` gets it with every later dataset.  Unless the kernel says
             `learned = True`, it may change speed and rounding only, not values.
    memo     a dict of results computed from this very object, such as a tile of distances that several kernels need.
             Slices start with an empty one.

`pool` is a dict that lives as long as one call of `prepare`, for what kernels of one expression share: the rows of
RBF() + Matern() are made once.  Keys hold id(X), so put X into the pool as well, to keep it alive.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self, TypeVar, dataclass_transform

import numpy as np

from mercer import parameters
from mercer.engine import fill
from mercer.engine.tiles import COSTLY_SIDE
from mercer.errors import bad, wrong_kind
from mercer.items import Items, Vectors
from mercer.kernels import central_differences
from mercer.kernels.checked_values import Where, diagonal, tile
from mercer.kernels.prepared_rows import same_width
from mercer.parameters import Slot
from mercer.typing import Array, Prepared

Pool = dict[Any, Any]
T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def kernel(cls: type[T]) -> type[T]:
    """Decorator of kernel classes: a frozen dataclass that prints as the expression that makes it."""
    return dataclasses.dataclass(frozen=True, repr=False)(cls)


def _is_made(cls: type) -> bool:
    """Whether a class is a dataclass, with all the hyper-parameters that it declares."""
    if "__dataclass_fields__" in vars(cls):
        return True
    fields_left = any(isinstance(member, dataclasses.Field) for member in vars(cls).values())
    return dataclasses.is_dataclass(cls) and not fields_left


class Kernel:
    """k(x, y) on one kind of item."""

    psd: bool | None = None
    """True: positive semi-definite by a theorem; False: known not to be; None: unknown."""
    psd_reason: str = "declared by its author"
    """The theorem in words, where `psd` is True."""
    items: type[Items] = Vectors
    learned: bool = False
    stationary: bool = False
    isotropic: bool = False
    costly: bool = False  # one value takes microseconds or more
    infix: bool = False  # prints as an expression of operators
    bound: float = np.inf  # |k(x, y)| is at most this, for all items ...
    finite: bool = False  # ... or it is finite for all of them, as `block` and `diag` see to
    textual: bool = True  # can be written down in the grammar of kernels/grammar.py
    __array_ufunc__ = None  # array * kernel calls our __rmul__, instead of making an array of kernels

    def __new__(cls, *fields: Any, **named: Any) -> Self:
        if not _is_made(cls):
            raise TypeError(f"{cls.__name__}: a class of kernels must have the decorator mercer.kernels.kernel; got "
                            f"one without it. Write @kernel above `class {cls.__name__}`.")  # fmt: skip
        return super().__new__(cls)

    def __post_init__(self) -> None:
        parameters.check(self)

    # ---- what engines call

    def bound_on(self, A: Any, B: Any) -> float:
        """What |k(a_i, b_j)| is at most, for these prepared items; inf if that cannot be told without a tile."""
        return self.bound

    def check(self, X: Any) -> Items:
        """X as items of this kernel's kind."""
        kind = self.items
        return X if isinstance(X, kind) else kind.check(X, type(self).__name__)

    def prepare(self, X: Any, frame: Any = None) -> Any:
        """Validate X and do all work that is linear in n; `frame` comes from an earlier prepared dataset."""
        return self.prepare_in(self.check(X), frame, {})

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Any:
        """`prepare` on checked items; kernels of one expression share what they put into `pool`."""
        return X

    def block(self, A: Any, B: Any) -> Array:
        """One tile k(a_i, b_j) as a new array, from prepared slices."""
        raise NotImplementedError(f"{type(self).__name__} must define block(A, B) -> (len(A), len(B))")

    def diag(self, A: Any) -> Array:
        """k(a_i, a_i)."""
        one = [self.block(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(len(A))]
        return np.array(one) if one else np.empty(0)

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        """d/dtheta of sum_ij W_ij k(a_i, b_j), for the free hyper-parameters in the order of `theta`."""
        return self.own_vjp(A, B, W)

    def own_vjp(self, A: Any, B: Any, W: Array) -> Array:
        """The part of `vjp` that belongs to this kernel's own fields, without its children's."""
        return self.in_theta(self.parameter_gradients(A, B, W)) if parameters.slots(self) else np.empty(0)

    def in_theta(self, derivatives: dict[str, Any]) -> Array:
        """Derivatives in this kernel's own hyper-parameters as derivatives in theta, of the free ones only."""
        return np.concatenate([slot.pull(derivatives[slot.name]) for slot in parameters.slots(self)] or [np.empty(0)])

    def value_and_vjp(self, A: Any, B: Any, W: Array) -> tuple[float, Array]:
        """sum_ij W_ij k(a_i, b_j), and its `vjp`."""
        return float(np.sum(W * self.block(A, B))), self.vjp(A, B, W)

    def distance_of_rows(self, S: Array) -> Array | None:
        """k(x,x) + k(y,y) - 2 k(x,y) as a growing function of S = |a - b|^2 of prepared rows; None if it is none."""
        return None

    def jvp_products(self, A: Any, B: Any, V: Array) -> Array | None:
        """K V and (dK/dtheta_j) V for every j, (1 + p, len(A), q), from one tile; None without a closed form."""
        return None

    def parameter_gradients(self, A: Any, B: Any, W: Array) -> dict[str, Any]:
        """{hyper-parameter: derivative of sum_ij W_ij k(a_i, b_j) in it}; by default central differences."""
        return central_differences.in_parameters(self, A, B, W)

    def input_vjp(self, A: Any, B: Any, W: Array, X: Array) -> Array:
        """(len(A), D): d/dx_i of sum_j W_ij k(x_i, b_j), where A was prepared from the rows of X; by differences."""
        return central_differences.in_items(self, A, B, W, X)

    # ---- what people call

    def __call__(self, X: Any, Y: Any = None, *, frame: Any = None) -> Array:
        """The Gram matrix k(X, Y), or k(X, X) when Y is left out."""
        if self.learned and Y is not None and frame is None:
            raise bad(type(self).__name__, "frame", "given for a kernel that learns from a dataset", "none",
                      "Use k.fit(train) and call the kernel it returns.")  # fmt: skip
        return gram_of(self, *prepare_pair(self, X, Y, frame))

    def fit(self, X: Any) -> Kernel:
        """This kernel bound to what it learns from X (itself when there is nothing to learn)."""
        if not self.learned:
            return self
        from mercer.kernels.fitted import Fitted

        return Fitted(self, self.prepare(X).frame)

    def feature_map(self, X: Any) -> Any:
        """phi(X) with k(x, y) = <phi(x), phi(y)>, one row per item, when it is finite-dimensional."""
        raise NotImplementedError(
            f"{self!r} has no finite feature map. Use mercer.theory.mercer_map for one that holds on given items."
        )

    def dimension(self, D: int) -> int | None:
        """How many features `feature_map` has on D columns of numbers; None if infinitely many, or not known."""
        return None

    @property
    def theta(self) -> Array:
        """The free hyper-parameters, transformed, in one vector."""
        return np.concatenate([slot.theta for slot in self.slots()] or [np.empty(0)])

    @property
    def bounds(self) -> Array:
        """(len(theta), 2): the bounds of theta."""
        return np.concatenate([slot.bounds for slot in self.slots()] or [np.empty((0, 2))])

    def with_theta(self, theta: Array) -> Self:
        """This kernel at other free hyper-parameters."""
        theta = np.asarray(theta, dtype=float)
        if theta.shape != self.theta.shape:
            raise bad(type(self).__name__, "theta", f"{self.theta.size} numbers", f"shape {theta.shape}",
                      "One entry per free hyper-parameter; see k.theta_names.")  # fmt: skip
        return self._at(theta)

    @property
    def theta_names(self) -> list[str]:
        """A name for every entry of theta, e.g. `RBF.lengthscale[2]`."""
        return [name for slot in self.slots() for name in slot.names]

    def slots(self) -> list[Slot]:
        """The free hyper-parameters of this kernel and then of its children."""
        return parameters.slots(self) + [slot for child in self.children for slot in child.slots()]

    @property
    def children(self) -> tuple[Kernel, ...]:
        """The kernels this one is made of."""
        return ()

    def with_children(self, children: tuple[Kernel, ...]) -> Self:
        """The same node over other children."""
        return self

    def _at(self, theta: Array) -> Self:
        new, start = {}, 0
        for slot in parameters.slots(self):
            size = slot.theta.size
            new[slot.name] = slot.at(theta[start : start + size])
            start += size
        children = []
        for child in self.children:
            size = child.theta.size
            children.append(child._at(theta[start : start + size]))
            start += size
        moved = dataclasses.replace(self, **new) if new else self  # type: ignore[type-var]
        return moved.with_children(tuple(children)) if children else moved

    # ---- the scikit-learn way of naming parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The fields; with `deep` also those of the children, as k1__name, k2__name, ..."""
        params = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]
        for i, child in enumerate(self.children if deep else (), start=1):
            params |= {f"k{i}__{name}": value for name, value in child.get_params().items()}
        return params

    def __sklearn_clone__(self) -> Self:
        """What scikit-learn's `clone` returns: the kernel itself, which never changes."""
        return self

    def with_params(self, **params: Any) -> Kernel:
        """A copy with some parameters changed; names as in `get_params`."""
        own = {name: params.pop(name) for name in self.get_params(deep=False) if name in params}
        moved: Kernel = dataclasses.replace(self, **own) if own else self  # type: ignore[type-var]
        children = []
        for i, child in enumerate(moved.children, start=1):
            inner = {name: params.pop(name) for name in list(params) if name.startswith(f"k{i}__")}
            children.append(child.with_params(**{name.split("__", 1)[1]: p for name, p in inner.items()}))
        if params:
            raise bad(type(self).__name__, "parameter", f"one of {sorted(moved.get_params())}", min(params),
                      "Names of children are k1__name, k2__name, ...")  # fmt: skip
        return moved.with_children(tuple(children)) if children else moved

    # ---- the algebra; its nodes are in kernels/algebra.py

    def __add__(self, other: Any) -> Kernel:
        return _composed("add", self, other)

    def __radd__(self, other: Any) -> Kernel:
        return _composed("add", other, self)

    def __sub__(self, other: Any) -> Kernel:
        return _composed("subtract", self, other)

    def __rsub__(self, other: Any) -> Kernel:
        return _composed("subtract", other, self)

    def __neg__(self) -> Kernel:
        return _composed("Negated", self)

    def __mul__(self, other: Any) -> Kernel:
        return _composed("multiply", self, other)

    def __rmul__(self, other: Any) -> Kernel:
        return _composed("multiply", other, self)

    def __truediv__(self, divisor: Any) -> Kernel:
        return _composed("divide", self, divisor)

    def __pow__(self, exponent: Any) -> Kernel:
        return _composed("raised", self, exponent)

    # ---- printing

    def __repr__(self) -> str:
        """The expression that makes this kernel: the first field by position, others by name.

        Defaults are left out, but for a hyper-parameter that comes first: RBF(1.0) says its lengthscale.
        """
        shown: list[str] = []
        for i, f in enumerate(dataclasses.fields(self)):  # type: ignore[arg-type]
            given = getattr(self, f.name)
            given = given.item() if isinstance(given, np.generic) else given  # NumPy's numbers print as calls
            default = f.default is not dataclasses.MISSING and given == f.default and type(given) is type(f.default)
            if default and (i or "hyper" not in f.metadata):
                continue
            shown.append(repr(given) if i == len(shown) == 0 else f"{f.name}={given!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _composed(operation: str, *operands: Any) -> Kernel:
    """An operation of kernels/algebra.py, which itself is built on this module."""
    from mercer.kernels import algebra

    result: Kernel = getattr(algebra, operation)(*operands)
    return result


def prepare_pair(kernel: Kernel, X: Any, Y: Any, frame: Any = None) -> tuple[Any, Any]:
    """X and Y prepared alike, the second in the frame of the first; without Y the same object twice."""
    X = kernel.check(X)
    A = kernel.prepare(X, frame)
    if Y is None:
        return A, A
    Y = kernel.check(Y)
    if isinstance(X, Vectors) and isinstance(Y, Vectors) and len(X) and len(Y):
        same_width(X.width, Y.width)
    return A, kernel.prepare(Y, A.frame)


def gram_of(
    kernel: Kernel,
    A: Prepared,
    B: Prepared,
    dtype: np.dtype | None = None,
    out: Array | None = None,
    where: Where | None = None,
) -> Array:
    """The dense Gram of prepared items; of k(X, X) only one half is computed and the diagonal is exact.

    `out` is an array to be filled, where one is at hand already; `where` tells the positions of A and B in the data.
    """
    symmetric = A is B
    what = "" if out is not None else f"The Gram of {kernel!r}"
    if not len(A) or not len(B):
        return np.empty((len(A), len(B)))
    where = where or (lambda i, j: (i, j))
    exact = diagonal(kernel, A, where) if symmetric else None

    def block(r: slice, c: slice) -> Array:
        T = tile(kernel, A[r], B[c], lambda i, j: where(r.start + i, c.start + j))
        if exact is not None and r == c:
            np.fill_diagonal(T, exact[r])
        return T

    if out is not None:
        dtype = out.dtype
    dtype = dtype or tile(kernel, A[:1], B[:1], where).dtype  # the kernel's own word on its number type
    side = COSTLY_SIDE if kernel.costly else None
    return fill.dense(block, (len(A), len(B)), dtype, symmetric=symmetric, what=what, out=out, side=side)


def same_kind(owner: str, kernels: tuple[Kernel, ...]) -> type[Items]:
    """The one kind of item all these kernels understand."""
    from mercer.items import Anything, PointLists, Sequences, Strings, Table

    kinds = {k.items for k in kernels} - {Anything}  # each is asked once: a composite has to ask its children
    if Table in kinds:
        kinds.discard(Vectors)  # a matrix is a table too, of columns without names
    if kinds & {Strings, PointLists}:
        kinds.discard(Sequences)  # takes both
    if len(kinds) > 1:
        named = ", ".join(f"{k!r} on {k.items.kind}" for k in kernels)
        raise wrong_kind(owner, "of one kind for all operands", named,
                         "Give each kernel its own columns with On(columns, kernel).")  # fmt: skip
    return kinds.pop() if kinds else Anything
