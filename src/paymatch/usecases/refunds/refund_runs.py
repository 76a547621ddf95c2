"""Refund runs: due and covered refunds go into transfer files, each once (D-3 to D-5; D-31)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.bank_accounts import is_bic
from paymatch.domain.calendar import next_bank_day
from paymatch.domain.countries import EEA
from paymatch.domain.money import EUR, Currency
from paymatch.domain.refunds.money_out import WAITS_FOR_RELEASE, RefundFacts, hold_reason
from paymatch.domain.refunds.refunds import REFUND_LIFECYCLE, HoldReason, RefundEvent, RefundRefused, RefundStatus
from paymatch.domain.refunds.transfers import INITIAL, TransferKind, end_to_end_id, goes_at_once, kind_of_transfer
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.formats.languages.texts import language_of, words
from paymatch.formats.sepa.pain001 import (
    CreditTransfer,
    Pain001Version,
    PayerAddress,
    TransferCharacters,
    TransferFile,
    write_pain001,
)
from paymatch.outbound.ebics.services import CHECKED, INSTANT, UNCHECKED
from paymatch.store.bank_feeds import connections as ebics
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import refunds, transfers
from paymatch.store.refunds.refunds import PayerAccount, RefundCustomer, RefundRow
from paymatch.store.refunds.transfers import FileRow, TransferRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.shops.shops import AccountRow
from paymatch.store.transactions import ShopId, ShopTx, passes
from paymatch.store.work import alerts, shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.bisection import process_bisecting, tell_alone
from paymatch.usecases.refunds.clearance import (
    OwnAccount,
    RefundInputs,
    clearance,
    debited_account,
    debtor_name,
    load_inputs,
    named_payee,
    payee_of,
    transfer_facts,
)
from paymatch.usecases.refunds.releases import waiting_alerts

RUN_LOCK_SECONDS: Final = 60
"""How long a run waits for another run of the same shop, or for calls on the orders."""

_VERSIONS: Final = {"09": Pain001Version.V09, "03": Pain001Version.V03}


@dataclass(frozen=True, slots=True)
class HeldRefund:
    """A refund that is due but was not sent, and why."""

    refund_id: str
    order_number: str
    external_reference: str
    reason: HoldReason

    @property
    def waits_for_release(self) -> bool:
        """True if a person may release it (D-37)."""
        return self.reason in WAITS_FOR_RELEASE


@dataclass(frozen=True, slots=True)
class Run:
    """The result of a run: stored files, and refunds that wait."""

    files: tuple[FileRow, ...]
    held: tuple[HeldRefund, ...]


@dataclass(frozen=True, slots=True)
class SentRefund:
    """A refund for a transfer file; `released` by a person, or sent automatically."""

    refund: RefundRow
    payee: PayerAccount
    customer: RefundCustomer
    released: bool


def run(database: Database, shop: Shop, clock: datetime, *, day: date | None = None) -> Run:
    """Stores the transfer files of all refunds that are due on `day` (default: the shop's today), one per account.

    Refund and file change together: after a hard stop either both are stored or none, and a second run at the same
    time finds nothing left. RefundRefused unless the shop is active. LockNotAcquired.
    """
    if shop.status is not ShopStatus.ACTIVE:
        raise RefundRefused(Message("refund-shop-not-active-no", status=shop.status))
    today, now = day or shop.today(clock), shop.now(clock)

    def store_files(numbers: Collection[str] | None) -> Run:
        with database.of_shop(shop, RUN_LOCK_SECONDS, at=clock) as tx:
            transfers.lock_runs(tx)
            return _run(tx, today, now, numbers)

    try:
        return store_files(None)
    except Exception as error:
        if passes(error):
            raise
    return store_files(_orders_without_errors(database, shop, today, now))


class _Rehearsed(Exception):
    """Rolls a rehearsal back."""


def _orders_without_errors(database: Database, shop: Shop, today: date, now: datetime) -> list[str]:
    """Orders whose refunds a run can process, found by rehearsal; the others get an alert."""
    shop_id, sound = ShopId(shop.id), list[str]()

    def rehearse(numbers: Sequence[str]) -> None:
        try:
            with database.of_shop(shop, RUN_LOCK_SECONDS) as tx:
                transfers.lock_runs(tx)
                _run(tx, today, now, numbers)
                raise _Rehearsed
        except _Rehearsed:
            sound.extend(numbers)

    def on_failure(number: str, error: Exception) -> None:
        tell_alone(database, shop_id, Message("item-refunds", order=number), error, now)

    with database.of_shop(shop) as tx:
        due = refunds.orders_with_due(tx, today)
    process_bisecting(due, rehearse, on_failure)
    return sound


def _run(tx: ShopTx, today: date, now: datetime, only: Collection[str] | None) -> Run:
    """The run, of all orders or of these only."""
    shop_store.present(tx)  # with its present limits, now that no other run is active
    waiting = refunds.orders_with_due(tx, today)
    numbers = [number for number in waiting if only is None or number in only]
    order_store.lock(tx, numbers)
    pending = refunds.pending_of(tx, numbers)
    inputs = load_inputs(tx, pending)
    due = [
        current
        for refund in pending
        if (current := _with_details(tx, refund, inputs, now)).status is RefundStatus.NEW
        and current.planned_date <= today
    ]
    groups, reasons = _sent_and_held(tx, due, inputs, now)
    if refunds.hold(tx, {refund.id: reasons.get(refund.id, "") for refund in due}):
        _alert(tx, now)
    of_shop = shop_store.transfer_form(tx)
    form = _VERSIONS[of_shop.version], TransferCharacters(of_shop.characters)
    stored = [
        _store_file(
            tx, (inputs.accounts[own], debtor_name(own, inputs)), kind, chosen, form, today, now, instant=instant
        )
        for (own, kind, instant), chosen in sorted(groups.items())
    ]
    held = [
        HeldRefund(refund.id, refund.order_number, refund.external_reference, reasons[refund.id])
        for refund in due
        if refund.id in reasons
    ]
    return Run(tuple(stored), tuple(held))


def _sent_and_held(
    tx: ShopTx, due: Sequence[RefundRow], inputs: RefundInputs, now: datetime
) -> tuple[dict[tuple[OwnAccount, TransferKind, bool], list[SentRefund]], dict[str, HoldReason]]:
    """The refunds to send, by their file, and id -> reason of those that wait."""
    payees = {refund.id: named_payee(refund, inputs) for refund in due}
    cleared = clearance(tx, due, {id_: payee for id_, payee in payees.items() if payee}, now)
    groups: dict[tuple[OwnAccount, TransferKind, bool], list[SentRefund]] = {}
    of_shop = shop_store.transfer_form(tx).speed
    reasons: dict[str, HoldReason] = {}
    for refund in due:
        account, debited = payees[refund.id], debited_account(refund, inputs)
        facts = RefundFacts(
            refund.id in inputs.covered,
            transfer_facts(refund, account, debited, inputs),
            cleared.release_facts(refund, account) if account else None,
        )
        if (reason := hold_reason(facts, now)) is not None:
            reasons[refund.id] = reason
            continue
        assert account is not None and debited is not None
        cleared.count(refund, account)
        released = bool(cleared.released_by(refund, account))
        kind = kind_of_transfer(refund.currency, debited[0], account.iban)
        customer = inputs.customers.get(refund.order_number, RefundCustomer())
        instant = goes_at_once(refund.speed, of_shop, refund.attempt, kind)
        groups.setdefault((debited, kind, instant), []).append(SentRefund(refund, account, customer, released))
    return groups, reasons


def _alert(tx: ShopTx, now: datetime) -> None:
    """Raises the alerts about refunds that a person must see; housekeeping closes them once the cause is gone."""
    for alert in waiting_alerts(tx):
        alerts.add(tx, alert.kind, alert.subject, alert.text, now)
    shop_jobs.wake(tx, ALERTS, now)


def _with_details(tx: ShopTx, refund: RefundRow, inputs: RefundInputs, now: datetime) -> RefundRow:
    """The refund, NEW if its customer's account has become known since (D-5)."""
    if refund.status is not RefundStatus.BANKDETAILS_MISSING:
        return refund
    account = payee_of(refund, inputs)
    if account is None:
        return refund
    status = REFUND_LIFECYCLE.move(refund.status, RefundEvent.BANK_DETAILS_RECEIVED)
    refunds.set_account(tx, refund.id, account, status, now, given=False)
    return refund.with_account(account, status)


def _store_file(
    tx: ShopTx,
    debtor: tuple[AccountRow, str],
    kind: TransferKind,
    chosen: Sequence[SentRefund],
    form: tuple[Pain001Version, TransferCharacters],
    today: date,
    now: datetime,
    *,
    instant: bool,
) -> FileRow:
    """Writes one file and moves its refunds; `debtor` is the account and its holder's name, `form` the version for SEPA
    transfers that the shop's bank accepts.
    """
    own, name = debtor
    version, characters = form[0] if kind is TransferKind.SEPA else Pain001Version.V09, form[1]
    connection = "" if tx.shop.sandbox else ebics.sending_connection(tx, own.account, now)
    instant = instant and _takes_instant(tx, connection)
    file_id = new_id("tf", now)
    written = tuple(_transfer(sent, tx.shop.language) for sent in chosen)
    message_id = f"PM{file_id.removeprefix('tf_').upper()}"
    file = TransferFile(
        message_id=message_id, payment_information_id=f"{message_id}-1", created_at=now,
        execution_date=today if instant else next_bank_day(today),
        debtor_name=name,
        debtor_iban=own.account, debtor_bic=own.bic if is_bic(own.bic) else "", transfers=written,
        # Booked one by one, so each debit carries its EndToEndId; banks that book the sum are supported, too.
        batch_booking=False, currency=Currency(own.currency), kind=kind, characters=characters,
        payer=_payer_address(tx), instant=instant,
    )  # fmt: skip
    row = FileRow(
        file_id, own.account, own.currency, message_id, file.payment_information_id, file.execution_date, len(written),
        sum(transfer.amount_minor for transfer in written), str(version), now, None,
        ebics_connection=connection, instant=instant,
    )  # fmt: skip
    transfers.add(tx, row, write_pain001(file, version), _transfer_rows(file_id, chosen, written))
    _release(tx, file_id, chosen, now)
    details = {"refunds": [each.refund.id for each in chosen], "totalMinor": row.total_minor}
    record(tx, tx.shop, AuditAction.TRANSFER_FILE_MADE, file_id, after=details)
    if row.ebics_connection:
        ebics.wake(tx, row.ebics_connection, now)
    return row


def _release(tx: ShopTx, file_id: str, chosen: Sequence[SentRefund], now: datetime) -> None:
    """Moves the refunds of a file, and stores the accounts that they go to."""
    for refund, account in ((each.refund, each.payee) for each in chosen):
        if account != PayerAccount(refund.iban, refund.bic, refund.holder):
            refunds.set_account(tx, refund.id, account, refund.status, now, given=refund.iban_given)
    status = REFUND_LIFECYCLE.move(RefundStatus.NEW, RefundEvent.TRANSFER_RELEASED)
    moved = transfers.release_refunds(tx, file_id, status, now)
    assert moved == len(chosen), f"{moved} refunds moved, {len(chosen)} in the file"


def _takes_instant(tx: ShopTx, connection: str) -> bool:
    """Whether a file's channel accepts instant transfers; a folder does, a bank by EBICS if it offers them."""
    row = ebics.connection(tx, connection) if connection else None
    return row is None or row.transfer_service(INSTANT, (*UNCHECKED, *CHECKED)) is not None


def _payer_address(tx: ShopTx) -> PayerAddress:
    street, house_number, postcode, town = shop_store.address(tx)
    return PayerAddress(town, tx.shop.country, street, house_number, postcode)


def _transfer_rows(file_id: str, chosen: Sequence[SentRefund], written: Sequence[CreditTransfer]) -> list[TransferRow]:
    return [
        TransferRow(
            transfer.end_to_end_id, each.refund.id, each.refund.attempt, file_id, transfer.amount_minor,
            transfer.creditor_iban, transfer.creditor_name, INITIAL, each.released,
        )
        for each, transfer in zip(chosen, written, strict=True)
    ]  # fmt: skip


def _transfer(sent: SentRefund, shop_language: str) -> CreditTransfer:
    refund, account = sent.refund, sent.payee
    word = words(language_of(sent.customer.language, shop_language)).gettext("Refund")
    # Within the EEA the bank is found by the IBAN; a BIC that does not fit would only be a reason to reject.
    needs_no_bic = refund.currency == EUR and account.iban[:2] in EEA
    return CreditTransfer(
        end_to_end_id=end_to_end_id(refund.reference, refund.attempt),
        amount_minor=refund.amount_minor,
        creditor_name=account.holder,
        creditor_iban=account.iban,
        creditor_bic="" if needs_no_bic or not is_bic(account.bic) else account.bic,
        remittance=f"{word} {refund.order_number} {refund.external_reference}",
        creditor_town=sent.customer.town,
        creditor_country=sent.customer.country,
    )
