"""Ctrl-C during a fit: the result so far is printed and saved like any other, and the exit code is 130."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

STOPPED = 130


def kept(fit: Callable[[], Any]) -> str:
    """Fit; the message of an interrupt that left a fitted model, "" without one.  Other interrupts are raised."""
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
