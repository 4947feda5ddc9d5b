"""What kernel machines can do, measured by fitting them: the cells of the comparison table.

    Behaviour().cell("RVM", "sparse")       True, after counting what a fitted RVM keeps

Each column of `Capabilities` is a method of that name.  It raises ClaimFails where measurements contradict each other.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from sklearn.base import clone

import mercer
from mercer.comparison.calibration import expected_error, log_losses
from mercer.errors import NotPositiveDefinite
from mercer.estimators.positivity import Indefinite
from mercer.figures.claim import ClaimFails
from mercer.kernels import RBF, Sigmoid
from mercer.typing import Array

K = RBF(1.0)
INDEFINITE = Sigmoid(1.0, offset=-0.5)
LENGTHSCALES = [0.05, 1.0, 20.0]
CLASSIFIERS = {
    "L2VM": mercer.L2VMClassifier(K),
    "L1VM": mercer.L1VMClassifier(K),
    "RVM": mercer.RVMClassifier(K),
    "SVM": mercer.SVC(kernel=K),
    "GP": mercer.GaussianProcessClassifier(9.0 * K, optimizer=None),
    "KLR": mercer.KernelLogisticRegression(C=10.0, kernel=K),
}
REGRESSORS = {
    "L2VM": mercer.L2VMRegressor(K, alpha="evidence"),
    "L1VM": mercer.L1VMRegressor(K),
    "RVM": mercer.RVMRegressor(K),
    "SVM": mercer.SVR(kernel=K),
    "GP": mercer.GaussianProcessRegressor(K, optimizer=None, noise=0.04),
    "ridge": mercer.KernelRidge(kernel=K),
}


class Behaviour:
    """Items of the plane with numbers, two labels and four labels, and what machines do with them."""

    def __init__(self, seed: int = 0, n: int = 120) -> None:
        rng = np.random.default_rng(seed)
        self.n, self.X = n, rng.uniform(-2.0, 2.0, size=(n, 2))
        self.number = _wave(self.X) + 0.2 * rng.normal(size=n)
        self.label = (_wave(self.X) + 0.4 * rng.normal(size=n) > 0.0).astype(int)
        self.four = (self.X + 0.5 * rng.normal(size=(n, 2)) > 0.0) @ [1, 2]
        self.new = rng.uniform(-2.0, 2.0, size=(2000, 2))
        self.new_label = (_wave(self.new) + 0.4 * rng.normal(size=2000) > 0.0).astype(int)
        self.fitted = lru_cache(None)(self._fitted)

    def cell(self, row: str, column: str) -> Any:
        """One cell of the table."""
        return getattr(self, column)(row)

    def machine(self, row: str) -> tuple[Any, Array]:
        """The classifier of a row with its labels, or the regressor with its numbers where there is none."""
        return (CLASSIFIERS[row], self.label) if row in CLASSIFIERS else (REGRESSORS[row], self.number)

    def _fitted(self, row: str) -> Any:
        machine, target = self.machine(row)
        return clone(machine).fit(self.X, target)

    # ---- convex: fits in different orders end at one objective, which is proved; None if there is nothing to minimise

    def convex(self, row: str) -> bool | None:
        if row == "GP":
            return None if clone(REGRESSORS[row]).fit(self.X, self.number).n_iter_ == 0 else False
        found = [_objective(machine) for machine in self._different_ways(row)]
        return bool(max(found) - min(found) < 1e-3 * abs(found[0]))

    def _different_ways(self, row: str) -> list[Any]:
        """The same problem solved in different orders of the items, or from different starts."""
        if row == "RVM":
            return self.local_maxima
        machine, target = self.machine(row)
        orders = [np.random.default_rng(seed).permutation(self.n) for seed in range(3)]
        return [clone(machine).fit(self.X[order], target[order]) for order in orders]

    @cached_property
    def local_maxima(self) -> list[Any]:
        """A fit with one start and one with eleven, on the data set (of four) where their evidences differ most."""
        pairs = []
        for seed in range(4):
            draw = np.random.default_rng(seed)
            T = draw.normal(size=(60, 2))
            t = T[:, 0] * T[:, 1] + 0.3 * draw.normal(size=60)
            pairs.append([mercer.RVMRegressor(RBF(0.7), n_restarts=r, tol=1e-4).fit(T, t) for r in (0, 10)])
        return max(pairs, key=lambda pair: pair[1].log_evidence_ - pair[0].log_evidence_)

    # ---- kernel_tuning: the evidence is largest for the right kernel; without an evidence, a search has to find it

    def kernel_tuning(self, row: str) -> str:
        from sklearn.model_selection import GridSearchCV

        machine = REGRESSORS.get(row, CLASSIFIERS.get(row))
        target = self.number if row in REGRESSORS else self.label
        fits = [clone(machine).set_params(kernel=RBF(ell)).fit(self.X, target) for ell in LENGTHSCALES]
        evidences: Any = [_evidence(fit) for fit in fits]
        if None not in evidences:
            _require(np.argmax(evidences) == 1, f"{row}: the evidence does not choose the right lengthscale")
            return "EB"
        search = GridSearchCV(machine, {"kernel__lengthscale": LENGTHSCALES}, cv=3).fit(self.X, target)
        _require(search.best_params_ == {"kernel__lengthscale": 1.0}, f"{row}: a search finds {search.best_params_}")
        return "CV"

    # ---- sparse: a prediction needs few of the items, and the others are not kept

    def sparse(self, row: str) -> bool:
        kept = len(self.fitted(row).support_)
        _require(kept < 0.7 * self.n or kept == self.n, f"{row}: {kept} of {self.n} items kept is neither few nor all")
        return kept < self.n

    # ---- probabilistic: a machine has probabilities by default, and they are calibrated

    def probabilistic(self, row: str) -> bool:
        machine = self.fitted(row)
        if not hasattr(machine, "predict_proba"):
            return row not in CLASSIFIERS and "return_std" in inspect.signature(machine.predict).parameters
        P = machine.predict_proba(self.new)
        chance = -np.log(max(np.mean(self.label), 1.0 - np.mean(self.label)))
        loss = np.mean(log_losses(P, machine.classes_, self.new_label))
        _require(loss < 0.8 * chance, f"{row}: a log loss of {loss:.3g} is no better than chance")
        right = machine.classes_[P.argmax(axis=1)] == self.new_label
        return bool(expected_error(P.max(axis=1), right) < 0.1)

    # ---- multiclass: one model with four functions, or six machines of two classes each

    def multiclass(self, row: str) -> str:
        if row not in CLASSIFIERS:
            return "no"
        machine = clone(CLASSIFIERS[row]).fit(self.X, self.four)
        _require(np.mean(machine.predict(self.X) == self.four) > 0.6, f"{row}: four classes are not learned")
        parts = getattr(machine.certificate_, "parts", ())
        functions, expected = (len(parts), 6) if parts else (machine.dual_coef_.shape[0], 4)
        _require(functions == expected, f"{row}: {functions} functions for four classes")
        return "indirect" if parts else "yes"

    # ---- non_mercer: indefinite kernels are accepted without a warning

    def non_mercer(self, row: str) -> bool:
        found = {self.accepts_indefinite(machines[row]) for machines in (CLASSIFIERS, REGRESSORS) if row in machines}
        _require(len(found) == 1, f"{row}: its classifier and its regressor differ")
        return found.pop()

    def accepts_indefinite(self, machine: Any) -> bool:
        """Whether there is no warning of an indefinite kernel, passed as a kernel or as a matrix."""
        silent = {not self._complaints(one, data) for one, data in self.given(machine)}
        _require(len(silent) == 1, f"{type(machine).__name__}: a kernel and its matrix are not judged alike")
        return silent.pop()

    def given(self, machine: Any) -> Iterator[tuple[Any, Array]]:
        """An indefinite kernel in both ways it can be passed, with the data that go with it."""
        yield clone(machine).set_params(kernel="precomputed"), INDEFINITE(self.X)
        yield clone(machine).set_params(kernel=INDEFINITE), self.X

    def _complaints(self, machine: Any, data: Array) -> list[str]:
        """The warnings and errors about an indefinite kernel when a machine is fitted."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                machine.fit(data, self.label)
            except NotPositiveDefinite as error:
                return [str(error)]
        return [str(w.message) for w in caught if issubclass(w.category, Indefinite)]


def _wave(X: Array) -> Array:
    return np.asarray(np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 / 2.0 - 0.7)


def _objective(machine: Any) -> float:
    """The objective of a machine that has converged."""
    certificate = machine.certificate_
    _require(certificate.converged, f"{type(machine).__name__}: did not converge")
    if hasattr(machine, "log_evidence_"):
        return float(machine.log_evidence_)
    _require(certificate.relative_gap < 1e-3, f"{type(machine).__name__}: a gap of {certificate.relative_gap:.1e}")
    return float(certificate.primal)


def _evidence(machine: Any) -> float | None:
    return getattr(machine, "log_evidence_", getattr(machine, "log_marginal_likelihood_value_", None))


def _require(holds: Any, fault: str) -> None:
    if not holds:
        raise ClaimFails(fault)
