"""docs/privacy.md: the table of all places of personal data, taken from the list that erasing goes by."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Final, cast

from paymatch.domain.shops.shop import KEEP_MAIL_DAYS, Shop
from paymatch.store.privacy.places import PLACES, DataClass
from paymatch.usecases.privacy.plan import DEFAULTS, retention_rules

_PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "privacy.md"
_BEGIN: Final = "<!-- places: written by `make docs` -->"
_END: Final = "<!-- end of places -->"
_PERIODS_BEGIN: Final = "<!-- periods: written by `make docs` -->"
_PERIODS_END: Final = "<!-- end of periods -->"


def privacy() -> str:
    """The page with the table as the code has it today."""
    text = _between(_PAGE.read_text("utf-8"), _BEGIN, _END, _table())
    return _between(text, _PERIODS_BEGIN, _PERIODS_END, _periods())


def _between(text: str, begin: str, end: str, written: str) -> str:
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{written}\n{end}{after}"


def _periods() -> str:
    """What a new shop keeps how long."""
    shop = cast(Shop, SimpleNamespace(keep_mail_days=KEEP_MAIL_DAYS))
    lines = ["| data | kept | why | setting |", "|---|---|---|---|"]
    lines += [
        f"| {row.data} | {row.kept} | {row.why} | {f'`{row.setting}`' if row.setting else ''} |"
        for row in retention_rules(DEFAULTS, shop)
    ]
    return "".join(f"{line}\n" for line in lines)


def _table() -> str:
    lines = ["| data | table | columns | when a person is erased |", "|---|---|---|---|"]
    for data in DataClass:
        for place in (each for each in PLACES if each.data is data):
            columns = ", ".join(f"`{column}`" for column in place.columns)
            lines.append(f"| {data} | `{place.table}` | {columns} | {place.how} |")
    return "".join(f"{line}\n" for line in lines)
