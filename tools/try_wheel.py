"""Installs the wheel of dist/ into an empty environment, where no compiler is found, and uses it; `make wheel`.

    python3.13 tools/try_wheel.py       # another Python than the one that built it

Wheel and source distribution are looked through first: all data, no tests; all sources.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ("py.typed", "report/template.html", "figures/gallery.html", "plots/mercer.mplstyle")
SOURCES = (
    "CMakeLists.txt",
    "LICENSE",
    "native/border/module.cpp",
    "native/loops/radial.cpp",
    "native/weak_symbols.cmake",
)


def check_wheel(path: Path) -> None:
    """The package, its data and one extension module, nothing else."""
    names = zipfile.ZipFile(path).namelist()
    expect(path, names, [f"mercer/{name}" for name in DATA])
    strange = [name for name in names if not name.startswith(("mercer/", "mercer-")) or "__pycache__" in name]
    compiled = [name for name in names if name.startswith("mercer/_native.")]
    if strange:
        sys.exit(f"{path.name}: must hold the package alone; it holds {', '.join(strange[:5])}")
    if len(compiled) != 1:
        sys.exit(f"{path.name}: must hold one extension module; it holds {compiled}")


def check_sdist(path: Path) -> None:
    """All that is needed to build."""
    with tarfile.open(path) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    expect(path, names, SOURCES)


def expect(path: Path, names: list[str], wanted: list[str] | tuple[str, ...]) -> None:
    """Complain of what is missing in an archive."""
    missing = sorted(set(wanted) - set(names))
    if missing:
        sys.exit(f"{path.name}: lacks {', '.join(missing)}")


def use(wheel: Path) -> None:
    """Install it with its dependencies, from wheels alone, and run tools/smoke.py with nothing else on the path."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder, "Scripts" if sys.platform == "win32" else "bin")
        python = programs / "python"
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
        subprocess.run([*install, wheel], check=True)
        subprocess.run([python, "-I", ROOT / "tools" / "smoke.py"], check=True, cwd=folder, env={"PATH": str(programs)})


def only(pattern: str) -> Path:
    """The one file of dist/ that matches."""
    found = sorted((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        sys.exit(f"dist/ must hold one {pattern}; it holds {[path.name for path in found]}. Run `make wheel`.")
    return found[0]


if __name__ == "__main__":
    wheel = only("*.whl")
    check_wheel(wheel)
    check_sdist(only("*.tar.gz"))
    use(wheel)
