"""The scan of pairs: symmetry and 2 x 2 minors of all pairs, whatever the tiles (T2, T4)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import configure
from mercer.engine.tiles import SIDE
from mercer.theory.minors import KEEP, Entries, asymmetric_witness, lowest_vector, scan_pairs

rng = np.random.default_rng(0)


def entries(K):
    return Entries(lambda r, c: K[r, c], np.diag(K), K.dtype)


def hermitian(n, kind=float):
    A = rng.normal(size=(n, n)) + (1j * rng.normal(size=(n, n)) if kind is complex else 0.0)
    return A + A.conj().T


@pytest.mark.parametrize("kind", [float, complex])
def test_the_worst_minors_are_those_of_a_plain_loop_T4(kind):
    K = hermitian(12, kind)
    K[0, 1:] = K[1:, 0] = 0.0  # on its own item 0 breaks nothing, or only its diagonal is negative
    plain = [(np.linalg.eigvalsh(K[np.ix_([i, j], [i, j])])[0], (i, j)) for i in range(2, 12) for j in range(1, i)]
    plain += [(K[i, i].real, (i, i)) for i in range(12)]
    plain = sorted(pair for pair in plain if pair[0] < 0.0)
    seen = scan_pairs(entries(K))
    assert [pair for _, pair in seen.minors] == [pair for _, pair in plain][:KEEP]
    assert_allclose([low for low, _ in seen.minors], [low for low, _ in plain][:KEEP])


@pytest.mark.parametrize("threads", [1, 2])
def test_one_bad_pair_is_found_across_tiles_on_any_number_of_threads_T4(threads):
    n = 2 * SIDE + 50
    K = np.eye(n)
    K[n - 1, 3] = K[3, n - 1] = 1.5
    K[SIDE, SIDE] = -0.25
    K[5, n - 2] += 1e-3
    with configure(threads=threads):
        seen = scan_pairs(entries(K))
    assert seen.minors[:2] == ((-0.5, (n - 1, 3)), (-0.25, (SIDE, SIDE)))
    assert (seen.size, seen.asymmetry, seen.where) == (1.5, 1e-3, (n - 2, 5))


def test_the_vector_of_a_pair_attains_the_eigenvalue_of_its_minor_T4():
    K = hermitian(9, complex)
    low, pair = scan_pairs(entries(K)).minors[0]
    u = lowest_vector(entries(K), pair)
    assert_allclose(np.vdot(u, K @ u), low)
    assert_allclose(np.linalg.norm(u), 1.0)


def test_an_asymmetric_pair_has_a_quadratic_form_that_is_not_real_T3():
    K = rng.normal(size=(8, 8)) + 1j * rng.normal(size=(8, 8))
    seen = scan_pairs(entries(K))
    u, form = asymmetric_witness(entries(K), seen.where)
    assert_allclose(np.vdot(u, K @ u), form)
    # (M - M*)/2i has an off-diagonal entry of size asymmetry / 2, so an eigenvalue at least as large
    assert abs(form.imag) >= seen.asymmetry / 2 - 1e-12


def test_a_diagonal_off_the_real_axis_is_an_asymmetry_at_one_item_T2():
    K = np.eye(3, dtype=complex)
    K[1, 1] = 1.0 - 0.5j
    seen = scan_pairs(entries(K))
    assert (seen.asymmetry, seen.where) == (1.0, (1, 1))
    u, form = asymmetric_witness(entries(K), seen.where)
    assert_allclose(np.abs(u), [0.0, 1.0, 0.0])
    assert_allclose(form, 1.0 - 0.5j)


def test_an_entry_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="certify: k must be finite; got nan for items 0 and 1"):
        scan_pairs(entries(np.array([[1.0, np.nan], [0.0, 1.0]])))
