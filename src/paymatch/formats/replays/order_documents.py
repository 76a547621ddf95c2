"""Orders of a replay, from a table or from a dump of the merchant API, as documents that the API takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.contract import bodies
from paymatch.formats.contract.declaration import declaration_of
from paymatch.formats.contract.orders import Order
from paymatch.formats.order_files.columns import propose_columns
from paymatch.formats.order_files.documents import OrderRows, UsualValues
from paymatch.formats.order_files.table import read_order_table
from paymatch.formats.statement import FileRefused

MOST_BYTES: Final = 200 * 1024 * 1024
MOST_ROWS: Final = 500_000

ReadOrder = tuple[int, bytes, SubmittedOrder | OrderRefused]
"""(place in the file from 1, the order as JSON, the order or why the API would refuse it)"""

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_DECODE: Final = msgspec.json.Decoder(float_hook=str)
_WRITABLE: Final = frozenset(declaration_of(Order).writable)
_LISTS: Final = ("orders", "data", "items")
"""Under which names dumps wrap their list."""


def read_orders(content: bytes, usual: UsualValues) -> Iterator[ReadOrder]:
    """Every order of the file in its order; FileRefused if it is neither a table nor a JSON list of orders."""
    documents = _documents_of_json(content) if _is_json(content) else _documents_of_table(content, usual)
    for place, document in documents:
        if isinstance(document, OrderRefused):
            yield place, b"", document
            continue
        written = _ENCODE(document)
        try:
            yield place, written, bodies.read_order(written)
        except OrderRefused as refusal:
            yield place, written, refusal


def _is_json(content: bytes) -> bool:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{")


def _documents_of_json(content: bytes) -> Iterator[tuple[int, dict[str, Any] | OrderRefused]]:
    """The orders of a JSON list, of an object that wraps one, or of lines with an object each."""
    text = content.removeprefix(b"\xef\xbb\xbf")
    try:
        found = _DECODE.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = _lines(text)
    if isinstance(found, dict):
        wrapped = next((found[name] for name in _LISTS if isinstance(found.get(name), list)), None)
        found = [found] if wrapped is None else wrapped
    for place, each in enumerate(found, 1):
        if not isinstance(each, dict):
            raise FileRefused(Message("replay-orders-no-object", place=place))
        yield place, {name: value for name, value in each.items() if name in _WRITABLE and value is not None}


def _lines(text: bytes) -> list[Any]:
    try:
        return [_DECODE.decode(line) for line in text.splitlines() if line.strip()]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FileRefused(Message("replay-orders-no-json")) from None


def _documents_of_table(content: bytes, usual: UsualValues) -> Iterator[tuple[int, dict[str, Any] | OrderRefused]]:
    table = read_order_table(content, MOST_BYTES, MOST_ROWS)
    rows = OrderRows(table, propose_columns(table.headings), usual)
    for place, cells in rows.rows:
        yield place, _document(rows, cells)


def _document(rows: OrderRows, cells: tuple[str, ...]) -> dict[str, Any] | OrderRefused:
    try:
        return rows.document(cells, None, "")
    except OrderRefused as refusal:
        return refusal
