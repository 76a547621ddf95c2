"""Cells of an order in an exported file, which an import of the file reads back."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from paymatch.formats.order_files.columns import CUSTOMER, FIELDS

_IN_THE_LIST: Final = frozenset({CUSTOMER, "number", "date", "dueDate", "type", "amount"})
_ONCE: Final = "initialDunningLevel"  # said at creation only
FILE_FIELDS: Final = tuple(field for field in FIELDS if field not in _IN_THE_LIST and field != _ONCE)
"""Fields of an order beside those that the list of orders has."""
_DECODE: Final = msgspec.json.Decoder(float_hook=str).decode


def file_cells(document: str) -> dict[str, str]:
    """Field -> cell of an order as it was submitted; several numbers are parted by `|`."""
    order: dict[str, Any] = _DECODE(document)
    return {field: _cell(order, field) for field in FILE_FIELDS}


def _cell(order: dict[str, Any], field: str) -> str:
    group, _, name = field.rpartition(".")
    value = ((order.get(group) or {}) if group else order).get(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " | ".join(map(str, value))
    return "" if value is None else str(value)
