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
        "One page per decision that somebody could wish to reopen. `D-n` in code and tests is page n.",
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
    return "\n".join(lines) + "\n"
