"""Smaller drawings: shared styles are written once, names are short, numbers have as many digits as a screen shows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_STYLE = re.compile(r'(<(?!svg)[a-zA-Z]+\b[^<>]*?) style="([^"]*)"')
_NAME = re.compile(r'\bid="([^"]*)"')
_NUMBER = re.compile(r"-?\d+\.\d{3,}")


@dataclass(eq=False)
class Sheet:
    """The styles and names of all drawings of a page."""

    styles: dict[str, str] = field(default_factory=dict)
    names: int = 0

    def drawing(self, svg: str) -> str:
        """A drawing whose styles are classes of this sheet, and whose names no other drawing has."""
        svg = _STYLE.sub(lambda found: f'{found[1]} class="{self._style(found[2])}"', _NUMBER.sub(_rounded, svg))
        used = set(re.findall(r"#([^\")\s]+)", svg))
        names = {name: self._name() for name in dict.fromkeys(_NAME.findall(svg)) if name in used}
        svg = re.sub(r'\s?\bid="([^"]*)"', lambda found: f' id="{names[found[1]]}"' if found[1] in names else "", svg)
        svg = re.sub(r'(href="#|url\(#)([^")]+)', lambda found: found[1] + names.get(found[2], found[2]), svg)
        return re.sub(r">\s+<", "><", svg)

    def css(self) -> str:
        """The rules for all of them."""
        return "\n".join(f".{name}{{{style}}}" for style, name in self.styles.items())

    def _style(self, style: str) -> str:
        return self.styles.setdefault(style, f"s{len(self.styles)}")

    def _name(self) -> str:
        self.names += 1
        return f"n{self.names}"


def _rounded(found: re.Match[str]) -> str:
    value = float(found[0])
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) >= 1.0 else f"{value:.4g}"
