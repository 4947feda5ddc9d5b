"""certify: every refutation of the specification (T1, T3, T4, K12, K20) is found, every kernel that is one passes."""

from itertools import product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer import configure
from mercer.errors import MemoryBudgetError
from mercer.items import Objects
from mercer.kernels import (
    RBF,
    Constant,
    Exp,
    Exponential,
    Geometric,
    Homogeneous,
    Kernel,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
    White,
    kernel,
)
from mercer.theory import certify

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))


def levenshtein(s, t):
    row = list(range(len(t) + 1))
    for i, a in enumerate(s, start=1):
        left, row[0] = row[0], i
        for j, b in enumerate(t, start=1):
            left, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, left + (a != b))
    return row[-1]


@kernel
class EditSimilarity(Kernel):
    """exp(-gamma lev(s, t)), as a user writes it: a block and nothing else."""

    gamma: float = 1.0
    items: ClassVar = Objects

    def block(self, A, B):
        return np.array([[np.exp(-self.gamma * levenshtein(s, t)) for t in B.values] for s in A.values])


@kernel
class Lopsided(Kernel):
    """1 at equal points, else the sign of x - y: not symmetric."""

    def block(self, A, B):
        return np.sign(A.values - B.values.T) + (A.values == B.values.T)


def check(certificate, K):
    """The laws of any certificate: the witness has unit norm and gives the quadratic form it names."""
    u = certificate.witness
    assert_allclose(np.linalg.norm(u), 1.0)
    assert_allclose(np.vdot(u, K @ u), certificate.form, atol=1e-12)
    assert bool(certificate) is certificate.psd
    return certificate


# ---- refutations


@pytest.mark.parametrize(
    ("offset", "points", "smallest"),
    [(0.0, [1.0, 2.0], -0.090867), (1.0, [1.0, 2.0], -0.013248), (-1.0, [1.0, 2.0, 0.0], -1.269772)],
)
def test_the_sigmoid_similarity_is_refuted_K12(offset, points, smallest):
    k, P = Sigmoid(1.0, offset=offset), np.array(points)[:, None]
    found = check(certify(k, P), k(P))
    assert not found
    assert_allclose(found.smallest, smallest, atol=5e-7)
    assert found.form == found.smallest
    assert found.proof == "refuted by a witness"
    assert found.violations


def test_a_negative_diagonal_entry_is_a_violation_of_one_item_K12_T2():
    found = certify(Sigmoid(1.0, offset=-1.0), np.array([[5.0], [0.0]]))
    assert (1, 1) in found.violations
    assert "k(x, x) < 0 for item 1" in str(certify(np.diag([1.0, -1.0])))


@pytest.mark.parametrize(("gamma", "smallest"), [(0.3, -0.11984), (1.0, 0.12492)])
def test_the_edit_similarity_of_binary_words_K20_T1(gamma, smallest):
    words = ["".join(w) for n in range(4) for w in product("ab", repeat=n)]
    k = EditSimilarity(gamma)
    found = check(certify(k, words), k(words))
    assert_allclose(found.smallest, smallest, atol=5e-6)
    assert found.psd is (smallest > 0)
    assert found.violations == ()  # every pair is fine: only the whole Gram refutes it


def test_a_real_matrix_with_nonnegative_real_forms_is_rejected_for_asymmetry_T3():
    K = np.array([[1.0, 1.0], [-1.0, 1.0]])
    for v in rng.normal(size=(100, 2)):
        assert v @ K @ v >= 0.0
    found = check(certify(K), K)
    assert not found.psd
    assert not found.symmetric
    assert found.asymmetry == 2.0
    u = np.sqrt(2.0) * found.witness
    assert_allclose(u, [1.0, 1.0j], atol=1e-12)
    assert_allclose(np.vdot(u, K @ u), 2.0 + 2.0j, atol=1e-12)


@pytest.mark.parametrize("exact_up_to", [3000, 0])
def test_an_asymmetric_kernel_is_rejected_though_its_gram_is_filled_by_mirroring_T3(exact_up_to):
    P = rng.normal(size=(30, 1))
    found = certify(Lopsided(), P, exact_up_to=exact_up_to)
    assert not found
    assert_allclose(abs(np.imag(found.form)), 1.0)
    assert_allclose([found.smallest, found.largest], [1.0, 1.0])  # the Hermitian part is the identity
    assert "not symmetric" in str(found)


# ---- no refutation where there is none

KERNELS = [
    RBF(0.7),
    RBF((0.5, 1.0, np.inf)),
    Matern(1.0, nu=1.5),
    Matern(2.0, nu=0.8),
    Exponential(0.3),
    RationalQuadratic(1.0),
    Linear(),
    Polynomial(3),
    Homogeneous(2),
    Geometric(3),
    Constant(2.0),
    White(0.5),
    2.0 * RBF() * Linear() + Constant(1.0),
    Exp(Linear()),
    (RBF() + Linear()) ** 2,
]


@pytest.mark.parametrize("k", KERNELS, ids=repr)
def test_a_kernel_by_construction_passes_on_random_subsets_T1_T2_T4(k):
    assert k.psd
    for size in (1, 2, 5, 40):
        chosen = rng.permutation(40)[:size]
        found = check(certify(k, X[chosen]), k(X[chosen]))
        assert found.psd
        assert found.symmetric
        assert found.violations == ()
        assert found.proof == "by construction"


def test_float32_is_judged_by_its_own_rounding_T1():
    k = RBF(2.0)
    single = certify(k, X.astype(np.float32))
    assert single.psd
    assert_allclose(single.tolerance / certify(k, X).tolerance, 2.0**29, rtol=1e-5)


def test_a_hermitian_matrix_passes_and_its_transpose_too_K37_T2():
    t = np.arange(6)
    K = np.exp(2j * np.pi * (t[:, None] - t) / 6) + 0.5  # p(s - t) on Z_6: spectrum 6, 3, 0, 0, 0, 0
    for M in (K, K.T):
        found = check(certify(M), M)
        assert found.psd
        assert found.symmetric
        assert_allclose([found.smallest, found.largest], [0.0, 6.0], atol=1e-12)


def test_an_imaginary_diagonal_passes_only_below_the_tolerance_T2():
    K = np.eye(3, dtype=complex)
    assert certify(K + 1e-15j * np.eye(3)).psd
    assert not certify(K + 1e-6j * np.eye(3)).psd


@given(st.floats(-2, 2), st.floats(-2, 2), st.complex_numbers(max_magnitude=2))
def test_two_items_pass_exactly_when_the_minor_criterion_says_so_T4(a, d, b):
    K = np.array([[a, b], [np.conj(b), d]])
    margin = min(a, d, a * d - abs(b) ** 2)
    if abs(margin) > 1e-12:  # at equality rounding decides
        found = certify(K)
        assert found.psd is (margin >= 0.0)
        assert bool(found.violations) is (margin < 0.0)


def test_a_zero_on_the_diagonal_forces_zeros_in_its_row_T4():
    assert certify(np.diag([0.0, 1.0])).psd
    found = certify(np.array([[0.0, 1e-6], [1e-6, 1.0]]))
    assert found.violations == ((1, 0),)
    assert not found.psd


def test_the_tolerance_can_be_chosen_T1():
    K = np.diag([1.0, -1e-6])
    assert not certify(K)
    assert certify(K, tol=1e-5)
    assert certify(K, tol=1e-5).tolerance == 1e-5
    assert certify(K).violations == ((1, 1),)
    assert certify(K, tol=1e-5).violations == ()


# ---- Lanczos


@pytest.mark.parametrize("k", [Sigmoid(0.5), RBF(1.0) - 0.9 * RBF(0.3), RBF(0.3), Linear() + 1.0], ids=repr)
def test_lanczos_agrees_with_eigh_on_definite_and_indefinite_kernels_T1(k):
    P = rng.normal(size=(450, 2))  # more than one tile
    exact, lazy = certify(k, P), certify(k, P, exact_up_to=100)
    assert (exact.method, lazy.method) == ("eigh", "lanczos")
    assert exact.psd is lazy.psd
    assert exact.violations == lazy.violations
    assert_allclose(lazy.largest, exact.largest, rtol=1e-9)
    assert abs(lazy.smallest - exact.smallest) <= lazy.residual + exact.tolerance
    assert lazy.smallest >= exact.smallest - exact.tolerance
    check(lazy, k(P))


def test_lanczos_on_complex_vectors_K37():
    Z = rng.normal(size=(60, 4)) + 1j * rng.normal(size=(60, 4))
    exact, lazy = certify(Linear(), Z), certify(Linear(), Z, exact_up_to=10)
    assert exact.psd
    assert lazy.psd
    assert_allclose(lazy.largest, exact.largest, rtol=1e-9)
    shifted = Linear()(Z) - 2.0 * np.eye(60)
    assert_allclose(check(certify(shifted, exact_up_to=10), shifted).smallest, -2.0)


def test_lanczos_never_stores_the_gram_T1():
    P, k = rng.normal(size=(600, 2)), Sigmoid()
    with configure(memory=2**20):
        with pytest.raises(MemoryBudgetError):
            certify(k, P)
        assert not certify(k, P, exact_up_to=100)


def test_a_bad_pair_refutes_even_where_lanczos_does_not_get_there_T4():
    n = 1500
    K = np.diag(np.linspace(1.0, 1000.0, n))
    K[:2, :2] = [[0.001, 0.002], [0.002, 0.001]]
    found = check(certify(K, exact_up_to=100), K)
    assert not found
    assert found.violations == ((1, 0),)
    assert_allclose(found.smallest, -0.001)


# ---- words


def test_the_certificate_speaks_in_sentences_T1():
    assert "by construction, and 40 items agree" in str(certify(RBF(), X))
    untold = certify(RBF(1.0) - 0.5 * RBF(1.0), X)
    assert untold.psd
    assert untold.proof == "tested on 40 items only"
    assert "a sampled test can refute, never prove" in str(untold)
    refuted = str(certify(Sigmoid(), np.array([[1.0], [2.0]])))
    assert "Sigmoid(1.0) is not positive semi-definite: 2 items refute it." in refuted
    assert "u*Ku = -0.0908666" in refuted
    assert "Cauchy-Schwarz fails for items 0 and 1" in refuted
    assert "1 + 1i" in str(certify(np.array([[1.0, 1.0], [-1.0, 1.0]])))
    cut_short = certify(np.diag(np.linspace(0.0, 1.0, 900)), exact_up_to=100)
    assert "The lower end is known to" in str(cut_short)


def test_a_kernel_whose_claim_is_false_is_told_so_T1():
    @kernel
    class Boaster(Sigmoid):
        @property
        def psd(self):
            return True

    assert "claims psd=True" in str(certify(Boaster(), np.array([[1.0], [2.0]])))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((RBF(),), ValueError, "X must be given with a kernel"),
        ((RBF(), np.empty((0, 2))), ValueError, "at least one item"),
        ((np.empty((0, 0)),), ValueError, "at least one item"),
        ((np.ones((2, 3)),), ValueError, "square"),
        ((np.eye(2), np.eye(2)), ValueError, "given alone"),
        ((np.array([[1.0, np.inf], [np.inf, 1.0]]),), ValueError, "finite"),
        ((levenshtein, ["a"]), TypeError, "Wrap a function"),
    ],
)
def test_what_cannot_be_certified_is_refused_with_a_cure_I5(arguments, error, words):
    with pytest.raises(error, match=words):
        certify(*arguments)
