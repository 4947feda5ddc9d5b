"""E22: the table of kernel machines, from what they do.

Every cell is measured by fitting machines (measured_capabilities.py), and so are time and log loss.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from mercer import plots
from mercer.estimators.capabilities import CAPABILITIES, Capabilities
from mercer.figures._data import clusters, split
from mercer.figures.claim import Measured, at_most, equal, noted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "What each machine is declared to be able to do is what it does.  The book advises the RVM if speed matters "
    "and the GP if calibration matters: both are measured here."
)
N, M = 500, 5000
COLUMNS = tuple(field.name for field in fields(Capabilities))
METHODS = {"L2VM": "l2vm", "L1VM": "l1vm", "RVM": "rvm", "SVM": "svm + platt", "GP": "gp", "KLR": "klr"}
YES, NO = "yes", "no"


@dataclass(frozen=True)
class Result:
    """Every cell as measured, and the rows of a comparison on two classes, by machine."""

    cells: dict[str, dict[str, Any]]
    rows: dict[str, Any]


def compute(seed: int = 0) -> Result:
    """Forty-two cells; and 500 items to fit with 5000 to test."""
    from mercer import GaussianProcessClassifier, compare
    from mercer.figures.measured_capabilities import Behaviour
    from mercer.kernels import RBF

    probe, kernel = Behaviour(seed), RBF(0.3)
    cells = {row: {column: probe.cell(row, column) for column in COLUMNS} for row in CAPABILITIES}
    process = (
        "gp",
        GaussianProcessClassifier(1.0 * kernel),
    )  # its variance is learned, as the weights of the others are
    entrants = [process if name == "gp" else name for name in METHODS.values()]
    found = compare(*clusters(N + M, seed), kernel, entrants, cv=split(N, M))
    return Result(cells, {row: found[name] for row, name in METHODS.items()})


def check(result: Result) -> list[Measured]:
    """Cells agree with the declared table; time and calibration are reported without a rule."""
    right = sum(
        cell == getattr(CAPABILITIES[row], name) for row, cells in result.cells.items() for name, cell in cells.items()
    )
    rvm, gp = result.rows["RVM"], result.rows["GP"]
    return [
        equal("cells found as declared", right, len(CAPABILITIES) * len(COLUMNS)),
        equal("machines that failed", sum(row.error is not None for row in result.rows.values()), 0),
        at_most(
            "largest log loss, over that of a coin", max(row.log_loss for row in result.rows.values()) / 0.6931, 0.6
        ),
        noted("time to fit, RVM over GP", rvm.fit_seconds / gp.fit_seconds),
        noted("time to predict, RVM over GP", rvm.predict_seconds / gp.predict_seconds),
        noted("log loss of RVM", rvm.log_loss),
        noted("log loss of GP", gp.log_loss),
    ]


def draw(result: Result) -> Figure:
    """The table, with yes in one colour and no in another."""
    figure, ax = plots.figure(size=(9.2, 2.9))
    ax.axis("off")
    heads = [*(name.replace("_", " ") for name in COLUMNS), "fit, ms", "predict, ms", "log loss"]
    text = [[*map(_word, cells.values()), *_measured(result.rows.get(row))] for row, cells in result.cells.items()]
    table = ax.table(text, rowLabels=list(result.cells), colLabels=heads, loc="center", cellLoc="center",
                     cellColours=[[_colour(cell) for cell in line] for line in text],
                     bbox=(0.06, 0.0, 0.94, 1.0))  # fmt: skip
    table.auto_set_font_size(False)
    table.set_fontsize(8.5)
    for (line, _), cell in table.get_celld().items():
        cell.set(edgecolor="white", linewidth=1.5)
        if line == 0:
            cell.set_text_props(color=plots.MUTED)
    return figure


def _word(cell: Any) -> str:
    return cell if isinstance(cell, str) else {True: YES, False: NO, None: "n/a"}[cell]


def _measured(row: Any) -> list[str]:
    if row is None:
        return ["-"] * 3
    return [f"{1e3 * row.fit_seconds:.0f}", f"{1e3 * row.predict_seconds:.1f}", f"{row.log_loss:.3f}"]


def _colour(word: str) -> str:
    return {YES: "#d6ecf8", "EB": "#d6ecf8", NO: "#fbe3d3", "CV": "#fbe3d3"}.get(word, "#f3f4f6")
