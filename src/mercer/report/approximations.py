"""What was approximated so that every method could learn from all rows, in words."""

from __future__ import annotations

from mercer.comparison import Comparison

MEANINGS = {  # the last word of `how`: what it means
    "landmarks": "the kernel was replaced by its projection on the features of that many rows, the landmarks; all rows "
                 "were learned from, and the certificate proves the problem on the landmarks",
    "prototypes": "kernel functions of that many rows are combined, not of all; all rows were learned from",
    "candidates": "relevance vectors were chosen among that many rows, not among all; all rows were learned from",
    "neighbours": "every prediction is made from that many of the training rows, the nearest; the hyper-parameters "
                  "come from blocks of rows",
    "cells": "the rows were divided into cells of at most that many, with some overlap, and each cell has an exact "
             "machine of its own; of ridge regression these add to one on landmarks",
    "points": "the process was conditioned on all rows through that many of them, the inducing points; of labels, the "
              "hyper-parameters have the largest evidence on a sample",
    "leaves": "the rows were divided into parts of at most that many, each with a machine of its own",
}  # fmt: skip


def approximations(found: Comparison) -> list[str]:
    """A sentence for every kind of approximation, with the methods that it was used for, and one on the searches."""
    by_kind: dict[str, list[str]] = {}
    for row in found:
        if row.how is not None and row.how != "exact":
            by_kind.setdefault(_kind(row.how), []).append(f"{row.name} ({row.how})")
    said = [f"{', '.join(names)}: {MEANINGS[kind]}." for kind, names in by_kind.items()]
    if said:
        said.append("Settings were chosen on a sample of the training rows, and then used for the fit to all of them.")
    return said


def _kind(how: str) -> str:
    words = how.split()
    return words[0] if words[0] in MEANINGS else words[-1]
