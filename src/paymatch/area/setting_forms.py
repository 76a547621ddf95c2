"""Forms of shop settings: fields by the settings' names, judged and written by the use case of `paymatch shop set`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.html import format_html

from paymatch.area.page import Visit
from paymatch.area.templatetags.wording import in_words
from paymatch.area.templatetags.wording import refusal as in_words_of
from paymatch.domain.shops.shop import SettingRefused
from paymatch.usecases import shops

_SWITCH: Final = ("on", "off")


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as a form shows it; `values` are the texts to choose from, with their words."""

    name: str
    label: str | Promise
    help: str | Promise = ""
    values: tuple[tuple[str, str | Promise], ...] = ()
    secret: bool = False
    lines: int = 0  # of a text that has several
    names: tuple[str, ...] = ()  # what may be written into it, in the command line's words

    def field(self) -> forms.Field:
        """The field; the use case judges what it holds."""
        said = format_html("{} <code>{}</code>", self.help, ", ".join(self.names)) if self.names else self.help
        asked: dict[str, Any] = {"label": self.label, "help_text": said, "required": False}
        if self.values:
            return forms.ChoiceField(choices=self.values, **asked)
        if self.secret:
            return forms.CharField(max_length=255, widget=forms.PasswordInput(attrs={"autocomplete": "off"}), **asked)
        widget = forms.Textarea(attrs={"rows": self.lines}) if self.lines else forms.TextInput()
        return forms.CharField(max_length=1000, widget=widget, **asked)


def switch(
    name: str, label: str | Promise, words: tuple[str | Promise, str | Promise], help: str | Promise = ""
) -> Setting:
    """A setting that is on or off."""
    return Setting(name, label, help, tuple(zip(_SWITCH, words, strict=True)))


class SettingForm(forms.Form):
    """A form of some settings. A secret one that is left empty stays as it is."""

    def __init__(self, settings: Iterable[Setting], visit: Visit, **more: Any) -> None:
        super().__init__(**more)
        self._visit = visit
        self.fields.update({each.name: each.field() for each in settings})
        for name, field in self.fields.items():
            now = self.initial.get(name, "")
            if isinstance(field, forms.ChoiceField) and now not in dict(field.choices):
                field.choices = [*field.choices, (now, now)]  # written on the command line, where more is taken

    def texts(self) -> dict[str, str]:
        """Setting -> text, of what the person has changed; those that stayed are left alone."""
        values = {name: text.strip() for name, text in self.cleaned_data.items()}
        return {name: text for name, text in values.items() if text != self.initial.get(name, "")}

    def clean(self) -> dict[str, Any]:
        """Each field's refusal stands beside it."""
        for name, reason in shops.refused_settings(self._visit.shop, self.texts()).items():
            self.add_error(name, in_words(reason))
        return self.cleaned_data

    def save(self) -> Mapping[str, str] | None:
        """Writes what was changed, and returns it; None if the use case refused, which then stands in the form."""
        wanted, visit = self.texts(), self._visit
        try:
            named = "name" in wanted
            claim = shops.free_name(visit.service.database, wanted["name"], visit.shop) if named else nullcontext()
            with claim, visit.transaction() as tx:
                if wanted:
                    shops.change(tx, visit.shop, wanted)
                    shops.reconsider(tx, visit.shop, wanted, visit.service.clock())
        except SettingRefused as refusal:
            self.add_error(refusal.parameter if refusal.parameter in self.fields else None, in_words_of(refusal))
            return None
        return wanted
