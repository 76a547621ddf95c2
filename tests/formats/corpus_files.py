"""The bank files beside the repository, and what their list says about them."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_PLACES = (_ROOT.parent / "shared" / "corpus", _ROOT.parent.parent / "shared" / "corpus")


def corpus_folder() -> Path | None:
    """The folder of the corpus; None if it is not there."""
    named = os.environ.get("PAYMATCH_CORPUS")
    places = (Path(named),) if named else _PLACES
    return next((place for place in places if (place / "MANIFEST.csv").is_file()), None)


@dataclass(frozen=True, slots=True)
class CorpusFile:
    name: str
    statements: int
    entries: int
    credit: Decimal
    debit: Decimal

    @property
    def data(self) -> bytes:
        folder = corpus_folder()
        assert folder is not None
        return (folder / self.name).read_bytes()


def corpus_files(kind: str) -> list[CorpusFile]:
    """The files of one format of the list, by name; empty if the folder is not there."""
    folder = corpus_folder()
    if folder is None:
        return []
    with (folder / "MANIFEST.csv").open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["format"] == kind]
    return [
        CorpusFile(
            row["file"],
            int(row["statements"] or 0),
            int(row["entries"] or 0),
            Decimal(row["sum_credit"] or 0),
            Decimal(row["sum_debit"] or 0),
        )
        for row in sorted(rows, key=lambda row: row["file"])
    ]
