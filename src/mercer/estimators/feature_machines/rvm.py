"""Relevance vector machines: every weight has a precision of its own, and the evidence sends most of them to infinity.

    y = w' phi(x) + b + noise      or      P(y | x) = sigm or softmax of such functions,      w_i ~ N(0, 1 / alpha_i)

Every training item offers its kernel function phi_j = k(., x_j), and with fit_intercept a constant is one more, chosen
and shrunk like the others.  k may be any similarity.  The evidence has many local maxima: what is found
is one of them, and the certificate says that no change of one precision and no exchange of two functions raises it.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mercer.errors import bad
from mercer.estimators.base import positive
from mercer.estimators.feature_machines.design import Design, Weights
from mercer.estimators.feature_machines.machine import FeatureClassifier, FeatureRegressor, Method, by_rows
from mercer.estimators.feature_machines.placement import check_prototypes, prototypes_among
from mercer.solvers.rvm.basis import Basis
from mercer.solvers.rvm.em import fixed_point
from mercer.solvers.rvm.evidence import Relevance
from mercer.solvers.rvm.gaussian import Gaussian
from mercer.solvers.rvm.greedy import greedy
from mercer.solvers.rvm.laplace import Laplace
from mercer.typing import Array

METHODS = ("greedy", "em", "mackay")


@dataclass(frozen=True, eq=False)
class Candidates(Design):
    """A design whose matrix is not computed: `basis` computes columns on demand, and Phi is empty."""

    basis: Basis


class RVM(Method):
    """The candidates, the search, and what is kept of them.

    A machine has `_evidence_of(candidates)`, the evidence of its targets as a function of the precisions.
    """

    def check(self, machine: Any) -> None:
        owner = type(machine).__name__
        check_prototypes(owner, machine.n_prototypes)
        if machine.method not in METHODS:
            raise bad(owner, "method", f"one of {METHODS}", repr(machine.method), "'greedy' is the default.")
        positive(owner, "tol", machine.tol)
        for name, least in (("max_iter", 1), ("n_restarts", 0)):
            given = getattr(machine, name)
            if given is None and name == "n_restarts":
                continue
            if not isinstance(given, Integral) or given < least:
                raise bad(owner, name, f"a whole number >= {least}", repr(given), "Leave it out for the default.")
        if getattr(machine, "beta", None) is not None:
            positive(owner, "beta", machine.beta)

    def design(self, machine: Any, X: Any, target: Array, weight: Array) -> Candidates:
        data, used = self.data(machine, X), np.flatnonzero(weight)
        gram: Any = data.double().gram()
        places = prototypes_among(data, used, machine.n_prototypes)
        whole = gram if len(used) == len(data) else gram.sub(used)
        some = None if len(places) == len(used) else np.searchsorted(used, places)
        basis = Basis(whole, some, bias=machine.fit_intercept)
        return Candidates(np.empty((len(used), 0)), target[used], weight[used], data, places, basis)

    def solve(self, machine: Any, design: Design) -> Weights:
        """The weights of all candidates; most are zero."""
        assert isinstance(design, Candidates)
        basis, evidence = design.basis, machine._evidence_of(design)
        found = _search(machine, evidence)
        wide = np.zeros((len(evidence) // len(basis), len(basis)))  # one row per function
        wide.flat[found.index] = found.mean
        intercept = wide[:, basis.n] if basis.bias else np.zeros(len(wide))
        machine.alpha_, machine.sigma_ = found.alpha, found.covariance
        machine.log_evidence_, machine.evidence_trace_ = found.log_evidence, found.trace
        if hasattr(machine, "beta"):
            machine.beta_ = found.beta
        return Weights(wide[:, : basis.n].T, intercept, found)

    def keep(self, machine: Any, X: Any, design: Design, found: Weights) -> None:
        """Keep the items that have a precision, and remember which weight is where."""
        assert design.centres is not None
        n = len(found.W)
        width = n + machine.fit_intercept
        column = found.certificate.index % width
        some = np.unique(column[column < n])
        machine._keep(X, design.centres, design.places[some], found.W[some], found.intercept)
        machine._function = found.certificate.index // width
        machine._position = np.where(column < n, np.searchsorted(some, column), len(some))


def _search(machine: Any, evidence: Gaussian | Laplace) -> Relevance:
    """The precisions of largest evidence that the machine's method finds."""
    if machine.method != "greedy":
        return fixed_point(evidence, machine.method, tol=machine.tol, max_iter=machine.max_iter)
    seed = check_random_state(machine.random_state).randint(2**31)
    return greedy(evidence, tol=machine.tol, max_iter=machine.max_iter, restarts=machine.n_restarts, seed=seed)


def halves(machine: Any, X: Any) -> Array:
    """(m, functions, weights) on checked items: products of two of them are posterior covariances of the f."""
    root = _root(machine.sigma_)
    functions = machine._coef_columns.shape[1]

    def of_rows(Phi: Array) -> Array:
        wide = np.column_stack([Phi, np.ones(len(Phi))])[:, machine._position]
        parts = [wide * (machine._function == c) @ root for c in range(functions)]
        return np.stack(parts, axis=1)

    return by_rows(machine, X, of_rows)


def _root(S: Array) -> Array:
    """R with R R' = S, for a covariance that may be singular to rounding."""
    values, V = np.linalg.eigh(S)
    return np.asarray(V * np.sqrt(np.maximum(values, 0.0)))


class RVMRegressor(FeatureRegressor):
    """The relevance vector machine for numbers: y ~ N(w' phi(x) + b, 1/beta), w_i ~ N(0, 1/alpha_i).

    method       "greedy": Tipping and Faul's ascent, one precision at a time; "em" or "mackay": all at once, at
                 a cost of n^3 per step
    beta         the precision of the noise; None learns it
    tol          how much log evidence a change of one precision, or an exchange of two functions, may still gain
    n_restarts   further greedy ascents, from the best model without a random half of its functions, or with others;
                 None: 20 for up to 600 items, then fewer, and 2 from 2000 on or where the kernel is so narrow that a
                 fifth of all functions is kept
    n_prototypes only the kernel functions of so many landmarks among the items are offered; None: those of all items

    An item of sample weight w counts as w items.  After fit: support_ (the relevance vectors), dual_coef_, intercept_,
    beta_, log_evidence_, evidence_trace_ (nondecreasing), certificate_, and alpha_ and sigma_, the precisions and the
    posterior covariance of the weights that are kept, in the order of support_, with the intercept, if kept, last.
    """

    _method = RVM()

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        method: str = "greedy",
        beta: float | None = None,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 5000,
        n_restarts: int | None = None,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        random_state: Any = 0,
        n_prototypes: int | None = None,
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.method, self.beta, self.fit_intercept = method, beta, fit_intercept
        self.tol, self.max_iter, self.n_restarts, self.random_state = tol, max_iter, n_restarts, random_state
        self.n_prototypes = n_prototypes

    def _evidence_of(self, design: Candidates) -> Gaussian:
        """The evidence of the targets, as a function of the precisions."""
        return Gaussian(design.basis, design.target, design.weight, None if self.beta is None else float(self.beta))

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean w' phi(x) + b; with return_std also the deviation sqrt(1/beta + phi' Sigma phi) of a new y."""
        X = self._items(X)
        mean = self._values(X)
        if not return_std:
            return mean
        return mean, np.sqrt(1.0 / self.beta_ + (halves(self, X)[:, 0] ** 2).sum(axis=1))


class RVMClassifier(FeatureClassifier):
    """The relevance vector machine for labels: sigm(w' phi(x) + b) for two classes, softmax for more.

    The weights are found by Laplace's approximation.  With more than two classes a kernel function has a weight for
    every class, and each a precision of its own; an item is a relevance vector if any class uses it.

    method, tol, n_restarts, n_prototypes as in RVMRegressor; and

    moderated      average probabilities over the posterior of f, which draws them to 1/2 where the data say little:
                   P = sigm(f / sqrt(1 + pi v / 8)), v the variance of f, or of the difference of the two leading f
    class_weight   weights of the classes, as in scikit-learn

    After fit: classes_, support_, dual_coef_, intercept_, log_evidence_, evidence_trace_, certificate_, and alpha_ and
    sigma_ of the weights that are kept, class by class, in each the items in the order of support_, then the intercept.
    """

    _method = RVM()

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        method: str = "greedy",
        moderated: bool = True,
        class_weight: Any = None,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 5000,
        n_restarts: int | None = None,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        random_state: Any = 0,
        n_prototypes: int | None = None,
    ) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.method, self.moderated = method, moderated
        self.class_weight, self.fit_intercept = class_weight, fit_intercept
        self.tol, self.max_iter, self.n_restarts, self.random_state = tol, max_iter, n_restarts, random_state
        self.n_prototypes = n_prototypes

    def _evidence_of(self, design: Candidates) -> Laplace:
        """The evidence of the labels, in Laplace's approximation."""
        return Laplace(design.basis, design.target, len(self.classes_), design.weight)

    def decision_function(self, X: Any) -> Array:
        """The log odds of the second class, or one column per class: f itself, or with `moderated` f shrunk."""
        f = super().decision_function(X)
        if not self.moderated:
            return f
        shrunk = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * self._contrast(self._items(X), f))
        return np.asarray(f * (shrunk if f.ndim == 1 else shrunk[:, None]))

    def _contrast(self, X: Any, f: Array) -> Array:
        """The posterior variance of f, or of the difference of the two leading functions."""
        H = halves(self, X)
        if f.ndim == 1:
            return np.asarray((H[:, 0] ** 2).sum(axis=1))
        first, second = np.argsort(f, axis=1)[:, :-3:-1].T
        rows = np.arange(len(f))
        return np.asarray(((H[rows, first] - H[rows, second]) ** 2).sum(axis=1))
