"""docs/privacy.md: the table of all places of personal data, taken from the list that erasing goes by."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from paymatch.store.privacy.places import PLACES, DataClass

_PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "privacy.md"
_BEGIN: Final = "<!-- places: written by `make docs` -->"
_END: Final = "<!-- end of places -->"


def privacy() -> str:
    """The page with the table as the code has it today."""
    before, _, rest = _PAGE.read_text("utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{_table()}\n{_END}{after}"


def _table() -> str:
    lines = ["| data | table | columns | when a person is erased |", "|---|---|---|---|"]
    for data in DataClass:
        for place in (each for each in PLACES if each.data is data):
            columns = ", ".join(f"`{column}`" for column in place.columns)
            lines.append(f"| {data} | `{place.table}` | {columns} | {place.how} |")
    return "".join(f"{line}\n" for line in lines)
