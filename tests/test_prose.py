"""What people read: no codes of the specification, which are for tests, and lists of files that are true."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parents[1] / "src" / "mercer").rglob("*.py"))
PACKAGES = [file for file in SOURCES if file.name == "__init__.py"]
CODE = r"[MKTCSIA]\d{1,2}"
CITED = re.compile(rf"\({CODE}(?:, {CODE})*\)")


def test_no_code_of_the_specification_is_cited():
    cited = {str(file): CITED.findall(file.read_text()) for file in SOURCES}
    assert not {file: codes for file, codes in cited.items() if codes}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.parent.name)
def test_a_package_lists_its_files(package):
    text = ast.get_docstring(ast.parse(package.read_text()))
    files = {file.stem for file in package.parent.glob("*.py")} - {"__init__"}
    assert set(re.findall(r"(\w+)\.py\b", text)) <= files, "a file that is gone"
    if len(files) > 3 and package.parent.name != "mercer":  # docs/architecture.md has the files of the root
        to_name = {name for name in files if not re.match(r"e\d\d_", name)}  # figures are found by their numbers
        assert not {name for name in to_name if not re.search(rf"\b{name}\b", text)}, "a file without a line"
