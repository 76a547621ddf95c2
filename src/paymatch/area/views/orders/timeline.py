"""History of an order, in words: its events and the actions of people as one list, latest first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.badges import order_badge
from paymatch.area.language.figures import amount, day
from paymatch.area.language.sentences import in_words
from paymatch.area.people.accounts import name_of
from paymatch.area.views.manage.labels.audit import action_words
from paymatch.area.views.refunds.labels import bank_reason_words, hold_words
from paymatch.area.views.reminders.labels import failure_words, mail_words
from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.orders.fees import WORDS, FeeKind
from paymatch.domain.shops.audit import ActorKind, AuditAction
from paymatch.store.messages import recall
from paymatch.store.orders.order_history import Happened, HistoryRow

MONEY: Final = "money"
MESSAGES: Final = "messages"
PEOPLE: Final = "people"


@dataclass(frozen=True, slots=True)
class Happening:
    """An entry of the timeline; the amount in minor units of the order's currency."""

    at: datetime
    group: str
    icon: str
    tone: str
    title: str
    lines: tuple[str, ...] = ()
    amount_minor: int | None = None
    rank: int = 1  # of what happened at one moment, the highest came last
    changes: tuple[tuple[str, str, str], ...] = ()  # (field, before, after)
    day: date = date.min  # in the shop's calendar, with the time of its day
    clock: time = time.min


_CAUSES: Final[Mapping[str, str | Promise]] = {
    "payment matched": gettext_lazy("a payment was matched"),
    "matched by hand": gettext_lazy("a posting was matched by hand"),
    "match undone": gettext_lazy("a match was undone"),
    "booking day changed": gettext_lazy("a booking day changed"),
    "bank report": gettext_lazy("the bank reported on a refund"),
    "order submitted": gettext_lazy("the shop submitted the order again"),
    "synchronised": gettext_lazy("the shop's list of open orders"),
    "synchronisation undone": gettext_lazy("a synchronisation was undone"),
    "set paid": gettext_lazy("set paid by hand"),
    "set unpaid": gettext_lazy("the manual mark was removed"),
    "cancelled": gettext_lazy("cancelled"),
    "removed": gettext_lazy("removed by the shop"),
    "credit kept": gettext_lazy("credit was kept"),
    "credit used": gettext_lazy("credit was used"),
    "credit returned": gettext_lazy("credit was returned"),
    "credit income": gettext_lazy("it was booked as income"),
    "credit loss": gettext_lazy("it was recorded as a loss"),
}
_STATUS_ICONS: Final = {
    "PAID": ("circle-check", "green"),
    "PAID_PARTIAL": ("circle-dashed", "amber"),
    "CANCELLED": ("ban", "red"),
    "REFUNDED": ("arrow-back-up", "accent"),
    "REFUNDED_PARTIAL": ("arrow-back-up", "accent"),
}
_TITLES: Final[Mapping[str, tuple[str, str | Promise]]] = {
    AuditAction.REMINDERS_STOPPED: ("mail-off", gettext_lazy("Reminders stopped")),
    AuditAction.REMINDERS_RESUMED: ("mail", gettext_lazy("Reminders resumed")),
    AuditAction.LETTER_DISCARDED: ("mail-off", gettext_lazy("Letter discarded")),
    AuditAction.ORDER_AMOUNT_CHANGED: ("pencil", gettext_lazy("Amount changed")),
    AuditAction.POSTING_MATCHED: ("link", gettext_lazy("Posting matched")),
    AuditAction.POSTING_UNMATCHED: ("arrow-back-up", gettext_lazy("Match undone")),
    AuditAction.POSTING_DECIDED: ("check", gettext_lazy("Posting decided")),
    AuditAction.REFUND_FILED: ("user", gettext_lazy("Refund filed")),
    AuditAction.REFUND_CANCELLED: ("ban", gettext_lazy("Refund cancelled")),
    AuditAction.REFUND_ACCOUNT_SET: ("pencil", gettext_lazy("Account of a refund changed")),
    AuditAction.REFUND_TAKEN_OVER: ("download", gettext_lazy("Refund taken over from another system")),
    AuditAction.CUSTOMER_SAYS_PAID: ("mail", gettext_lazy("The customer says that the payment was made")),
    AuditAction.CUSTOMER_SAYS_NOT_PAID: ("mail", gettext_lazy("The customer says that it is not paid after all")),
    AuditAction.WRONG_PERSON: ("alert-triangle", gettext_lazy("A recipient says that this is not their order")),
    AuditAction.WRONG_PERSON_LIFTED: ("mail", gettext_lazy("The customer's address was confirmed")),
    AuditAction.LINK_REVOKED: ("ban", gettext_lazy("Links to the order's page revoked")),
    AuditAction.REFUND_RELEASED: ("shield-check", gettext_lazy("Refund released")),
}
_MARKS: Final[Mapping[str, tuple[str, str | Promise]]] = {
    "set paid": ("circle-check", gettext_lazy("Set paid by hand")),
    "set unpaid": ("arrow-back-up", gettext_lazy("Reset to the state of the payments")),
    "cancelled": ("ban", gettext_lazy("Cancelled")),
    "removed": ("trash", gettext_lazy("Removed")),
}
_ACTORS: Final[Mapping[str, str | Promise]] = {
    "key": gettext_lazy("by API"),
    "command": gettext_lazy("by {name} at the command line"),
    "worker": gettext_lazy("by the service itself"),
    "person": gettext_lazy("by {name}"),
    "customer": gettext_lazy("by anyone who has the link to the order's page"),
    "program": gettext_lazy("by a program"),
}


def timeline(
    history: Sequence[HistoryRow], entries: Sequence[Mapping[str, Any]], currency: str, timezone: str
) -> list[Happening]:
    """All that has happened, latest first by the shop's clock, each with its moment in the shop's time zone."""
    zone = ZoneInfo(timezone)
    found = [_DRAWN[row.kind](row, currency) for row in history] + [
        _audit_event(row) for row in entries if row["action"] != AuditAction.ORDER_ADJUSTED
    ]
    local = [(each, each.at.astimezone(zone)) for each in found]
    dated = [replace(each, day=at.date(), clock=at.time()) for each, at in local]
    return sorted(dated, key=lambda each: (each.at, each.rank), reverse=True)


def _submission_event(row: HistoryRow, _currency: str) -> Happening:
    return Happening(row.at, MONEY, "upload", "grey", _("Submitted by the shop"), rank=0)


def _status(row: HistoryRow, _currency: str) -> Happening:
    facts = row.facts
    icon, tone = _STATUS_ICONS.get(facts["to"], ("history", "grey"))
    before, after = (str(order_badge(facts[each])[2]) for each in ("from", "to"))
    cause = str(_CAUSES.get(facts["cause"], facts["cause"]))
    lines = (_("before: {status} · {cause}").format(status=before, cause=cause), _callback(facts))
    return Happening(row.at, MONEY, icon, tone, after, tuple(line for line in lines if line), rank=2)


def _error(facts: Mapping[str, Any]) -> str:
    return recall(facts["error"], facts.get("error_message", ""))


def _callback(facts: Mapping[str, Any]) -> str:
    match facts["callback"]:
        case "DELIVERED":
            return _("Callback delivered at attempt {number}").format(number=facts["attempts"])
        case "PENDING" | "WAITING" | "PAUSED":
            error = f": {in_words(_error(facts))}" if facts["error"] else ""
            return _("Callback waits, {number} attempts so far").format(number=facts["attempts"]) + error
        case "GIVEN_UP":
            return _("Callback given up: {error}").format(error=in_words(_error(facts)))
        case "WITHDRAWN":
            return _("No callback: undone before it was sent")
    return ""


def _posting(row: HistoryRow, currency: str) -> Happening:
    facts = row.facts
    is_return = facts["kind"] == "return"
    came_in = facts["kind"] == "payment" or (is_return and (row.amount_minor or 0) > 0)
    if is_return:
        title = _("Return reversed") if came_in else _("Payment reversed")
    else:
        title = _("Payment") if came_in else _("Paid out")
    how = _("matched by hand") if facts["by_hand"] else _("matched automatically")
    booked = _("booked {day}").format(day=day(row.day))
    lines = [" · ".join(part for part in (facts["name"], booked, how) if part)]
    if facts["text"]:
        lines.append(_("“{text}”").format(text=facts["text"]))
    if facts["withheld_minor"]:
        is_demanded = facts["fee_kind"] == FeeKind.REMINDER_FEE
        minor = -facts["withheld_minor"] if is_demanded else facts["withheld_minor"]
        kept = f"{amount(minor, facts['currency'])} {facts['currency']}"
        said = _("{amount} for reminder fees") if is_demanded else _("{amount} withheld as {kind} and credited")
        lines.append(said.format(amount=kept, kind=WORDS[FeeKind(facts["fee_kind"])]))
    icon, tone = ("coins", "green") if came_in else ("arrow-back-up", "red")
    return Happening(row.at, MONEY, icon, tone, title, tuple(lines), row.amount_minor)


def _mail(row: HistoryRow, _currency: str) -> Happening:
    return _mail_event(row, mail_words(row.facts["level"], thanks=row.facts["thanks"]))


def _request(row: HistoryRow, _currency: str) -> Happening:
    return _mail_event(row, _("Reminder about bank details") if row.facts["place"] else _("Request for bank details"))


def _mail_event(row: HistoryRow, what: str) -> Happening:
    """A mail and its result."""
    facts = row.facts
    said = {
        "SENT": (_("{mail} sent"), "mail", "grey"),
        "KEPT": (_("{mail} written, kept as a file"), "mail", "grey"),
        "PENDING": (_("{mail} is being sent"), "clock", "amber"),
        "REFUSED": (_("{mail} could not be delivered"), "mail-off", "red"),
        "BOUNCED": (_("{mail} came back"), "mail-off", "red"),
        "WITHDRAWN": (_("{mail} withdrawn"), "mail-off", "grey"),
    }
    title, icon, tone = said[facts["status"]]
    why = failure_words(_error(facts), came_back=facts["status"] == "BOUNCED")
    lines = (_("To {address}").format(address=facts["recipient"]) if facts["recipient"] else "", why)
    return Happening(row.at, MESSAGES, icon, tone, title.format(mail=what), tuple(line for line in lines if line))


def _invoice(row: HistoryRow, _currency: str) -> Happening:
    title = _("Invoice {number} uploaded").format(number=row.facts["invoice"])
    return Happening(row.at, MESSAGES, "file", "grey", title)


def _refund(row: HistoryRow, currency: str) -> Happening:
    facts = row.facts
    said = {
        "NEW": (_("Refund {name} planned for {day}"), "clock", "amber"),
        "BANKDETAILS_MISSING": (_("Refund {name} waits for an IBAN"), "help", "amber"),
        "IN_PROCESS": (_("Refund {name} is in a transfer file"), "send", "accent"),
        "PROCESSED": (_("Refund {name} booked by the bank"), "arrow-back-up", "accent"),
        "RETURNED": (_("Refund {name} came back"), "alert-triangle", "red"),
        "ERROR": (_("Refund {name} rejected by the bank"), "alert-triangle", "red"),
        "CANCELLED": (_("Refund {name} cancelled"), "ban", "grey"),
        "LEGACY": (_("Refund {name} of another system"), "history", "grey"),
    }
    title, icon, tone = said[facts["status"]]
    to = _("To {account}").format(account=masked_account(facts["iban"])) if facts["iban"] else ""
    payee = " ".join(part for part in (to, facts["holder"]) if part)
    planned = day(date.fromisoformat(facts["planned"]))
    if facts["executed"]:
        payee = _("{payee} on {day}").format(payee=payee, day=day(date.fromisoformat(facts["executed"])))
    quoted = _("“{text}”").format(text=facts["note"]) if facts["note"] else ""
    reasons = (hold_words(facts["reason"]), bank_reason_words(facts["bank_code"]))
    lines = tuple(line for line in (quoted, payee, *reasons) if line)
    return Happening(
        row.at, MONEY, icon, tone, title.format(name=facts["reference"], day=planned), lines,
        -(row.amount_minor or 0), rank=3,
    )  # fmt: skip


def _change_event(row: HistoryRow, _currency: str) -> Happening:
    """What the shop changed by submitting the order again; values that are not kept are named only."""
    facts = row.facts
    fields = facts["fields"]
    changes = tuple((name, *values) for name, values in fields.items() if values is not None)
    hidden = [name for name, values in fields.items() if values is None]
    who = str(_ACTORS[facts["actor_kind"]]).format(name=name_of(facts["actor"]))
    lines = (who, _("also changed: {fields}").format(fields=", ".join(hidden)) if hidden else "")
    return Happening(
        row.at, PEOPLE, "pencil", "grey", _("Order changed by the shop"), tuple(line for line in lines if line),
        changes=changes,
    )  # fmt: skip


def _comment(row: HistoryRow, _currency: str) -> Happening:
    said = _("“{text}”").format(text=row.facts["said"])
    title = _("Comment by {name}").format(name=name_of(row.facts["author"]))
    return Happening(row.at, PEOPLE, "message", "accent", title, (said,))


def _adjustment_happening(row: HistoryRow, _currency: str) -> Happening:
    adds, kept = (row.amount_minor or 0) > 0, _("Kept as the customer's credit")
    title = {
        "kept": kept,
        "used": _("Paid from the customer's credit") if adds else _("Use of credit undone"),
        "returned": _("Credit returned to the order") if adds else kept,
        "income": _("Booked as income"),
        "loss": _("Noted as loss"),
    }[row.facts["kind"]]
    by = _("by {name}").format(name=row.facts["by"]) if row.facts["by"] else ""
    return Happening(row.at, MONEY, "coins", "accent", title, (by,) if by else (), row.amount_minor, rank=3)


def _said_paid(row: HistoryRow, _currency: str) -> Happening:
    icon, title = _TITLES[AuditAction.CUSTOMER_SAYS_PAID]
    return Happening(row.at, PEOPLE, icon, "grey", str(title))


_DRAWN: Final[Mapping[Happened, Callable[[HistoryRow, str], Happening]]] = {
    Happened.SUBMITTED: _submission_event,
    Happened.STATUS: _status,
    Happened.POSTING: _posting,
    Happened.MAIL: _mail,
    Happened.REQUEST: _request,
    Happened.INVOICE: _invoice,
    Happened.SAID_PAID: _said_paid,
    Happened.REFUND: _refund,
    Happened.CHANGED: _change_event,
    Happened.COMMENT: _comment,
    Happened.ADJUSTED: _adjustment_happening,
}


def _audit_event(row: Mapping[str, Any]) -> Happening:
    after = msgspec.json.decode(row["after"]) if row["after"] is not None else {}
    if row["action"] == AuditAction.ORDER_MARKED:
        icon, title = _MARKS.get(after.get("by", ""), ("pencil", _("Marked")))
    else:
        icon, title = _TITLES.get(row["action"], ("pencil", action_words(row["action"])))
    who = str(_ACTORS.get(row["actorKind"], "{name}")).format(name=name_of(row["actor"]))
    lines: tuple[str, ...] = (who,)
    if row["action"] == AuditAction.ORDER_AMOUNT_CHANGED:
        before = msgspec.json.decode(row["before"])
        key = _("with the API key {key}").format(key=row["actor"]) if row["actorKind"] == ActorKind.KEY else who
        lines = (f"{before['amount']} → {after['amount']}", key)
    rank = 1 if row["action"] == AuditAction.ORDER_MARKED else 3  # a mark comes before the status that it leads to
    return Happening(row["shopAt"] or row["at"], PEOPLE, icon, "grey", str(title), lines, rank=rank)
