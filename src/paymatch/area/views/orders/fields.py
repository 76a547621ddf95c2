"""Fields of forms that several pages have."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.language.typed import typed_minor
from paymatch.domain.money import AmountUnreadable, Currency
from paymatch.domain.refusal import Refused
from paymatch.domain.words.typed_days import typed_day, written_day
from paymatch.formats.order_files.columns import CUSTOMER

FIELD_WORDS: Final[Mapping[str, str | Promise]] = {
    "number": gettext_lazy("Order number"),
    "amount": gettext_lazy("Amount"),
    "currency": gettext_lazy("Currency"),
    "date": gettext_lazy("Ordered"),
    "dueDate": gettext_lazy("Due"),
    "type": gettext_lazy("Kind"),
    "customer": gettext_lazy("Customer"),
    "customerEmail": gettext_lazy("E-mail"),
    "customerNumber": gettext_lazy("Customer number"),
    "invoiceNumbers": gettext_lazy("Invoice numbers"),
    "shippingNumbers": gettext_lazy("Tracking numbers"),
    "proformaNumbers": gettext_lazy("Quotation numbers"),
    "marketplaceNumber": gettext_lazy("Number of the marketplace"),
    "paymentMethod": gettext_lazy("Payment method"),
    "paymentMethodDescription": gettext_lazy("Payment method in words"),
    "statusDescription": gettext_lazy("State in the shop"),
    "language": gettext_lazy("Language"),
    "exchangeRate": gettext_lazy("Exchange rate"),
    "initialDunningLevel": gettext_lazy("Reminders sent before"),
    "stopReminder": gettext_lazy("No reminders"),
    "gender": gettext_lazy("Form of address"),
    "firstName": gettext_lazy("First name"),
    "lastName": gettext_lazy("Last name"),
    "company": gettext_lazy("Company"),
    "street": gettext_lazy("Street"),
    "postCode": gettext_lazy("Postcode"),
    "city": gettext_lazy("City"),
    "countryCode": gettext_lazy("Country code"),
    "phone": gettext_lazy("Phone number"),
}
"""A field of the API in words; a part of an address by its own name."""
_FIELD_REFUSALS: Final[Mapping[str, str | Promise]] = {
    "order-parameter-missing": gettext_lazy("%(field)s is missing"),
    "parameter-not-valid": gettext_lazy("%(field)s cannot be read as it is"),
    "order-parameter-too-long-max": gettext_lazy("%(field)s has more than %(most)s characters"),
    "order-could-not-update-order": gettext_lazy("Order number %(number)s is in the file twice"),
    "order-parameter-date-must-not": gettext_lazy("The order day is in the future"),
    "order-parameter-duedate-must-not": gettext_lazy("The due day is more than six months ahead"),
}
"""Refusals of a field, in words."""


class AmountField(forms.CharField):  # type: ignore[misc,unused-ignore]
    """An amount as people type it, 1,212.50 or 1.212,50, in minor units of a currency."""

    def __init__(self, currency: str, **more: Any) -> None:
        self.currency = Currency(currency)
        super().__init__(max_length=20, **more)

    def clean(self, value: Any) -> int:
        try:
            return typed_minor(super().clean(value), self.currency)
        except AmountUnreadable:
            raise forms.ValidationError(_("Enter an amount such as 12.50")) from None


class DayField(forms.CharField):  # type: ignore[misc,unused-ignore]
    """A day as people here write it: 1.12.2026, 1 Dec 2026, 01/12/2026, 2026-12-01; None if it may be empty."""

    def __init__(self, **more: Any) -> None:
        super().__init__(max_length=40, widget=forms.TextInput(attrs={"data-day": "", "autocomplete": "off"}), **more)

    def prepare_value(self, value: Any) -> Any:
        """A day in the reader's way; what was typed stays as it is."""
        return written_day(value, get_language() or "en") if isinstance(value, date) else value

    def clean(self, value: Any) -> date | None:
        text = super().clean(value)
        found = typed_day(text)
        if text.strip() and found is None:
            example = written_day(date(2026, 12, 1), get_language() or "en")
            raise forms.ValidationError(_("Enter a day such as %(example)s") % {"example": example})
        return found


def why_refused(refusal: Refused) -> str:
    """Why an order is refused, with the field by its name on the pages instead of the API's."""
    name, _dot, part = str(refusal.message.values.get("name", "")).partition(".")
    field = CUSTOMER if name == "billing" and part in ("", "lastName", "company") else part or name
    template = _FIELD_REFUSALS.get(refusal.message.code)
    if template is not None and (field in FIELD_WORDS or not name):
        return str(template) % {**refusal.message.values, "field": FIELD_WORDS.get(field, "")}
    return in_words_of(refusal)
