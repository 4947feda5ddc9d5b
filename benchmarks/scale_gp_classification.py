"""Gaussian process classification through landmarks, on all rows.

gp labels        Accuracy and mean negative log probability of rows that no one has seen (80 % of the rows train, seed
                 0), and the seconds to fit and to predict them.  Ours is method="inducing" with 500 landmarks (100 for
                 the 7 classes of shuttle) and kernel "rbf": a lengthscale for every column.  Rivals: our exact machine
                 on EXACT rows and scikit-learn's on SKLEARN rows, as more take too long; GPyTorch's variational
                 classification with as many inducing points, which it moves, in single precision, EPOCHS passes of
                 Adam over batches of 1024 rows (MERCER_SVGP_EPOCHS).  Ours must be as good by both measures.
gp labels limit  The same kernel, fixed, and all items as landmarks: probabilities must be those of the exact machine.

Tables are given as numbers, standardised: a column per category, medians in gaps.  adult and electricity were looked at
while the method was made, the others were not.

Data: npz tables from --data or MERCER_DATA, else generated stand-ins.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from benchmarks.scale_rfm import as_numbers
from mercer import GaussianProcessClassifier
from mercer.kernels import RBF
from mercer.typing import Array

TABLES = {"adult": 500, "electricity": 500, "magic": 500, "credit_default": 500, "ijcnn1": 500, "shuttle": 100}
CLASSES = ("shuttle",)  # tables of several classes
ROWS, EXACT, SKLEARN = 62_500, 3000, 500
EPOCHS = int(os.environ.get("MERCER_SVGP_EPOCHS", "10"))
BATCH, RATE = 1024, 0.05
ROUNDING = 3e-3  # of accuracies and losses that count as equal: about a standard error of 10^4 rows
SAME = 1e-5  # of probabilities


@dataclass(frozen=True, eq=False)
class Rows:
    """Standardised rows to learn from, and rows to be judged by."""

    X: Array
    y: Array
    Z: Array
    t: Array
    landmarks: int

    def few(self, count: int) -> tuple[Array, Array]:
        """The first rows; every class is among them."""
        first = np.unique(self.y, return_index=True)[1]
        index = np.unique(np.r_[first, np.arange(min(count, len(self.y)))])
        return self.X[index], self.y[index]


@dataclass(frozen=True)
class Judged:
    """How well new labels are predicted."""

    accuracy: float
    loss: float  # mean negative log probability
    note: str = ""

    @classmethod
    def of(cls, rows: Rows, P: Array, note: str = "") -> Judged:
        chosen = np.clip(P[np.arange(len(rows.t)), rows.t], 1e-15, 1.0)
        return cls(float(np.mean(P.argmax(axis=1) == rows.t)), float(-np.mean(np.log(chosen))), note)

    def __str__(self) -> str:
        return f"accuracy {self.accuracy:.4f} loss {self.loss:.4f}{self.note}"


@lru_cache(maxsize=1)
def _rows(name: str, n: int) -> Rows:
    path = Path(os.environ.get(data.VARIABLE, "")) / f"{name}.npz"
    rng = np.random.default_rng(0)
    if path.is_file():
        with np.load(path) as arrays:
            X, y = arrays["X"].astype(float), arrays["y"]
            categorical = arrays["cat_mask"] if "cat_mask" in arrays else np.zeros(X.shape[1], dtype=bool)
    else:
        X = data.gaussian(min(n, 3000), 4).X
        f = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=len(X))
        y, categorical = np.digitize(f, [0.0, 1.0] if name in CLASSES else [0.0]), np.zeros(4, dtype=bool)
    order = rng.permutation(len(y))[:n]
    test = order[: len(order) // 5]
    N = as_numbers(X[order], categorical, np.arange(len(test), len(order)))
    Z, X = N[: len(test)], N[len(test) :]
    centre, spread = X.mean(axis=0), X.std(axis=0)
    y = np.unique(y[order], return_inverse=True)[1]
    kept = spread > 0.0
    return Rows((X - centre)[:, kept] / spread[kept], y[len(test) :], (Z - centre)[:, kept] / spread[kept],
                y[: len(test)], TABLES[name])  # fmt: skip


def _ours(rows: Rows) -> Judged:
    machine = GaussianProcessClassifier("rbf", method="inducing", n_inducing=rows.landmarks).fit(rows.X, rows.y)
    return Judged.of(rows, machine.predict_proba(rows.Z), f" ({len(rows.y)} rows, {rows.landmarks} landmarks)")


# ---- rivals


def _exact(rows: Rows) -> Judged:
    X, y = rows.few(EXACT)
    machine = GaussianProcessClassifier("rbf").fit(X, y)
    return Judged.of(rows, machine.predict_proba(rows.Z), f" ({len(y)} rows)")


def _sklearn(rows: Rows) -> Judged:
    from sklearn.gaussian_process import GaussianProcessClassifier as Theirs
    from sklearn.gaussian_process import kernels

    X, y = rows.few(SKLEARN)
    width = X.shape[1]
    kernel = 1.0 * kernels.RBF(np.full(width, np.sqrt(width)))
    search = "fmin_l_bfgs_b" if len(y) >= SKLEARN else None  # a smoke run must not take long
    machine = Theirs(kernel, optimizer=search, random_state=0).fit(X, y)
    return Judged.of(rows, machine.predict_proba(rows.Z), f" ({len(y)} rows)")


def _variational(rows: Rows) -> Judged:
    """GPyTorch, with a function for each class where there are more than two."""
    import gpytorch
    import torch

    functions = int(rows.y.max()) + 1 if rows.y.max() > 1 else 1

    class Model(gpytorch.models.ApproximateGP):  # type: ignore[misc]
        def __init__(self, Z: Any) -> None:
            batch = torch.Size([functions] if functions > 1 else [])
            given = gpytorch.variational.CholeskyVariationalDistribution(len(Z), batch_shape=batch)
            strategy: Any = gpytorch.variational.VariationalStrategy(self, Z, given, learn_inducing_locations=True)
            if functions > 1:
                strategy = gpytorch.variational.IndependentMultitaskVariationalStrategy(strategy, num_tasks=functions)
            super().__init__(strategy)
            width = Z.shape[1]
            base = gpytorch.kernels.RBFKernel(ard_num_dims=width)
            base.lengthscale = float(np.sqrt(width))
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(base)

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    torch.manual_seed(0)
    X, Z = (torch.from_numpy(np.ascontiguousarray(a, dtype=np.float32)) for a in (rows.X, rows.Z))
    y = torch.from_numpy(rows.y.astype(np.float32 if functions == 1 else np.int64))
    likelihood: Any = gpytorch.likelihoods.BernoulliLikelihood()
    if functions > 1:
        likelihood = gpytorch.likelihoods.SoftmaxLikelihood(num_classes=functions, mixing_weights=False)
    model = Model(X[torch.randperm(len(X))[: rows.landmarks]].clone())
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(X))
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    for _ in range(EPOCHS if len(X) >= BATCH else 1):
        for batch in torch.randperm(len(X)).split(BATCH):
            optimizer.zero_grad()
            loss = -bound(model(X[batch]), y[batch])
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        p = torch.cat([_probabilities(likelihood, model(part)) for part in Z.split(BATCH)]).double().numpy()
    P = np.column_stack([1.0 - p, p]) if functions == 1 else p
    return Judged.of(rows, P, f" ({EPOCHS} epochs)")


def _probabilities(likelihood: Any, latent: Any) -> Any:
    """Of Bernoulli P(1); of a softmax the mean of its draws."""
    found = likelihood(latent)
    return found.probs if found.probs.ndim == 1 else found.probs.mean(dim=0)


def _no_worse(rows: Rows, ours: Judged, theirs: Judged) -> Agreement:
    better = ours.accuracy >= theirs.accuracy - ROUNDING and ours.loss <= theirs.loss + ROUNDING
    return Agreement(better, f"{ours}; theirs {theirs}")


# ---- the limit


def _fixed(method: str, rows: Rows) -> Array:
    kernel = 4.0 * RBF(0.2 * np.sqrt(rows.X.shape[1]))
    machine = GaussianProcessClassifier(kernel, method=method, n_inducing=len(rows.y), optimizer=None)
    return np.asarray(machine.fit(rows.X, rows.y).predict_proba(rows.Z))


def _same(rows: Rows, ours: Array, theirs: Array) -> Agreement:
    apart = float(np.abs(ours - theirs).max())
    return Agreement(apart <= SAME, f"apart {apart:.0e}")


def cases() -> list[Case]:
    """Tables of two and of more classes, and the limit."""
    rivals = {
        "exact": Rival(_exact, "mercer"),
        "scikit-learn": Rival(_sklearn, "sklearn"),
        "variational": Rival(_variational, "gpytorch"),
    }
    exact = {"exact": Rival(partial(_fixed, "exact"), "mercer")}
    limit = Case("scale", "gp labels limit", 1500, 200, partial(_rows, "magic"), partial(_fixed, "inducing"), exact,
                 _same)  # fmt: skip
    return [
        *(Case("scale", f"gp labels {k}", ROWS, 200, partial(_rows, k), _ours, rivals, _no_worse) for k in TABLES),
        limit,
    ]
