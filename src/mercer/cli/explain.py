"""mercer explain-kernel EXPR: the formula of a kernel, and the proof that it is positive semi-definite."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mercer.cli.options import Json

WIDTHS = (1, 2, 10, 100)


def explain(
    expression: Annotated[str, typer.Argument(help='Kernel expression, e.g. "2*RBF(1.5) + Linear()**2".')],
    json: Json = False,
) -> None:
    """Formula, domain and proof of a kernel expression.

    The proof applies one rule to each part of the expression; it ends where no rule applies.
    """
    from mercer import parse, theory
    from mercer.cli.printing import result

    kernel = parse(expression)
    tree = theory.proof(kernel)
    steps = list(tree.lines())
    found: dict[str, Any] = {
        "kernel": repr(kernel),
        "formula": [f"{'  ' * depth}{_name(step)}: {theory.formula(step.kernel)}" for depth, step in steps],
        "domain": kernel.items.kind,
        "hyper-parameters": _parameters(steps),
        "positive semi-definite": {True: "yes, by proof", False: "no", None: "unknown"}[kernel.psd],
        "proof": [f"{'  ' * depth}{step.kernel!r}: {step.reason}" for depth, step in steps],
        "features": _features(kernel),
    }
    if json:
        found["proof"] = [{"depth": d, "kernel": repr(s.kernel), "psd": s.psd, "reason": s.reason} for d, s in steps]
    result(found, json)


def _name(step: Any) -> str:
    return type(step.kernel).__name__


def _parameters(steps: Any) -> list[str]:
    """Every hyper-parameter with its value, and whether it is free to be learned."""
    from mercer.parameters import Fixed, hypers

    found = []
    for _, step in steps:
        for name, _ in hypers(step.kernel):
            given = getattr(step.kernel, name)
            found.append(f"{_name(step)}.{name} = {given!r}{'' if isinstance(given, Fixed) else ', free'}")
    return found or ["none"]


def _features(kernel: Any) -> str:
    """The number of features for some numbers of columns, if it is known."""
    from mercer.items import Table, Vectors

    counts = {D: kernel.dimension(D) for D in WIDTHS}
    if None in counts.values() or kernel.items not in (Vectors, Table):
        return (
            "no explicit map of finitely many features is known" if kernel.items is Vectors else "depends on the data"
        )
    if len(set(counts.values())) == 1:
        return str(counts[1])
    return ", ".join(f"{count} in {D} column{'s' * (D > 1)}" for D, count in counts.items())
