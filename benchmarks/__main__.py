"""python -m benchmarks NAME [--smoke] [--full] [--sample] [--json FILE] [--data DIR] [--repeat N] [--only TEXT]."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import (
    dask_scale,
    data,
    geometry,
    gp,
    gram,
    matvec,
    report,
    ridge,
    scale,
    search,
    smoothing,
    sparse,
    startup,
    structured,
    svm,
    vjp,
)
from benchmarks.harness import Case, Row, run

SUITES = {
    "dask": dask_scale.cases,
    "geometry": geometry.cases,
    "gp": gp.searches,
    "gp-predict": gp.predictions,
    "gram": gram.cases,
    "matvec": matvec.cases,
    "vjp": vjp.cases,
    "ridge": ridge.cases,
    "scale": scale.cases,
    "search": search.cases,
    "smoothing": smoothing.cases,
    "startup": startup.cases,
    "sparse": sparse.cases,
    "structured": structured.cases,
    "svm": svm.fits,
    "svm-predict": svm.predictions,
}
PARTS = scale.parts()  # of suites: they can be asked for alone, and are not asked for by "all" again


def main(argv: Sequence[str] | None = None) -> int:
    """Run what was asked for; 1 when an answer was not the rival's."""
    arguments = _parser().parse_args(argv)
    if arguments.data:
        os.environ[data.VARIABLE] = arguments.data
    if arguments.full:
        os.environ[search.FULL] = "1"
    if arguments.sample:
        os.environ[search.SAMPLE] = "1"
    cases = chosen(arguments.name or "all", arguments.only, arguments.smoke)
    if arguments.list or not arguments.name:
        print("\n".join(f"{case.suite}: {case.name}" for case in cases))
        return 0
    rows = measured(cases, arguments.repeat, arguments.smoke, arguments.json)
    print(report.table(rows))
    if not arguments.smoke:
        print(report.summary(rows))
        if waits := startup.verdict([row for row in rows if row.suite == "startup"]):
            print(waits)
        if scaled := dask_scale.verdict([row for row in rows if row.suite == "dask"]):
            print(scaled)
    return int(any(row.same is False for row in rows))


def chosen(name: str, only: str, smoke: bool) -> list[Case]:
    """The cases of a suite (or of all) whose names contain `only`; first-time cases are too slow for a smoke run."""
    suites = SUITES.values() if name == "all" else [(SUITES | PARTS)[name]]
    return [case for suite in suites for case in suite() if only in case.name and not (smoke and case.cold)]


def measured(cases: Sequence[Case], repeat: int, smoke: bool, file: Path | None) -> list[Row]:
    """The rows of all cases; the file is written after each, so that an interrupted run is not lost."""
    rows: list[Row] = []
    for case in cases:
        rows += run(case, repeat=repeat, smoke=smoke)
        print(report.table(rows[-len(case.rivals) :], head=False), file=sys.stderr, flush=True)
        if file:
            report.write_json(rows, file)
    return rows


def _rounds(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1; got {text}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time mercer against its rivals.")
    parser.add_argument("name", nargs="?", choices=[*SUITES, *PARTS, "all"], help="which suite; without it, list them")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, one round: only whether the answers agree")
    parser.add_argument("--full", action="store_true", help="whole grids where a suite takes fewer points by default")
    parser.add_argument("--sample", action="store_true", help="let slow rivals do a part, and scale their time up")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows to FILE, beside those of other cases")
    parser.add_argument("--data", metavar="DIR", help=f"directory of .npz tables (default: ${data.VARIABLE})")
    parser.add_argument("--repeat", type=_rounds, default=3, metavar="N", help="rounds; the best counts (default: 3)")
    parser.add_argument("--only", default="", metavar="SUBSTRING", help="only cases whose name contains this")
    return parser


if __name__ == "__main__":
    sys.exit(main())
