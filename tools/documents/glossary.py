"""docs/glossary.md: the words and where the code uses them; a word the code no longer knows is found here."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tools.documents.terms import TERMS

_PACKAGE: Final = Path(__file__).resolve().parents[2] / "src" / "paymatch"

_HEAD: Final = """# Glossary

One thing has one name everywhere: table, class, URL, page, document. Bank words stay in `formats/`; they become our
words at its door. The source is a section of docs/api.md, an element of ISO 20022, a decision (D-n) or a page.
Written by `make docs` from `tools/documents/terms.py`. What customers read, in seven languages, is in
[words for customers](customer-terms.md).

| word | means | source | in the code |
|---|---|---|---|
"""


def glossary() -> str:
    """The page, words in alphabetical order; ValueError names a file of the code that no longer exists."""
    lines = []
    for term in sorted(TERMS, key=lambda term: term.word.lower()):
        for place in term.places:
            if not (_PACKAGE / place).exists():
                raise ValueError(f"glossary: {term.word} names {place}, which does not exist")
        places = ", ".join(f"`{place}`" for place in term.places)
        lines.append(f"| {term.word} | {term.meaning} | {term.source} | {places} |")
    return _HEAD + "\n".join(lines) + "\n"
