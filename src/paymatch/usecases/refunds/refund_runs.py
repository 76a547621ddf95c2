"""Refund runs: what is due and covered goes into transfer files, each refund once (D-3 to D-5; D-31)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.bank_accounts import is_bic, is_iban
from paymatch.domain.bank_days import next_bank_day
from paymatch.domain.countries import EEA, SEPA
from paymatch.domain.money import EUR
from paymatch.domain.orders.references import end_to_end_id
from paymatch.domain.refunds import Claim, HoldReason, RefundEvent, RefundRefused, RefundStatus, covered, next_status
from paymatch.domain.shops.audit import DeedKind
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.transfers import INITIAL, MAY_HAVE_LEFT
from paymatch.formats.sepa.pain001 import (
    MAX_AMOUNT_MINOR,
    Pain001Version,
    Transfer,
    TransferFile,
    sendable,
    write_pain001,
)
from paymatch.store import shops as shop_store
from paymatch.store.database import Database, ShopId, Tx, passes
from paymatch.store.ids import new_id
from paymatch.store.orders import ledger
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import refunds, transfers
from paymatch.store.refunds.refunds import PayerAccount, Payment, RefundRow
from paymatch.store.refunds.transfers import FileRow, TransferRow
from paymatch.store.shops import AccountRow
from paymatch.usecases.isolation import each_alone, tell_alone
from paymatch.usecases.work.audit import record_deed

RUN_LOCK_SECONDS: Final = 60
"""How long a run waits for another one of the same shop, or for calls on the orders."""

_REFUND_WORD: Final = {"de": "Erstattung", "fr": "Remboursement", "it": "Rimborso", "nl": "Terugbetaling"}
_VERSIONS: Final = {"09": Pain001Version.V09, "03": Pain001Version.V03}


@dataclass(frozen=True, slots=True)
class HeldRefund:
    """A refund that is due and yet was not sent, and why."""

    refund_id: str
    order_number: str
    external_reference: str
    reason: str


@dataclass(frozen=True, slots=True)
class Run:
    """What a run has made: files as they are stored, refunds that stay where they are."""

    files: tuple[FileRow, ...]
    held: tuple[HeldRefund, ...]


@dataclass(frozen=True, slots=True)
class _RefundInputs:
    """What a run knows of the orders in question."""

    payments: Mapping[str, list[Payment]]
    names: Mapping[str, str]
    covered: frozenset[str]
    unsettled: frozenset[str]  # refunds of which an earlier transfer may have reached its payee
    accounts: Mapping[str, AccountRow]  # confirmed accounts in EUR, the default first


def run(database: Database, shop: Shop, clock: datetime, *, day: date | None = None) -> Run:
    """Stores the transfer files of all refunds that are due on `day` (default: the shop's today), one per account.

    Refund and file change together: after a hard stop either both are stored or none, and a second run at the same
    time finds nothing left. RefundRefused unless the shop is active. LockNotAcquired.
    """
    if shop.status is not ShopStatus.ACTIVE:
        raise RefundRefused(f"Shop not active: no refunds are sent while it is {shop.status}")
    shop_id = ShopId(shop.id)
    today, now = day or shop.today(clock), shop.now(clock)

    def store_files(numbers: Collection[str] | None) -> Run:
        with database.transaction(shop_id, RUN_LOCK_SECONDS) as tx:
            transfers.lock_runs(tx, shop_id)
            return _run(tx, shop, today, now, numbers)

    try:
        return store_files(None)
    except Exception as error:
        if passes(error):
            raise
    return store_files(_sound_orders(database, shop, today, now))


class _Rehearsed(Exception):
    """Rolls a rehearsal back."""


def _sound_orders(database: Database, shop: Shop, today: date, now: datetime) -> list[str]:
    """Orders whose refunds a run does not fail at, found by rehearsal; a person is told of the others."""
    shop_id, sound = ShopId(shop.id), list[str]()

    def rehearse(numbers: Sequence[str]) -> None:
        try:
            with database.transaction(shop_id, RUN_LOCK_SECONDS) as tx:
                transfers.lock_runs(tx, shop_id)
                _run(tx, shop, today, now, numbers)
                raise _Rehearsed
        except _Rehearsed:
            sound.extend(numbers)

    def failed(number: str, error: Exception) -> None:
        tell_alone(database, shop_id, f"the refunds of order {number}", error, now)

    with database.transaction(shop_id) as tx:
        due = refunds.orders_with_due(tx, shop_id, today)
    each_alone(due, rehearse, failed)
    return sound


def _run(tx: Tx, shop: Shop, today: date, now: datetime, only: Collection[str] | None) -> Run:
    """The run, of all orders or of these only."""
    shop_id = ShopId(shop.id)
    due = refunds.orders_with_due(tx, shop_id, today)
    numbers = [number for number in due if only is None or number in only]
    order_store.lock(tx, shop_id, numbers)
    pending = refunds.pending_of(tx, shop_id, numbers)
    books = _books(tx, shop, pending)
    groups: dict[str, list[tuple[RefundRow, PayerAccount]]] = {}
    reasons: dict[str, str] = {}
    for refund in pending:
        current = _with_details(tx, shop_id, refund, books, now)
        if current.status is not RefundStatus.NEW or current.planned_date > today:
            continue
        account, debited = _named_payee(current, books), _debited(current, books)
        reason = _hold_reason(current, account, debited, books)
        reasons[refund.id] = reason or ""
        if reason is None:
            assert account is not None and debited is not None
            groups.setdefault(debited, []).append((current, account))
    refunds.hold(tx, shop_id, reasons)
    version = _VERSIONS[shop_store.transfer_version(tx, shop_id)]
    stored = [
        _store_file(tx, shop, books.accounts[own], chosen, version, today, now)
        for own, chosen in sorted(groups.items())
    ]
    held = [
        HeldRefund(refund.id, refund.order_number, refund.external_reference, reasons[refund.id])
        for refund in pending
        if reasons.get(refund.id)
    ]
    return Run(tuple(stored), tuple(held))


def _books(tx: Tx, shop: Shop, pending: Sequence[RefundRow]) -> _RefundInputs:
    """Everything that the decisions look at, in one question per kind."""
    shop_id = ShopId(shop.id)
    numbers = sorted({refund.order_number for refund in pending})
    ledgers = {row.number: row.ledger for row in ledger.load(tx, shop_id, numbers, shop.tolerance_minor)}
    fitting: set[str] = set()
    for number in numbers:
        own = [refund for refund in pending if refund.order_number == number]
        claims = [Claim(refund.id, refund.order_amount_minor, refund.status) for refund in own]
        fitting |= covered(ledgers[number].net_minor, claims)
    earlier = transfers.of_refunds(tx, shop_id, [refund.id for refund in pending if refund.attempt > 1])
    open_ones = {row.refund_id for row in earlier if row.status in MAY_HAVE_LEFT}
    accounts = {
        row.account: row
        for row in shop_store.accounts(tx, shop_id)
        if row.confirmed and row.currency == EUR and is_iban(row.account)
    }
    return _RefundInputs(
        refunds.payments_of(tx, shop_id, numbers), refunds.customer_names(tx, shop_id, numbers),
        frozenset(fitting), frozenset(open_ones), accounts,
    )  # fmt: skip


def _with_details(tx: Tx, shop: ShopId, refund: RefundRow, books: _RefundInputs, now: datetime) -> RefundRow:
    """The refund, NEW if the account of its customer has become known since (API document, Refund status)."""
    if refund.status is not RefundStatus.BANKDETAILS_MISSING:
        return refund
    account = _payee(refund, books)
    if account is None:
        return refund
    status = next_status(refund.status, RefundEvent.BANK_DETAILS_RECEIVED)
    refunds.set_account(tx, shop, refund.id, account, status, now, given=False)
    return refund.with_account(account, status)


def _payee(refund: RefundRow, books: _RefundInputs) -> PayerAccount | None:
    """Where the money goes: what the customer gave, otherwise an account that has paid the order and still does (D-5).

    A payment may have been taken off the order since the refund was filed: then its account has no claim any more.
    """
    if refund.iban_given:
        return PayerAccount(refund.iban, refund.bic, refund.holder)
    known = [payment for payment in books.payments.get(refund.order_number, ()) if payment.iban]
    chosen = next((payment for payment in known if payment.iban == refund.iban), known[0] if known else None)
    return PayerAccount(chosen.iban, chosen.bic, chosen.holder) if chosen else None


def _named_payee(refund: RefundRow, books: _RefundInputs) -> PayerAccount | None:
    """The payee with a name as a bank takes it: the account's, since banks compare it, else that of who ordered."""
    account = _payee(refund, books)
    if account is None:
        return None
    holder = sendable(account.holder, 70) or sendable(books.names.get(refund.order_number, ""), 70)
    return PayerAccount(account.iban, account.bic, holder)


def _debited(refund: RefundRow, books: _RefundInputs) -> str | None:
    """The shop's account that the money leaves: the one that the order was paid to, else the first; None if none."""
    for payment in books.payments.get(refund.order_number, ()):
        if payment.own in books.accounts:
            return payment.own
    return next(iter(books.accounts), None)


def _hold_reason(
    refund: RefundRow, account: PayerAccount | None, debited: str | None, books: _RefundInputs
) -> HoldReason | None:
    """The first reason not to send the refund; None if there is none."""
    iban = account.iban if account else ""
    checks = (
        (refund.currency != EUR, HoldReason.CURRENCY),
        (refund.id not in books.covered, HoldReason.NOT_COVERED),
        (refund.id in books.unsettled, HoldReason.EARLIER_TRANSFER),
        (account is None, HoldReason.NO_DETAILS),
        (debited is None, HoldReason.NO_ACCOUNT),
        (iban[:2] not in SEPA or not is_iban(iban), HoldReason.NOT_SEPA),
        (account is not None and not account.holder, HoldReason.NO_HOLDER),
        (refund.amount_minor > MAX_AMOUNT_MINOR, HoldReason.TOO_LARGE),
    )
    return next((reason for is_so, reason in checks if is_so), None)


def _store_file(
    tx: Tx,
    shop: Shop,
    own: AccountRow,
    chosen: Sequence[tuple[RefundRow, PayerAccount]],
    version: Pain001Version,
    today: date,
    now: datetime,
) -> FileRow:
    """Writes one file and moves its refunds."""
    shop_id, file_id = ShopId(shop.id), new_id("tf", now)
    word = _REFUND_WORD.get(shop.language, "Refund")
    written = tuple(_transfer(refund, account, word) for refund, account in chosen)
    message_id = f"PM{file_id.removeprefix('tf_').upper()}"
    file = TransferFile(
        message_id=message_id, payment_information_id=f"{message_id}-1", created_at=now,
        execution_date=next_bank_day(today), debtor_name=sendable(own.holder, 70) or shop.holder or shop.name,
        debtor_iban=own.account, debtor_bic=own.bic if is_bic(own.bic) else "", transfers=written,
        # Booked one by one, so that each debit comes back with its EndToEndId; banks that book the sum are known too.
        batch_booking=False,
    )  # fmt: skip
    row = FileRow(
        file_id, own.account, EUR, message_id, file.payment_information_id, file.execution_date, len(written),
        sum(transfer.amount_minor for transfer in written), str(version), now, None,
    )  # fmt: skip
    sent = [
        TransferRow(
            transfer.end_to_end_id, refund.id, refund.attempt, file_id, transfer.amount_minor, transfer.creditor_iban,
            transfer.creditor_name, INITIAL,
        )
        for (refund, _), transfer in zip(chosen, written, strict=True)
    ]  # fmt: skip
    transfers.add(tx, shop_id, row, write_pain001(file, version), sent)
    for refund, account in chosen:
        if account != PayerAccount(refund.iban, refund.bic, refund.holder):
            refunds.set_account(tx, shop_id, refund.id, account, refund.status, now, given=refund.iban_given)
    status = next_status(RefundStatus.NEW, RefundEvent.TRANSFER_RELEASED)
    moved = transfers.release_refunds(tx, shop_id, file_id, status, now)
    assert moved == len(chosen), f"{moved} refunds moved, {len(chosen)} in the file"
    told = {"refunds": [refund.id for refund, _ in chosen], "totalMinor": row.total_minor}
    record_deed(tx, shop, DeedKind.TRANSFER_FILE_MADE, file_id, after=told)
    return row


def _transfer(refund: RefundRow, account: PayerAccount, word: str) -> Transfer:
    return Transfer(
        end_to_end_id=end_to_end_id(refund.reference, refund.attempt),
        amount_minor=refund.amount_minor,
        creditor_name=account.holder,
        creditor_iban=account.iban,
        # Within the EEA the bank is found by the IBAN; a BIC that does not fit would only be a reason to reject.
        creditor_bic=account.bic if account.iban[:2] not in EEA and is_bic(account.bic) else "",
        remittance=f"{word} {refund.order_number} {refund.external_reference}",
    )
