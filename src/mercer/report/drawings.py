"""One function per heading of a report: it yields figures with their captions, or none if there is nothing to show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer import plots
from mercer.comparison import Comparison
from mercer.comparison.chosen_settings import sensitivity_of
from mercer.comparison.kernel_family import family
from mercer.comparison.methods import CLASSIFICATION, baselines
from mercer.comparison.predictions import Predictions
from mercer.comparison.sample import Sample
from mercer.report.projection import projection

SMALL, MIDDLE = (3.0, 2.9), (4.4, 3.4)  # inches: a panel among others, and one that stands alone
CURVES = 5  # that can be told apart on one pair of axes
GRAM_ROWS = 200
BOUNDED = ("l1vm", "rvm", "svm", "gp")  # methods whose boundaries are drawn

Drawn = tuple[Any, str]


def boundaries(found: Comparison, s: Sample) -> Iterator[Drawn]:
    """Decision regions, if there are two columns of numbers."""
    if not isinstance(s.X, np.ndarray) or s.X.shape[1] != 2:
        return
    for name in [name for name in found.fitted if name in BOUNDED]:
        fitted = found.fitted[name]
        rows, kept = fitted.rows, fitted.kept
        figure, ax = plots.figure(size=SMALL)
        machine = getattr(fitted.machine, "best_estimator_", fitted.machine)
        sparse = kept is not None and len(kept) < len(rows)
        plots.decision_regions(machine, s.X[rows], s.y[rows], support=sparse, resolution=120, ax=ax)
        ax.set_title(name)
        across, up = map(_plain, ("x0", "x1") if s.table is None else s.table.columns)
        ax.set(xlabel=across, ylabel=up)
        yield figure, f"Decision regions of {name}; score {found[name].score:.3f}."


def reliability(found: Comparison, s: Sample) -> Iterator[Drawn]:
    """Stated probabilities and what came true, for every method that states them."""
    for name, fitted in found.fitted.items():
        if fitted.predictions.P is not None and name != "dummy":
            figure, ax = plots.figure(size=SMALL)
            plots.reliability(*fitted.predictions.reliability, ax=ax)
            ax.set_title(name)
            error = found[name].calibration_error
            yield figure, f"Reliability of {name}: calibration error {error:.3f}."


def coverage(found: Comparison, s: Sample) -> Iterator[Drawn]:
    """Stated intervals and what fell inside, for every method that states a deviation."""
    for name, fitted in found.fitted.items():
        one = fitted.predictions
        if one.std is not None:
            figure, ax = plots.figure(size=SMALL)
            plots.coverage(one.value, one.std, one.y, ax=ax)
            ax.set_title(name)
            error = found[name].calibration_error
            yield figure, f"Coverage of the intervals of {name}: calibration error {error:.3f}."


def roc(found: Comparison, s: Sample) -> Iterator[Drawn]:
    """The curves of the best methods; of more than two classes those of the best method, class by class."""
    methods = sorted(found.fitted, key=lambda name: -_score(found, name))
    predicted = {name: found.fitted[name].predictions for name in methods}
    if len(np.unique(s.y[s.test])) == 2:
        ranked = {name: one for name, one in predicted.items() if one.ranking is not None}
        drawn = list(ranked.items())[:CURVES]
        if not drawn:
            return
        figure, ax = plots.figure(size=MIDDLE)
        for name, one in drawn:
            plots.roc(one.y, one.ranking, positive=one.classes[1], label=name, ax=ax)  # type: ignore[index]
        ax.legend(loc="lower right")
        yield figure, f"ROC of the {len(drawn)} methods with the best scores; AUC is the area under each curve."
        return
    best = next((name for name, one in predicted.items() if one.P is not None), None)
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


def residuals(found: Comparison, s: Sample) -> Iterator[Drawn]:
    """Of the best method: predicted and true values, and their differences."""
    best = found.best.name
    one = found.fitted[best].predictions
    figure, ax = plots.figure(size=MIDDLE)
    ends = [min(one.y.min(), one.value.min()), max(one.y.max(), one.value.max())]
    ax.plot(ends, ends, "--", color=plots.MUTED, linewidth=1.0)
    ax.plot(one.value, one.y, "o", markersize=3.0, alpha=0.6, markeredgewidth=0.0)
    ax.set(xlabel=f"predicted by {best}", ylabel=_plain(s.target))
    yield figure, f"True and predicted values of {best}; a perfect prediction lies on the dashed line."
    figure, ax = plots.figure(size=MIDDLE)
    plots.residuals(one.y, one.value, std=one.std, ax=ax)
    yield figure, f"Residuals of {best}, truth minus prediction."


def gram(found: Comparison, s: Sample) -> Iterator[Drawn]:
    """Entries and eigenvalues of the kernel matrix."""
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


def projections(found: Comparison, s: Sample) -> Iterator[Drawn]:
    """Which rows each method keeps, for methods that do not keep all."""
    kept_by = {name: one.kept for name, one in found.fitted.items() if name != "svm + platt" and one.kept is not None}
    sparse = {name: kept for name, kept in kept_by.items() if len(kept) < len(found.fitted[name].rows)}
    if not sparse:
        return
    shown, Z = projection(s)
    for name, rows in sparse.items():
        figure, ax = plots.figure(size=SMALL)
        _scatter(ax, s, shown, Z)
        kept = np.isin(shown, rows)
        ax.plot(*Z[kept].T, "o", markersize=6.0, markerfacecolor="none", markeredgecolor=plots.INK, markeredgewidth=0.9)
        ax.set_title(name)
        yield figure, f"{name} keeps {len(rows)} of {len(found.fitted[name].rows)} rows."


def _scatter(ax: Any, s: Sample, shown: Any, Z: Any) -> None:
    """The rows, coloured by class or by target."""
    y = s.y[shown]
    if s.task == CLASSIFICATION and len(np.unique(y)) <= len(plots.PALETTE):
        for label in np.unique(y):
            ax.plot(*Z[y == label].T, "o", markersize=2.8, alpha=0.75, markeredgewidth=0.0, label=_plain(label))
        ax.legend(loc="best", handletextpad=0.2)
    else:
        codes = np.unique(y, return_inverse=True)[1]
        ax.scatter(*Z.T, c=codes, s=8.0, cmap="cividis", linewidths=0.0)
    ax.set(xticks=[], yticks=[], xlabel="first component", ylabel="second")


def sensitivity(found: Comparison, s: Sample) -> Iterator[Drawn]:
    """The score over the settings tried, for every method that was searched."""
    of_kernel = family(s.kernel)[0].varied
    for name in [row.name for row in found if row.settings is not None and row.name != "svm + platt"]:
        searched = sensitivity_of(found.fitted[name].machine, s.kernel)
        if searched is None or len(searched.mean) < 2 or not np.isfinite(searched.mean).any():
            continue
        vary = [key for key in searched.params[0] if len({p[key] for p in searched.params}) > 1]
        scale = [key for key in vary if key in of_kernel]
        strength = [key for key in vary if key not in scale][:1]
        if not vary:
            continue
        figure, ax = plots.figure(size=SMALL)
        if scale and strength:
            plots.search_surface(searched.as_results(), strength[0], scale[0], ax=ax)
            figure.axes[-1].set_ylabel(searched.score)
            _tick(ax.yaxis, [p[scale[0]] for p in searched.params])
            _tick(ax.xaxis, [p[strength[0]] for p in searched.params])
        else:
            plots.search_curve(searched.as_results(), (scale or strength)[0], ax=ax)
            ax.set_ylabel(searched.score)
            _tick(ax.xaxis, [p[(scale or strength)[0]] for p in searched.params])
        ax.set_title(name)
        yield figure, f"{name}: {searched.score} over {' and '.join(strength + scale)}."


def _tick(axis: Any, values: list[float]) -> None:
    """Ticks at the values that were tried only."""
    at = sorted(set(values))
    axis.set_ticks(at, [f"{v:.2g}" if v < 10.0 else f"{v:.4g}" for v in at])
    axis.set_ticks([], minor=True)


def _score(found: Comparison, name: str) -> float:
    """The score of a method that did not fail; of equal ones, baselines come last."""
    return (found[name].score or 0.0) - 1e-6 * (name in baselines(found.task))


def _plain(label: Any) -> str:
    """A label of the data for matplotlib: short, and with no formulas in it."""
    text = str(label).replace("$", r"\$")
    return text if len(text) <= 20 else text[:19] + "…"
