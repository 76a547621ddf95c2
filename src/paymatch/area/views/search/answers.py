"""The answer for a caller: one sentence for what was found, with its basis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.aside_reasons import reason_words
from paymatch.area.language.figures import amount, day
from paymatch.domain.reports.evidence import MatchedBy, matched_by
from paymatch.store.search.shown import FoundCustomer, FoundPayment, OrderPayment
from paymatch.usecases.search.finding import FoundOrder, Reply


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer for the telephone, with its colour and icon."""

    tone: str
    icon: str
    sentence: str
    rests_on: str = ""

    def __str__(self) -> str:
        """As it is copied."""
        return f"{self.sentence} {self.rests_on}".strip()


_LOOKS: Final[Mapping[Reply, tuple[str, str]]] = {
    Reply.HERE: ("green", "circle-check"),
    Reply.OVERPAID: ("green", "circle-check"),
    Reply.PARTLY: ("amber", "circle-dashed"),
    Reply.SET_PAID: ("amber", "circle-check"),
    Reply.WAITS: ("amber", "clock"),
    Reply.NOTHING: ("grey", "clock"),
    Reply.GIVEN_BACK: ("accent", "arrow-back-up"),
    Reply.CLOSED: ("grey", "ban"),
}
_BY: Final[Mapping[MatchedBy, Promise]] = {
    MatchedBy.REFERENCE: gettext_lazy("matched by the payment reference"),
    MatchedBy.ORDER_NUMBER: gettext_lazy("matched by the order number"),
    MatchedBy.INVOICE_NUMBER: gettext_lazy("matched by the invoice number"),
    MatchedBy.OTHER_NUMBER: gettext_lazy("matched by another number"),
    MatchedBy.PAYER: gettext_lazy("matched by payer and amount"),
    MatchedBy.AMOUNT: gettext_lazy("matched by payer and amount"),
    MatchedBy.SEVERAL: gettext_lazy("matched as a payment of several orders"),
}


def order_answer(found: FoundOrder, today: date) -> Answer:
    """The answer to the order's customer."""
    tone, icon = _LOOKS[found.reply]
    sentence, rests_on = _SAID[found.reply](found, today)
    return Answer(tone, icon, sentence, rests_on)


def _money(minor: int, currency: str) -> str:
    return f"{amount(minor, currency)} {currency}"


def _payment(payment: OrderPayment) -> str:
    paid = _("{amount} of {day}").format(amount=_money(payment.amount_minor, payment.currency), day=day(payment.day))
    how = _("matched by hand") if payment.by_hand else _how(payment.matched_by)
    return f"{paid}, {how}" if how else paid


def _how(codes: str) -> str:
    """The first of what it was matched by: a number, else the payer."""
    return str(_BY.get(matched_by(codes)[0], ""))


def _here(found: FoundOrder, _today: date) -> tuple[str, str]:
    return _("Yes, the money is here."), _payments(found)


def _payments(found: FoundOrder) -> str:
    booked = found.booked
    if not booked:
        return ""
    if len(booked) == 1:
        return _payment(booked[0])
    paid = _money(sum(each.amount_minor for each in booked), found.order.currency)
    return _("{amount} in {count} payments, the last one of {day}").format(
        amount=paid, count=len(booked), day=day(booked[0].day)
    )


def _overpaid(found: FoundOrder, _today: date) -> tuple[str, str]:
    more = _money(found.order.overpaid_minor, found.order.currency)
    return _("Yes, the money is here, and {amount} too much.").format(amount=more), _payments(found)


def _partly(found: FoundOrder, _today: date) -> tuple[str, str]:
    left = _money(found.order.open_minor, found.order.currency)
    return _("Only a part is here: {amount} is still open.").format(amount=left), _payments(found)


def _set_paid(_found: FoundOrder, _today: date) -> tuple[str, str]:
    return _("It counts as paid, but no payment was seen."), _("A person or the shop set it paid.")


def _waits(found: FoundOrder, _today: date) -> tuple[str, str]:
    said = _("A payment that may be meant for it is here, but is not booked yet.")
    first = found.waiting[0]
    return said, _("{amount} of {day} from {name}").format(
        amount=_money(first.amount_minor, first.currency), day=day(first.day), name=first.name or "–"
    )


def _no_answer(found: FoundOrder, today: date) -> tuple[str, str]:
    order = found.order
    if not order.open_minor:
        return _("No payment has come, and none is expected."), ""
    left = _("{amount} is open.").format(amount=_money(order.open_minor, order.currency))
    if order.due is None:
        return _("No, no payment has come yet."), left
    due = _("It was due on {day}.") if order.due < today else _("It is due on {day}.")
    return _("No, no payment has come yet."), f"{left} {due.format(day=day(order.due))}"


def _given_back(found: FoundOrder, _today: date) -> tuple[str, str]:
    kept = found.order.paid_minor
    if kept > 0:
        said = _("The money arrived, and a part of it was refunded.")
        return said, _("{amount} is kept.").format(amount=_money(kept, found.order.currency))
    return _("The money arrived, and all of it was refunded."), ""


def _closed_answer(found: FoundOrder, _today: date) -> tuple[str, str]:
    order = found.order
    said = {
        "CANCELLED": _("The order is cancelled."),
        "DISAPPEARED": _("The shop has removed the order."),
        "LEGACY": _("The order belongs to another system."),
    }[order.status]
    if order.paid_minor > 0:
        return said, _("{amount} was paid and not refunded.").format(amount=_money(order.paid_minor, order.currency))
    return said, _("No money is kept for it.")


_SAID: Final[Mapping[Reply, Callable[[FoundOrder, date], tuple[str, str]]]] = {
    Reply.HERE: _here,
    Reply.OVERPAID: _overpaid,
    Reply.PARTLY: _partly,
    Reply.SET_PAID: _set_paid,
    Reply.WAITS: _waits,
    Reply.NOTHING: _no_answer,
    Reply.GIVEN_BACK: _given_back,
    Reply.CLOSED: _closed_answer,
}


def payment_answer(found: FoundPayment) -> Answer:
    """The answer to the payer."""
    if found.amount_minor < 0:
        return Answer("grey", "arrow-right", _("This money was paid out."), _to(found.orders))
    if found.status == "matched":
        return Answer("green", "circle-check", _("Yes, the money is here and booked."), _to(found.orders))
    if found.status == "ignored":
        said = _("The money is here, but it is not an order payment.")
        return Answer("grey", "ban", said, reason_words(found.aside_reason))
    if found.aside_reason:
        said = _("The money is here, but was set aside.")
        return Answer("amber", "clock", said, reason_words(found.aside_reason))
    said = _("The money is here, but is not booked to an order yet.")
    return Answer("amber", "clock", said, _may_be(found.suggested))


def _to(orders: tuple[str, ...]) -> str:
    return _("Booked to {orders}").format(orders=", ".join(f"#{each}" for each in orders)) if orders else ""


def _may_be(orders: tuple[str, ...]) -> str:
    if not orders:
        return _("It waits for a person; no order was found for it.")
    return _("It waits for a person; it may be for {orders}.").format(orders=", ".join(f"#{each}" for each in orders))


def customer_answer(found: FoundCustomer) -> Answer:
    """What is open of all the customer's orders."""
    sums = [(currency, minor) for currency, minor in found.open_minor if minor]
    if not sums:
        return Answer("green", "circle-check", _("Nothing is open."), "")
    opened = ", ".join(_money(minor, currency) for currency, minor in sums)
    return Answer("amber", "clock", _("{amount} is open.").format(amount=opened))
