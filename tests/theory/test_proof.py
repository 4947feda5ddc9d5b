"""proof and dimension: a reason for every kernel or the place where it breaks off; features counted as they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import kernels
from mercer.kernels import (
    ANOVA,
    RBF,
    AllSubsets,
    Bilinear,
    Constant,
    Cosine,
    Exp,
    Geometric,
    Homogeneous,
    Kernel,
    Linear,
    Normalised,
    On,
    Polynomial,
    PolynomialOf,
    Sigmoid,
)
from mercer.theory import dimension, formula, proof

X = np.random.default_rng(0).uniform(0.5, 1.5, size=(2, 3))
NOT_POSITIVE = {"AdditiveChiSquared", "EditSimilarity", "Negated", "Sigmoid", "SignaturePDE", "Similarity"}


def test_every_public_kernel_has_a_reason_of_its_own_or_none_to_have():
    classes = {getattr(kernels, name) for name in kernels.__all__}
    public = {cls for cls in classes if isinstance(cls, type) and issubclass(cls, Kernel) and cls is not Kernel}
    assert {cls.__name__ for cls in public if "psd_reason" not in vars(cls)} == NOT_POSITIVE


def test_the_proof_has_the_shape_of_the_expression():
    tree = proof(2.0 * RBF(1.5) + Linear() ** 2)
    assert [(depth, type(step.kernel).__name__) for depth, step in tree.lines()] == [
        (0, "Sum"), (1, "Scaled"), (2, "RBF"), (1, "Power"), (2, "Linear"),
    ]  # fmt: skip
    assert all(step.psd for _, step in tree.lines())
    assert str(tree).splitlines()[2].startswith("    RBF(1.5): positive semi-definite, the Fourier transform")


def test_the_proof_breaks_off_where_no_rule_holds():
    tree = proof(RBF() + Sigmoid())
    assert tree.psd is None
    assert "no rule" in tree.reason
    assert [step.psd for step in tree.steps] == [True, False]
    assert "negative eigenvalue" in tree.steps[1].reason
    assert proof(RBF() - Linear()).psd is None


def test_a_kernel_of_the_user_is_declared_by_its_author():
    @kernels.kernel
    class Own(Kernel):
        """k(x, y) = 1."""

        psd = True

    assert proof(Own()).reason == "declared by its author"
    assert formula(Own()) == "k(x, y) = 1"


def test_psd_may_be_a_property_and_the_reason_the_users_own():
    @kernels.kernel
    class Own(Kernel):
        """k(x, y) = 1."""

        psd_reason = "a square"

        @property
        def psd(self):
            return True

    assert proof(Own() + RBF()).steps[0].reason == "a square"


@pytest.mark.parametrize(
    "kernel",
    [Linear(), Cosine(), Polynomial(2), Polynomial(3, offset=0.5), Homogeneous(3), Geometric(2), AllSubsets(), ANOVA(2),
     Constant(2.0), Bilinear([[2.0, 0, 0], [0, 1.0, 0], [0, 0, 0]]), Linear() + Polynomial(2),
     Linear() * Homogeneous(2), 2.0 * Linear(), Normalised(Polynomial(2)), Linear() ** 3,
     PolynomialOf(Linear(), coefficients=(1.0, 2.0, 3.0)),
     On([0, 2], Polynomial(2)), On(1, Linear()) + Constant(1.0)],
    ids=repr,
)  # fmt: skip
def test_features_are_counted_as_they_are_made(kernel):
    assert dimension(kernel, 3) == kernel.dimension(3) == kernel.feature_map(X).shape[1]


@pytest.mark.parametrize(
    "kernel", [RBF(), Exp(Linear()), RBF() + Linear(), ANOVA(2, RBF()), Polynomial(2, offset=-1.0)]
)
def test_infinitely_many_features_have_no_number(kernel):
    assert dimension(kernel, 3) is None


@settings(max_examples=30, deadline=None)
@given(m=st.integers(1, 64), D=st.integers(1, 1000))
def test_counting_makes_nothing_however_many_there_are(m, D):
    assert dimension(Polynomial(m) * Polynomial(m), D) == dimension(Polynomial(m), D) ** 2
