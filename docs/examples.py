"""The examples of the pages run as they are printed, and what they print is what the page shows.

    python docs/examples.py README.md docs/tutorials/*.md      run them, and rewrite what the pages show

A page is a script: its ```python blocks share a namespace, its ```console blocks (lines `$ mercer ...`) a folder.  A
```text block right after one of them shows what it printed.  In it `...` stands for anything, and a number for any
number near it: machines differ in the last digits, in the first ones of a rounding error, and by one in a count.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n(?:\n?```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
_NEAR = 0.05  # relative difference of two numbers that are the same for a reader
_SMALL = 1e-2  # below it a number is a rounding error, a gap or a time


@dataclass(frozen=True)
class Block:
    """One example: its language, its lines, what the page says it prints (None: nothing is shown), and its place."""

    language: str
    code: str
    shown: str | None
    place: slice

    def text(self, printed: str) -> str:
        """The Markdown of this block with another output."""
        shown = f"\n```text\n{printed}```\n" if self.shown is not None else ""
        return f"```{self.language}\n{self.code}```\n{shown}"


def blocks(page: Path) -> list[Block]:
    """The examples of a page in their order."""
    found = _BLOCK.finditer(page.read_text(encoding="utf8"))
    return [Block(m[1], m[2], m[3], slice(m.start(), m.end())) for m in found]


def played(page: Path, folder: Path) -> Iterator[tuple[Block, str]]:
    """Every block with what it prints when the page is run from its beginning in a folder."""
    module = ModuleType(f"page_{page.stem}")
    sys.modules[module.__name__] = module  # where pickle looks for the classes of a page
    try:
        with contextlib.chdir(folder):
            for block in blocks(page):
                console = block.language == "console"
                yield block, _console(block.code) if console else _python(block, page, vars(module))
    finally:
        del sys.modules[module.__name__]


def _python(block: Block, page: Path, namespace: dict[str, Any]) -> str:
    line = page.read_text(encoding="utf8")[: block.place.start].count("\n") + 1
    code = compile("\n" * line + block.code, str(page), "exec")  # errors name the line of the page
    with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(code, namespace)
    return out.getvalue()


def _console(code: str) -> str:
    """What the commands print; a command goes on after a backslash."""
    commands = [line[2:] for line in code.replace("\\\n", " ").splitlines() if line.startswith("$ ")]
    return "".join(map(_run, commands))


def _run(command: str) -> str:
    """What a command prints on standard output, called in this process as the shell would call it."""
    from mercer.cli.main import run

    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as told,
        mock.patch.dict(os.environ, COLUMNS="110"),
    ):
        code = run(shlex.split(command)[1:])
    if code:
        raise RuntimeError(f"{command}\nended with {code}:\n{told.getvalue()}")
    return out.getvalue()


def agree(shown: str, printed: str) -> bool:
    """Whether a reader would say that this is what was printed."""
    words = [re.escape(part).replace(r"\.\.\.", ".*?") for part in _NUMBER.split(shown.strip())]
    found = re.fullmatch(f"({_NUMBER.pattern})".join(words), printed.strip(), re.DOTALL)
    return found is not None and all(map(_near, _NUMBER.findall(shown), found.groups()))


def _near(one: str, other: str) -> bool:
    a, b, size = float(one), float(other), max(abs(float(one)), abs(float(other)))
    count = one.isdecimal() and other.isdecimal()
    return size < _SMALL or abs(a - b) <= max(_NEAR * size, 1.0 if count else 0.0)


def rewrite(page: Path) -> None:
    """Run a page, and put what its examples print where it shows something else."""
    text = page.read_text(encoding="utf8")
    with tempfile.TemporaryDirectory() as folder:
        found = list(played(page.resolve(), Path(folder)))
    for block, printed in reversed(found):
        if block.shown is not None and not agree(block.shown, printed):
            text = text[: block.place.start] + block.text(printed) + text[block.place.stop :]
    page.write_text(text, encoding="utf8")


if __name__ == "__main__":
    import time

    for name in sys.argv[1:]:
        began = time.perf_counter()
        rewrite(Path(name))
        sys.stderr.write(f"{time.perf_counter() - began:6.1f} s  {name}\n")
