"""Ctrl-C during a fit: what the machine had found is shown and saved like any other, and the exit code says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

STOPPED = 130


def kept(fit: Callable[[], Any]) -> str:
    """Fit; what an interrupt said that left a model, "" if there was none.  One that left nothing goes on its way."""
    from mercer.errors import Interrupted

    try:
        fit()
    except Interrupted as interrupt:
        return str(interrupt)
    return ""


def end(interrupt: str) -> None:
    """End the command with the code of an interrupt, if there was one."""
    import typer

    if interrupt:
        raise typer.Exit(STOPPED)
