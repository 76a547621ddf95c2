"""The sandbox's clock and bank: time passes, a customer pays, a payment comes back."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.language.typed import typed_minor
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.domain.money import AmountUnreadable, currency_of
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.sandbox import Reference, after_span, moment_of
from paymatch.usecases.sandbox import simulated_bank
from paymatch.usecases.sandbox.simulated_bank import SimulatedTransfer
from paymatch.usecases.work.sandbox_clock import hold_due_work, move

CLOCK_SECONDS: Final = 10
"""How long one click moves the clock at most; another one goes on."""

_WRITTEN: Final = (
    (Reference.EXACT.value, gettext_lazy("the number as it is")),
    (Reference.SPACED.value, gettext_lazy("the number with blanks in it")),
    (Reference.TYPO.value, gettext_lazy("two digits swapped")),
    (Reference.STRUCTURED.value, gettext_lazy("the payment reference alone")),
    (Reference.NAME_ONLY.value, gettext_lazy("a name and no number")),
    (Reference.WRONG.value, gettext_lazy("a number of no order")),
    (Reference.MISSING.value, gettext_lazy("nothing")),
)


class ClockForm(forms.Form):
    """How far the clock moves."""

    until = forms.CharField(
        max_length=40,
        initial="1d",
        label=gettext_lazy("Move on by, or to"),
        help_text=gettext_lazy("1d, 2w, 12h or 1d6h; or a moment such as 2026-12-01 14:30."),
    )


class PaymentForm(forms.Form):
    """A customer's transfer."""

    order = forms.CharField(max_length=255, label=gettext_lazy("Number of the order"))
    amount = forms.CharField(
        max_length=16, required=False, label=gettext_lazy("Amount"), help_text=gettext_lazy("Empty: what is open.")
    )
    payer = forms.CharField(
        max_length=70, required=False, label=gettext_lazy("Who pays"), help_text=gettext_lazy("Empty: the customer.")
    )
    reference = forms.ChoiceField(choices=_WRITTEN, label=gettext_lazy("What the payment text says"))


@page("developers/sandbox", "sandbox", needs=Permission.DEVELOP, changes=Permission.DEVELOP)
def sandbox(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Moves the clock, or has the bank book a payment, which it delivers at the end of its day."""
    wanted = request.POST.get("do")
    clock_form = ClockForm(request.POST if wanted == "clock" else None)
    payment_form = PaymentForm(request.POST if wanted == "pay" else None)
    if wanted == "clock" and clock_form.is_valid():
        done = _attempt(clock_form, lambda: _move(visit, clock_form.cleaned_data["until"], visit.service.base(request)))
    elif wanted == "pay" and payment_form.is_valid():
        done = _attempt(payment_form, lambda: _pay(visit, payment_form.cleaned_data))
    else:
        done = ""
    if done:
        messages.success(request, done, extra_tags="green")
        return redirect(visit.url("sandbox"))
    with visit.transaction() as tx:
        bookings = simulated_bank.bank_bookings(tx)[:20] if visit.shop.sandbox else []
    values = {"clock_form": clock_form, "payment_form": payment_form, "now": visit.now, "bookings": bookings}
    return render(request, "area/sandbox.html", values | {"list_url": visit.url("developers")})


def _attempt(form: forms.Form, act: Any) -> str:
    """The result as text; "" after a refusal, which the form shows."""
    try:
        return str(act())
    except (Refused, AmountUnreadable) as refusal:
        form.add_error(None, in_words_of(refusal))
        return ""


def _move(visit: Visit, wanted: str, base: str) -> str:
    zone, service = visit.shop.timezone, visit.service
    is_span = wanted[:1].isdigit() and wanted[-1:] in "wdhm"
    until = after_span(visit.now, wanted, zone) if is_span else moment_of(wanted, zone)
    with hold_due_work(visit.database, visit.shop, service.clock):
        moved = move(
            visit.database, visit.shop, until, service.open_door(), service.clock, base=base, seconds=CLOCK_SECONDS
        )
    values = {
        "now": f"{visit.local(moved.reached):%Y-%m-%d %H:%M}", "postings": moved.postings, "files": moved.files,
        "callbacks": moved.callbacks_delivered,
    }  # fmt: skip
    if not moved.done:
        return _("It is %(now)s now and there is more to do: move on again.") % values
    return (
        _("It is %(now)s now: %(files)d bank files, %(postings)d postings, %(callbacks)d callbacks delivered.") % values
    )


def _pay(visit: Visit, wanted: dict[str, str]) -> str:
    currency = currency_of(visit.shop.currency)
    amount = typed_minor(wanted["amount"], currency) if wanted["amount"] else None
    transfer = SimulatedTransfer((wanted["order"],), amount, wanted["payer"], reference=Reference(wanted["reference"]))
    with visit.transaction() as tx:
        [booking] = simulated_bank.pay(tx, transfer)
    values = {"name": booking.posting.counterparty_name, "at": f"{visit.local(booking.deliver_at):%Y-%m-%d %H:%M}"}
    return _("%(name)s has paid. The bank delivers its statement at %(at)s: move the clock on.") % values
