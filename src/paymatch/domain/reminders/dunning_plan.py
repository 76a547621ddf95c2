"""A shop's dunning plan: how many reminders, after how many days, for which fee, on which days and hours (D-33)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from paymatch.domain.calendar import is_bank_day, next_bank_day
from paymatch.domain.money import AmountUnreadable, Currency, minor_to_text, text_to_minor
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

MAX_LEVELS: Final = 9
"""The highest level that initialDunningLevel may have."""

MAX_DAYS: Final = 365
MAX_FEE_MINOR: Final = 100_000

_LEVEL: Final = re.compile(r"(\+?)(\d{1,3})(?::(\d{1,6}(?:\.\d{1,4})?))?", re.ASCII)
_TIME: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)", re.ASCII)
_WHOLE: Final = re.compile(r"\d{1,4}", re.ASCII)
_NUMBERS: Final = {
    "term-days": (0, MAX_DAYS),
    "grace-days": (1, 90),
    "pay-within-days": (1, 90),
    "statement-bank-days": (1, 30),
    "information-days": (0, 90),
    "oldest-days": (30, 3650),
    "letters-from": (0, MAX_LEVELS),
}
"""Settings that are a whole number, with the smallest and largest accepted value."""


LETTERS_WITHOUT_MAIL: Final = "letters-without-mail"


class PlanRefused(Refused):
    """The plan is invalid; the text says why."""


@dataclass(frozen=True, slots=True)
class Level:
    """A reminder: how many days after the due date, or after the mail before it; fee in the shop's minor units."""

    days: int
    fee_minor: int = 0
    after_previous: bool = False


@dataclass(frozen=True, slots=True)
class DunningPlan:
    """Levels and spans; times of day in the shop's time zone."""

    levels: tuple[Level, ...] = (Level(7), Level(21), Level(35))
    term_days: int = 14  # an order without dueDate is due so many days after its date
    grace_days: int = 7  # minimum between two mails about one order
    pay_within_days: int = 10  # until when a mail asks to be paid
    statement_bank_days: int = 1  # maximum age of the last statement in bank days: 1 is the last bank day
    information_days: int = 3  # payment information is sent for orders of at most this age
    oldest_days: int = 180  # orders due for longer get no automatic reminders
    opens: time = time(9)
    closes: time = time(17)
    letters_from: int = 0  # the level from which reminders are letters; 0: never
    letters_without_mail: bool = False  # letters go to customers who cannot be mailed

    def sending_moment(self, earliest: datetime, timezone: str) -> datetime:
        """The first moment from `earliest` on, in UTC, at which reminders may be sent: bank days, office hours."""
        local = earliest.astimezone(ZoneInfo(timezone))
        day = local.date()
        if is_bank_day(day):
            if self.opens <= local.time() < self.closes:
                return earliest.astimezone(UTC)
            if local.time() < self.opens:
                return _at(day, self.opens, timezone)
        return _at(next_bank_day(day + timedelta(days=1)), self.opens, timezone)


def _at(day: date, clock: time, timezone: str) -> datetime:
    return datetime.combine(day, clock, ZoneInfo(timezone)).astimezone(UTC)


def changed_plan(plan: DunningPlan, settings: Mapping[str, str], currency: Currency) -> DunningPlan:
    """The plan with settings given as text. PlanRefused for the first that does not exist or is invalid."""
    values: dict[str, Any] = {}
    for name, text in settings.items():
        if name == "levels":
            values["levels"] = _levels(text, currency)
        elif name in ("opens", "closes"):
            values[name] = _time(name, text)
        elif name == LETTERS_WITHOUT_MAIL:
            values["letters_without_mail"] = _switch(name, text)
        elif name in _NUMBERS:
            values[name.replace("-", "_")] = _number(name, text)
        else:
            known = ", ".join(("levels", "opens", "closes", *_NUMBERS, LETTERS_WITHOUT_MAIL))
            raise PlanRefused(Message("plan-unknown-setting", name=repr(name), known=known))
    found = replace(plan, **values)
    if found.opens >= found.closes:
        raise PlanRefused(Message("plan-order-of-times"), parameter="opens")
    return found


def plan_in_words(plan: DunningPlan, currency: Currency) -> dict[str, str]:
    """The plan in the form of settings that `changed_plan` takes."""
    levels = ",".join(_level_text(level, currency) for level in plan.levels)
    letters = {LETTERS_WITHOUT_MAIL: "on" if plan.letters_without_mail else "off"}
    numbers = {name: str(getattr(plan, name.replace("-", "_"))) for name in _NUMBERS}
    return {"levels": levels, "opens": f"{plan.opens:%H:%M}", "closes": f"{plan.closes:%H:%M}", **numbers, **letters}


def _level_text(level: Level, currency: Currency) -> str:
    fee = f":{minor_to_text(level.fee_minor, currency)}" if level.fee_minor else ""
    return f"{'+' if level.after_previous else ''}{level.days}{fee}"


def _levels(text: str, currency: Currency) -> tuple[Level, ...]:
    """`7,21:2.50,+14:5.00`: days after the due date or (+) after the mail before, each with its fee."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > MAX_LEVELS:
        raise _plan_refused("levels", text, Message("plan-too-many-levels", most=MAX_LEVELS))
    levels = tuple(_level(part, currency) for part in parts)
    last = 0
    for level in levels:
        if not level.after_previous:
            if level.days <= last:
                raise _plan_refused("levels", text, Message("plan-levels-grow"))
            last = level.days
    return levels


def _level(text: str, currency: Currency) -> Level:
    found = _LEVEL.fullmatch(text)
    if found is None:
        raise PlanRefused(Message("plan-no-level", level=repr(text)), parameter="levels")
    plus, days, fee = found.groups()
    if not 1 <= int(days) <= MAX_DAYS:
        raise PlanRefused(Message("plan-level-days", level=repr(text), most=MAX_DAYS), parameter="levels")
    try:
        fee_minor = text_to_minor(fee, currency) if fee else 0
    except AmountUnreadable as error:
        raise PlanRefused(Message("plan-levels", text=repr(text), error=error.message), parameter="levels") from None
    if fee_minor > MAX_FEE_MINOR:
        most = minor_to_text(MAX_FEE_MINOR, currency)
        raise PlanRefused(Message("plan-level-fee", level=repr(text), most=most), parameter="levels")
    return Level(int(days), fee_minor, after_previous=bool(plus))


def _plan_refused(name: str, text: str, why: Message) -> PlanRefused:
    """The message that a setting of the plan does not accept this value, and why."""
    return PlanRefused(Message("setting-refused", setting=f"{name}={text}", why=why), parameter=name)


def _number(name: str, text: str) -> int:
    low, high = _NUMBERS[name]
    if not (_WHOLE.fullmatch(text) and low <= int(text) <= high):
        raise _plan_refused(name, text, Message("plan-whole-number", low=low, high=high))
    return int(text)


def _switch(name: str, text: str) -> bool:
    if text not in ("on", "off"):
        raise _plan_refused(name, text, Message("setting-switch"))
    return text == "on"


def _time(name: str, text: str) -> time:
    found = _TIME.fullmatch(text)
    if found is None:
        raise _plan_refused(name, text, Message("plan-time"))
    return time(int(found[1]), int(found[2]))
