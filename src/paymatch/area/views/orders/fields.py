"""Fields of forms that several pages have."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from paymatch.area.queue.typed import typed_minor
from paymatch.domain.money import AmountUnreadable, Currency


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
