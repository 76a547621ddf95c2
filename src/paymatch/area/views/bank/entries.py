"""The form for an entry that could not be read: what a person types of it."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from paymatch.area.language.figures import account_label
from paymatch.area.language.typed import typed_minor
from paymatch.area.views.orders.fields import DayField
from paymatch.domain.bank_accounts import is_iban
from paymatch.domain.money import CURRENCIES, AmountUnreadable, currency_of
from paymatch.usecases.statements.resolving import TypedEntry


class EntryForm(forms.Form):
    """An entry as the bank shows it; empty where it says nothing."""

    import_id = forms.CharField(widget=forms.HiddenInput)
    line = forms.IntegerField(widget=forms.HiddenInput)
    position = forms.IntegerField(widget=forms.HiddenInput)
    amount = forms.CharField(label=_("Amount"), max_length=30, help_text=_("12.30 for money in, -12.30 for money out"))
    currency = forms.ChoiceField(label=_("Currency"), choices=[(code, code) for code in sorted(CURRENCIES)])
    day = DayField(label=_("Booking date"))
    name = forms.CharField(label=_("Who paid, or was paid"), max_length=140, required=False)
    iban = forms.CharField(label=_("IBAN of the payer or payee"), max_length=42, required=False)
    text = forms.CharField(label=_("Payment text"), max_length=500, required=False)
    account = forms.ChoiceField(label=_("Your account"), required=False)

    def __init__(self, accounts: list[str], *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        choices = [("", _("The account of its statement"))] + [
            (account, account_label(account)) for account in accounts
        ]
        self.fields["account"].choices = choices
        for name, field in self.fields.items():
            if self.errors.get(name) and not isinstance(field.widget, forms.HiddenInput):
                field.widget.attrs["aria-invalid"] = "true"

    def clean(self) -> dict[str, Any]:
        """The amount in minor units of the currency, as `minor`; the IBAN without spaces."""
        values: dict[str, Any] = super().clean()
        values["iban"] = "".join(values.get("iban", "").split()).upper()
        if values["iban"] and not is_iban(values["iban"]):
            self.add_error("iban", _("This is not an IBAN: its check digits do not fit"))
        if "amount" in values and "currency" in values:
            try:
                values["minor"] = typed_minor(values["amount"], currency_of(values["currency"]))
            except AmountUnreadable:
                self.add_error("amount", _("Enter an amount such as 12.50"))
            else:
                if not values["minor"]:
                    self.add_error("amount", _("An entry of 0.00 is not booked"))
        return values

    def typed_entry(self) -> TypedEntry:
        """The entry of a form that is valid."""
        values = self.cleaned_data
        day: date = values["day"]
        return TypedEntry(
            values["minor"], currency_of(values["currency"]), day, values["name"], values["iban"], values["text"],
            values["account"],
        )  # fmt: skip
