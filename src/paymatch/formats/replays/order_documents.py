"""Orders of a replay, from a table or from a dump of the merchant API, as documents that the API takes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from paymatch.domain.orders.submission import OrderRefused, SubmittedOrder
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.contract import bodies
from paymatch.formats.contract.declaration import declaration_of
from paymatch.formats.contract.orders import Order
from paymatch.formats.order_files.columns import plain_heading, propose_columns
from paymatch.formats.order_files.documents import OrderRows, UsualValues
from paymatch.formats.order_files.table import MAX_BYTES, read_order_table, refuse_large
from paymatch.formats.statement import FileRefused
from paymatch.formats.tables.workbook import is_workbook

MOST_BYTES: Final = 200 * 1024 * 1024
MOST_ROWS: Final = 500_000

ReadOrder = tuple[int, bytes, SubmittedOrder | OrderRefused]
"""(place in the file from 1, the order as JSON, the order or why the API would refuse it)"""

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_DECODE: Final = msgspec.json.Decoder(float_hook=str)
_WRITABLE: Final = frozenset(declaration_of(Order).writable)
_STATES: Final = frozenset({
    "status", "orderstatus", "orderstate", "financialstatus", "paymentstatus", "bestellstatus", "auftragsstatus",
    "zahlungsstatus", "statusdescription", "state",
})  # fmt: skip
_CANCELLED_ON: Final = frozenset({"cancelledat", "canceledat", "cancelledon", "storniertam", "stornodatum"})
_CANCELLED: Final = frozenset({
    "cancelled", "canceled", "voided", "failed", "cancelledbycustomer", "storniert", "storno", "abgebrochen",
    "annulliert", "fehlgeschlagen", "vollstaendigstorniert",
})  # fmt: skip
_LISTS: Final = ("orders", "data", "items")
"""Under which names dumps wrap their list."""


def read_orders(content: bytes, usual: UsualValues) -> Iterator[ReadOrder]:
    """Every order of the file in its order; FileRefused if it is neither a table nor a JSON list of orders.

    A file of more than MOST_BYTES, or with more than MOST_ROWS orders, is refused before any order is read.
    """
    refuse_large(io.BytesIO(content), MOST_BYTES)
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


def may_be_too_large(content: bytes) -> bool:
    """Whether a file may be a table of more orders than a replay takes; cheap, and True only for files that are long.

    FileRefused if it has more than MOST_BYTES.
    """
    refuse_large(io.BytesIO(content), MOST_BYTES)
    if _is_json(content):
        return False
    return content.count(b"\n") > MOST_ROWS or (is_workbook(io.BytesIO(content)) and len(content) > MAX_BYTES)


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
    if len(found) > MOST_ROWS:
        raise FileRefused(Message("file-too-many-rows", count=MOST_ROWS))
    for place, each in enumerate(found, 1):
        if not isinstance(each, dict):
            raise FileRefused(Message("replay-orders-no-object", place=place))
        if each.get("paymentStatus") == "CANCELLED":
            yield place, OrderRefused(Message("replay-order-cancelled"))
            continue
        yield place, {name: value for name, value in each.items() if name in _WRITABLE and value is not None}


def _lines(text: bytes) -> list[Any]:
    try:
        return [_DECODE.decode(line) for line in text.splitlines() if line.strip()]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FileRefused(Message("replay-orders-no-json")) from None


def _documents_of_table(content: bytes, usual: UsualValues) -> Iterator[tuple[int, dict[str, Any] | OrderRefused]]:
    table = read_order_table(content, MOST_BYTES, MOST_ROWS)
    columns = propose_columns(table.headings)
    ordered = next((table.headings.index(heading) for heading, field in columns.items() if field == "date"), None)
    if ordered is None:
        raise FileRefused(Message("replay-orders-no-date"))
    cancelled = CancelledRows(table.headings)
    rows = OrderRows(table, columns, usual)
    for place, cells in rows.rows:
        if cancelled.has(cells):
            yield place, OrderRefused(Message("replay-order-cancelled"))
        elif not cells[ordered]:
            yield place, OrderRefused(Message("replay-order-no-date"))
        else:
            yield place, _document(rows, cells)


def _document(rows: OrderRows, cells: tuple[str, ...]) -> dict[str, Any] | OrderRefused:
    try:
        return rows.document(cells, None, "")
    except OrderRefused as refusal:
        return refusal


class CancelledRows:
    """Which rows of a shop system's export are of cancelled orders: no payment is expected for them."""

    def __init__(self, headings: Sequence[str]) -> None:
        plain = [plain_heading(each) for each in headings]
        self._states = [at for at, heading in enumerate(plain) if heading in _STATES]
        self._days = [at for at, heading in enumerate(plain) if heading in _CANCELLED_ON]

    def has(self, cells: Sequence[str]) -> bool:
        """Whether the row's order was cancelled."""
        return any(cells[at] for at in self._days) or any(
            plain_heading(cells[at]).removeprefix("wc") in _CANCELLED for at in self._states
        )
