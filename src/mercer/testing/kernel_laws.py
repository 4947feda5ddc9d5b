"""The laws of a kernel.  `check_kernel` puts one through all of them.

A law is a function of a `Trial` whose docstring states it.  The error names the law that is broken, and by how much.
They hold for every kernel: values, preparation, derivatives, positivity, text.  A kernel that learns from its data is
tried as fitted to X; one that is not known to be positive semi-definite is excused from the laws of positivity.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from mercer.errors import MemoryBudgetError, NotFinite
from mercer.items import Items
from mercer.kernels.base import Kernel, prepare_pair
from mercer.kernels.grammar import parse, vocabulary
from mercer.typing import Array, Index


def check_kernel(kernel: Kernel, X: Any, Y: Any = None, *, tol: float = 1e-10) -> None:
    """Raise AssertionError, naming the law, unless `kernel` obeys every law on X (and Y, else a part of X).

    Values may differ by `tol` times the largest of them, or by 1000 units in the last place of their type.
    """
    X = kernel.check(X)
    trial = Trial(kernel, X, X[np.arange(len(X))[::-2]] if Y is None else kernel.check(Y), tol)
    for law in LAWS:
        try:
            law(trial)
        except NotFinite as error:
            raise AssertionError(f"{kernel!r} breaks a law. {finite.__doc__} But {error}") from None
        except AssertionError as error:
            raise AssertionError(f"{kernel!r} breaks a law. {law.__doc__} But {error}.") from None
        except Exception as error:
            error.add_note(f"The law under trial, of {kernel!r}: {law.__doc__}")
            raise


@dataclasses.dataclass(frozen=True)
class Trial:
    """A kernel and the items it is tried on."""

    kernel: Kernel
    X: Items
    Y: Items
    given_tol: float

    @cached_property
    def k(self) -> Kernel:
        """The kernel, fitted to X if it learns: what k(X, Y) can be asked of."""
        return self.kernel.fit(self.X)

    @cached_property
    def K(self) -> Array:
        return self.k(self.X)

    @cached_property
    def C(self) -> Array:
        return self.k(self.X, self.Y)

    @cached_property
    def size(self) -> float:
        """The largest value, which rounding is measured by."""
        return max(float(abs(M).max(initial=0.0)) for M in (self.K, self.C))

    @property
    def eps(self) -> float:
        return float(np.finfo(self.K.dtype).eps)

    @property
    def complex(self) -> bool:
        """Whether the values, or the numbers they are made of, are complex."""
        return np.iscomplexobj(self.K) or getattr(self.X, "dtype", np.dtype(float)).kind == "c"

    def same(self, found: Array, expected: Array, what: str = "the values") -> None:
        """Equal shapes, and equal numbers up to rounding."""
        assert np.shape(found) == np.shape(expected), f"{what} have shape {np.shape(found)}, not {np.shape(expected)}"
        gap = float(abs(np.asarray(found) - expected).max(initial=0.0))
        tol = max(self.given_tol, 1000.0 * self.eps) * self.size + 4.0 * self.eps  # the last term: for 1 - 1
        assert gap <= tol, f"{what} differ by {gap:.3g}, more than {tol:.3g}"


Law = Callable[[Trial], None]


def untouched(t: Trial) -> None:
    """Evaluating a kernel leaves the items as they are."""  # checked first: later laws could hide a change
    before = t.X.fingerprint(), t.Y.fingerprint()
    t.k(t.X, t.Y)
    assert (t.X.fingerprint(), t.Y.fingerprint()) == before, "they have changed"


def finite(t: Trial) -> None:
    """Every value is a finite number."""
    assert np.isfinite(t.K).all(), f"k(X) holds {t.K[~np.isfinite(t.K)][0]}"
    assert np.isfinite(t.C).all(), f"k(X, Y) holds {t.C[~np.isfinite(t.C)][0]}"


def hermitian(t: Trial) -> None:
    """k(X) is Hermitian (symmetric, if real) to the last bit."""
    gap = abs(t.K - t.K.conj().T)
    assert not gap.any(), f"entries differ from their mirror by up to {gap.max():.3g}"


def one_dataset(t: Trial) -> None:
    """k(X) is k(X, X)."""
    again = t.X[np.arange(len(t.X))]  # a copy: the same object would be treated as k(X)
    t.same(t.k(t.X, again), t.K)


def diagonal(t: Trial) -> None:
    """diag is the diagonal."""
    A = t.k.prepare(t.X)
    t.same(t.k.diag(A), np.diagonal(t.K), "those of diag and k(X)")
    t.same(t.k.diag(A), np.diagonal(t.k.block(A, A)), "those of diag and block")


def entries(t: Trial) -> None:
    """A block is made of its entries."""
    one = [[t.k(t.X[_at(i)], t.Y[_at(j)]).item() for j in range(len(t.Y))] for i in range(len(t.X))]
    t.same(np.reshape(one, t.C.shape), t.C, "pairs by themselves and in a block")


def _at(i: int) -> slice:
    return slice(i, i + 1)


def swapped(t: Trial) -> None:
    """k(Y, X) is the conjugate transpose of k(X, Y)."""
    t.same(t.k(t.Y, t.X), t.C.conj().T)


def slices(t: Trial) -> None:
    """A slice of prepared data gives that slice of the Gram."""
    A, B = prepare_pair(t.k, t.X, t.Y)
    n, m = t.C.shape
    assert (len(A), len(B)) == (n, m), f"prepared lengths are {len(A)} and {len(B)}, not {n} and {m}"
    pieces: list[tuple[Index, Index]] = [
        (slice(1, None), slice(0, m - 1)),
        (np.arange(n)[::-1], np.zeros(2, dtype=np.intp)),
    ]
    for r, c in pieces:
        t.same(t.k.block(A[r], B[c]), t.C[r][:, c], "the block of a slice and the slice of a block")
        t.same(t.k.diag(A[r]), np.diagonal(t.K)[r], "the diagonal of a slice and the slice of the diagonal")


def empty(t: Trial) -> None:
    """No items give an empty Gram."""
    none, n, m = t.X[:0], len(t.X), len(t.Y)
    for found, shape in [(t.k(none), (0, 0)), (t.k(none, t.Y), (0, m)), (t.k(t.X, none), (n, 0))]:
        assert found.shape == shape, f"the shape is {found.shape}, not {shape}"
    assert t.k.diag(t.k.prepare(none)).shape == (0,), "diag is not empty"


def fresh(t: Trial) -> None:
    """A block and a diagonal are new arrays: writing into them changes nothing else."""
    A, B = prepare_pair(t.k, t.X, t.Y)
    t.k.block(A, B)[...] = 7.0
    t.k.diag(A)[...] = 7.0
    t.same(t.k.block(A, B), t.C, "blocks before and after")
    t.same(t.k.diag(A), np.diagonal(t.K), "diagonals before and after")


def any_frame(t: Trial) -> None:
    """The dataset that is prepared first changes no value."""
    for first in (t.X[:1], t.Y):
        frame = t.k.prepare(first).frame
        t.same(t.k.block(t.k.prepare(t.X, frame), t.k.prepare(t.Y, frame)), t.C)


def learning(t: Trial) -> None:
    """If a kernel learns, k(X) is k.fit(X)(X), and k(X, Y) of a kernel that is not fitted is refused."""
    t.same(t.kernel(t.X), t.K, "k(X) and k.fit(X)(X)")
    assert not t.k.learned, "the fitted kernel still learns"
    if t.kernel.learned:
        try:
            t.kernel(t.X, t.Y)
        except ValueError:
            return
        raise AssertionError("it computes k(X, Y) without having been fitted")


def cauchy_schwarz(t: Trial) -> None:
    """If k is positive semi-definite, k(x, x) is real and >= 0, and |k(x, y)|^2 <= k(x, x) k(y, y)."""
    assert t.k.psd in (True, False, None), f"psd is {t.k.psd!r}, not True, False or None"
    if t.k.psd:
        d, e = (t.k.diag(t.k.prepare(Z)) for Z in (t.X, t.Y))
        assert not np.iscomplexobj(d), "the diagonal is of a complex type"
        assert d.min(initial=0.0) >= 0.0, f"k(x, x) is {d.min():.3g}"
        excess = float((abs(t.C) - np.sqrt(d)[:, None] * np.sqrt(e)).max(initial=0.0))
        assert excess <= 1000.0 * t.eps * t.size, f"|k(x, y)| is larger by {excess:.3g}"


def positive(t: Trial) -> None:
    """If k is positive semi-definite, no eigenvalue of k(X) is below -10 n eps max |eigenvalue|."""
    if t.k.psd and len(t.K):
        values = np.linalg.eigvalsh(t.K.astype(np.result_type(t.K, np.float64)))
        low, allowed = float(values[0]), 10.0 * len(t.K) * t.eps * float(abs(values).max())
        assert low >= -allowed, f"the smallest eigenvalue is {low:.3g}, below {-allowed:.3g}"


def bounded(t: Trial) -> None:
    """No value is larger than the bound that the kernel claims."""
    A, B = prepare_pair(t.k, t.X, t.Y)
    for values, bound in ((t.K, t.k.bound_on(A, A)), (t.C, t.k.bound_on(A, B))):
        size, most = float(abs(values).max(initial=0.0)), bound * (1.0 + 1000.0 * t.eps)
        assert size <= most, f"|k| is {size:.6g} somewhere, and the bound is {bound:.6g}"


def theta(t: Trial) -> None:
    """theta has a name and bounds for every entry, and with_theta(theta) is the same kernel up to rounding."""
    k, size = t.kernel, t.kernel.theta.size
    assert len(k.theta_names) == size, f"{len(k.theta_names)} names for {size} entries"
    assert k.bounds.shape == (size, 2), f"bounds have shape {k.bounds.shape} for {size} entries"
    again = k.with_theta(k.theta)
    assert np.allclose(again.theta, k.theta, rtol=1e-12, atol=1e-12), f"theta becomes {again.theta}"
    t.same(again(t.X), t.K)


def gradient(t: Trial) -> None:
    """vjp is the derivative in theta of sum_ij W_ij k(x_i, y_j), by central differences, and adds up over tiles."""
    k, C = t.kernel, _cross(t.kernel, t.X, t.Y)
    if not k.theta.size or t.complex or C.dtype != np.float64:
        return  # single precision has too few digits for differences
    W = np.random.default_rng(0).normal(size=C.shape)
    (A, B), half = prepare_pair(k, t.X, t.Y), len(C) // 2
    found = k.vjp(A[:half], B, W[:half]) + k.vjp(A[half:], B, W[half:])
    for j, name in enumerate(k.theta_names):
        expected = _difference(lambda theta: float(np.sum(W * _cross(k.with_theta(theta), t.X, t.Y))), k.theta, j)
        allowed = 1e-7 * (abs(expected) + float(np.sum(abs(W) * (abs(C) + 1e-6))))
        gap = abs(float(found[j]) - expected)
        assert gap <= allowed, f"by vjp it is {found[j]:.9g} in {name}, by differences {expected:.9g}"


def _cross(k: Kernel, X: Items, Y: Items) -> Array:
    return k.block(*prepare_pair(k, X, Y))


def _difference(f: Callable[[Array], float], theta: Array, j: int) -> float:
    """df/dtheta_j from four values; the step balances truncation, h^4, and rounding, eps / h."""
    h = np.finfo(float).eps ** 0.2 * np.eye(len(theta))[j]
    return float((8.0 * (f(theta + h) - f(theta - h)) - (f(theta + 2.0 * h) - f(theta - 2.0 * h))) / (12.0 * h[j]))


def features(t: Trial) -> None:
    """If there is a feature map phi, k(x, y) = <phi(x), phi(y)>."""
    try:
        phi = t.kernel.feature_map(t.X)
    except (NotImplementedError, MemoryBudgetError):
        return
    dense = np.asarray(phi.toarray() if hasattr(phi, "toarray") else phi)
    t.same(dense @ dense.conj().T, t.K, "phi phi* and k(X)")


def text(t: Trial) -> None:
    """parse(repr(k)) is k, if every part of it is a kernel of the grammar."""
    if t.kernel.textual and all(type(node) in vocabulary().values() for node in _nodes(t.kernel)):
        again = parse(repr(t.kernel))
        assert again == t.kernel, f"{t.kernel!r} reads as {again!r}"


def _nodes(k: Kernel) -> Iterator[Kernel]:
    yield k
    for child in k.children:
        yield from _nodes(child)


def value(t: Trial) -> None:
    """A kernel is a value: a copy made of its fields, or of its pickle, is equal to it and has the same hash."""
    k = t.kernel
    copies = {"its fields": k.with_params(**k.get_params(deep=False))}
    if k.textual:  # a function of the user's may be one that cannot be pickled
        copies["its pickle"] = pickle.loads(pickle.dumps(k))
    for source, copy in copies.items():
        assert copy == k, f"the copy from {source} is another kernel, {copy!r}"
        assert hash(copy) == hash(k), f"the copy from {source} has another hash"


LAWS: tuple[Law, ...] = (
    untouched, finite, hermitian, diagonal, one_dataset, entries, swapped, slices, empty, fresh, any_frame, learning,
    cauchy_schwarz, positive, bounded, theta, gradient, features, text, value,
)  # fmt: skip
