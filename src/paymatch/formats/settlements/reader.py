"""Reads a settlement file: movements and payouts one by one, proved by its sums (D-83)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.payouts.movements import Movement, StatedPayout
from paymatch.domain.payouts.proofs import ReadingUnproved
from paymatch.domain.payouts.providers import provider_of
from paymatch.domain.words.message import Message
from paymatch.formats.settlements.amazon_parts import read_parts
from paymatch.formats.settlements.klarna import read_two_tables
from paymatch.formats.settlements.layouts import Layout, Recognised, layouts, recognise_settlement, rows_of
from paymatch.formats.settlements.paypal_records import read_records
from paymatch.formats.settlements.plain_rows import read_rows
from paymatch.formats.settlements.proving import Proving
from paymatch.formats.settlements.values import MomentUnreadable
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

        FileRefused names the row that cannot be read, or whose sum is wrong. It may come after events were handed
        out, so a caller books nothing before the end.
        """
        rows = rows_of(self._stream, self._found)
        try:
            for event in _SHAPES[self.layout.shape](rows, self._stream, self._found, self.proving):
                self.proving.take(event)
                yield event
            self.proving.finish()
        except ReadingUnproved as error:
            raise FileRefused(error.message) from None
        except (AmountUnreadable, MomentUnreadable) as error:
            raise FileRefused(Message("file-row", row=str(self.proving.row), what=error.message)) from None

    def recognised_as(self) -> Message:
        """What the file was, in words: `Stripe, payout reconciliation, 3 payouts`."""
        layout = self.layout
        provider = layout.provider_name or provider_of(layout.provider).name
        return Message(
            "settlement-recognised", provider=provider, report=layout.report, count=len(self.proving.payouts)
        )


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
