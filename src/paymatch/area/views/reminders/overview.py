"""Overview of reminders: who gets which mail until tomorrow, and why others do not; sent mail; the switches."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.lists import EXPORTS, Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reminders.labels import failure_words, mail_words, why_words
from paymatch.domain.refusal import Refused
from paymatch.domain.reminders.mails import NOT_ARRIVED, MailStatus
from paymatch.domain.reminders.policy import Why
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.mail.message import plain_text
from paymatch.store.reminders import mails as mail_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.shops import shops

PREVIEWED: Final = 300
"""Open orders that the preview looks at, those that are due first: its time does not grow with the shop."""
MOST_PREVIEWED: Final = 20_000
"""So many where a person asks for all of them."""
SHOWN: Final = 50

_STATES: Final[Mapping[MailStatus, tuple[str, str | Promise]]] = {
    MailStatus.PENDING: ("amber", gettext_lazy("Being sent")),
    MailStatus.SENT: ("green", gettext_lazy("Sent")),
    MailStatus.KEPT: ("grey", gettext_lazy("Kept as a file")),
    MailStatus.REFUSED: ("red", gettext_lazy("Not delivered")),
    MailStatus.BOUNCED: ("red", gettext_lazy("Came back")),
    MailStatus.WITHDRAWN: ("grey", gettext_lazy("Withdrawn")),
}
_SWITCHES: Final = ("reminders", "payment-information", "payment-thanks")


def _mail_row(row: Mapping[str, Any], visit: Visit) -> dict[str, Any]:
    colour, word = _STATES[MailStatus(row["status"])]
    return {
        "created_at": row["createdAt"],
        "order": row["orderNumber"],
        "order_link": visit.url("order", number=row["orderNumber"]),
        "mail": str(mail_words(row["dunningLevel"], thanks=row["mail"] == "thanks")),
        "mail_link": visit.url("mail", mail=row["id"]),
        "to": row["to"],
        "state": (colour, row["status"], word),
        "error": failure_words(row["error"], came_back=row["status"] == MailStatus.BOUNCED),
        "attempts": row["attempts"],
    }


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    status = asked.filters.get("status")
    found = reminder_lists.list_mails_alone(
        tx, number=asked.search, status=MailStatus(status) if status else None, asked=asked.page
    )
    return ListPage([_mail_row(row, visit) for row in found.rows], found.next, totals=found.totals)


_NAMED: Final = 5
"""Orders listed beside the reason why they get no mail; the others are unfolded."""
_UNFOLDED: Final = 1_000

MAILS: Final = Listing(
    "mails",
    columns=(
        ListColumn("created_at", gettext_lazy("When"), ListColumnKind.MOMENT),
        ListColumn("mail", gettext_lazy("Mail"), link="mail_link"),
        ListColumn("order", gettext_lazy("Order"), link="order_link"),
        ListColumn("to", gettext_lazy("To")),
        ListColumn("state", gettext_lazy("State"), ListColumnKind.BADGE),
        ListColumn("attempts", gettext_lazy("Attempts"), ListColumnKind.COUNT, chosen=False),
        ListColumn("error", gettext_lazy("Why not")),
    ),
    choices=(
        Choice("status", gettext_lazy("State"), tuple((str(key), word) for key, (_tone, word) in _STATES.items())),
    ),
    fetch=_fetch,
    sorts=mail_store.MAILS.sorts,
    usual="-created_at",
)


@page("reminders", "reminders", changes=Permission.REMIND)
def reminders(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The page; POST turns one of the switches."""
    if request.method == "POST":
        return _switch(request, visit)
    if request.GET.get("format") in EXPORTS:
        return MAILS.answer(request, visit, "area/reminders.html")
    most = MOST_PREVIEWED if request.GET.get("all") else PREVIEWED
    plan, goes, stays, cut = _preview(visit, most)
    return MAILS.answer(
        request, visit, "area/reminders.html", goes=goes[:SHOWN], goes_count=len(goes), stays=stays, cut=cut,
        levels=[(number, *level_words(text)) for number, text in enumerate(plan["levels"].split(","), 1) if text],
        plan=plan, switches=[(name, getattr(visit.shop, name.replace("-", "_"))) for name in _SWITCHES],
        may_remind=visit.may(Permission.REMIND), previewed=most, most_previewed=MOST_PREVIEWED,
    )  # fmt: skip


def level_words(text: str) -> tuple[str, str]:
    """When a level of the plan is sent, and its fee: `+14:5.00` is 14 days after the mail before, fee 5.00."""
    days, _colon, fee = text.partition(":")
    words = _("{days} days after the mail before") if days.startswith("+") else _("{days} days after the due date")
    return words.format(days=days.removeprefix("+")), fee


def _preview(visit: Visit, most: int) -> tuple[dict[str, str], list[dict[str, Any]], list[dict[str, Any]], bool]:
    """(the plan, mails until tomorrow, reasons why others get none with their orders, whether more orders are open)."""
    until, clock = visit.today + timedelta(days=1), visit.service.clock()
    off = not visit.shop.reminders
    plan, rows = reminder_lists.plan_and_soonest(visit.database, visit.shop, until, clock, most + 1, as_if_on=off)
    cut = len({row["orderNumber"] for row in rows}) > most
    goes, stays = [], dict[str, list[str]]()
    for row in rows:
        for reason in row["reasons"]:
            later = reason["reason"] == "later"
            text = _("Due later") if later else why_words(Why(reason["reason"]), reason["named"])
            stays.setdefault(text, []).append(row["orderNumber"])
        if row["reasons"]:
            continue
        at = row["at"].replace(tzinfo=None)  # of the shop's zone already
        goes.append(row | {"link": visit.url("order", number=row["orderNumber"]), "when": at})
    reasons = [_reason(visit, *each) for each in sorted(stays.items(), key=lambda each: -len(each[1]))]
    return plan, sorted(goes, key=lambda row: (row["at"], row["orderNumber"])), reasons, cut


def _reason(visit: Visit, text: str, numbers: list[str]) -> dict[str, Any]:
    """Why orders get no mail, with the first of them and, to be unfolded, the others."""
    links = [(number, visit.url("order", number=number)) for number in numbers[:_UNFOLDED]]
    is_cut = len(numbers) > _UNFOLDED
    return {"text": text, "count": len(numbers), "orders": links[:_NAMED], "more": links[_NAMED:], "is_cut": is_cut}


def _switch(request: HttpRequest, visit: Visit) -> HttpResponse:
    name, value = request.POST.get("switch", ""), request.POST.get("value", "")
    if name not in _SWITCHES or value not in ("on", "off"):
        raise Http404
    try:
        with visit.transaction() as tx:
            shops.change(tx, {name: value})
    except Refused as refused:
        messages.error(request, in_words_of(refused))
    else:
        messages.success(request, _("Switched on.") if value == "on" else _("Switched off."))
    return redirect(visit.url("reminders"))


@page("reminders/mail/<str:mail>", "mail", changes=Permission.REMIND)
def mail(request: HttpRequest, visit: Visit, mail: str) -> HttpResponse:
    """A sent mail; POST retries a refused one."""
    with visit.transaction() as tx:
        try:
            shown, content = reminder_lists.show_mail(tx, mail)
        except SettingRefused:
            raise Http404 from None
    if request.method == "POST":
        try:
            with visit.transaction() as tx:
                reminder_lists.try_again(tx, mail)
        except Refused as refused:
            messages.error(request, in_words_of(refused))
        else:
            messages.success(request, _("The order is checked again; a new mail is sent if it is still due."))
        return redirect(visit.url("mail", mail=mail))
    values = {
        "mail": shown, "text": plain_text(content) if content else "",
        "title": mail_words(shown["dunningLevel"], thanks=shown["mail"] == "thanks"),
        "row": _mail_row(shown, visit),
        "again": shown["status"] in NOT_ARRIVED and visit.may(Permission.REMIND),
    }  # fmt: skip
    return render(request, "area/mail.html", values)
