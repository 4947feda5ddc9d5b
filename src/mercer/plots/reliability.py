"""Whether predicted probabilities come true, and whether scores rank well: reliability, coverage, ROC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.comparison import calibration
from mercer.errors import bad
from mercer.plots.style import MUTED, NORMAL_95, drawing
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def reliability(confidence: Any, hit: Any, *, bins: int = 10, label: str | None = None, ax: Axes | None = None) -> Axes:
    """The share that came true over the probability stated, by bins, with intervals of 95 % for the share.

    For two classes pass P[:, 1] and y == classes_[1]; for more, P.max(axis=1) and predicted == y.
    """
    found = calibration.reliability(confidence, hit, bins)
    if not found:
        raise bad("plots.reliability", "confidence", "at least one probability", "none", "Pass predictions.")
    stated, share, count = (np.array([getattr(b, name) for b in found]) for name in ("confidence", "accuracy", "count"))
    low, high = wilson(share, count)
    with drawing(ax) as ax:
        _square(ax, "calibrated")
        (line,) = ax.plot(stated, share, "o-", label=label)
        ax.vlines(stated, low, high, color=line.get_color(), linewidth=1.0, alpha=0.6)
        ax.set(xlabel="stated probability", ylabel="share that came true")
    return ax


def coverage(mean: Any, std: Any, y: Any, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """The share of numbers inside the central interval N(mean, std^2) over its level."""
    mean, std, y = _alike("plots.coverage", "y", mean=mean, std=std, y=y)
    if not (std > 0.0).all():
        raise bad("plots.coverage", "std", "positive", std.min(), "Pass the deviation of y, not of f.")
    inside = np.sort(calibration.central_levels(mean, std, y))
    with drawing(ax) as ax:
        _square(ax, "calibrated")
        ax.plot(np.append(0.0, inside), np.arange(len(inside) + 1) / len(inside), drawstyle="steps-post", label=label)
        ax.set(xlabel="level of the interval", ylabel="share of y inside")
    return ax


def roc(y: Any, score: Any, *, positive: Any = None, label: str | None = None, ax: Axes | None = None) -> Axes:
    """True positive rate over false positive rate, for every threshold of the score.

    `positive` is the class that high scores stand for; by default the second of two classes.  The area is added to the
    label.
    """
    from sklearn.metrics import auc, roc_curve

    y, score = np.asarray(y), np.asarray(score, dtype=float)
    if y.shape != score.shape or y.ndim != 1 or not np.isfinite(score).all():
        raise bad("plots.roc", "score", "one finite number per label", f"shapes {score.shape} and {y.shape}",
                  "Pass decision_function(X) or one column of predict_proba(X).")  # fmt: skip
    classes = np.unique(y)
    known = len(classes) == 2 if positive is None else len(classes) > 1 and positive in classes
    if not known:
        raise bad("plots.roc", "y", "of two classes, or of more with positive= one of them",
                  f"{classes[:5].tolist()} and positive={positive!r}", "One curve per class is usual.")  # fmt: skip
    wrong, found, _ = roc_curve(y == (classes[1] if positive is None else positive), score)
    area = f"AUC {auc(wrong, found):.3f}"
    with drawing(ax) as ax:
        _square(ax, "chance")
        ax.plot(wrong, found, label=f"{label}, {area}" if label else area)
        ax.set(xlabel="false positives", ylabel="true positives")
    return ax


def wilson(share: Array, count: Array) -> tuple[Array, Array]:
    """Wilson's interval of 95 % for a share of `count` trials."""
    z2 = NORMAL_95**2 / count
    middle = (share + z2 / 2.0) / (1.0 + z2)
    half = NORMAL_95 * np.sqrt(share * (1.0 - share) / count + z2 / (4.0 * count)) / (1.0 + z2)
    return middle - half, middle + half


def _square(ax: Axes, name: str) -> None:
    """Axes from 0 to 1 and the diagonal, which is drawn once for all curves."""
    if not any(line.get_gid() == "diagonal" for line in ax.lines):
        ax.plot([0.0, 1.0], [0.0, 1.0], color=MUTED, linewidth=1.0, linestyle="--", gid="diagonal", label=name)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")


def _alike(owner: str, like: str, **given: Any) -> list[Array]:
    """All as flat arrays of the same length as the one named `like`."""
    arrays = {name: np.asarray(values, dtype=float) for name, values in given.items()}
    for name, values in arrays.items():
        if values.ndim != 1 or values.shape != arrays[like].shape or not len(values):
            raise bad(owner, name, f"one number for each of {like}", f"shape {values.shape}", "Pass flat arrays.")
    return list(arrays.values())
