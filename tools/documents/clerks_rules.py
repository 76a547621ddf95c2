"""docs/clerks-rules.md: when a match is left to a person, printed from the table that decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paymatch.domain.matching.clerk.table import TABLE, ClerkRule
from paymatch.domain.words.english import SENTENCES

_INTRODUCTION: Final = """\
# The clerk's rules

Written by `make docs` from the code. The likeliest explanation of a posting is matched without a person if none of
these rules speaks against it and it is certain enough ([matching](matching.md)). They are asked in this order; the
first that holds gives the reason. A new rule is a function in `domain/matching/clerk/`, a row of its `table.py`, and a
sentence in `domain/words/sentences/held_back.py`.
"""


def clerks_rules() -> str:
    """The page."""
    lines = [_INTRODUCTION]
    for situation, rows in TABLE.items():
        lines += [f"## For {situation.value}", "", "| a person looks where | and is told |", "|---|---|"]
        lines += [*_rows(rows), ""]
    return "\n".join(lines[:-1]) + "\n"


def _rows(rows: tuple[ClerkRule, ...]) -> Iterator[str]:
    for row in rows:
        yield f"| {row.rule.__doc__} | {'; '.join(map(_sentence, row.messages))} |"


def _sentence(code: str) -> str:
    template = SENTENCES[code]
    return f"*{template if isinstance(template, str) else template[1]}*"
