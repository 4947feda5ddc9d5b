"""Without its compiled part, or with a broken one, mercer says in one sentence what is wrong and what to do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

STUB = """
import sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "mercer._native":
            raise ImportError("libm.so.9: cannot open shared object file")
sys.meta_path.insert(0, Finder)
"""
MISSING = "import sys; sys.modules['mercer._native'] = None"
OLD = "import sys, types; sys.modules['mercer._native'] = types.ModuleType('mercer._native')"


def python(code, **environment):
    """What a fresh interpreter answers: exit code and the last line of its complaint."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    return run.returncode, run.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize("state", [MISSING, OLD, STUB], ids=["missing", "old", "broken"])
def test_what_needs_the_extension_says_that_it_is_missing_and_how_to_get_it(state):
    code, complaint = python(f"{state}\nimport mercer.native")
    assert code == 1
    assert complaint.startswith("ImportError: mercer: its compiled part, mercer._native, is missing or broken (")
    assert complaint.endswith("in a checkout, run `make build`.")


def test_the_reason_is_kept():
    assert "(libm.so.9: cannot open shared object file)" in python(f"{STUB}\nimport mercer.native")[1]


@pytest.mark.parametrize("state", [MISSING, OLD, STUB], ids=["missing", "old", "broken"])
def test_mercer_itself_can_be_imported(state):
    assert python(f"{state}\nimport mercer; mercer.config(); mercer.__version__") == (0, "")


def test_an_instruction_set_that_is_not_here_is_no_fault_of_the_install():
    code, complaint = python("import mercer.native", MERCER_ISA="avx9")
    assert code == 1
    assert complaint.startswith("ImportError: mercer: MERCER_ISA must be one of ")
    assert complaint.endswith(" on this processor; got avx9.")
