"""Proofs of a settlement file while it is read: signs, balances and totals (D-83)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Final

from paymatch.domain.payouts.movements import Movement, MovementKind, StatedPayout
from paymatch.domain.payouts.proofs import ReadingUnproved, RunningBalance
from paymatch.domain.words.message import Message
from paymatch.formats.settlements.layouts import Layout
from paymatch.formats.statement import FileRefused

_WORDS_NOTED: Final = 5
_MAX_WORD: Final = 60


@dataclass(slots=True)
class Proving:
    """Collects sums per payout and currency, never rows: its size does not grow with the file."""

    layout: Layout
    default_currency: str
    row: int = 0  # that is read now
    rows: int = 0  # movements so far
    payouts: set[tuple[str, str]] = field(default_factory=set)  # (currency, id)
    balances: dict[str, RunningBalance] = field(default_factory=dict)
    first_date: date | None = None
    last_date: date | None = None
    unknown_kinds: dict[str, int] = field(default_factory=dict)  # word -> first row of each, of the first few
    _unsigned_credit: int = 0  # row of the first credit that only its sign would prove
    _has_minus: bool = False
    _fees_kept: int = 0  # sales with a fee above zero
    _fees_given_back: int = 0  # sales with a fee below zero
    _unproved_fee: int = 0  # row of the first fee below zero beside which no gross amount is

    def take(self, event: Movement | StatedPayout) -> None:
        """Takes the next event of the file."""
        if isinstance(event, StatedPayout):
            if event.amount_minor:
                self.payouts.add((event.currency, event.payout_id))
            return
        self.rows += 1
        if event.payout_id or event.kind is MovementKind.PAYOUT:
            self.payouts.add((event.currency, event.payout_id or event.provider_id))
        if event.at is not None:
            day = event.at.date()
            self.first_date = min(self.first_date or day, day)
            self.last_date = max(self.last_date or day, day)

    def kind_of(self, word: str, detail: str = "") -> str:
        """The kind of the row that is read now; a word that the layout does not know is noted."""
        known = self.layout.known_kind(word, detail)
        if not known and self.layout.other_kind == MovementKind.ADJUSTMENT and len(self.unknown_kinds) < _WORDS_NOTED:
            said = " ".join(filter(None, (word, detail)))[:_MAX_WORD]
            self.unknown_kinds.setdefault(said, self.row)
        return known or self.layout.other_kind

    def notes(self) -> list[Message]:
        """Notes for a person on the rows that were read."""
        return [
            Message("settlement-unknown-kind", kind=repr(kind), row=row)
            if kind
            else Message("settlement-no-kind", row=row)
            for kind, row in self.unknown_kinds.items()
        ]

    def balance(self, currency: str, net_minor: int, balance_minor: int) -> None:
        """Takes the balance after a row; ReadingUnproved if it does not follow from the row before."""
        if currency not in self.balances:
            self.balances[currency] = RunningBalance()
        self.balances[currency].add(self.row, net_minor, balance_minor)

    def sign_seen(self, amount_minor: int, *, decides: bool) -> None:
        """Notes the sign of an amount; `decides`: nothing else says whether the row is a credit."""
        self._has_minus |= amount_minor < 0
        if decides and amount_minor > 0 and not self._unsigned_credit:
            self._unsigned_credit = self.row

    def fee_seen(self, fee_minor: int, *, is_proved: bool) -> None:
        """Notes the fee of a sale; `is_proved`: gross and net amount of the row show which way it goes."""
        self._fees_kept += fee_minor > 0
        self._fees_given_back += fee_minor < 0
        if fee_minor < 0 and not is_proved and not self._unproved_fee:
            self._unproved_fee = self.row

    def _prove_fees(self) -> None:
        """A fee below zero is a refunded fee where the file writes kept fees without a minus.

        Most fees of sales are kept: a file that writes those with a minus has more of them than of the others.
        """
        if self._unproved_fee and self._fees_kept < max(self._fees_given_back, 1):
            raise ReadingUnproved(self._unproved_fee, Message("settlement-fee-sign"))

    def finish(self) -> None:
        """FileRefused for a file without rows.

        ReadingUnproved if signs decide what rows do, but no amount has one; or if a fee below zero may be a kept one.
        """
        if not self.rows and not self.payouts:
            raise FileRefused(Message("settlement-empty"))
        self._prove_fees()
        if self.layout.is_signed or self._has_minus or self.balances:
            return
        for kind, row in self.unknown_kinds.items():
            raise ReadingUnproved(row, Message("settlement-unsigned-kind", kind=repr(kind)))
        if self._unsigned_credit:
            raise ReadingUnproved(self._unsigned_credit, Message("settlement-unsigned"))
