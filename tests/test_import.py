"""`import mercer` is light, and every public name resolves."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mercer
import mercer.kernels

HEAVY = ("sklearn", "scipy", "matplotlib", "pandas", "polars", "pyarrow", "hypothesis", "rich")


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def loaded(code: str) -> set[str]:
    """The heavy packages that a fresh interpreter has loaded after `code`."""
    return set(python(f"import sys\n{code}\nprint(*(name for name in {HEAVY} if name in sys.modules))").split())


@pytest.mark.parametrize("code", [
    "import mercer",
    "import mercer.gram, mercer.theory, mercer.testing",
    "import mercer; mercer.LazyGram, mercer.certify, mercer.config(), mercer.kernels",
    "import mercer; mercer.parse('2 * RBF(1.5) + Linear() ** 2')",
    "from mercer.kernels import RBF, Linear; k = 2.0 * RBF(1.5) + Linear() ** 2; repr(k), k.theta, k.psd",
])  # fmt: skip
def test_importing_and_writing_down_kernels_loads_nothing_heavy(code):
    assert loaded(code) == set()


def test_testing_needs_no_hypothesis_until_strategies_are_asked_for():
    assert "hypothesis" not in loaded("from mercer.testing import check_kernel, reference")
    assert "hypothesis" in loaded("import mercer.testing.strategies")


def test_a_gram_of_dense_vectors_loads_nothing_heavy():
    assert loaded("import mercer.kernels as K; K.RBF()([[1.0], [2.0]])") == set()


@pytest.mark.parametrize("name", mercer.__all__)
def test_every_public_name_resolves(name):
    assert getattr(mercer, name) is not None


@pytest.mark.parametrize("name", mercer.kernels.__all__)
def test_every_public_kernel_resolves(name):
    assert getattr(mercer.kernels, name) is not None


def test_dir_lists_the_public_names():
    assert dir(mercer) == sorted(mercer.__all__)
    assert {"LazyGram", "certify", "configure", "kernels", "parse", "testing"} <= set(dir(mercer))


def test_star_import_brings_the_public_names():
    assert python("from mercer import *; print(parse('RBF()'), configure.__name__)") == "RBF() configure"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'mercer' has no attribute 'RBFF'"):
        _ = mercer.RBFF


@pytest.mark.parametrize(
    "first", ["import mercer", "import mercer.kernels", "import mercer.config", "import mercer.gram"]
)
def test_config_is_the_function_whatever_was_imported_first(first):
    assert python(f"{first}\nimport mercer\nprint(mercer.config().threads >= 1)") == "True"


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert mercer.__version__ == version("mercer")
