"""What people read: codes of the specification are for tests, and say nothing to a user."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = sorted((Path(__file__).parents[1] / "src" / "mercer").rglob("*.py"))
CODE = r"[MKTCSIA]\d{1,2}"
CITED = re.compile(rf"\({CODE}(?:, {CODE})*\)")


def test_no_code_of_the_specification_is_cited():
    cited = {str(file): CITED.findall(file.read_text()) for file in SOURCES}
    assert not {file: codes for file, codes in cited.items() if codes}
