"""docs/clerks-rules.md: when a match is left to a person, printed from the table that decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paymatch.domain.matching.clerk.case import ClerkRule
from paymatch.domain.matching.clerk.table import TABLE
from paymatch.domain.matching.several.hypothesis import WITHHOLDS
from paymatch.domain.words.english import SENTENCES

_INTRODUCTION: Final = """\
# The clerk's rules

Written by `make docs` from the code. The likeliest explanation of a posting is matched without a person if none of
these rules speaks against it and it is certain enough ([matching](matching.md)). They are asked in this order; the
first that holds gives the reason. The last column names the witness ([witnesses](witnesses.md)) by whose word the match
would be made without a person; where money is withheld it is never the payer's or the customer's. A new rule is
a function in `domain/matching/clerk/` under `@clerk_rule`, its place in `table.py`, and a
sentence in `domain/words/sentences/held_back.py`.
"""


def clerks_rules() -> str:
    """The page."""
    lines = [_INTRODUCTION]
    for situation, rows in TABLE.items():
        lines += [
            f"## For {situation.value}",
            "",
            "| a person looks where | and reads | a match needs the word of |",
            "|---|---|---|",
        ]
        lines += [*_rows(rows), ""]
    lines += ["## What counts as withheld", "", "| evidence of the amount | counts by the word of |", "|---|---|"]
    lines += [f"| {_sentence(kind.said or kind.code)} | {needs.value} |" for kind, needs in WITHHOLDS.items()]
    return "\n".join(lines) + "\n"


def _rows(rows: tuple[ClerkRule, ...]) -> Iterator[str]:
    for row in rows:
        yield f"| {row.words} | {'; '.join(map(_sentence, row.messages))} | {row.needs.value} |"


def _sentence(code: str) -> str:
    template = SENTENCES[code]
    return f"*{template if isinstance(template, str) else template[1]}*"
