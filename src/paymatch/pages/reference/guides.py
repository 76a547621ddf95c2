"""The documentation as Markdown: the wheel has it beside the pages, a clone in its folder `docs`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Final

_IN_WHEEL: Final = Path(str(resources.files("paymatch.pages"))) / "guides"
_IN_CLONE: Final = _IN_WHEEL.parents[3] / "docs"
_LINK: Final = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_SHORTEST: Final = 24


@dataclass(frozen=True, slots=True)
class Guide:
    """A page of the documentation; `words` is its first sentence that says something of its subject."""

    title: str
    words: str
    text: str


@lru_cache(maxsize=1)
def guides() -> dict[str, Guide]:
    """The pages by their paths within the documentation."""
    folder = next((each for each in (_IN_WHEEL, _IN_CLONE) if (each / "index.md").is_file()), None)
    if folder is None:
        return {}
    paths = sorted(folder.rglob("*.md"), key=lambda path: (len(path.parts), path.name))
    return {path.relative_to(folder).as_posix(): _guide(path.read_text("utf-8")) for path in paths}


def _guide(text: str) -> Guide:
    title, _, rest = text.partition("\n")
    paragraphs = (_LINK.sub(r"\1", " ".join(each.split())) for each in rest.split("\n\n"))
    sentences = (each for words in paragraphs if words[:1].isalnum() or words[:1] == "`" for each in words.split(". "))
    first = next((each for each in sentences if len(each) > _SHORTEST and "`make docs`" not in each), "")
    return Guide(title.removeprefix("# ").strip(), first and first.rstrip(".:") + ".", text)
