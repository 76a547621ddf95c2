"""Reads a settlement file: movements and payouts one by one, proved by its sums (D-83)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from operator import attrgetter
from typing import BinaryIO, Final

from paymatch.domain.payouts.movements import Movement, StatedPayout
from paymatch.domain.payouts.proofs import ReadingUnproved
from paymatch.domain.payouts.providers import provider_of
from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.formats.foreign_text import plain
from paymatch.formats.settlements.amazon_parts import read_parts
from paymatch.formats.settlements.klarna import read_two_tables
from paymatch.formats.settlements.layouts import Layout, Recognised, layouts, recognise_settlement, rows_of
from paymatch.formats.settlements.paypal_records import read_records
from paymatch.formats.settlements.plain_rows import read_rows
from paymatch.formats.settlements.proving import Proving
from paymatch.formats.statement import FileRefused

SettlementEvent = Movement | StatedPayout


class SettlementReading:
    """One settlement file while it is read; what it proves is known once all events were taken."""

    def __init__(self, stream: BinaryIO, found: Recognised, default_currency: str) -> None:
        self.layout = found.layout
        self.proving = Proving(found.layout, default_currency)
        self._stream = stream
        self._found = found

    def events(self) -> Iterator[SettlementEvent]:
        """Movements and stated payouts in the order of the file.

        FileRefused names the row that cannot be read, or whose sum is wrong. It may be raised after events were
        yielded, so a caller books nothing before the end.
        """
        rows = rows_of(self._stream, self._found)
        try:
            for event in _SHAPES[self.layout.shape](rows, self._stream, self._found, self.proving):
                admitted = _admit(event)
                self.proving.take(admitted)
                yield admitted
            self.proving.finish()
        except ReadingUnproved as error:
            raise FileRefused(error.message) from None
        except UnreadableValue as error:
            raise FileRefused(Message("file-row", row=str(self.proving.row), what=error.message)) from None

    def recognised_as(self) -> Message:
        """What the file was, in words: `Stripe, payout reconciliation, 3 payouts`."""
        layout = self.layout
        provider = layout.provider_name or provider_of(layout.provider).name
        return Message(
            "settlement-recognised", provider=provider, report=layout.report, count=len(self.proving.payouts)
        )


MAX_ID: Final = 200
"""Characters of an id or number that are kept."""
_MAX_TEXT: Final = 500
_texts_of_movement: Final = attrgetter(
    "text", "provider_id", "group", "payment_id", "payment_alias", "order_reference", "marketplace_number", "payout_id"
)


def _admit(event: SettlementEvent) -> SettlementEvent:
    """The event with texts as they may enter: no characters that control a terminal, no ids without end."""
    if isinstance(event, StatedPayout):
        return replace(event, payout_id=_kept_id(event.payout_id), trace_id=_kept_id(event.trace_id))
    whole = "".join(_texts_of_movement(event))
    if len(whole) <= MAX_ID and whole.isprintable():
        return event
    return replace(
        event,
        text=plain(event.text)[:_MAX_TEXT],
        provider_id=_kept_id(event.provider_id),
        group=_kept_id(event.group),
        payment_id=_kept_id(event.payment_id),
        payment_alias=_kept_id(event.payment_alias),
        order_reference=_kept_id(event.order_reference),
        marketplace_number=_kept_id(event.marketplace_number),
        payout_id=_kept_id(event.payout_id),
    )


def _kept_id(text: str) -> str:
    """An id without end keeps its beginning, and what distinguishes it from another with the same beginning."""
    admitted = plain(text)
    if len(admitted) <= MAX_ID:
        return admitted
    mark = blake2b(admitted.encode(errors="replace"), digest_size=12).hexdigest()
    return f"{admitted[: MAX_ID - len(mark) - 1]}~{mark}"


_SHAPES = {
    "rows": read_rows,
    "parts": read_parts,
    "two tables": read_two_tables,
    "records": read_records,
}


def open_settlement(
    stream: BinaryIO, learnt: Sequence[Layout] = (), *, default_currency: str = "EUR"
) -> SettlementReading | None:
    """The settlement that the file is, by its headings; None for every other file.

    `stream` must be seekable. `learnt` are layouts that a person has mapped; those of the package come first.
    """
    found = recognise_settlement(stream, (*layouts(), *learnt))
    return None if found is None else SettlementReading(stream, found, default_currency)
