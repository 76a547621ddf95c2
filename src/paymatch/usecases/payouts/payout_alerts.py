"""Alerts about payouts: not arrived, arrived short, without a file, or charged back (D-83)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.payouts.ties import PayoutState
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.words.message import Message, Sum
from paymatch.store.payouts import payouts as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.payouts.payout_lists import ShownPayout, all_payouts
from paymatch.usecases.payouts.tying import find_ties

_FILE_COMES_WITHIN: Final = 3
"""Bank days that a person has for fetching the settlement file of a payout."""


def payout_alerts(tx: ShopTx) -> Iterator[Alert]:
    """Causes that a person has to check."""
    if not store.any_of(tx):
        return
    for shown in all_payouts(tx):
        yield from _of_payout(shown)
    today = tx.today
    for posting in find_ties(tx).without_file():
        if today > plus_bank_days(posting.booking_date, _FILE_COMES_WITHIN) and posting.status != "ignored":
            amount = Sum(posting.amount_minor, posting.currency)
            said = Message(
                "alert-payout-without-file", name=posting.counterparty_name, amount=amount, day=posting.booking_date
            )
            yield Alert(AlertKind.PAYOUT_WITHOUT_FILE, posting.id, said)
    for number, minor, currency in store.charged_back(tx):
        said = Message("alert-charged-back", order=number, amount=Sum(minor, currency))
        yield Alert(AlertKind.CHARGED_BACK, f"{number} {minor}", said)


def _of_payout(shown: ShownPayout) -> Iterator[Alert]:
    row = shown.row
    subject = f"{row.account} {row.currency} {row.payout_id}"
    payout: dict[str, str | Sum] = {
        "payout": row.payout_id,
        "provider": shown.provider,
        "amount": Sum(row.amount_minor, row.currency),
    }
    if shown.state is PayoutState.OVERDUE and row.sent_on is not None:
        yield Alert(AlertKind.PAYOUT_OVERDUE, subject, Message("alert-payout-overdue", **payout, day=row.sent_on))
    if shown.state is PayoutState.SHORT:
        short = Sum(row.short_minor, row.currency)
        yield Alert(
            AlertKind.PAYOUT_SHORT, f"{subject} {row.short_minor}", Message("alert-payout-short", **payout, short=short)
        )
