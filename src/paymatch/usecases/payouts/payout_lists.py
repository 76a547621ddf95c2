"""Payouts for people: their contents, postings and states (D-83)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.payouts.providers import provider_at
from paymatch.domain.payouts.tie_evidence import TieEvidence, evidence_of
from paymatch.domain.payouts.ties import BankPosting, PayoutState, ProviderPayout, Tie, TieReason, state_of
from paymatch.store.payouts import payouts as store
from paymatch.store.payouts.payouts import PayoutCandidate, PayoutLine, PayoutRow
from paymatch.store.payouts.settlement_lines import AccountKey
from paymatch.store.statements import postings as posting_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.payouts.tying import may_be_payout

MOST_LINES: Final = 500
"""The number of a payout's rows that a page shows."""


@dataclass(frozen=True, slots=True)
class ShownPayout:
    """A payout with its state; `lines` only if a single payout is shown."""

    row: PayoutRow
    provider: str
    state: PayoutState
    lines: tuple[PayoutLine, ...] = ()
    may_be: tuple[PayoutCandidate, ...] = ()  # postings for a person to choose from

    @property
    def is_trouble(self) -> bool:
        """Whether a person has to check it."""
        return self.state in (PayoutState.SHORT, PayoutState.OVERDUE)


def all_payouts(tx: ShopTx) -> list[ShownPayout]:
    """The payouts of all accounts, the latest first."""
    today = tx.today
    return [_payout_row(row, today) for row in store.all_of(tx)]


def one_payout(tx: ShopTx, account: str, currency: str, payout_id: str) -> ShownPayout | None:
    """One payout with its rows; None if there is none."""
    row = store.find(tx, AccountKey(account, currency), payout_id)
    return None if row is None else _with_lines(tx, row)


def lines_of(tx: ShopTx, row: PayoutRow, limit: int, skipped: int) -> list[PayoutLine]:
    """Some of a payout's rows, by day, without the first `skipped` ones."""
    return store.lines_of(tx, row, limit, skipped)


def payout_of_posting(tx: ShopTx, posting_id: str) -> ShownPayout | None:
    """The payout of a posting on a bank account, with its rows; None if the posting is not one."""
    row = store.of_posting(tx, posting_id)
    return None if row is None else _with_lines(tx, row)


def evidence_of_tie(tx: ShopTx, shown: ShownPayout) -> list[TieEvidence]:
    """Why the payout's posting is this payout, the strongest fact first; nothing while it has none."""
    row = shown.row
    loaded = posting_store.load(tx, [row.posting_id]) if row.posting_id else []
    if not loaded:
        return []
    posting, own_name = loaded[0].posting, flat(tx.shop.holder)
    rows = store.all_of(tx)
    accounts = sorted({each.account for each in rows})
    payouts = [
        ProviderPayout(accounts.index(each.account), provider_at(each.account), each.as_payout()) for each in rows
    ]
    (sent,) = [each for each, kept in zip(payouts, rows, strict=True) if _key(kept) == _key(row)]
    booked = BankPosting(
        0, posting.currency, posting.amount_minor, posting.booking_date, posting.counterparty_name,
        "\n".join(posting.remittance_lines), posting.end_to_end_id,
        is_from_own_name=bool(own_name) and flat(posting.counterparty_name) == own_name,
        payer_account=posting.counterparty_iban,
    )  # fmt: skip
    return evidence_of(sent, booked, TieReason(row.reason), payouts)


def _key(row: PayoutRow) -> tuple[str, str, str]:
    return row.account, row.currency, row.payout_id


def _with_lines(tx: ShopTx, row: PayoutRow) -> ShownPayout:
    shown = _payout_row(row, tx.today)
    lines = tuple(store.lines_of(tx, row, MOST_LINES))
    may_be = () if row.posting_id or not row.amount_minor else may_be_payout(tx, row)
    return ShownPayout(row, shown.provider, shown.state, lines, may_be)


def _payout_row(row: PayoutRow, today: date) -> ShownPayout:
    tie = Tie((0, "", ""), 0, TieReason.ID, row.short_minor) if row.posting_id else None
    return ShownPayout(row, provider_at(row.account).name, state_of(row.as_payout(), tie, today))


def list_payouts(tx: ShopTx) -> list[dict[str, Any]]:
    """The payouts under their stable names, the latest first."""
    return [_as_dict(each) for each in all_payouts(tx)]


def _as_dict(shown: ShownPayout) -> dict[str, Any]:
    row = shown.row

    def amount(minor: int) -> str:
        return minor_to_text(minor, Currency(row.currency))

    return {
        "id": row.payout_id, "provider": row.account.partition(":")[0], "account": row.account,
        "currency": row.currency, "amount": amount(row.amount_minor), "posting": row.posting_id, "rows": row.line_count,
        "orders": row.order_count, "gross": amount(row.gross_minor), "fee": amount(row.fee_minor),
        "carriedIn": amount(row.carried_in_minor), "carriedOut": amount(row.carried_out_minor),
        "rest": amount(row.rest_minor), "short": amount(row.short_minor), "sentOn": row.sent_on,
        "bookedOn": row.booked_on, "state": shown.state.value, "tiedBy": row.reason,
    }  # fmt: skip
