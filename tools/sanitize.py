"""Runs tests/native with every access to memory checked: AddressSanitizer and UBSan; `make sanitize`.

    python tools/sanitize.py -k radial        # arguments are pytest's
    python tools/sanitize.py tests/solvers    # other tests

The extension is built for it in build/sanitize and used instead of the installed one.  The first report ends the run.
Needs GCC, whose runtime library has to be loaded before Python's.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "sanitize"


def build() -> None:
    """Configure and compile; only what changed."""
    nanobind = subprocess.check_output([sys.executable, "-m", "nanobind", "--cmake_dir"], text=True).strip()
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    options = ("-DMERCER_SANITIZE=ON", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-Dnanobind_ROOT={nanobind}")
    configure = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", FOLDER, f"-DPython_EXECUTABLE={sys.executable}", *options]
    for command in (configure, ["cmake", "--build", FOLDER]):
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(run.stdout + run.stderr)


def runtime() -> str:
    """The libraries to load first: that of AddressSanitizer, and the C++ library, whose exceptions it watches."""
    compiler = os.environ.get("CXX", "c++")
    found = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    if not all(os.path.isabs(path) for path in found):
        sys.exit(f"make sanitize: {compiler} has no libasan.so. Use GCC: CXX=g++ make sanitize.")
    return " ".join(found)


def start(arguments: list[str]) -> int:
    """Run this program again as `test`, with the libraries loaded and the sanitizers set up."""
    environment = os.environ | {
        "LD_PRELOAD": runtime(),
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:abort_on_error=0",  # Python itself frees little at its end
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "PYTHONMALLOC": "malloc",  # else Python's own pool hides where its objects end
    }
    return subprocess.run([sys.executable, __file__, "--inside", *arguments], cwd=ROOT, env=environment).returncode


def test(arguments: list[str]) -> int:
    """Put the sanitized extension in the place of the installed one, and run the tests."""
    import pytest

    import mercer

    (path,) = FOLDER.glob("_native.*")
    spec = importlib.util.spec_from_file_location("mercer._native", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mercer._native"] = module
    spec.loader.exec_module(module)
    mercer._native = module  # type: ignore[attr-defined]
    named = any(Path(argument).exists() for argument in arguments)
    # a report is written past Python, so file descriptors must not be captured
    return pytest.main([*([] if named else ["tests/native"]), "--capture=sys", "-p", "no:cacheprovider", *arguments])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        sys.exit(test(sys.argv[2:]))
    build()
    sys.exit(start(sys.argv[1:]))
