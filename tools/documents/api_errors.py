"""docs/api-errors.md: every error of the merchant API, from the catalogue that the API reference shows too."""

from __future__ import annotations

from typing import Final

from paymatch.api.error_catalogue import REFUSALS, Refusal

_HEAD: Final = """# Errors of the merchant API

Written by `make docs` from `api/error_catalogue.py`. An error is a JSON object with the field `error`; `orderNumber`,
`index` (from 0) and `parameter` say where a list or a body was wrong. Of several mistakes the first in the order of
checks answers (D-21), and nothing is stored. `<...>` stands for what varies. Texts without a mark stand in the API
document; those marked with + are ours.

| status | `error` | when | answered by |
|---|---|---|---|
"""


def api_errors() -> str:
    """The page."""
    return _HEAD + "\n".join(_line(row) for row in REFUSALS) + "\n"


def _line(row: Refusal) -> str:
    places = ", ".join(f"`{place.rstrip('$').strip()}`" for place in row.where) or "all"
    return f"| {row.status} | `{row.text}`{'' if row.documented else ' +'} | {row.condition} | {places} |"
