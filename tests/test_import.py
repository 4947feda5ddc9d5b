"""`import mercer` is light, and every public name resolves."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import mercer
import mercer.items
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
    assert python("from mercer import *; print(parse('RBF()'), configure.__name__)") == "RBF(1.0) configure"


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


@pytest.mark.parametrize("package", [mercer.kernels, mercer.items])
def test_names_that_load_on_first_use_are_those_that_type_checkers_see(package):
    tree = ast.parse(Path(package.__file__).read_text())
    (choice,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {name.name: node.module for node in choice.body for name in node.names}
    assert set(seen) <= set(package.__all__)
    assert all(getattr(package, name) is getattr(import_module(module), name) for name, module in seen.items())
    assert all(hasattr(package, name) for name in package.__all__)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'RBFF'"):
        _ = package.RBFF


def test_a_machine_on_vectors_loads_neither_theory_nor_kernels_on_other_items():
    code = "import sys, numpy as np, mercer; mercer.KernelRidge(kernel='rbf').fit(np.eye(3), np.ones(3))"
    loaded_modules = set(python(f"{code}\nprint(*sys.modules)").split())
    unused = {f"mercer.kernels.{name}" for name in ("documents", "sets", "strings", "subsets", "tables")}
    assert not loaded_modules & {"mercer.theory", "mercer.items.text", "mercer.items.sets", *unused}
    assert "mercer.kernels.radial" in loaded_modules


def test_a_gaussian_process_does_not_load_that_of_scikit_learn():
    code = "import sys, numpy as np, mercer; mercer.GaussianProcessRegressor('rbf').fit(np.eye(3), np.arange(3.0))"
    assert python(f"{code}\nprint('sklearn.gaussian_process' in sys.modules)") == "False"
