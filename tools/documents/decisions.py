"""docs/decisions/README.md: the list of decisions, taken from the headings of their pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "decisions"
SECTIONS: Final = ("## Context", "## Decision", "## Consequences", "## Enforced by")


def decisions_index() -> str:
    """The index of all pages; ValueError names a page that lacks a section or is misnamed."""
    lines = [
        "# Decisions",
        "",
        "Each page is a decision that someone may want to reopen: context, decision, consequences, what enforces it,"
        " on one page. `D-n` in code and tests is page n.",
        "",
    ]
    for path in sorted(FOLDER.glob("[0-9]*.md")):
        text = path.read_text("utf-8")
        heading = text.splitlines()[0]
        if not re.fullmatch(r"\d{3}-[a-z0-9-]+\.md", path.name) or not heading.startswith(
            f"# D-{int(path.name[:3])}: "
        ):
            raise ValueError(f"{path.name}: the name is NNN-title.md, the heading begins with # D-N: ")
        missing = [section for section in SECTIONS if f"\n{section}\n" not in text]
        if missing:
            raise ValueError(f"{path.name} lacks {', '.join(missing)}")
        lines.append(f"- [{heading.removeprefix('# ')}]({path.name})")
    lines += ["", _without_a_page()]
    return "\n".join(lines) + "\n"


def _without_a_page() -> str:
    """The numbers between the pages, and why they have none."""
    pages = {int(path.name[:3]) for path in FOLDER.glob("[0-9]*.md")}
    free = ", ".join(str(number) for number in range(1, max(pages)) if number not in pages)
    return (
        f"Numbers without a page: {free}. They were given to drafts that another page has absorbed, or that were"
        " not built. They are not used again, so that an old reference never points to another decision."
    )
