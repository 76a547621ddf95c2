"""Templates: what a page fills in is shown, because one of those that it extends has a place for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from paymatch.area import application

TEMPLATES: Final = Path(application.__file__).parent / "templates"
EXTENDED: Final = re.compile(r'{% extends "([^"]+)" %}')


def outermost(text: str) -> set[str]:
    """The names of the blocks that lie in no other block of the text."""
    found, depth = set[str](), 0
    for tag in re.finditer(r"{% (?:block (\w+)|endblock)[^%]*%}", text):
        if tag[1] and not depth:
            found.add(tag[1])
        depth += 1 if tag[1] else -1
    return found


def test_each_block_of_a_page_has_a_place_in_what_the_page_extends() -> None:
    """Django drops a block without a place in silence: its script or text is missing from the page."""
    lost, pages = [], 0
    for path in sorted(TEMPLATES.rglob("*.html")):
        own, places, text = outermost(path.read_text()), set[str](), path.read_text()
        while (parent := EXTENDED.search(text)) is not None:
            text = (TEMPLATES / parent[1]).read_text()
            places |= set(re.findall(r"{% block (\w+) %}", text))
        pages += bool(places)
        lost += [f"{path.relative_to(TEMPLATES)}: {name}" for name in sorted(own - places) if places]
    assert lost == []
    assert pages > 80
