"""One function per heading of a report: it yields figures with their captions, as many as the study has reason for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer import plots
from mercer.comparison.methods import CLASSIFICATION, baselines
from mercer.report.predictions import Predictions
from mercer.report.projection import projection
from mercer.study import Study

SMALL, MIDDLE = (3.0, 2.9), (4.4, 3.4)  # inches: a panel among others, and one that stands alone
CURVES = 5  # that can be told apart on one pair of axes
GRAM_ROWS = 200
BOUNDED = ("l1vm", "rvm", "svm", "gp")  # methods whose boundaries are drawn

Drawn = tuple[Any, str]


def boundaries(study: Study, predicted: dict[str, Predictions]) -> Iterator[Drawn]:
    """Decision regions, where the rows are points of a plane."""
    s = study.sample
    if not isinstance(s.X, np.ndarray) or s.X.shape[1] != 2:
        return
    for name in [row.name for row in study.comparison if row.name in study.fitted and row.name in BOUNDED]:
        rows = study.fitted_to[name]
        figure, ax = plots.figure(size=SMALL)
        machine = getattr(study.fitted[name], "best_estimator_", study.fitted[name])
        sparse = study.kept(name) is not None and len(study.kept(name)) < len(rows)  # type: ignore[arg-type]
        plots.decision_regions(machine, s.X[rows], s.y[rows], support=sparse, resolution=120, ax=ax)
        ax.set_title(name)
        across, up = map(_plain, s.table.columns)
        ax.set(xlabel=across, ylabel=up)
        yield figure, f"Decision regions of {name}; score {study.comparison[name].score:.3f}."


def reliability(study: Study, predicted: dict[str, Predictions]) -> Iterator[Drawn]:
    """Stated probabilities and what came true, for every method that states them."""
    for name, one in predicted.items():
        if one.stated is not None and name != "dummy":
            figure, ax = plots.figure(size=SMALL)
            plots.reliability(*one.stated, ax=ax)
            ax.set_title(name)
            error = study.comparison[name].calibration_error
            yield figure, f"Reliability of {name}: calibration error {error:.3f}."


def coverage(study: Study, predicted: dict[str, Predictions]) -> Iterator[Drawn]:
    """The same for methods that state a deviation."""
    for name, one in predicted.items():
        if one.std is not None:
            figure, ax = plots.figure(size=SMALL)
            plots.coverage(one.value, one.std, one.y, ax=ax)
            ax.set_title(name)
            error = study.comparison[name].calibration_error
            yield figure, f"Coverage of the intervals of {name}: calibration error {error:.3f}."


def roc(study: Study, predicted: dict[str, Predictions]) -> Iterator[Drawn]:
    """The curves of the best methods; of more than two classes those of the best method, class by class."""
    scores = [name for name, one in predicted.items() if one.score is not None and len(np.unique(one.y)) == 2]
    ranked = sorted(scores, key=lambda name: -_score(study, name))[:CURVES]
    if ranked:
        figure, ax = plots.figure(size=MIDDLE)
        for name in ranked:
            one = predicted[name]
            plots.roc(one.y, one.score, positive=one.classes[1], label=name, ax=ax)  # type: ignore[index]
        ax.legend(loc="lower right")
        yield figure, f"ROC of the {len(ranked)} methods with the best scores; AUC is the area under each curve."
        return
    best = next((n for n in sorted(predicted, key=lambda n: -_score(study, n)) if predicted[n].P is not None), None)
    if best is not None:
        yield from _roc_by_class(best, predicted[best])


def _roc_by_class(name: str, one: Predictions) -> Iterator[Drawn]:
    figure, ax = plots.figure(size=MIDDLE)
    labels, counts = np.unique(one.y, return_counts=True)
    for label in labels[np.argsort(-counts, kind="stable")][:CURVES]:
        place = int(np.flatnonzero(one.classes == label)[0])
        plots.roc(one.y, one.P[:, place], positive=label, label=_plain(label), ax=ax)  # type: ignore[index]
    ax.legend(loc="lower right")
    yield figure, f"ROC of {name} for the most frequent classes, each against all others."


def residuals(study: Study, predicted: dict[str, Predictions]) -> Iterator[Drawn]:
    """Of the best method: predicted and true values, and their differences."""
    best = study.comparison.best.name
    one = predicted[best]
    figure, ax = plots.figure(size=MIDDLE)
    ends = [min(one.y.min(), one.value.min()), max(one.y.max(), one.value.max())]
    ax.plot(ends, ends, "--", color=plots.MUTED, linewidth=1.0)
    ax.plot(one.value, one.y, "o", markersize=3.0, alpha=0.6, markeredgewidth=0.0)
    ax.set(xlabel=f"predicted by {best}", ylabel=_plain(study.sample.target))
    yield figure, f"True and predicted values of {best}; a perfect prediction lies on the dashed line."
    figure, ax = plots.figure(size=MIDDLE)
    plots.residuals(one.y, one.value, std=one.std, ax=ax)
    yield figure, f"Residuals of {best}, truth minus prediction."


def gram(study: Study, predicted: dict[str, Predictions]) -> Iterator[Drawn]:
    """Entries and eigenvalues of the kernel matrix."""
    s = study.sample
    some = s.train[np.linspace(0, len(s.train) - 1, min(GRAM_ROWS, len(s.train))).astype(int)]
    some = some[np.argsort(s.y[some], kind="stable")]
    K = s.kernel(s.items(some))
    figure, ax = plots.figure(size=MIDDLE)
    groups = np.array([_plain(label) for label in s.y[some]]) if s.task == CLASSIFICATION else None
    few = groups is not None and len(np.unique(groups)) <= 8
    plots.gram_heatmap(K, groups=groups if few else None, ax=ax)
    yield figure, f"The Gram matrix of {len(some)} training rows, ordered by {_plain(s.target)}."
    if np.abs(K).max() > 0.0:
        figure, ax = plots.figure(size=MIDDLE)
        plots.spectrum(K, ax=ax)
        held = _rank_of(K, 0.95)
        yield figure, f"Its eigenvalues: {held} of {len(some)} hold 95 % of the trace."


def _rank_of(K: Any, share: float) -> int:
    values = np.linalg.eigvalsh(K)[::-1]
    return int(np.searchsorted(np.cumsum(values) / values.sum(), share) + 1)


def projections(study: Study, predicted: dict[str, Predictions]) -> Iterator[Drawn]:
    """For every method that keeps some of its rows only: which."""
    sparse = [row.name for row in study.comparison if row.n_kept and row.n_train and row.n_kept < row.n_train]
    names = [name for name in sparse if name in study.fitted and name != "svm + platt"]
    if not names:
        return
    shown, Z = projection(study.sample)
    for name in names:
        figure, ax = plots.figure(size=SMALL)
        _scatter(ax, study, shown, Z)
        kept = np.isin(shown, np.asarray(study.kept(name)))
        ax.plot(*Z[kept].T, "o", markersize=6.0, markerfacecolor="none", markeredgecolor=plots.INK, markeredgewidth=0.9)
        ax.set_title(name)
        row = study.comparison[name]
        yield figure, f"{name} keeps {row.n_kept:.0f} of {row.n_train:.0f} rows."


def _scatter(ax: Any, study: Study, shown: Any, Z: Any) -> None:
    """The rows, coloured by class or by target."""
    y = study.sample.y[shown]
    if study.sample.task == CLASSIFICATION and len(np.unique(y)) <= len(plots.PALETTE):
        for label in np.unique(y):
            ax.plot(*Z[y == label].T, "o", markersize=2.8, alpha=0.75, markeredgewidth=0.0, label=_plain(label))
        ax.legend(loc="best", handletextpad=0.2)
    else:
        codes = np.unique(y, return_inverse=True)[1]
        ax.scatter(*Z.T, c=codes, s=8.0, cmap="cividis", linewidths=0.0)
    ax.set(xticks=[], yticks=[], xlabel="first component", ylabel="second")


def sensitivity(study: Study, predicted: dict[str, Predictions]) -> Iterator[Drawn]:
    """For every method that was searched: its score over what was tried."""
    for row in study.comparison:
        found = study.sensitivity(row.name)
        if found is None or len(found.mean) < 2 or not np.isfinite(found.mean).any() or row.name == "svm + platt":
            continue
        vary = [key for key in found.params[0] if len({p[key] for p in found.params}) > 1]
        scale = [key for key in vary if key.startswith("lengthscale")]
        strength = [key for key in vary if key not in scale][:1]
        if not vary:
            continue
        figure, ax = plots.figure(size=SMALL)
        if scale and strength:
            plots.search_surface(found.as_results(), strength[0], scale[0], ax=ax)
            figure.axes[-1].set_ylabel(found.score)
            _tick(ax.yaxis, [p[scale[0]] for p in found.params])
            _tick(ax.xaxis, [p[strength[0]] for p in found.params])
        else:
            plots.search_curve(found.as_results(), (scale or strength)[0], ax=ax)
            ax.set_ylabel(found.score)
            _tick(ax.xaxis, [p[(scale or strength)[0]] for p in found.params])
        ax.set_title(row.name)
        yield figure, f"{row.name}: {found.score} over {' and '.join(strength + scale)}."


def _tick(axis: Any, values: list[float]) -> None:
    """Ticks at the values that were tried, and nowhere else."""
    at = sorted(set(values))
    axis.set_ticks(at, [f"{v:.2g}" if v < 10.0 else f"{v:.4g}" for v in at])
    axis.set_ticks([], minor=True)


def _score(study: Study, name: str) -> float:
    score = study.comparison[name].score
    plain = name in baselines(study.sample.task)
    return -np.inf if score is None else score - 1e-6 * plain


def _plain(label: Any) -> str:
    """A label of the data as matplotlib may print it: short, and with no mathematics."""
    text = str(label).replace("$", r"\$")
    return text if len(text) <= 20 else text[:19] + "…"
