"""Statements about our own refunds: booked debits execute them, credits bring them back (D-4, D-31)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final

from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.bank_codes import is_collected
from paymatch.domain.matching.returns import is_bank_return
from paymatch.domain.money import digits_of
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.postings import POSTING_LIFECYCLE, PostingEvent, PostingStatus
from paymatch.domain.refunds.refunds import REFUND_LIFECYCLE, RefundEvent, RefundMoveRefused, RefundStatus, came_back
from paymatch.domain.refunds.transfers import (
    REFUND_PREFIX,
    TRANSFER_LIFECYCLE,
    TransferEvent,
    TransferStatus,
    refund_attempt,
)
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import given_back, transfers
from paymatch.store.refunds import refunds as store
from paymatch.store.refunds.refunds import RefundRow
from paymatch.store.refunds.transfers import FileRow, TransferRow
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements.postings import AllocationRow, DecidedRow, StoredPosting
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.store.work import alerts

_EXECUTED: Final = frozenset({RefundStatus.PROCESSED, RefundStatus.RETURNED})

_IN_TEXT: Final = re.compile(
    rf"\b{REFUND_PREFIX}[0-9A-Z]{{16}}(?:-\d{{1,4}})?(?![0-9A-Z])|{REFUND_PREFIX}[0-9A-Z]{{16}}"
)
_BY_HAND: Final = '{"flags":["by-hand","refund"],"heldBack":"","evidence":[],"suggestions":[]}'


@dataclass(slots=True)
class SettledPostings:
    """Postings of our own transfers, and the orders whose books they changed.

    `in_question`: postings for a person to decide, each with the order whose refund it may bring back, or may be.
    """

    postings: set[str] = field(default_factory=set)
    orders: list[str] = field(default_factory=list)
    in_question: dict[str, str] = field(default_factory=dict)


def settle_own_refunds(tx: ShopTx, waiting: Sequence[StoredPosting], now: datetime) -> SettledPostings:
    """Moves the refunds whose EndToEndId, or whose transfer file, a posting names; the caller settles the orders.

    A debit executes the refund, unless its payee collected it or the bank names another account (D-80). A credit brings
    it back only with the bank's return mark beside the reference, and only if no more than a bank's charge is missing:
    anyone who received the transfer can type its reference (D-4).
    """
    found = _Feedback(tx, tx.shop, waiting, now)
    for stored in waiting:
        if not found.take_single(stored) and not found.take_batch(stored):
            continue
        found.settled.postings.add(stored.id)
    found.book()
    return found.settled


class _Feedback:
    """The refunds and transfers of a batch of postings, and their changes."""

    def __init__(
        self, tx: ShopTx, shop: Shop, waiting: Sequence[StoredPosting], now: datetime, more: Sequence[str] = ()
    ) -> None:
        """`more`: ids of refunds that no posting names."""
        self._tx, self._shop, self._now = tx, ShopId(shop.id), now
        self.settled = SettledPostings()
        self._allocations: list[AllocationRow] = []
        self._decided: list[DecidedRow] = []
        self._files = self._named_files(waiting)
        in_files = transfers.of_files(tx, [file.id for file in self._files.values()])
        named = [attempt for stored in waiting if (attempt := _attempt(stored))]
        references = sorted({reference for reference, _ in named})
        ids = sorted({*more, *(row.refund_id for row in in_files)})
        self._refunds: dict[str, RefundRow] = {}
        self._transfers: dict[tuple[str, int], TransferRow] = {}
        self._by_reference: dict[str, RefundRow] = {}
        if not references and not ids:
            return
        order_store.lock(tx, store.orders_of(tx, references, ids))
        self._refunds = {refund.id: refund for refund in store.lock_named(tx, references, ids)}
        rows = transfers.of_refunds(tx, list(self._refunds))
        self._transfers = {(row.refund_id, row.attempt): row for row in rows}
        self._by_reference = {refund.reference: refund for refund in self._refunds.values()}

    def _named_files(self, waiting: Sequence[StoredPosting]) -> dict[str, FileRow]:
        """Posting id -> the transfer file of ours that the bank has booked as one sum."""
        wanted = {stored.id: _batch_names(stored) for stored in waiting}
        names = sorted({name for each in wanted.values() for name in each})
        if not names:
            return {}
        files = transfers.by_names(self._tx, names)
        by_name = {name: file for file in files for name in (file.message_id, file.payment_information_id)}
        return {
            posting_id: by_name[name] for posting_id, each in wanted.items() for name in each[:2] if name in by_name
        }

    def take_single(self, stored: StoredPosting) -> bool:
        """True if the posting is one refund's debit or return."""
        attempt = _attempt(stored)
        refund = self._by_reference.get(attempt[0]) if attempt else None
        if attempt is None or refund is None:
            return False
        transfer = self._transfers.get((refund.id, attempt[1]))
        if stored.posting.amount_minor > 0 and not _is_return_of(stored, _sent_minor(refund, transfer), refund):
            self.settled.in_question[stored.id] = refund.order_number
            return False
        if (transfer is None and attempt[1] != 1) or not _fits(stored, refund, transfer):
            return False
        if is_collected(stored.posting) or _went_elsewhere(stored, transfer):
            self._doubt(stored, refund)
            return False
        outgoing = stored.posting.amount_minor < 0
        taken = self._debit(stored, refund, transfer) if outgoing else self._return(stored, refund, transfer)
        if not taken:
            self._alert_unexpected(stored, refund)
            return False
        self._allocations.append(_allocation(stored, refund, _sent_minor(refund, transfer)))
        self._decided.append(DecidedRow(stored.id, _matched_status(stored), _explanation(refund.reference, outgoing)))
        self.settled.orders.append(refund.order_number)
        return True

    def take_by_person(self, stored: StoredPosting, order_number: str) -> bool:
        """Records a person's confirmation that the credit brings back this order's refund; False if it cannot."""
        attempt = _attempt(stored)
        refund = self._by_reference.get(attempt[0]) if attempt else self._only_refund()
        if refund is None or refund.order_number != order_number:
            return False
        transfer = self._transfers.get((refund.id, attempt[1] if attempt else refund.attempt))
        sent_minor = _sent_minor(refund, transfer)
        posting = stored.posting
        if not 0 < posting.amount_minor <= sent_minor or posting.currency != refund.currency:
            return False
        if not self._return(stored, refund, transfer):
            return False
        self._allocations.append(_allocation(stored, refund, sent_minor, by_hand=True))
        status = POSTING_LIFECYCLE.move(stored.status, PostingEvent.PERSON_MATCHED)
        self._decided.append(DecidedRow(stored.id, status, _BY_HAND, by_hand=True))
        return True

    def _only_refund(self) -> RefundRow | None:
        found = list(self._refunds.values())
        return found[0] if len(found) == 1 else None

    def take_batch(self, stored: StoredPosting) -> bool:
        """True if the posting is the sum of one of our transfer files, less rejected ones, or one of its transfers."""
        file = self._files.get(stored.id)
        if file is None or stored.posting.currency != file.currency or _attempt(stored):
            return False
        rows = [row for row in self._transfers.values() if row.file_id == file.id and not row.debit_posting_id]
        kept = [row for row in rows if row.status is not TransferStatus.REJECTED]
        minor = -stored.posting.amount_minor
        # Some banks book each transfer separately, but only name the file.
        alone = [row for row in kept if row.amount_minor == minor and row.iban == stored.posting.counterparty_iban]
        choices = (kept, rows, alone if len(alone) == 1 else [])
        chosen = next((each for each in choices if each and sum(row.amount_minor for row in each) == minor), None)
        if chosen is None:
            said = Message("alert-debit-differs", posting=stored.id, file=file.message_id)
            alerts.add(self._tx, AlertKind.REFUND_UNEXPECTED, stored.id, said, self._now)
            return False
        parts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for row in chosen:
            refund = self._refunds[row.refund_id]
            # Rejected, but part of the sum: the bank returns it by a separate credit.
            self._debit(stored, refund, row, executes=row.status is not TransferStatus.REJECTED)
            part = parts[refund.order_number]
            part[0] -= row.amount_minor
            part[1] -= row.amount_minor
        self._allocations += [
            AllocationRow(stored.id, number, part[0], part[1], "refund", False) for number, part in parts.items()
        ]
        self._decided.append(DecidedRow(stored.id, _matched_status(stored), _explanation(file.message_id, True)))
        self.settled.orders += parts
        return True

    def _debit(
        self, stored: StoredPosting, refund: RefundRow, transfer: TransferRow | None, *, executes: bool = True
    ) -> bool:
        """Books the refund's money as sent; False if it was already booked, or must not be."""
        if transfer.debit_posting_id if transfer else refund.posting_id:
            return False
        status = None
        if executes and (transfer is None or transfer.attempt == refund.attempt):
            status = _next(refund.status, RefundEvent.TRANSFER_BOOKED)
            if status is None and refund.status not in _EXECUTED:
                return False
        if status is not None:
            self._move(refund, status, stored, execution_date=stored.posting.booking_date)
        elif executes and refund.status is RefundStatus.PROCESSED:  # ACSC said so before
            store.set_feedback(self._tx, refund.id, stored.id, stored.posting.booking_date)
        if transfer is not None:
            event = TransferEvent.DEBIT_BOOKED if executes else TransferEvent.DEBITED_WITH_ITS_FILE
            after = TRANSFER_LIFECYCLE.move(transfer.status, event)
            if executes and transfer.status in (TransferStatus.REJECTED, TransferStatus.DISCARDED):
                self._alert_unexpected(stored, refund)
            transfers.answer(self._tx, transfer.end_to_end_id, after, debit_posting_id=stored.id)
            self._remember(transfer, after, debit=stored.id)
        return True

    def _return(self, stored: StoredPosting, refund: RefundRow, transfer: TransferRow | None) -> bool:
        """Books the refund's money as returned; False if it was already booked, or was never sent."""
        if transfer is not None and transfer.return_posting_id:
            return False
        is_current = transfer is None or transfer.attempt == refund.attempt
        status = _next(refund.status, RefundEvent.TRANSFER_RETURNED) if is_current else None
        if status is None and not _may_have_left(transfer):
            return False
        code = stored.posting.return_reason
        if status is not None:
            self._move(refund, status, stored, bank_code=code)
        if transfer is not None:
            after = TRANSFER_LIFECYCLE.move(transfer.status, TransferEvent.RETURN_BOOKED)
            transfers.answer(self._tx, transfer.end_to_end_id, after, bank_code=code, return_posting_id=stored.id)
            self._remember(transfer, after, returned=stored.id)
        return True

    def _move(
        self,
        refund: RefundRow,
        status: RefundStatus,
        stored: StoredPosting,
        *,
        execution_date: date | None = None,
        bank_code: str = "",
    ) -> None:
        store.move(
            self._tx, refund.id, status, self._now, execution_date=execution_date, bank_code=bank_code,
            posting_id=stored.id,
        )  # fmt: skip
        moved = refund.with_status(status, posting_id=stored.id)
        self._refunds[refund.id] = self._by_reference[refund.reference] = moved

    def _remember(self, transfer: TransferRow, status: TransferStatus, *, debit: str = "", returned: str = "") -> None:
        """Updates the state for later postings of the same batch."""
        self._transfers[transfer.refund_id, transfer.attempt] = transfer.after(status, debit, returned)

    def _doubt(self, stored: StoredPosting, refund: RefundRow) -> None:
        """Raises an alert about a debit that carries the refund's reference and may not be its transfer."""
        self._alert_unexpected(stored, refund)
        if not is_collected(stored.posting):
            self.settled.in_question[stored.id] = refund.order_number

    def _alert_unexpected(self, stored: StoredPosting, refund: RefundRow) -> None:
        """Raises an alert about an unexpected posting of our refund."""
        said = Message(
            "alert-unexpected-posting", posting=stored.id, day=stored.posting.booking_date, refund=refund.reference,
            order=refund.order_number, status=str(refund.status),
        )  # fmt: skip
        alerts.add(self._tx, AlertKind.REFUND_UNEXPECTED, stored.id, said, self._now)

    def book(self) -> None:
        """Writes allocations and decisions."""
        posting_store.add_allocations(self._tx, self._allocations, self._now)
        posting_store.write_decisions(self._tx, self._decided, self._now)


def take_returned(tx: ShopTx, stored: StoredPosting, order_number: str, now: datetime) -> bool:
    """Whether a person's match of a credit to this order is the return of the refund that the credit names, or, where
    the bank marks it as a return and it names none, of the order's only refund of at least this amount.

    Then the refund becomes RETURNED with the received amount; the caller has the order's lock and settles it.
    """
    unnamed = is_bank_return(stored.posting) and _attempt(stored) is None
    amount = stored.posting.amount_minor
    more = given_back.refunds_of_amount(tx, order_number, amount, stored.posting.currency) if unnamed else []
    found = _Feedback(tx, tx.shop, [stored], now, more)
    if not found.take_by_person(stored, order_number):
        return False
    found.book()
    return True


def _allocation(
    stored: StoredPosting, refund: RefundRow, sent_minor: int, *, by_hand: bool = False
) -> AllocationRow:  # fmt: skip
    """The whole transfer out, or back in; banks' deductions from a return are withheld as their charge (D-36)."""
    minor = stored.posting.amount_minor
    if minor < 0:
        return AllocationRow(stored.id, refund.order_number, minor, minor, "refund", by_hand)
    kept = sent_minor - minor
    return AllocationRow(
        stored.id, refund.order_number, minor, sent_minor, "refund-return", by_hand,
        withheld_minor=kept, fee_kind=FeeKind.BANK_CHARGE if kept else None,
    )  # fmt: skip


def held_by_refund(tx: ShopTx, posting_ids: Sequence[str]) -> bool:
    """True if one of the postings is the only proof that a refund was executed: it is in no transfer file."""
    affected = store.by_posting(tx, posting_ids)
    in_files = {row.refund_id for row in transfers.of_refunds(tx, [refund.id for refund in affected])}
    return any(refund.id not in in_files for refund in affected)


def take_back(tx: ShopTx, posting_ids: Sequence[str], now: datetime, *, undoes: bool) -> None:
    """Removes the postings as proof of refunds; the caller has the orders' locks and settles them.

    With `undoes` the refunds return to their state without the posting; otherwise they keep their status, because the
    parts of the posting are about to prove the same.
    """
    affected = store.by_posting(tx, posting_ids)
    transfers.forget_postings(tx, posting_ids)
    store.forget_postings(tx, posting_ids)
    if not undoes:
        return
    rows = {(row.refund_id, row.attempt): row for row in transfers.of_refunds(tx, [r.id for r in affected])}
    for refund in affected:
        row = rows.get((refund.id, refund.attempt))
        event = _event_of_undoing(refund, row)
        if event is not None:
            store.put_back(tx, refund.id, REFUND_LIFECYCLE.move(refund.status, event), now)
    _reopen(tx, rows.values())


def _event_of_undoing(refund: RefundRow, row: TransferRow | None) -> RefundEvent | None:
    """The event for a refund that loses a posting as proof; None if another posting still proves it."""
    if refund.status not in _EXECUTED:
        return None
    if row is None:
        return RefundEvent.UNSENT_DEBIT_UNDONE if refund.iban else RefundEvent.UNSENT_DEBIT_UNDONE_NO_DETAILS
    if row.return_posting_id:
        return None
    if row.debit_posting_id or row.reported_settled:
        return RefundEvent.RETURN_UNDONE if refund.status is RefundStatus.RETURNED else None
    return RefundEvent.DEBIT_UNDONE


def _reopen(tx: ShopTx, rows: Iterable[TransferRow]) -> None:
    """Transfers whose only proof was a removed posting wait for the bank again."""
    for row in rows:
        still_left = row.debit_posting_id or row.reported_settled
        event = TransferEvent.RETURN_UNDONE if still_left else TransferEvent.DEBIT_UNDONE
        if TRANSFER_LIFECYCLE.allows(row.status, event) and not row.return_posting_id:
            after = TRANSFER_LIFECYCLE.move(row.status, event)
            transfers.answer(tx, row.end_to_end_id, after)


def _matched_status(stored: StoredPosting) -> PostingStatus:
    return POSTING_LIFECYCLE.move(stored.status, PostingEvent.REFUND_RECOGNISED)


def _attempt(stored: StoredPosting) -> tuple[str, int] | None:
    """(refund reference, attempt) that a posting carries; in the text too of a credit that the bank marks as a return.

    MT940 has no field for the reference of the returned transfer, and some banks write it into the text only.
    """
    posting = stored.posting
    named = refund_attempt(posting.end_to_end_id) or refund_attempt(posting.original_end_to_end_id)
    if named or posting.amount_minor < 0 or not is_bank_return(posting):
        return named
    found = _IN_TEXT.search(posting.text) or _IN_TEXT.search("".join(posting.text.split()))
    return refund_attempt(found.group()) if found else None


def _batch_names(stored: StoredPosting) -> tuple[str, ...]:
    """The references with which a debit may name one of our transfer files."""
    posting = stored.posting
    if posting.amount_minor >= 0 or is_collected(posting):
        return ()
    return tuple(name for name in (posting.batch_id, posting.message_id) if name)


def _sent_minor(refund: RefundRow, transfer: TransferRow | None) -> int:
    """The amount of the attempt; for one sent by hand, the refund's amount."""
    return refund.amount_minor if transfer is None else transfer.amount_minor


def _fits(stored: StoredPosting, refund: RefundRow, transfer: TransferRow | None) -> bool:
    """Whether a debit is its transfer's amount in the refund's currency; `_is_return_of` checks returns."""
    minor = stored.posting.amount_minor
    return minor > 0 or (stored.posting.currency == refund.currency and -minor == _sent_minor(refund, transfer))


def _went_elsewhere(stored: StoredPosting, transfer: TransferRow | None) -> bool:
    """Whether the bank states another payee's account for the debit than our transfer has."""
    account = stored.posting.counterparty_iban
    if transfer is None or stored.posting.amount_minor > 0 or not (is_iban(account) and is_iban(transfer.iban)):
        return False
    return account != transfer.iban


def _is_return_of(stored: StoredPosting, sent_minor: int, refund: RefundRow) -> bool:
    """Whether the bank itself says that the credit brings the transfer back, whole but for a bank's charge (D-4)."""
    posting = stored.posting
    if not is_bank_return(posting) or posting.currency != refund.currency:
        return False
    return came_back(sent_minor, posting.amount_minor, digits_of(posting.currency))


def _may_have_left(transfer: TransferRow | None) -> bool:
    """False if there was no transfer, or the bank rejected it and booked nothing; a return may come first."""
    return transfer is not None and (bool(transfer.debit_posting_id) or transfer.status is not TransferStatus.REJECTED)


def _next(status: RefundStatus, event: RefundEvent) -> RefundStatus | None:
    try:
        return REFUND_LIFECYCLE.move(status, event)
    except RefundMoveRefused:
        return None


def _explanation(reference: str, outgoing: bool) -> str:
    words = "executes" if outgoing else "brings back"
    return (
        '{"flags":["refund"],"heldBack":"","probability":1.0,"evidence":[{"code":"refund_reference","weight":20.0,'
        f'"words":"the reference {reference} {words} a refund of this service"}}],"suggestions":[]}}'
    )
