"""The laws are laws: a kernel of a user's own passes them, and a kernel with one fault is told which it breaks."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.kernels import RBF, Kernel, Linear, Sigmoid, kernel
from mercer.parameters import hyper, value
from mercer.testing import check_kernel
from mercer.testing.kernel_laws import LAWS

X, Y = np.random.default_rng(0).normal(size=(2, 5, 2))


@kernel
class Mine(Kernel):
    """k(x, y) = exp(-|x - y|^2 / l), with nothing but a block."""

    scale: float = hyper(1.0)

    psd = True

    def block(self, A, B):
        D = ((A.values[:, None] - B.values[None]) ** 2).sum(axis=2)
        return np.exp(-D / value(self.scale))


@kernel
class ChangesItsData(Mine):
    def prepare_in(self, X, frame, pool):
        X.values[...] = np.round(X.values, 3)
        return X


@kernel
class NotFinite(Mine):
    def block(self, A, B):
        return np.full((len(A), len(B)), np.nan)


@kernel
class ComplexDiagonal(Mine):
    def block(self, A, B):
        return super().block(A, B) + 0j

    def diag(self, A):
        return np.full(len(A), 1.0 + 1.0j)


@kernel
class Asymmetric(Mine):
    def block(self, A, B):
        return super().block(A, B) * (1.0 + A.values[:, :1] - B.values[:, 0])


@kernel
class NoiseOnTheDiagonal(Mine):
    def diag(self, A):
        return np.full(len(A), 2.0)


@kernel
class DependsOnTheTile(Mine):
    def block(self, A, B):
        return super().block(A, B) / len(B)

    def diag(self, A):
        return np.diagonal(self.block(A, A)).copy()


class ForgetsOrder:
    frame = None

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return ForgetsOrder(self.values[index if isinstance(index, slice) else np.sort(index)])


@kernel
class SlicesWrongly(Mine):
    def prepare_in(self, X, frame, pool):
        return ForgetsOrder(X.values)


@kernel
class DiagonalOfNothing(Mine):
    def diag(self, A):
        return np.ones(max(len(A), 1))


KEPT = {}


@kernel
class KeepsItsBlocks(Mine):
    def block(self, A, B):
        key = (A.values.tobytes(), B.values.tobytes())
        return KEPT.setdefault(key, super().block(A, B))


@kernel
class LearnsInSecret(Mine):
    """Values depend on the first dataset, which single pairs hide: only its number of rows matters."""

    def prepare_in(self, X, frame, pool):
        found = ForgetsNothing(X.values)
        found.frame = frame or (len(X) > 1,)
        return found

    def block(self, A, B):
        return super().block(A, B) * (1.0 if A.frame[0] or len(A) == 1 else 2.0)


class ForgetsNothing(ForgetsOrder):
    def __getitem__(self, index):
        found = ForgetsNothing(self.values[index])
        found.frame = self.frame
        return found


@kernel
class FitsAnother(Mine):
    learned = True

    def fit(self, X):
        return Linear()


@kernel
class NegativeDiagonal(Sigmoid):
    psd = True


@kernel
class QuarticExponential(Mine):
    """exp(-|x - y|^4) is no kernel, though every pair of items looks like one."""

    def block(self, A, B):
        D = ((A.values[:, None] - B.values[None]) ** 2).sum(axis=2)
        return np.exp(-(D**2) / value(self.scale))


@kernel
class ForgetsTheta(Mine):
    def _at(self, theta):
        return type(self)(2.0)


@kernel
class WrongSlope(Mine):
    def parameter_gradients(self, A, B, W):
        return {"scale": 1.001 * super().parameter_gradients(A, B, W)["scale"]}


@kernel
class WrongMap(Linear):
    def feature_map(self, X):
        return 2.0 * super().feature_map(X)


@kernel
class SaysItIsFinite(NotFinite):
    """Says so, and is therefore not looked at elsewhere."""

    finite = True


@kernel
class WrongBound(Mine):
    bound = 0.5


class Nameless(Mine):
    """Not a value: two of them are never equal."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


FAULTS = [
    (ChangesItsData(), "leaves the items as they are"),
    (NotFinite(), "a finite number"),
    (SaysItIsFinite(), "a finite number"),
    (WrongBound(), "No value is larger than the bound .* and the bound is 0.5"),
    (ComplexDiagonal(), "Hermitian"),
    (Asymmetric(), r"k\(X\) is k\(X, X\)"),
    (NoiseOnTheDiagonal(), "diag is the diagonal"),
    (DependsOnTheTile(), "made of its entries"),
    (SlicesWrongly(), "A slice of prepared data"),
    (DiagonalOfNothing(), "an empty Gram"),
    (KeepsItsBlocks(), "new arrays"),
    (LearnsInSecret(), "prepared first changes no value"),
    (FitsAnother(), "If a kernel learns"),
    (NegativeDiagonal(offset=-3.0), "real and >= 0"),
    (QuarticExponential(), "eigenvalue"),
    (ForgetsTheta(), "with_theta"),
    (WrongSlope(), "vjp is the derivative"),
    (WrongMap(), "feature map"),
    (Nameless(), "A kernel is a value"),
]


def test_a_users_own_kernel_passes_with_nothing_but_a_block():
    check_kernel(Mine(0.7), X, Y)


def test_a_part_of_X_stands_in_for_Y():
    check_kernel(Mine(0.7), X)


@pytest.mark.parametrize(("faulty", "law"), FAULTS, ids=lambda case: type(case).__name__)
def test_a_kernel_with_one_fault_is_told_the_law_it_breaks(faulty, law):
    grid = np.linspace(0.0, 1.5, 6)[:, None]
    data = (grid, grid[:2]) if isinstance(faulty, QuarticExponential) else (X.copy(), Y.copy())
    with pytest.raises(AssertionError, match=law) as caught:
        check_kernel(faulty, *data)
    assert repr(faulty) in str(caught.value)


def test_text_that_does_not_read_back_is_told(monkeypatch):
    monkeypatch.setattr(RBF, "__repr__", lambda self: "RBF()")
    with pytest.raises(AssertionError, match=r"parse\(repr\(k\)\) is k"):
        check_kernel(RBF(2.0), X, Y)


def test_an_error_in_a_kernel_keeps_its_type_and_names_the_law_under_trial():
    @kernel
    class Broken(Mine):
        def diag(self, A):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        check_kernel(Broken(), X, Y)
    assert any("The law under trial" in note for note in caught.value.__notes__)


def test_every_law_states_itself_in_one_sentence():
    statements = [law.__doc__ for law in LAWS]
    assert all(text.endswith(".") and "\n" not in text for text in statements)
    assert len(set(statements)) == len(LAWS)
