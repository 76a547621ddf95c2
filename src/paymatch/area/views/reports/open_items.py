"""Open items of one customer, and their statement of account as PDF and by mail (D-132)."""

from __future__ import annotations

from datetime import date
from string import hexdigits
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.reports import asking
from paymatch.domain.reminders.account_statement import (
    AccountStatement,
    AccountStatementRefused,
    CurrencyStatement,
    OpenOrder,
)
from paymatch.formats.letters.letter import write_letter
from paymatch.outbound.mail.opening import open_mail
from paymatch.usecases.audit import entries_about
from paymatch.usecases.letters import account_statements

_KEY_LENGTH: Final = 32
_SENT_SHOWN: Final = 5


@page("reports/customers/<str:customer>", "open_items", changes=Permission.REMIND)
def open_items(request: HttpRequest, visit: Visit, customer: str) -> HttpResponse:
    """What the customer owes; `format=pdf` is the statement of account, and POST mails it."""
    if len(customer) != _KEY_LENGTH or not set(customer) <= set(hexdigits.lower()):
        raise Http404
    if request.method == "POST":
        return _send(request, visit, customer)
    day = min(asking.day_of(request.GET.get("as-of", "")) or visit.today, visit.today)
    chosen = request.GET.get("to", "")
    statement, letter, error = None, None, ""
    with visit.transaction() as tx:
        addresses = account_statements.addresses_of(tx, customer, day)
        try:
            statement = account_statements.statement_of(tx, customer, day, chosen)
        except AccountStatementRefused as refused:
            error = in_words_of(refused)
        if statement is not None and request.GET.get("format") == "pdf":
            letter = account_statements.letter_of(tx, statement)
        sent = entries_about(tx, visit.shop, [customer], _SENT_SHOWN)
    if letter is not None:
        return _pdf(write_letter(letter).pdf, day)
    values = {
        "customers_url": visit.url("report", report="customers"), "statement": statement, "error": error, "day": day,
        "parts": _with_links(visit, statement), "sent": sent,
        "addresses": addresses if len(addresses) > 1 or (error and not chosen) else [], "chosen": chosen,
        "title": _title(statement),
        "may_send": bool(statement and statement.email and day == visit.today and visit.may(Permission.REMIND)),
        "pdf": "?" + urlencode({"format": "pdf", "as-of": day.isoformat(), "to": chosen}),
    }  # fmt: skip
    return render(request, "area/reports/open_items.html", values)


def _title(statement: AccountStatement | None) -> str:
    return (statement and (statement.name or statement.customer_number)) or _("Open items of a customer")


def _with_links(
    visit: Visit, statement: AccountStatement | None
) -> list[tuple[CurrencyStatement, list[tuple[OpenOrder, str]]]]:
    """Each currency with its orders and the addresses of their pages."""
    return [
        (part, [(order, visit.url("order", number=order.number)) for order in part.orders])
        for part in (statement.parts if statement else ())
    ]


def _pdf(content: bytes, day: date) -> HttpResponse:
    answer = HttpResponse(content, content_type="application/pdf")
    answer["Content-Disposition"] = f'attachment; filename="statement-{day.isoformat()}.pdf"'
    return answer


def _send(request: HttpRequest, visit: Visit, customer: str) -> HttpResponse:
    """Mails the statement of today to the address of the orders, or to the chosen one of several."""
    chosen, door = request.POST.get("to", ""), open_mail(visit.service.settings)
    try:
        found = account_statements.mail_statement(
            visit.database, visit.shop, door, customer, visit.service.clock(), chosen
        )
    except AccountStatementRefused as refused:
        messages.error(request, in_words_of(refused))
    else:
        if found.delivered:
            messages.success(request, _("The statement is on its way to {address}.").format(address=found.recipient))
        else:
            messages.warning(request, _("Mail of this shop is not sent, only kept."))
    finally:
        door.close()
    query: dict[str, Any] = {"to": chosen} if chosen else {}
    return redirect(visit.url("open_items", customer=customer) + (f"?{urlencode(query)}" if query else ""))
