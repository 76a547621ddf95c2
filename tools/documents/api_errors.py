"""docs/api-errors.md: every error of the merchant API, from what is declared beside the handlers."""

from __future__ import annotations

from typing import Final

import paymatch.api.app  # noqa: F401  registers the endpoints
from paymatch.api.openapi.document import in_reading_order
from paymatch.api.refusals import DocumentedRefusal

_HEAD: Final = """# Errors of the merchant API

Written by `make docs` from what is declared beside the handlers. An error is a JSON object with the field `error`;
`orderNumber`, `index` (from 0) and `parameter` say where a list or a body was wrong. Of several mistakes the first in
the order of checks answers (D-21), and nothing is stored. `<...>` stands for what varies. Texts without a mark stand in
the API document; those marked with + are ours.

| status | `error` | when | answered by |
|---|---|---|---|
"""


def api_errors() -> str:
    """The page: errors in the order of checks, as far as endpoints share one."""
    routes = in_reading_order()
    found: dict[DocumentedRefusal, list[str]] = {}
    for route in routes:
        for row in route.all_refusals:
            found.setdefault(row, []).append(f"`{route.method} {route.template}`")
    writing = [f"`{route.method} {route.template}`" for route in routes if route.writes]
    lines = []
    for row, places in found.items():
        where = {len(routes): "all", len(writing): "all that writes"}.get(len(places), ", ".join(places))
        lines.append(f"| {row.status} | `{row.text}`{'' if row.documented else ' +'} | {row.condition} | {where} |")
    return _HEAD + "\n".join(lines) + "\n"
