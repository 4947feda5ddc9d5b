"""What `make` says and does on a machine where something is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools import build, requirements, try_wheel


@pytest.fixture
def calls(monkeypatch, tmp_path):
    """No compiler, no zig, a project folder of its own; the calls of pip, which does nothing, are listed."""
    found = []
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "pip", lambda *arguments, **options: found.append((arguments, options)) or 0)
    return found


def test_with_a_compiler_pip_builds_with_the_tools_of_this_environment(calls, monkeypatch):
    monkeypatch.setattr(build.shutil, "which", lambda name: "/usr/bin/g++" if name == "g++" else None)
    build.main()
    ((arguments, options),) = calls
    assert {"--no-build-isolation", "--editable", "--config-settings=build-dir=build/native"} <= set(arguments)
    assert options["env"]["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
    assert "CXX" not in options["env"]


def test_a_compiler_that_is_named_is_taken(calls, monkeypatch):
    monkeypatch.setenv("CXX", "my-compiler")
    build.main()
    ((_, options),) = calls
    assert options["env"]["CXX"] == "my-compiler"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is only the sentence")
def test_without_a_compiler_that_of_zig_is_taken_and_one_sentence_says_so(calls, capsys, tmp_path):
    build.main()
    assert capsys.readouterr().out.startswith("mercer: there is no C++ compiler here, so the one of the Python package")
    (zig, _), (arguments, options) = calls
    assert zig == (build.ZIG,)
    assert "--config-settings=build-dir=build/zig" in arguments
    compiler = Path(options["env"]["CXX"])
    assert compiler.is_relative_to(tmp_path)
    assert os.access(compiler, os.X_OK)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere zig is not used")
def test_the_compiler_of_zig_is_given_its_own_spelling_of_instruction_sets(tmp_path):
    zig = tmp_path / "zig"
    build.script(zig, '#!/bin/sh\nprintf "%s|" "$@"\n')
    build.script(tmp_path / "c++", build.ZIG_CXX.format(zig=zig))
    command = [tmp_path / "c++", "-march=x86-64-v3", "-c", "a file.cpp"]
    assert subprocess.check_output(command, text=True) == "c++|-O3|-fPIC|-Wl,-s|-march=x86_64_v3|-c|a file.cpp|"


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_without_any_compiler_one_sentence_names_the_cure(calls, monkeypatch, platform):
    monkeypatch.setattr(build.sys, "platform", platform)
    monkeypatch.setattr(build, "pip", lambda *arguments, **options: 1)
    with pytest.raises(SystemExit, match=r"^mercer: there is no C.. compiler here. Install one, .*apt install g"):
        build.main()


def test_without_headers_of_python_one_sentence_names_the_cure(calls, monkeypatch, tmp_path):
    monkeypatch.setattr(build.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(SystemExit, match=r"^mercer: the headers of this Python are missing .*apt install python3-dev"):
        build.main()


def test_what_is_needed_is_read_from_pyproject():
    assert any(line.startswith("numpy") for line in requirements.requirements("run"))
    assert {"ninja"} <= set(requirements.requirements("build"))
    assert any(line.startswith("nanobind") for line in requirements.requirements("build"))
    assert any(line.startswith("pytest") for line in requirements.requirements("dev"))


def test_a_wheel_must_hold_the_data_of_the_package():
    with pytest.raises(SystemExit, match=r"^a\.whl: lacks mercer/py.typed"):
        try_wheel.expect(Path("a.whl"), ["mercer/__init__.py"], ["mercer/py.typed"])
