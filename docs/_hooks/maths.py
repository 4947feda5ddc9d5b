"""TeX in the pages becomes MathML at build time, so that formulas need neither a script nor a network.

`$...$` and `$$...$$` are marked by pymdownx.arithmatex; browsers draw MathML by themselves.
"""

from __future__ import annotations

import html
import logging
import re
from typing import Any

from latex2mathml.converter import convert

log = logging.getLogger("mkdocs.hooks.maths")
_MARKED = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
_MENDED = [  # what the converter takes for an operator but is none, and the other way round
    (re.compile(r"<mi>(&#x0(?:2AB0|2AAF|223C);)</mi>"), r"<mo>\1</mo>"),
    (re.compile(r"<mo>(&#x0221E;|diag|tr|rank|Re|vjp)</mo>"), r"<mi>\1</mi>"),
    (re.compile(r"<mi>(log|tr|rank|Re)</mi>(?!<mo|</mrow)"), r'<mi>\1</mi><mspace width="0.17em" />'),
    (
        re.compile(r'<mo(?: stretchy="false")?>(&#x02016;|&#x0007C;)</mo>'),
        r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>',
    ),
]


def on_page_content(page_html: str, *, page: Any, **_: Any) -> str:
    """The page with its formulas as MathML; a warning, which fails a strict build, for TeX that is not understood."""

    def formula(found: re.Match[str]) -> str:
        tex = html.unescape(found[3]).strip()
        display = found[2] == "["
        try:
            made = convert(tex, display="block" if display else "inline")
        except Exception as error:  # whatever the converter raises, the page and the formula are what to look for
            log.warning("%s: %s is no TeX for latex2mathml: %s", page.file.src_uri, tex, error)
            return found[0]
        if "\\" in made or "<mi>&</mi>" in made:
            log.warning("%s: latex2mathml does not understand all of %s", page.file.src_uri, tex)
        for wrong, right in _MENDED:
            made = wrong.sub(right, made)
        return f'<div class="formula">{made}</div>' if display else made

    return _MARKED.sub(formula, page_html)
