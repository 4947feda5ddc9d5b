"""certify: is this kernel positive semi-definite on these items, and if not, which vector shows it?

A function k is a (positive definite) kernel exactly when u* K u >= 0 for every Gram K of finitely many items.  One
Gram can therefore refute a kernel, by a vector u, but never prove it: the proof is the kernel's construction
(`k.psd`).  The certificate says which of the two it is.

Symmetry is part of the question.  A real K with u^T K u >= 0 for all real u need not be positive semi-definite
when it is not symmetric: [[1, 1], [-1, 1]] gives 1 + i at the unit vector (1, i) / sqrt 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.errors import bad, wrong_kind
from mercer.gram import LazyGram
from mercer.kernels.base import Kernel
from mercer.linalg.lanczos import Ends, ends, lanczos
from mercer.theory.minors import Entries, Pair, PairScan, asymmetric_witness, lowest_vector, scan_pairs
from mercer.theory.spectrum import epsilon, rounding, working
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Certificate:
    """What was found about one Gram.  `psd` False is a refutation; True says that these items show no violation."""

    name: str  # what was certified
    n: int
    psd: bool
    symmetric: bool
    asymmetry: float  # max |K_ij - conj K_ji|
    smallest: float  # of the eigenvalues of (K + K*) / 2
    largest: float
    tolerance: float  # eigenvalues above minus this are taken for rounding
    witness: Array  # unit vector u, of the smallest eigenvalue, or of the asymmetry
    form: float | complex  # u* K u
    residual: float  # |K u - smallest u|: an eigenvalue lies within this of `smallest`
    violations: tuple[Pair, ...]  # pairs that break Cauchy-Schwarz, (i, i) for k(x, x) < 0; worst first, at most 100
    method: str  # "eigh" or "lanczos"
    proof: str  # "by construction", "tested on n items only" or "refuted by a witness"
    claim: bool | None  # the kernel's own `psd`

    def __bool__(self) -> bool:
        return self.psd

    def __str__(self) -> str:
        return " ".join([self._verdict(), self._spectrum(), *self._faults()])

    def _verdict(self) -> str:
        if not self.psd:
            return f"{self.name} is not positive semi-definite: {self.n} items refute it."
        if self.claim:
            return f"{self.name} is positive semi-definite by construction, and {self.n} items agree."
        return (
            f"{self.name} shows no violation, but it was tested on {self.n} items only: "
            "a sampled test can refute, never prove."
        )

    def _spectrum(self) -> str:
        part = "" if self.symmetric else " of the Hermitian part"
        text = (
            f"The eigenvalues{part} lie between {self.smallest:.6g} and {self.largest:.6g} "
            f"({self.method}, tolerance {self.tolerance:.1e})."
        )
        if self.method == "lanczos" and self.residual > self.tolerance:
            text += f" The lower end is known to {self.residual:.1e} only."
        return text

    def _faults(self) -> list[str]:
        faults = []
        if not self.symmetric:
            faults.append(f"It is not symmetric: entries differ from their mirror by up to {self.asymmetry:.6g}.")
        if not self.psd:
            faults.append(f"The unit vector in `witness` gives u*Ku = {_number(self.form)}.")
        if self.violations:
            i, j = self.violations[0]
            worst = f"k(x, x) < 0 for item {i}" if i == j else f"Cauchy-Schwarz fails for items {j} and {i}"
            faults.append(f"{worst} (worst of {len(self.violations)} such pairs listed).")
        if self.claim and not self.psd:
            faults.append("The kernel claims psd=True: the claim or the code is wrong.")
        return faults


def certify(
    kernel: Kernel | Array, X: Any = None, *, tol: float | None = None, exact_up_to: int = 3000, seed: int = 0
) -> Certificate:
    """Test positive semi-definiteness of a kernel on items X, or of a square matrix.

    tol          how far under zero an eigenvalue may lie; 10 n eps max|lambda| when left out
    exact_up_to  up to so many items K is stored and decomposed; beyond, its tiles are streamed through Lanczos steps
    seed         of the start vector of the Lanczos steps
    """
    K = _entries(kernel, X, exact_up_to)
    n, seen = len(K), scan_pairs(K)
    # at least 1000 eps: k(x, y) and k(y, x) may differ by some rounding for any n
    symmetric = seen.asymmetry <= (max(10.0 * n, 1e3) * epsilon(K.dtype) * seen.size if tol is None else tol)
    method = "eigh" if n <= exact_up_to else "lanczos"
    found = _exact(K) if method == "eigh" else _streamed(K, seen, symmetric, seed)
    limit = rounding(n, max(abs(found.smallest), abs(found.largest)), K.dtype) if tol is None else tol
    witness, form = (found.witness, found.smallest) if symmetric else asymmetric_witness(K, seen.where)
    psd = symmetric and found.smallest >= -limit
    claim = kernel.psd if isinstance(kernel, Kernel) else None
    held = "by construction" if claim else f"tested on {n} items only"
    return Certificate(
        name=repr(kernel) if isinstance(kernel, Kernel) else "The matrix",
        n=n,
        psd=psd,
        symmetric=symmetric,
        asymmetry=seen.asymmetry,
        smallest=found.smallest,
        largest=found.largest,
        tolerance=limit,
        witness=witness,
        form=form,
        residual=found.residual,
        violations=tuple(pair for low, pair in seen.minors if low < -limit),
        method=method,
        proof=held if psd else "refuted by a witness",
        claim=claim,
    )


def _entries(kernel: Kernel | Array, X: Any, exact_up_to: int) -> Entries:
    """The matrix to certify: stored if it is given or small, else computed tile by tile."""
    if not isinstance(kernel, Kernel):
        return _stored(_square(kernel, X))
    if X is None:
        raise bad("certify", "X", "given with a kernel", "none", "Pass the items to test the kernel on.")
    gram = LazyGram(kernel, X)
    _require_items(len(gram))
    lazy = Entries(gram.block, gram.diag(), gram.dtype)
    if len(gram) > exact_up_to:
        return lazy
    what = f"The Gram of {kernel!r}"
    return _stored(fill.dense(lazy.tile, gram.shape, gram.dtype, symmetric=False, what=what))


def _square(given: Any, X: Any) -> Array:
    K = np.asarray(given)
    if K.dtype.kind not in "fiubc":
        raise wrong_kind("certify", "a kernel with items, or a square matrix of numbers", type(given).__name__,
                         "Wrap a function of two items as Similarity(f).")  # fmt: skip
    if X is not None or K.ndim != 2 or K.shape[0] != K.shape[1]:
        got = f"shape {K.shape}" + ("" if X is None else " and X")
        raise bad("certify", "a matrix", "square, and given alone", got, "Pass k(X, X), or a kernel and X.")
    _require_items(len(K))
    return K if K.dtype.kind in "fc" else K.astype(float)


def _require_items(n: int) -> None:
    if n == 0:
        raise bad("certify", "X", "at least one item", "none", "On no items there is nothing to test.")


def _stored(K: Array) -> Entries:
    return Entries(lambda r, c: K[r, c], np.diag(K), K.dtype)


def _exact(K: Entries) -> Ends:
    """The ends of the spectrum of (K + K*) / 2, stored."""
    every = slice(0, len(K))
    H = working(K.hermitian(every, every))
    values, V = np.linalg.eigh(H)
    return ends(H.__matmul__, V[:, 0], float(values[-1]))


def _streamed(K: Entries, seen: PairScan, symmetric: bool, seed: int) -> Ends:
    """The ends of the spectrum of (K + K*) / 2 from streamed products, or from the worst pair if that is lower."""
    block = K.tile if symmetric else K.hermitian

    def times(v: Array) -> Array:
        return fill.product(block, len(K), v[:, None])[:, 0]

    dtype = np.result_type(K.dtype, np.float64)
    found = lanczos(times, len(K), dtype, tol=rounding(len(K), 1.0, K.dtype), seed=seed)
    if seen.minors and seen.minors[0][0] < found.smallest:
        return ends(times, lowest_vector(K, seen.minors[0][1]), found.largest)
    return found


def _number(z: float | complex) -> str:
    return f"{z.real:.6g}" if z.imag == 0.0 else f"{z.real:.6g} {'-' if z.imag < 0 else '+'} {abs(z.imag):.6g}i"
