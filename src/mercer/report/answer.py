"""The first lines of a report: which method is best, and how sure that is."""

from __future__ import annotations

import numpy as np

from mercer.comparison import Comparison, Row
from mercer.comparison.methods import CLASSIFICATION
from mercer.comparison.predictions import Predictions

_RESAMPLED = 200


def answer(found: Comparison) -> list[str]:
    """Which method is best, how sure that is, and in what other methods are better."""
    best = found.best
    scores = {row.name: row.score for row in found if row.score is not None}
    equal = [name for name, score in scores.items() if score == scores[best.name]]
    tied = [row.name for row in found.tied if row.name not in equal]
    said = [_first(found, equal)]
    if tied:
        said.append(f"On these rows {_listed(tied)} {'is' if len(tied) == 1 else 'are'} as good within chance: row by "
                    "row, the difference is within two standard errors.")  # fmt: skip
    elif len(equal) < len(scores):
        said.append("All others are worse by more than two standard errors of the difference, row by row.")
    said.append(f"As it was chosen as the best of {len(scores)} on these rows, expect a little less on new ones.")
    return said + _others(found, best)


def _first(found: Comparison, equal: list[str]) -> str:
    best = found.best
    has = "has" if len(equal) == 1 else "have"
    text = f"{_listed(equal)} {has} the highest {found.scoring}: {best.score:.3f}"
    if found.sample is None or found.sample.scoring is not None:
        return f"{text}."
    predictions = found.fitted[best.name].predictions
    error = standard_error(predictions, found.task)
    return f"{text} on {len(predictions.y)} held-out rows, with a standard error of {error:.3f}."


def _others(found: Comparison, best: Row) -> list[str]:
    """Where other methods had fewer rows, and which are better in other respects."""
    said = []
    fewer = [row.name for row in found if row.n_train and best.n_train and row.n_train < best.n_train]
    if fewer:
        said.append(f"{_listed(fewer)} learned from fewer rows than {best.name}, which is a disadvantage.")
    if honest := _least(found.rows, "log_loss"):
        said.append(f"{honest.name} has the best probabilities: its log loss is {honest.log_loss:.3f}.")
    sparse = [row for row in found if row.n_kept and row.n_train and row.score is not None]
    if sparse:
        few = min(sparse, key=lambda row: row.n_kept or 0.0)
        said.append(f"{few.name} predicts with the fewest training rows: {few.n_kept:.0f} of {few.n_train:.0f}, "
                    f"at a score of {few.score:.3f}.")  # fmt: skip
    plain = next((row for row in found if row.name == "dummy" and row.score is not None), None)
    if plain is not None:
        blind = "always the most frequent class" if found.task == CLASSIFICATION else "always the mean"
        said.append(f"To predict {blind} would score {plain.score:.3f}.")
    return said


def standard_error(one: Predictions, task: str) -> float:
    """Of an accuracy by its binomial formula, of an R^2 by resampling the held-out rows."""
    if task == CLASSIFICATION:
        share = float(np.mean(one.value == one.y))
        return float(np.sqrt(share * (1.0 - share) / len(one.y)))
    rng, scores = np.random.default_rng(0), []
    for _ in range(_RESAMPLED):
        some = rng.integers(0, len(one.y), len(one.y))
        spread = float(np.sum((one.y[some] - one.y[some].mean()) ** 2))
        if spread > 0.0:
            scores.append(1.0 - float(np.sum((one.y[some] - one.value[some]) ** 2)) / spread)
    return float(np.std(scores)) if scores else 0.0


def _least(rows: tuple[Row, ...], name: str) -> Row | None:
    having = [row for row in rows if getattr(row, name) is not None]
    return min(having, key=lambda row: getattr(row, name)) if having else None


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
