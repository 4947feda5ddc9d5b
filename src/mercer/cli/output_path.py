"""Where a verb writes: a path that is not writable, or that is an input, is refused before any work."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from mercer.errors import bad


def require_place(output: Path | None, option: str, *inputs: str | Path | None) -> None:
    """Refuse an output that is not writable, and one that is the same file as an input.

    The same file is recognised through links, other spellings of the path, and as standard input.
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
            raise bad(option, "the path", "a file that is not read by the same command",
                      f"{str(output)!r}, the same file as {str(given)!r}", "Choose another name.")  # fmt: skip


def _same(output: Path, given: str | Path | None) -> bool:
    """Whether two paths are one file; a terminal or a pipe may be both read and written."""
    try:
        ours = os.stat(output)
        theirs = os.fstat(sys.stdin.fileno()) if given == "-" else os.stat(given or "")
    except (OSError, ValueError):  # one of them does not exist, or standard input is not a file
        return False
    return stat.S_ISREG(ours.st_mode) and os.path.samestat(ours, theirs)
