"""mercer bench NAME: the benchmarks of a checkout of the sources."""

from __future__ import annotations

from typing import Annotated

import typer


def bench(
    arguments: Annotated[list[str] | None, typer.Argument(help="A suite and options of python -m benchmarks.")] = None,
) -> None:
    """Measure against other libraries (in a checkout of the sources).

    Options of the benchmarks go after --, e.g. mercer bench gram -- --smoke.
    """
    import subprocess
    import sys
    from pathlib import Path

    if not Path("benchmarks", "__main__.py").is_file():
        raise FileNotFoundError("bench: expected the folder `benchmarks` of mercer's sources here, got none. "
                                "Run it in a checkout of the sources.")  # fmt: skip
    done = subprocess.run([sys.executable, "-m", "benchmarks", *(arguments or [])], check=False)
    raise typer.Exit(done.returncode)
