"""Writing letters and handing them to a provider: claim, decide under the order's lock, call, record (D-52).

No transaction is open while a letter is rendered or handed over. A killed process leaves a claim that expires: the
letter is written again, or handed over again under the same id, which the provider recognises.
"""

from __future__ import annotations

import tempfile
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from paymatch import confined
from paymatch.confined import Crashed, Overrun, ProcessBudget, WorkFailed
from paymatch.domain.calendar import today_in
from paymatch.domain.customers.refund_requests import wants_details
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus
from paymatch.domain.reminders.dunning_plan import DunningPlan
from paymatch.domain.reminders.letters import LETTER_LIFECYCLE, LetterEvent, LetterKind, LetterStatus
from paymatch.domain.reminders.policy import GIVEN_BACK, may_be_paid, retry_at
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.words.message import Message
from paymatch.formats.letters.bundle import enclose
from paymatch.formats.letters.letter import WrittenLetter, write_letter
from paymatch.outbound.files import FileNotKept, Files
from paymatch.outbound.letters import LetterDoor, LetterNotSent, LetterReport, OutgoingLetter, Posted
from paymatch.store.customers import refund_requests
from paymatch.store.database import Database
from paymatch.store.letters import letters as store
from paymatch.store.letters.letters import LetterRow, LetterSettings
from paymatch.store.orders import invoices
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import reminders
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.store.work import alerts
from paymatch.usecases.bisection import process_bisecting, raise_item_alert
from paymatch.usecases.letters.content import LetterDraft, draft
from paymatch.usecases.orders.images import drawn_svg
from paymatch.usecases.reminders.reminders import ReminderTerms, terms_of

BATCH: Final = 20
LEASE: Final = timedelta(minutes=10)
ASK_AGAIN: Final = timedelta(hours=6)
ASKED_FOR: Final = timedelta(days=14)
"""How long a provider is asked for the status of a letter."""
_LOOKED_AT_AGAIN: Final = timedelta(days=1)
_NO_PROVIDER: Final = "no letter provider is configured (PAYMATCH_LETTERS_URL)"
_ENCLOSE_BUDGET: Final = ProcessBudget(memory_bytes=512 * 1024**2, cpu_seconds=10, wall_seconds=30)
_RECORD_LOCK_SECONDS: Final = 30
_CLOSED: Final = frozenset({PaymentStatus.CANCELLED, PaymentStatus.DISAPPEARED, PaymentStatus.LEGACY})


@dataclass(frozen=True, slots=True)
class LetterGateways:
    """Gateways for letters, invoices and links; None: there is no such gateway here."""

    door: LetterDoor | None = None
    files: Files | None = None
    base: str = ""  # the address of the service's pages; "": unknown


def work_due(database: Database, shop: Shop, ways: LetterGateways, clock: datetime) -> int:
    """Writes, hands over or checks a batch of due letters; returns their number, 0 if none is left."""
    if shop.status is not ShopStatus.ACTIVE:
        return 0
    now = shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        claimed = store.claim(tx, BATCH, now=now, clock=clock, until=clock + LEASE)

    def on_failure(letter: LetterRow, error: Exception) -> None:
        with database.of_shop(shop, at=clock) as tx:
            store.move(tx, letter, letter.status, now=now, due_at=now + _LOOKED_AT_AGAIN, error="internal error")
            raise_item_alert(tx, Message("item-letter", letter=letter.id, order=letter.order_number), error, now)

    def work(one: Sequence[LetterRow]) -> None:
        (letter,) = one
        if letter.status is LetterStatus.NEW:
            _write(database, shop, letter, ways, clock)
        elif letter.status is LetterStatus.SPOOLED:
            _hand_over(database, shop, letter, ways.door, now)
        else:
            _ask(database, shop, letter, ways.door, now)

    try:
        for letter in claimed:
            process_bisecting([letter], work, on_failure)
    except Exception:
        with database.of_shop(shop, at=clock) as tx:
            store.release(tx, [letter.id for letter in claimed])
        raise
    return len(claimed)


def reason_gone(tx: ShopTx, letter: LetterRow, order: ReminderOrderRow, shop_id: ShopId) -> str:
    """Why the letter must no longer be sent; "" if it still has its reason."""
    facts = order.facts
    if letter.refund_id is not None:
        refund = refund_requests.find(tx, letter.refund_id)
        asks = refund is not None and wants_details(refund.status, refund.bank_code)
        return "" if asks else "the refund needs no bank details any more"
    if letter.kind is LetterKind.INVOICE:
        return f"the order is {facts.status}" if facts.status in _CLOSED else ""
    if facts.status not in OPEN_STATUSES or facts.open_minor <= facts.tolerance_minor:
        return f"the order is {facts.status}"
    if facts.is_given_back:
        return GIVEN_BACK
    if letter.kind is LetterKind.INFORMATION:
        return "the customer was informed by now" if facts.informed_at is not None else ""
    if facts.stopped_by_hand or facts.stop_reminder:
        return "the order's reminders were stopped"
    if facts.wrong_person or (facts.said_paid_at is not None and facts.said_paid_at > letter.created_at):
        return "the customer has said that it is paid, or is not theirs"
    return "" if letter.dunning_level == facts.dunning_level + 1 else "another reminder was sent by now"


def still_stands(letter: LetterRow, order: ReminderOrderRow) -> bool:
    """Whether the letter is still true: the amount, if it names one, and the address."""
    facts = order.facts
    same_amount = not letter.open_minor or (letter.open_minor == facts.open_minor and not facts.is_given_back)
    return same_amount and letter.recipient == order.postal.text


def locked_order(tx: ShopTx, letter: LetterRow, now: datetime) -> ReminderOrderRow:
    """The letter's order, locked until the transaction ends."""
    order_store.lock(tx, [letter.order_number])
    (order,) = reminders.load(tx, [letter.order_number], tx.shop.tolerance_minor, now)
    return order


def withdraw(tx: ShopTx, letter: LetterRow, why: str, now: datetime) -> None:
    """Withdraws the letter, and schedules its order again."""
    gone = LETTER_LIFECYCLE.move(letter.status, LetterEvent.REASON_GONE)
    store.move(tx, letter, gone, now=now, error=why)
    reminders.schedule_review(tx, [letter.order_number], now)


def may_be_sent(tx: ShopTx, letter: LetterRow, terms: ReminderTerms, now: datetime) -> bool:
    """Whether a spooled letter may be sent now, unchanged.

    A letter without a reason is withdrawn, a changed one written again; a reminder waits while its order may already be
    paid.
    """
    order = locked_order(tx, letter, now)
    if why := reason_gone(tx, letter, order, ShopId(tx.shop.id)):
        withdraw(tx, letter, why, now)
        return False
    if not still_stands(letter, order):
        store.move(tx, letter, LETTER_LIFECYCLE.move(letter.status, LetterEvent.CHANGED), now=now, due_at=now)
        return False
    if letter.kind is LetterKind.REMINDER:
        as_of = _office_time(terms.plan, now, tx.shop.timezone)
        held = next(may_be_paid(order.facts, terms.plan, terms.bank, as_of, tx.shop.timezone), None)
        if held is not None:
            again_at = None if letter.due_at is None else held.again_at  # a print run checks all waiting letters
            if again_at is not None and again_at <= now:  # it was decided as of the evening before
                again_at += now - as_of
            store.move(
                tx, letter, letter.status, now=now, due_at=again_at, error=held.text,
                attempts=letter.attempts,
            )  # fmt: skip
            return False
    return True


def _office_time(plan: DunningPlan, now: datetime, timezone: str) -> datetime:
    """The moment whose bank data a letter needs: before the office opens, statements of the day before may not be here.

    Print runs may begin at any hour. They use the evening before, or a run at seven would never have its data.
    """
    is_early = now.astimezone(ZoneInfo(timezone)).time() < plan.opens
    return now - timedelta(days=1) if is_early else now


def record_out(tx: ShopTx, letter: LetterRow, now: datetime) -> None:
    """Records the letter as sent: stores its reminder, shows the referenceNumber, plans the order's next step."""
    number = letter.order_number
    if letter.kind is LetterKind.REMINDER:
        day = today_in(tx.shop.timezone, now)
        reminders.add_sent(tx, number, letter.dunning_level, day, letter.fee_minor, by_letter=True)
    if letter.open_minor:
        reminders.set_informed(tx, number, now)
    reminders.schedule_review(tx, [number], now)


def _write(database: Database, shop: Shop, letter: LetterRow, ways: LetterGateways, clock: datetime) -> None:
    shop_id, now = ShopId(shop.id), shop.now(clock)
    with database.of_shop(shop, at=clock) as tx:
        order, settings = locked_order(tx, letter, now), store.settings(tx)
        if why := reason_gone(tx, letter, order, shop_id):
            withdraw(tx, letter, why, now)
            return
        if order.postal.problem:
            _refuse(tx, letter, order.postal.problem, now)
            return
        plan = draft(tx, letter, order, settings, ways.base)
        invoice = invoices.find(tx, letter.order_number, letter.invoice_number or "")
    cover = _draw_letter(plan)
    written: WrittenLetter | str = cover
    if letter.kind is LetterKind.INVOICE and invoice is not None and ways.files is not None:
        written = _enclose_invoice(
            cover, ways.files, invoice.file_key, is_picture=invoice.media_type != "application/pdf"
        )
    with database.of_shop(shop, at=clock) as tx:
        if isinstance(written, str):
            _refuse(tx, letter, written, now)
            return
        named = plan.code is not None or (
            plan.letter is not None and bool(plan.letter.payment) and not letter.refund_id
        )
        row = replace(
            letter, recipient=order.postal.text, country=order.postal.country,
            open_minor=order.facts.open_minor if named else 0, pay_by=plan.pay_by if named else None,
        )  # fmt: skip
        due_at = now if shop.sandbox or settings.by == "provider" else None
        store.save_written(tx, row, written.pdf, written.pages, due_at)


def _draw_letter(plan: LetterDraft) -> WrittenLetter:
    if plan.letter is None:
        return WrittenLetter(b"", 0)
    if plan.code is None:
        return write_letter(plan.letter)
    code, slip = drawn_svg(plan.code, plan.letter.language)
    return write_letter(replace(plan.letter, code_svg=code.svg, code_width_mm=code.width_mm, slip_svg=slip))


def _enclose_invoice(cover: WrittenLetter, files: Files, key: str, *, is_picture: bool) -> WrittenLetter | str:
    """Cover and invoice as one file, or why that is impossible."""
    with tempfile.TemporaryFile() as front, tempfile.TemporaryFile() as enclosure:
        front.write(cover.pdf)
        try:
            with files.open(key) as stream:
                enclosure.write(stream.read())
        except FileNotKept:
            return "the invoice's file is gone"
        for each in (front, enclosure):
            each.flush()
            each.seek(0)
        try:
            found = confined.run(enclose, _ENCLOSE_BUDGET, [front, enclosure], is_picture=is_picture)
        except (Overrun, Crashed, WorkFailed):
            return "the invoice cannot be read"
    if "refused" in found:
        return str(found["refused"])
    return WrittenLetter(b64decode(str(found["pdf"])), int(found["pages"]))


def _hand_over(database: Database, shop: Shop, letter: LetterRow, door: LetterDoor | None, now: datetime) -> None:
    with database.of_shop(shop) as tx:
        settings = store.settings(tx)
        if settings.by == "printer" and not shop.sandbox:
            store.move(tx, letter, letter.status, now=now)  # the shop has switched to its own printer meanwhile
            return
        if not may_be_sent(tx, letter, terms_of(tx), now):
            return
        content = store.content(tx, letter.id)
    failure: LetterNotSent | None = None
    provider_id = ""
    if not shop.sandbox:
        try:
            provider_id = _send_letter(door, shop, letter, content, settings)
        except LetterNotSent as error:
            failure = error
    with database.of_shop(shop, _RECORD_LOCK_SECONDS) as tx:
        order_store.lock(tx, [letter.order_number])
        if failure is not None:
            _record_failed(tx, letter, failure, now)
            return
        delivers = door is not None and door.delivers and not shop.sandbox
        status = LETTER_LIFECYCLE.move(letter.status, LetterEvent.ACCEPTED if delivers else LetterEvent.STORED)
        ask_at = now + ASK_AGAIN if delivers and door is not None and door.reports else None
        if store.move(tx, letter, status, now=now, due_at=ask_at, provider_id=provider_id):
            record_out(tx, letter, now)


def _send_letter(
    door: LetterDoor | None, shop: Shop, letter: LetterRow, content: bytes, settings: LetterSettings
) -> str:
    if door is None:
        raise LetterNotSent(_NO_PROVIDER, permanent=False)
    outgoing = OutgoingLetter(
        str(shop.id), letter.id, content, letter.pages, letter.country, settings.duplex, settings.colour
    )
    return door.send(outgoing)


def _record_failed(tx: ShopTx, letter: LetterRow, failure: LetterNotSent, now: datetime) -> None:
    """Schedules another try, or leaves it to a person (refused permanently, tried for too long)."""
    attempts = letter.attempts + 1
    again_at = None if failure.permanent else retry_at(attempts, now)
    if again_at is None:
        _refuse(tx, letter, failure.text, now)
        return
    status = LETTER_LIFECYCLE.move(letter.status, LetterEvent.FAILED)
    store.move(tx, letter, status, now=now, due_at=again_at, error=failure.text, attempts=attempts)


def _refuse(tx: ShopTx, letter: LetterRow, why: str, now: datetime) -> None:
    status = LETTER_LIFECYCLE.move(letter.status, LetterEvent.REFUSED)
    if store.move(tx, letter, status, now=now, error=why):
        alerts.add(tx, AlertKind.LETTER_REFUSED, *refused_alert(replace(letter, error=why)), now)
        reminders.schedule_review(tx, [letter.order_number], now)


def refused_alert(letter: LetterRow) -> tuple[str, Message]:
    """(subject, text) of the alert about a letter that cannot be sent."""
    return letter.id, Message("alert-letter-refused", order=letter.order_number, error=letter.error)


def returned_words(letter: LetterRow, why: str) -> Message:
    """The text of the alert about a letter that came back."""
    return Message("alert-letter-returned", order=letter.order_number, error=why or Message("no-reason-given"))


def _ask(database: Database, shop: Shop, letter: LetterRow, door: LetterDoor | None, now: datetime) -> None:
    """Asks the provider for the status of a letter."""
    report = LetterReport(Posted.ACCEPTED)
    if door is not None and door.reports:
        try:
            report = door.report(str(shop.id), letter.id)
        except LetterNotSent as error:
            report = LetterReport(Posted.ACCEPTED, error.text)
    until = (letter.finished_at or now) + ASKED_FOR
    again_at = now + ASK_AGAIN if now + ASK_AGAIN < until else None
    with database.of_shop(shop) as tx:
        status = letter.status
        if report.posted is Posted.POSTED and status is LetterStatus.SENT:
            status = LETTER_LIFECYCLE.move(status, LetterEvent.POSTED)
        elif report.posted is Posted.RETURNED:
            status, again_at = LETTER_LIFECYCLE.move(status, LetterEvent.RETURNED), None
        moved = store.move(tx, letter, status, now=now, due_at=again_at, error=report.words)
        if moved and report.posted is Posted.RETURNED:
            said = returned_words(letter, report.words)
            alerts.add(tx, AlertKind.LETTER_REFUSED, letter.id, said, now)
