"""Terms of an order's electronic invoices, and how they differ from the order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.figures import amount, day
from paymatch.domain.orders.invoice_terms import Difference, InvoiceField, InvoiceTerms
from paymatch.usecases.orders.invoice_terms import ComparedInvoice

_FIELDS: Final = {
    InvoiceField.NUMBER: gettext_lazy("Invoice number"),
    InvoiceField.CURRENCY: gettext_lazy("Currency"),
    InvoiceField.AMOUNT: gettext_lazy("Amount"),
    InvoiceField.DUE_DATE: gettext_lazy("Due date"),
}


def stated_terms(invoices: Sequence[ComparedInvoice]) -> dict[str, dict[str, Any]]:
    """By invoice number: lines that say what it states, and what differs from the order."""
    return {
        each.invoice_number: {
            "lines": _lines(each.terms) if each.terms else [],
            "unread": each.unread,
            "differences": [_differs(one, each.terms) for one in each.differences if each.terms],
            "is_taken": each.is_taken,
        }
        for each in invoices
    }


def _lines(terms: InvoiceTerms) -> list[str]:
    found = [f"{terms.syntax}: {amount(terms.amount_due_minor, terms.currency)} {terms.currency}"]
    if terms.is_credit_note:
        found.append(_("credit note"))
    if terms.due_date is not None:
        found.append(_("due {day}").format(day=day(terms.due_date)))
    for offer in terms.discounts:
        share = f"{offer.basis_points // 100}.{offer.basis_points % 100:02d}"
        deducted = f"{amount(offer.amount_minor, terms.currency)} {terms.currency}"
        words = _("{share} % cash discount ({amount}) until {day}")
        found.append(words.format(share=share, amount=deducted, day=day(offer.last_day)))
    found += [_("cannot be read: {text}").format(text=text) for text in terms.unread]
    return found


def _differs(found: Difference, terms: InvoiceTerms) -> str:
    """`Amount: 119.00 on the invoice, 120.00 in the order`."""
    words = _("{field}: {invoice} on the invoice, {order} in the order")
    return words.format(
        field=_FIELDS[found.field], invoice=_term_text(found.invoice, terms), order=_term_text(found.order, terms)
    )


def _term_text(value: str | int | date, terms: InvoiceTerms) -> str:
    if isinstance(value, date):
        return str(day(value))
    return f"{amount(value, terms.currency)} {terms.currency}" if isinstance(value, int) else value
