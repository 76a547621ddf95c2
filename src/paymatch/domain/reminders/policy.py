"""Payment information and reminders: an order's next mail and its time, or why it gets none (D-33).

The decision is a function of the order, the plan, the coverage of the bank data and the moment. It is made again under
the order's lock right before a mail is sent, so an earlier plan cannot be out of date by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import takewhile
from typing import Final

from paymatch.domain.calendar import day_begins, minus_bank_days, today_in
from paymatch.domain.customers.notices import pause_ends
from paymatch.domain.money import Currency, Money
from paymatch.domain.orders.settlement import OPEN_STATUSES, PaymentStatus
from paymatch.domain.refunds.refunds import NONE_OUTSTANDING, Outstanding
from paymatch.domain.reminders.dunning_plan import DunningPlan
from paymatch.domain.reminders.mail_addresses import mail_address, mail_problem
from paymatch.domain.words.message import Message

MANAGED_TYPES: Final = frozenset({"INVOICE", "PREPAYMENT"})
"""OTHER is not managed (D-41); cash on delivery is owed to the carrier (D-33)."""

LOOK_AGAIN: Final = timedelta(hours=1)
"""How soon what waits for bank data is looked at again; what waits for a person's decision is on the next bank day."""

MATCHING_SOON: Final = timedelta(minutes=5)

THANKS_DAYS: Final = 14
"""No thanks are sent for an older payment: old statements may be imported at any time."""

REFUND_WAIT: Final = timedelta(days=14)
"""How long after a partial refund is filed its order gets no reminders (D-3)."""

GIVEN_BACK: Final = Message("mail-given-back")

_LAST_BASE: Final = date(9000, 1, 1)
"""Leaves room in the calendar for a plan's days: shops may change an order's date to 31-12-9999."""

BACK_OFF: Final = (timedelta(minutes=15), timedelta(hours=1), timedelta(hours=4))
"""How long a mail waits after its first, second ... failure; the last value for all later ones."""

MAX_ATTEMPTS: Final = 18
"""A little under three days; RFC 5321, 4.5.4.1 asks for four to five days at most."""


class Why(StrEnum):
    """Why an order gets no mail now."""

    NOT_MANAGED = "not-managed"
    SETTLED = "settled"  # nothing is open any more
    WITHIN_TOLERANCE = "within-tolerance"
    BELOW_MINIMUM = "below-minimum"  # too little is open for a reminder
    NO_ADDRESS = "no-address"
    OFF = "off"
    STOPPED = "stopped"  # stopReminder, or a person
    LAST_LEVEL = "last-level"
    LEVELS_LEFT = "levels-left"  # of a handover: the plan's reminders were not all sent
    NO_ACCOUNT = "no-account"  # none of the shop's confirmed accounts has the order's currency
    ADDRESS_REFUSED = "address-refused"
    TOO_OLD = "too-old"
    STATEMENTS = "statements"  # bank data is missing or flagged
    MATCHING = "matching"  # postings wait to be matched
    LETTER = "letter"  # one waits to be printed or handed over
    SUGGESTED = "suggested"  # a waiting posting may be its payment
    OVERPAID = "overpaid"  # its customer overpaid another order by as much
    WRONG_PERSON = "wrong-person"  # the recipient says that the order is not theirs
    SAYS_PAID = "says-paid"  # the customer says that the payment was made
    REFUND = "refund"  # one of the order is in progress


@dataclass(frozen=True, slots=True)
class OrderToRemind:
    """The facts of an order that the rules need; amounts in minor units of its currency."""

    number: str
    type: str
    status: PaymentStatus
    open_minor: int
    tolerance_minor: int
    currency: str
    order_date: date
    due_date: date | None
    email: str
    stop_reminder: bool
    dunning_level: int
    known_at: datetime  # start of our reminders for the order: earlier levels were sent elsewhere
    informed_at: datetime | None = None  # when payment information or the first reminder was sent
    reminded_date: date | None = None
    amount_changed: bool = False  # since the last mail, which named another amount
    corrected_at: datetime | None = None  # when corrected payment information was last sent
    refused_addresses: frozenset[str] = frozenset()
    suggested_posting: str = ""  # a waiting posting that may be its payment (D-134)
    overpaid_order: str = ""  # another order of its customer, overpaid by at least the amount open here
    stopped_by_hand: bool = False  # by a person of the shop
    wrong_person: bool = False  # the recipient says that the order is not theirs
    said_paid_at: datetime | None = None  # when the customer last said that the payment was made
    postal: str = ""  # the postal address; "": no letter can be sent
    refused_postal: frozenset[str] = frozenset()
    letter_waits: bool = False
    letter_out_at: datetime | None = None  # when the last letter with a payment date was sent
    letter_pay_by: date | None = None  # that date, as written in the letter
    refunds: Outstanding = NONE_OUTSTANDING
    thanks_for: date | None = None  # the day of the payment that settled it, until its customer was thanked
    amount_minor: int = 0  # of the whole order
    reminder_minimum_minor: int = 0  # the shop's: a smaller amount is only reminded of if it is the whole order (D-84)
    paid_in: str = ""
    """The currency of the account it is paid to: its own, or the shop's if it has an exchange rate; "": no account."""

    @property
    def is_given_back(self) -> bool:
        """Whether the refunds in progress reach the open amount, so on balance nothing is owed (D-3)."""
        owed_minor = self.open_minor - self.refunds.total_minor
        return self.status in OPEN_STATUSES and self.refunds.total_minor > 0 and owed_minor <= self.tolerance_minor

    @property
    def is_negligible(self) -> bool:
        """Whether too little of the order is open for a reminder."""
        return self.open_minor < min(self.reminder_minimum_minor, self.amount_minor)

    @property
    def to_refund(self) -> Money | None:
        """The refunds that are transferred once the order is paid (D-3); None if there are none."""
        minor = self.refunds.uncovered_minor
        return Money(minor, Currency(self.currency)) if minor else None

    def base_date(self, plan: DunningPlan) -> date:
        """The day from which levels count: the due date, or the plan's term after the order's date."""
        return self.due_date or min(self.order_date, _LAST_BASE) + timedelta(days=plan.term_days)


@dataclass(frozen=True, slots=True)
class BankData:
    """The coverage of the shop's statements, and whether all of it was matched."""

    covered_until: Mapping[str, date] = field(default_factory=dict)
    """Per currency, the last day that the final statements of all its accounts cover."""
    flagged_days: Mapping[str, frozenset[date]] = field(default_factory=dict)
    """Per currency, the days whose bookings may be incomplete on one of its accounts."""
    matching_waits: bool = False

    def flagged_on_accounts(self, currency: str) -> frozenset[date]:
        """The flagged days of a currency's accounts; those of all accounts for an order that names no currency."""
        if currency:
            return self.flagged_days.get(currency, frozenset())
        return frozenset[date]().union(*self.flagged_days.values())


@dataclass(frozen=True, slots=True)
class Switches:
    """Features that the shop has switched on."""

    payment_information: bool
    reminders: bool
    letters: bool = False
    thanks: bool = False


@dataclass(frozen=True, slots=True)
class PlannedReminder:
    """The next mail or letter: level 0 is the payment information. It is due at `at`."""

    level: int
    at: datetime
    by_letter: bool = False
    corrects: bool = False  # payment information once more: the amount has changed
    thanks: bool = False  # for the payment that has arrived


@dataclass(frozen=True, slots=True)
class Postponed:
    """No mail for this reason; checked again at a moment, or (None) once the order or the shop changes.

    `named` has the values in `text`, for other languages.
    """

    why: Why
    text: str
    again_at: datetime | None = None
    named: Mapping[str, str] = field(default_factory=dict)


def next_mail(
    order: OrderToRemind, plan: DunningPlan, switches: Switches, bank: BankData | None, now: datetime, timezone: str
) -> PlannedReminder | Postponed:
    """The order's next mail, or why it gets none. `bank` None: the future bank data is unknown (a preview)."""
    return next(_outlook(order, plan, switches, bank, now, timezone))


def holds(
    order: OrderToRemind, plan: DunningPlan, switches: Switches, bank: BankData | None, now: datetime, timezone: str
) -> list[Postponed]:
    """Every reason why the order gets no mail now, the one of `next_mail` first; none if one is due or planned."""
    found = _outlook(order, plan, switches, bank, now, timezone)
    return [each for each in takewhile(lambda each: isinstance(each, Postponed), found) if isinstance(each, Postponed)]


def _outlook(
    order: OrderToRemind, plan: DunningPlan, switches: Switches, bank: BankData | None, now: datetime, timezone: str
) -> Iterator[PlannedReminder | Postponed]:
    """The reasons against the order's next mail, one after another, and finally the mail, if there is one."""
    if _wants_thanks(order, switches, today_in(timezone, now)):
        yield PlannedReminder(0, now.astimezone(UTC), thanks=True)
        return
    informs = _wants_information(order, plan, switches, today_in(timezone, now))
    corrects = not informs and _wants_correction(order, switches)
    level = 0 if informs or corrects else order.dunning_level + 1
    by_letter = not corrects and _by_letter(order, plan, switches, level)
    yield from _never(order, by_letter=by_letter)
    if informs or corrects:
        yield from _postponed_by_block(order, now + LOOK_AGAIN, by_letter=by_letter)
        yield PlannedReminder(0, now.astimezone(UTC), by_letter, corrects)
        return
    yield from _postponed_by_stop(order, switches)
    if level > len(plan.levels):
        text = f"all {len(plan.levels)} reminders of the plan were sent"
        yield Postponed(Why.LAST_LEVEL, text, named={"levels": str(len(plan.levels))})
        return
    at = plan.sending_moment(max(day_begins(level_day(order, plan, level, timezone), timezone), now), timezone)
    if at <= now:
        yield from _held_now(order, plan, bank, now, timezone, by_letter=by_letter)
    yield PlannedReminder(level, at, by_letter)


def retry_at(attempts: int, now: datetime) -> datetime | None:
    """When a mail that has failed `attempts` times is tried again; None: never."""
    if attempts >= MAX_ATTEMPTS:
        return None
    return now + BACK_OFF[min(attempts, len(BACK_OFF)) - 1]


def _by_letter(order: OrderToRemind, plan: DunningPlan, switches: Switches, level: int) -> bool:
    """Whether the level is sent by letter: the plan says so, or allows it and the customer cannot be mailed."""
    if not switches.letters or not order.postal or order.postal in order.refused_postal:
        return False
    if 0 < plan.letters_from <= level:
        return True
    address = mail_address(order.email)
    return plan.letters_without_mail and (address is None or address in order.refused_addresses)


def owes_nothing(order: OrderToRemind) -> Iterator[Postponed]:
    """Why no one is asked for this order's money; only a change of the order or its refunds removes the reason."""
    if order.type not in MANAGED_TYPES:
        yield Postponed(Why.NOT_MANAGED, f"orders of type {order.type} get no mail", named={"type": order.type})
    if order.status not in OPEN_STATUSES:
        yield Postponed(Why.SETTLED, f"the order is {order.status}", named={"status": order.status})
    elif order.open_minor <= order.tolerance_minor:
        yield Postponed(Why.WITHIN_TOLERANCE, "what is open is within the shop's tolerance")
    elif order.is_negligible:
        yield Postponed(Why.BELOW_MINIMUM, "what is left of the order is below the shop's reminder minimum")
    elif order.is_given_back:
        yield Postponed(Why.REFUND, GIVEN_BACK)


def waits_for_letter(order: OrderToRemind) -> Iterator[Postponed]:
    """The last mail or letter to the customer was not sent yet."""
    if order.letter_waits:
        yield Postponed(Why.LETTER, "a letter about it waits to be printed or sent")


def _never(order: OrderToRemind, *, by_letter: bool) -> Iterator[Postponed]:
    """Reasons that only a change of the order removes."""
    yield from owes_nothing(order)
    yield from waits_for_letter(order)
    if by_letter:
        return
    if not order.email:
        yield Postponed(Why.NO_ADDRESS, Message("not-asked-no-email"))
    elif problem := mail_problem(order.email):
        yield Postponed(Why.NO_ADDRESS, problem, named={"address": order.email})


def _postponed_by_stop(order: OrderToRemind, switches: Switches) -> Iterator[Postponed]:
    """Reasons that the shop has given."""
    if not switches.reminders:
        yield Postponed(Why.OFF, "the shop sends no reminders")
    yield from is_stopped(order)


def is_stopped(order: OrderToRemind) -> Iterator[Postponed]:
    """Reasons that the shop has given for this order."""
    if order.stopped_by_hand:
        yield Postponed(Why.STOPPED, "the reminders of this order were stopped by a person", named={"by": "person"})
    if order.stop_reminder:
        yield Postponed(Why.STOPPED, "stopReminder is set")


def _wants_information(order: OrderToRemind, plan: DunningPlan, switches: Switches, today: date) -> bool:
    """Payment information is sent once, for new orders without payments or reminders."""
    return (
        switches.payment_information
        and order.informed_at is None
        and order.dunning_level == 0
        and order.status is PaymentStatus.UNPAID
        and (today - order.order_date).days <= plan.information_days
    )


def _wants_thanks(order: OrderToRemind, switches: Switches, today: date) -> bool:
    """A paying customer who can be mailed is thanked once, soon after; not for money that a carrier collected."""
    address = mail_address(order.email)
    return (
        switches.thanks
        and order.status is PaymentStatus.PAID
        and order.type in MANAGED_TYPES
        and order.thanks_for is not None
        and (today - order.thanks_for).days <= THANKS_DAYS
        and not order.wrong_person
        and address is not None
        and address not in order.refused_addresses
    )


def _wants_correction(order: OrderToRemind, switches: Switches) -> bool:
    """A customer who got an amount by mail gets the new one by mail if possible; once for each change."""
    address = mail_address(order.email)
    return (
        switches.payment_information
        and order.amount_changed
        and address is not None
        and address not in order.refused_addresses
    )


def level_day(order: OrderToRemind, plan: DunningPlan, number: int, timezone: str) -> date:
    """The first day on which the level may be sent: after the due date, and never too soon after the mail before."""
    level = plan.levels[number - 1]
    base = order.base_date(plan)
    informed = today_in(timezone, order.informed_at) if order.informed_at else None
    previous = order.reminded_date
    if previous is None and order.dunning_level > 0:
        previous = today_in(timezone, order.known_at)  # initialDunningLevel: sent elsewhere, by then at the latest
    corrected = today_in(timezone, order.corrected_at) if order.corrected_at else None
    before = [day for day in (previous, informed, corrected) if day is not None]
    if level.after_previous and before:
        day = max(max(before) + timedelta(days=level.days), base + timedelta(days=1))
    else:
        day = base + timedelta(days=level.days)
    return max([day, *(each + timedelta(days=max(plan.grace_days, 1)) for each in before)])


def _postponed_by_block(order: OrderToRemind, again_at: datetime, *, by_letter: bool) -> Iterator[Postponed]:
    if not order.paid_in:
        text = f"the shop has no confirmed bank account in {order.currency}"
        yield Postponed(Why.NO_ACCOUNT, text, again_at, {"currency": order.currency})
    if order.wrong_person:
        yield Postponed(Why.WRONG_PERSON, "the recipient at the order's address says that the order is not theirs")
    if not by_letter and mail_address(order.email) in order.refused_addresses:
        yield Postponed(Why.ADDRESS_REFUSED, "mail to this address could not be delivered")


def _held_now(
    order: OrderToRemind, plan: DunningPlan, bank: BankData | None, now: datetime, timezone: str, *, by_letter: bool
) -> Iterator[Postponed]:
    """Why a reminder that is due is held back."""
    again_at = plan.sending_moment(now + LOOK_AGAIN, timezone)
    today = today_in(timezone, now)
    yield from _postponed_by_block(order, again_at, by_letter=by_letter)
    if (today - order.base_date(plan)).days > plan.oldest_days:
        text = f"due for more than {plan.oldest_days} days: a person should look at it"
        yield Postponed(Why.TOO_OLD, text, named={"days": str(plan.oldest_days)})
    next_day = plan.sending_moment(day_begins(today + timedelta(days=1), timezone), timezone)
    for hold in may_be_paid(order, plan, bank, now, timezone):
        waits_for_person = hold.why in (Why.SUGGESTED, Why.OVERPAID)
        yield replace(hold, again_at=next_day) if waits_for_person else hold


def may_be_paid(
    order: OrderToRemind, plan: DunningPlan, bank: BankData | None, now: datetime, timezone: str
) -> Iterator[Postponed]:
    """Why the order may already be paid, or not be owed, so its customer is not pressed now."""
    again_at = plan.sending_moment(now + LOOK_AGAIN, timezone)
    if order.refunds.filed_at is not None and (until := order.refunds.filed_at + REFUND_WAIT) > now:
        day = today_in(timezone, until)
        text = f"a refund of a part of it is in progress: reminders wait until {day}"
        yield Postponed(Why.REFUND, text, plan.sending_moment(until, timezone), {"until": day.isoformat()})
    if order.said_paid_at is not None and pause_ends(order.said_paid_at) > now:
        ends = plan.sending_moment(pause_ends(order.said_paid_at), timezone)
        yield Postponed(Why.SAYS_PAID, "the customer says that the payment was made: reminders wait for it", ends)
    if order.suggested_posting:
        text = f"posting {order.suggested_posting} waits for a decision and may be its payment"
        yield Postponed(Why.SUGGESTED, text, again_at, {"posting": order.suggested_posting})
    if order.overpaid_order:
        text = f"order {order.overpaid_order} of its customer is overpaid by what is open here"
        yield Postponed(Why.OVERPAID, text, again_at, {"order": order.overpaid_order})
    if bank is not None:
        yield from _bank_holds(order, plan, bank, now, today_in(timezone, now), again_at)


def _bank_holds(
    order: OrderToRemind, plan: DunningPlan, bank: BankData, now: datetime, today: date, again_at: datetime
) -> Iterator[Postponed]:
    wanted = minus_bank_days(today, plan.statement_bank_days)
    covered = bank.covered_until.get(order.paid_in)
    if covered is None and order.paid_in:
        text = f"there is no final statement of the accounts in {order.paid_in}"
        yield Postponed(Why.STATEMENTS, text, again_at, {"currency": order.paid_in})
    if covered is not None and covered < wanted:
        text = f"the statements in {order.paid_in} reach to {covered}, needed is {wanted}"
        named = {"currency": order.paid_in, "covered": covered.isoformat(), "wanted": wanted.isoformat()}
        yield Postponed(Why.STATEMENTS, text, again_at, named)
    flagged = min(
        (day for day in bank.flagged_on_accounts(order.paid_in) if order.order_date <= day <= today), default=None
    )
    if flagged is not None:
        text = f"the statements of {flagged} are incomplete"
        yield Postponed(Why.STATEMENTS, text, again_at, {"flagged": flagged.isoformat()})
    if bank.matching_waits:
        yield Postponed(Why.MATCHING, "postings wait to be matched", now + MATCHING_SOON)
