"""Compiles mercer._native and installs mercer into this environment, editable; `make build` runs it.

Only what changed is compiled again.  cmake and ninja come from this environment.  If there is no C++ compiler, the one
of the package `ziglang` is used, which needs nothing else; that is slower and downloads 100 MB, once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPILERS = ("c++", "g++", "clang++", "icpx")
ZIG = "ziglang==0.17.*"

NO_COMPILER = (
    "mercer: there is no C++ compiler here. Install one, then run make again (Debian, Ubuntu: sudo apt install g++; "
    "Fedora: sudo dnf install gcc-c++; macOS: xcode-select --install)."
)
NO_HEADERS = (
    "mercer: the headers of this Python are missing ({}). Install them, then run make again (Debian, Ubuntu: "
    "sudo apt install python3-dev; Fedora: sudo dnf install python3-devel)."
)
USING_ZIG = (
    "mercer: there is no C++ compiler here, so the one of the Python package ziglang is used: 100 MB to download and "
    "some two minutes, this once. With g++ or clang++ it would take half a minute."
)

# zig writes -march=x86-64-v3 with underscores.  It compiles its own C++ library for each set of flags, which takes
# most of the time, so the programs that cmake links to try the compiler are given the flags of the module.
ZIG_CXX = """#!/bin/sh
for argument do
    shift
    case $argument in -march=x86-64-v*) argument="-march=x86_64_v${{argument##*-v}}" ;; esac
    set -- "$@" "$argument"
done
exec "{zig}" c++ -O3 -fPIC -Wl,-s "$@"
"""


def main() -> None:
    """Find a compiler, then let pip and scikit-build-core do the rest."""
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        sys.exit(NO_HEADERS.format(header))
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    folder = "build/native"
    if not compiler():
        environment |= zig()
        folder = "build/zig"
    pip(
        "--no-build-isolation", "--no-deps", "--editable", ".", f"--config-settings=build-dir={folder}", env=environment
    )


def compiler() -> str | None:
    """The C++ compiler that cmake will find: the one that is named, or one of the usual names."""
    named = os.environ.get("CXX")
    return named or next(filter(None, map(shutil.which, COMPILERS)), None)


def zig() -> dict[str, str]:
    """Install zig; returns the environment in which cmake uses it, and which keeps its cache within build/."""
    if not sys.platform.startswith("linux"):
        sys.exit(NO_COMPILER)
    if find_spec("ziglang") is None:
        print(USING_ZIG, flush=True)
        if pip(ZIG, check=False):
            sys.exit(NO_COMPILER)
    binary = Path(sysconfig.get_path("purelib"), "ziglang", "zig")
    folder = ROOT / "build" / "zig-compiler"
    script(folder / "c++", ZIG_CXX.format(zig=binary))
    for name in ("ar", "ranlib"):
        script(folder / name, f'#!/bin/sh\nexec "{binary}" {name} "$@"\n')
    return {
        "CXX": str(folder / "c++"),
        "ZIG_LOCAL_CACHE_DIR": str(folder / "cache"),
        "ZIG_GLOBAL_CACHE_DIR": str(folder / "cache"),
        "CMAKE_ARGS": "-DMERCER_STRICT=OFF",
    }


def script(path: Path, text: str) -> None:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def pip(*arguments: str, env: dict[str, str] | None = None, check: bool = True) -> int:
    """Run pip install; its exit code ends this program too, unless `check` is off."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    code = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
    return sys.exit(code) if code and check else code


if __name__ == "__main__":
    main()
