"""Fields of forms that several pages have."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from paymatch.area.language.typed import typed_minor
from paymatch.domain.money import AmountUnreadable, Currency
from paymatch.domain.words.typed_days import typed_day, written_day


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
