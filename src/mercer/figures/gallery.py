"""The page that shows all figures with their claims; it needs no other files than the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mercer.figures.make import Made


def page(made: Sequence[Made]) -> str:
    """index.html for these figures."""
    from jinja2 import Environment, StrictUndefined

    template = Path(__file__).with_name("gallery.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    held = sum(one.holds for one in made)
    return environment.from_string(template).render(made=made, held=held, seconds=sum(one.seconds for one in made))
