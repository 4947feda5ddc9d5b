"""Where a verb writes: a path that cannot be written to, or that holds an input, is refused before any work."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from mercer.errors import bad


def require_place(output: Path | None, option: str, *inputs: str | Path | None) -> None:
    """Refuse an output whose folder does not exist or is closed, and one that is the same file as an input.

    The same file is found under any name: through links of both kinds, other spellings of a path, and standard input.
    """
    if output is None:
        return
    folder = output.absolute().parent
    if output.is_dir() or not folder.is_dir():
        raise bad(option, "the path", "a file in a folder that exists", repr(str(output)),
                  "Name a file." if output.is_dir() else f"Create the folder {str(folder)!r} first.")  # fmt: skip
    if not os.access(output if output.exists() else folder, os.W_OK):
        raise bad(option, "the path", "one that you may write to", repr(str(output)), "Choose another place.")
    for given in inputs:
        if _same(output, given):
            raise bad(option, "the path", "another file than those that are read",
                      f"{str(output)!r}, the same file as {str(given)!r}", "Choose another name.")  # fmt: skip


def _same(output: Path, given: str | Path | None) -> bool:
    """Whether two paths lead to one file; a terminal or a pipe may be read and written."""
    try:
        ours = os.stat(output)
        theirs = os.fstat(sys.stdin.fileno()) if given == "-" else os.stat(given or "")
    except (OSError, ValueError):  # one of them does not exist, or standard input is no file
        return False
    return stat.S_ISREG(ours.st_mode) and os.path.samestat(ours, theirs)
