"""Payment information and reminders: claim what is due, decide under the order's lock, send, record (D-33).

Four steps, three of them short transactions; no transaction is open while mail is sent. The mail's row and its
Message-ID are stored before the first attempt, so a process that is killed at any point leaves a claim that runs out
and a mail that is sent again, if at all, with the same Message-ID. The reminder itself is written once, when the mail
is out. What comes next is planned for some mails together. Until then their orders are due, which does no harm.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.calendar import today_in
from paymatch.domain.reminders.dunning_plan import DunningPlan
from paymatch.domain.reminders.mails import MAIL_LIFECYCLE, MailEvent, MailStatus
from paymatch.domain.reminders.policy import BankData, PlannedReminder, Postponed, Switches, Why, next_mail, retry_at
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.words.message import Message
from paymatch.formats.mail.layout import one_line
from paymatch.outbound.mail.outgoing import MailDoor, MailNotSent, OutgoingMail
from paymatch.store.database import Database
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import mails, reasons
from paymatch.store.reminders import reminders as store
from paymatch.store.reminders.mails import MailRow
from paymatch.store.reminders.reasons import RemindedOrder
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts
from paymatch.usecases.bisection import process_bisecting, raise_item_alert
from paymatch.usecases.letter_requests import order_letter
from paymatch.usecases.orders.images import code_png
from paymatch.usecases.reminders.drafts import ReminderDraft, desk_of, draft, fee_of, together
from paymatch.usecases.shops.dunning_plans import plan_of, switches_of
from paymatch.usecases.statements.completeness import KeptGaps

BATCH: Final = 100
"""Orders that are decided on in one transaction."""

MAILS_AT_ONCE: Final = 10
"""Mails between a decision and its sending, so that what is decided is still right when the last of them is sent."""

LEASE: Final = timedelta(minutes=10)
_SENDING_SECONDS: Final = 20
"""What is not sent by then is released: other shops have their turn, and other workers help."""

LOOKED_AT_AGAIN: Final = timedelta(days=1)
FAILED: Final = "failed: an internal error occurred with this mail; see the log"
"""When and why an order is looked at again whose mail the program failed at."""

_RECORD_LOCK_SECONDS: Final = 30
"""How long the record of a mail that is out waits for an import or a call that has the order."""


@dataclass(frozen=True, slots=True)
class ReminderTerms:
    """What the decisions of one shop have in common."""

    plan: DunningPlan
    switches: Switches
    bank: BankData


def are_sent(shop: Shop) -> bool:
    """Whether the shop's customers are written to at all."""
    return shop.status is ShopStatus.ACTIVE and shop.sends_mail


def send_due(
    database: Database,
    shop: Shop,
    door: MailDoor,
    clock: datetime,
    *,
    base: str = "",
    writes: bool = True,
    gaps: KeptGaps | None = None,
) -> int:
    """Looks at a batch of due orders and sends what is due now; how many orders were dealt with, 0 if none is left.

    A sandbox shop's mail never reaches the door. `base` is the address of the pages, "" if it is unknown. Without
    `writes` mails are decided on and recorded without their text. `gaps` are kept from one batch to the next.
    LockNotAcquired if other work holds the orders.
    """
    if not are_sent(shop):
        return 0
    with database.of_shop(shop, at=clock) as tx:
        numbers = store.claim(tx, BATCH, now=tx.now, clock=clock, until=clock + LEASE)
    if not numbers:
        return 0
    turn = _Turn(database, shop, door, clock, base, writes, gaps or KeptGaps(), [numbers])
    try:
        turn.send()
    except Exception:
        # An import or a call has the orders: they stay due. Claims that were kept would hide the failure.
        turn.release()
        raise
    return len(numbers) - turn.release()


@dataclass(slots=True)
class _Turn:
    """The claimed orders of a batch, on their way through decision, sending and planning."""

    database: Database
    shop: Shop
    door: MailDoor
    clock: datetime
    base: str
    writes: bool
    gaps: KeptGaps
    waiting: list[list[str]]  # orders that may go into one mail, not decided on
    drafts: list[ReminderDraft] = field(default_factory=list)
    sent: list[list[str]] = field(default_factory=list)  # orders whose next mail is not planned yet

    def send(self) -> None:
        """Decides, sends and plans, for as long as a turn lasts."""
        ends = time.monotonic() + _SENDING_SECONDS
        while self.waiting and time.monotonic() < ends:
            some = sorted(number for group in self.waiting[:MAILS_AT_ONCE] for number in group)
            decided = process_bisecting(some, self._decide, self._leave)
            self.drafts = [each for found, _ in decided for each in found]
            self.waiting = [*self.waiting[MAILS_AT_ONCE:], *(group for _, rest in decided for group in rest)]
            if not self.drafts and any(rest for _, rest in decided):
                return  # the shop was closed meanwhile
            while self.drafts and time.monotonic() < ends:
                self.sent += process_bisecting([self.drafts.pop(0)], self._send, self._leave_mail)
            numbers = sorted(number for group in self.sent for number in group)
            _plan_next(self.database, self.shop, numbers, self.clock)
            self.sent = []

    def release(self) -> int:
        """The orders that are left stay due, for the next turn; how many they are."""
        groups = [*self.waiting, *self.sent, *(each.numbers for each in self.drafts)]
        numbers = [number for group in groups for number in group]
        if numbers:
            with self.database.of_shop(self.shop) as tx:
                store.release(tx, numbers)
        return len(numbers)

    def _decide(self, some: Sequence[str]) -> tuple[list[ReminderDraft], list[list[str]]]:
        with self.database.of_shop(self.shop, at=self.clock) as tx:
            return _decide(tx, some, self.base, self.gaps)

    def _send(self, some: Sequence[ReminderDraft]) -> list[str]:
        return _send(self.database, self.shop, self.door, some[0], self.clock, self.writes)

    def _leave(self, number: str, error: Exception) -> None:
        """The program failed at the order's mail: it is reviewed again a day later, and an alert reports it."""
        with self.database.of_shop(self.shop, at=self.clock) as tx:
            store.put_off(tx, {number: (tx.now + LOOKED_AT_AGAIN, FAILED)})
            raise_item_alert(tx, Message("item-mail", order=number), error, tx.now)

    def _leave_mail(self, draft: ReminderDraft, error: Exception) -> None:
        for number in draft.numbers:
            self._leave(number, error)


def terms_of(tx: ShopTx, gaps: KeptGaps | None = None) -> ReminderTerms:
    """The shop's plan and switches, and how far its bank data reaches."""
    importing = statement_store.is_importing(tx)
    covered_until, waits = store.covered_until(tx)
    incomplete = (gaps or KeptGaps()).incomplete_days(tx)
    plan = plan_of(tx)
    return ReminderTerms(plan, switches_of(tx.shop), BankData(covered_until, incomplete, importing or waits))


def _decide(
    tx: ShopTx, numbers: Sequence[str], base: str, gaps: KeptGaps
) -> tuple[list[ReminderDraft], list[list[str]]]:
    """Mails to be sent now, and the orders of those that are decided on again behind them; the others are put off."""
    now = tx.now
    order_store.lock(tx, numbers)
    store.lock_plan(tx)
    fresh = shop_store.load(tx)
    if fresh is None or fresh.status is not ShopStatus.ACTIVE:
        return [], [list(numbers)]
    terms = terms_of(tx, gaps)
    due: list[tuple[ReminderOrderRow, PlannedReminder]] = []
    reminded: list[RemindedOrder] = []
    put_off: dict[str, tuple[datetime | None, str]] = dict.fromkeys(numbers, (None, ""))
    pending = mails.pending_mails(tx, numbers)
    for order in store.load(tx, numbers, tx.shop.tolerance_minor, now):
        found = next_mail(order.facts, terms.plan, terms.switches, terms.bank, now, tx.shop.timezone)
        if isinstance(found, PlannedReminder) and found.at <= now and found.level:
            reminded.append(_reminded_order(order, found, terms.bank))
        if isinstance(found, PlannedReminder) and found.at <= now and found.by_letter:
            put_off[order.facts.number] = _by_letter(
                tx, terms.plan, order, found.level, pending.get(order.facts.number), now
            )
        elif isinstance(found, PlannedReminder) and found.at <= now:
            due.append((order, found))
            del put_off[order.facts.number]
        else:
            put_off[order.facts.number] = _put_off(found)
            _withdraw(tx, pending.get(order.facts.number), found, now)
    store.put_off(tx, put_off)
    reasons.save(tx, reminded, now)
    if not due:
        return [], []
    desk = desk_of(tx, terms.plan, pending, base)
    groups = together(desk, due)
    rest = [[order.facts.number for order, _ in some] for some in groups[MAILS_AT_ONCE:]]
    return [draft(tx, desk, some) for some in groups[:MAILS_AT_ONCE]], rest


def _reminded_order(order: ReminderOrderRow, found: PlannedReminder, bank: BankData) -> RemindedOrder:
    facts = order.facts
    return RemindedOrder(
        facts.number, found.level, facts.currency, facts.open_minor, bank.covered_until.get(facts.paid_in)
    )


def _by_letter(
    tx: ShopTx, plan: DunningPlan, order: ReminderOrderRow, level: int, mail: MailRow | None, now: datetime
) -> tuple[datetime | None, str]:
    """A letter is ordered instead of a mail; the order rests until it is out."""
    if mail is not None:
        gone = MAIL_LIFECYCLE.move(mail.status, MailEvent.REASON_GONE)
        mails.finish(tx, mail.id, gone, "a letter has taken its place", now)
    order_letter(tx, order, level, fee_of(plan, level, order.facts.currency, tx.shop), now)
    return None, f"{Why.LETTER}: a letter about it waits to be printed or sent"


def _put_off(found: PlannedReminder | Postponed) -> tuple[datetime | None, str]:
    return (found.at, "") if isinstance(found, PlannedReminder) else (found.again_at, f"{found.why}: {found.text}")


def _withdraw(tx: ShopTx, mail: MailRow | None, found: PlannedReminder | Postponed, now: datetime) -> None:
    """A mail that was to be sent and may have gone out: no result was recorded, and its reason has gone."""
    if mail is None:
        return
    gone = MAIL_LIFECYCLE.move(mail.status, MailEvent.REASON_GONE)
    if isinstance(found, Postponed) and found.again_at is None:
        mails.finish(tx, mail.id, gone, found.text, now)
    elif isinstance(found, PlannedReminder) and mail.correction:
        mails.finish(tx, mail.id, gone, Message("mail-amount-again"), now)
    elif isinstance(found, PlannedReminder) and mail.thanks:
        mails.finish(tx, mail.id, gone, Message("mail-open-again"), now)


def _send(
    database: Database, shop: Shop, door: MailDoor, draft: ReminderDraft, clock: datetime, writes: bool
) -> list[str]:
    """Sends one mail and records what came of it; the orders that it was about, if it is out."""
    assert writes or shop.sandbox, "what is sent has a text"
    mail = draft.draw_mail([code_png(code, scale=4) for code in draft.codes]) if writes else draft.mail
    content = mail.write() if writes else b""
    rows = [replace(row, subject=mail.subject) for row in draft.rows]
    failure, named = None, ""
    if not shop.sandbox:
        try:
            named = door.send(OutgoingMail(str(shop.id), rows[0].id, mail.head.sender, mail.head.recipient, content))
        except MailNotSent as error:
            failure = error
    event = MailEvent.ACCEPTED if door.delivers and not shop.sandbox else MailEvent.STORED
    with database.of_shop(shop, _RECORD_LOCK_SECONDS, at=clock) as tx:
        order_store.lock(tx, sorted(draft.numbers))
        if failure is None:
            return _record_sent(tx, rows, content, event, named, shop.now(clock))
        for row in rows:
            _record_failed(tx, row, content, failure, shop.now(clock))
    return []


def _record_sent(
    tx: ShopTx, rows: Sequence[MailRow], content: bytes, event: MailEvent, named: str, now: datetime
) -> list[str]:
    """Records a mail that is out: the reminders and the orders' levels. Returns the orders it was about.

    `named`: what the provider calls it, "" if there is none.
    """
    informed = list[str]()
    for mail in rows:
        number = mail.order_number
        if not mails.record(
            tx, mail, MAIL_LIFECYCLE.move(mail.status, event), content, error="", now=now, provider_id=named
        ):
            continue
        informed.append(number)
        if mail.dunning_level:
            store.add_sent(tx, number, mail.dunning_level, today_in(tx.shop.timezone, now), mail.fee_minor)
        if not mail.thanks:
            store.set_informed(tx, number, now)
    return informed


def _plan_next(database: Database, shop: Shop, numbers: Sequence[str], clock: datetime) -> None:
    """Plans what follows the mails that are out. Where it cannot, the orders stay due, and are looked at again."""
    if not numbers:
        return
    with database.of_shop(shop, _RECORD_LOCK_SECONDS, at=clock) as tx:
        order_store.lock(tx, numbers)
        store.lock_plan(tx)
        plan, switches = plan_of(tx), switches_of(tx.shop)
        now = tx.now
        orders = store.load(tx, numbers, tx.shop.tolerance_minor, now, with_waiting_money=False)
        found = {
            order.facts.number: _put_off(next_mail(order.facts, plan, switches, None, now, tx.shop.timezone))
            for order in orders
        }
        store.put_off(tx, found)


def _record_failed(tx: ShopTx, mail: MailRow, content: bytes, failure: MailNotSent, now: datetime) -> None:
    """The mail is tried again after a while, or (refused for good, tried for too long) left for a person to look at."""
    number = mail.order_number
    again_at = None if failure.permanent else retry_at(mail.attempts + 1, now)
    status = MAIL_LIFECYCLE.move(mail.status, MailEvent.REFUSED if again_at is None else MailEvent.FAILED)
    if not mails.record(tx, mail, status, content, error=one_line(str(failure)), now=now):
        return
    reason = f"{Why.ADDRESS_REFUSED}: {failure}" if again_at is None else f"mail not sent: {failure}"
    store.put_off(tx, {number: (again_at, one_line(reason))})
    if again_at is None:
        subject, text = refused_alert(mail, one_line(str(failure)))
        alerts.add(tx, AlertKind.MAIL_REFUSED, subject, text, now)
        order_store.set_mail_refusal(tx, number, mail.recipient, one_line(str(failure)))


def refused_alert(mail: MailRow, reason: str) -> tuple[str, Message]:
    """(subject, text) of the alert about a mail that is not tried again, or that came back."""
    came_back = mail.status in (MailStatus.SENT, MailStatus.BOUNCED)
    code = "alert-mail-came-back" if came_back else "alert-mail-refused"
    return mail.id, Message(code, order=mail.order_number, recipient=mail.recipient, error=reason)
