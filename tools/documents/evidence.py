"""docs/evidence.md: the catalogue of evidence, printed from the table that the engine weighs by."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from paymatch.domain.matching.catalogue import CATALOGUE, Evidence, Family
from paymatch.domain.words.sentences.evidence import SENTENCES

_INTRODUCTION: Final = """\
# Evidence

Written by `make docs` from the code. Weights are log-likelihood ratios in nats, before what a shop has learnt is added
([matching](matching.md)); "computed" depends on the case: on the length of a number, the age of an order, the number of
orders. The witness is who states it. A flag says what is special about a match with it. A new kind is a row of
`domain/matching/catalogue.py`, a sentence in `domain/words/sentences/evidence.py`, and the place that finds it.
"""


def evidence() -> str:
    """The page."""
    lines = [_INTRODUCTION]
    families = list(Family)
    rows = sorted(CATALOGUE, key=lambda row: families.index(row.family))
    for family, of_family in groupby(rows, lambda row: row.family):
        lines += [
            f"## {family.value.capitalize()}",
            "",
            "| code | weight | words | witness | flag |",
            "|---|---|---|---|---|",
        ]
        lines += [*_rows(of_family), ""]
    return "\n".join(lines[:-1]) + "\n"


def _rows(rows: Iterable[Evidence]) -> Iterable[str]:
    for row in rows:
        weight = "computed" if row.weight is None else f"{row.weight:+.1f}"
        yield f"| `{row.code}` | {weight} | {_words(row)} | {row.witness.value} | {row.flag.value} |"


def _words(row: Evidence) -> str:
    template = SENTENCES[row.said or row.code]
    return template if isinstance(template, str) else template[1]
