"""Private names of scikit-learn are imported by one module."""

from __future__ import annotations

import ast
from pathlib import Path

import mercer


def private_imports(path):
    """The imports of a file that name a private module or a private member of scikit-learn."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn":
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
            if any(name.startswith("_") for name in names):
                yield f"{path.name}:{node.lineno}"


def test_private_names_are_imported_in_one_place():
    root = Path(mercer.__file__).parent
    found = {path.name for path in root.rglob("*.py") for _ in private_imports(path)}
    assert found == {"sklearn_private.py"}
