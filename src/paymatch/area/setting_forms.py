"""Forms of shop settings: fields by the settings' names, judged and written by the use case of `paymatch shop set`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import available_timezones

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.language.reader_language import in_figures
from paymatch.area.language.sentences import as_sentence
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.language.typed import typed_minor
from paymatch.area.page import Visit
from paymatch.domain.money import AmountUnreadable, Currency, minor_to_text
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import SettingRefused
from paymatch.usecases.shops import shops
from paymatch.usecases.shops.new_shop import NEW_SHOP

_SWITCH: Final = ("on", "off")
ON_OFF: Final = (lazy("On"), lazy("Off"))
ZONES: Final = "time-zones"
"""The id of the list that fields for time zones choose from."""


class SwitchInput(forms.CheckboxInput):
    """A box that says on or off as `paymatch shop set` does; not ticked, it is off."""

    def __init__(self, attrs: Any = None) -> None:
        super().__init__({"value": "on", "class": "switch", "role": "switch"} | (attrs or {}), check_test=_is_on)

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        """What was sent, as text."""
        return "on" if data.get(name) in ("on", "true", "1") else "off"

    def format_value(self, value: Any) -> str:
        """What the ticked box sends."""
        return "on"


def _is_on(value: Any) -> bool:
    return value is True or value == "on"


class SwitchField(forms.CharField):
    """A setting that is on or off, as text."""

    widget = SwitchInput


_REGIONS: Final = ("Africa/", "America/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as a form shows it; `values` are the texts to choose from, with their words."""

    name: str
    label: str | Promise
    help: str | Promise = ""
    values: tuple[tuple[str, str | Promise], ...] = ()
    secret: bool = False
    lines: int = 0  # of a text that has several
    longest: int = 1000
    several: bool = False  # of the values any number is chosen
    none: str = ""  # the text that an empty field means: off, forever
    is_money: bool = False  # of the shop's currency
    is_percent: bool = False
    is_switch: bool = False  # on or off, without other words
    picker: str = ""  # "colour" or "zone": what is chosen with help, and can be typed
    needs: str = ""  # the switch without which it does nothing; it is hidden while that is off

    def field(self, currency: str = "") -> forms.Field:
        """The field; the use case judges what it holds."""
        label = f"{self.label} ({currency})" if self.is_money and currency else self.label
        asked: dict[str, Any] = {"label": label, "help_text": self.help, "required": False}
        if self.is_switch:
            return SwitchField(**asked)
        if self.several:
            return forms.MultipleChoiceField(choices=self.values, widget=forms.CheckboxSelectMultiple, **asked)
        if self.values:
            return forms.ChoiceField(choices=self.values, **asked)
        if self.secret:
            return forms.CharField(max_length=255, widget=forms.PasswordInput(attrs={"autocomplete": "off"}), **asked)
        attrs = {"data-picker": self.picker} | ({"list": ZONES} if self.picker == "zone" else {})
        widget = (
            forms.Textarea(attrs={"rows": self.lines}) if self.lines else forms.TextInput(attrs if self.picker else {})
        )
        return forms.CharField(max_length=self.longest, widget=widget, **asked)

    def shown(self, text: str) -> str | list[str]:
        """What the field shows of the text that `paymatch shop set` takes: figures as the reader writes them."""
        if self.several:
            return [each for each in text.split(",") if each]
        if self.none and text == self.none:
            return ""
        return in_figures(text) if self.is_money or self.is_percent else text

    def is_same(self, one: str, other: str) -> bool:
        """Whether both texts mean the same: what was chosen has no order."""
        return one == other or (self.several and sorted(one.split(",")) == sorted(other.split(",")))

    def written(self, typed: str | Sequence[str], currency: str) -> str:
        """What was typed or chosen as the text that `paymatch shop set` takes; what is not a figure stays as it is."""
        if not isinstance(typed, str):
            return ",".join(typed)
        text = typed.strip()
        if not text:
            return self.none
        if self.is_percent:
            return text.replace(",", ".")
        if not self.is_money:
            return text
        try:
            return minor_to_text(typed_minor(text, Currency(currency)), Currency(currency))
        except AmountUnreadable:
            return text


def switch(
    name: str,
    label: str | Promise,
    words: tuple[str | Promise, str | Promise],
    help: str | Promise = "",
    *,
    needs: str = "",
) -> Setting:
    """A setting that is on or off."""
    values, plain = tuple(zip(_SWITCH, words, strict=True)), words == ON_OFF
    return Setting(name, label, help, () if plain else values, is_switch=plain, needs=needs)


def hours(none: str | Promise) -> tuple[tuple[str, str | Promise], ...]:
    """The hours of a day to choose from, and what none of them means."""
    return (("off", none), *((str(hour), f"{hour:02d}:00") for hour in range(24)))


def is_changed(setting: Setting, texts: Mapping[str, str]) -> bool:
    """Whether the shop's text of the setting differs from what a new shop has; False for what each shop brings."""
    usual = NEW_SHOP.get(setting.name)
    return usual is not None and not setting.is_same(texts.get(setting.name, ""), usual)


class SettingForm(forms.Form):
    """A form of some settings. A secret one that is left empty stays as it is."""

    def __init__(
        self, settings: Iterable[Setting], visit: Visit, *, initial: Mapping[str, str], data: Any = None
    ) -> None:
        self._visit, self._settings = visit, {each.name: each for each in settings}
        self._now = {name: initial.get(name, "") for name in self._settings}
        super().__init__(data, initial={name: each.shown(self._now[name]) for name, each in self._settings.items()})
        for name, each in self._settings.items():
            field, now = each.field(visit.shop.currency), self._now[name]
            if isinstance(field, forms.ChoiceField) and not each.several and now not in dict(field.choices):
                field.choices = [*field.choices, (now, now)]  # written on the command line, where more is taken
            self.fields[name] = field

    def rows(self) -> list[dict[str, Any]]:
        """The settings as their page lists them: field, whether it differs from a new shop's, and what it needs."""
        return [self._shown_row(name, each) for name, each in self._settings.items()]

    def _shown_row(self, name: str, setting: Setting) -> dict[str, Any]:
        usual = NEW_SHOP.get(name, "")
        on = not setting.needs or self._now.get(setting.needs, "on") != "off"
        changed = is_changed(setting, self._now)
        was = dict(setting.values).get(usual) or setting.shown(usual)
        if setting.is_switch:
            was = ON_OFF[usual != "on"]
        return {"field": self[name], "setting": setting, "changed": changed, "was": was, "is_hidden": not on}

    @property
    def changed_count(self) -> int:
        """How many settings differ from what a new shop has."""
        return sum(bool(row["changed"]) for row in self.rows())

    @property
    def zones(self) -> list[str]:
        """Time zones to choose from, if one of the fields asks for one."""
        asks = any(each.picker == "zone" for each in self._settings.values())
        return (
            sorted(zone for zone in available_timezones() if zone == "UTC" or zone.startswith(_REGIONS)) if asks else []
        )

    def texts(self) -> dict[str, str]:
        """Setting -> text, of what the person has changed; those that stayed are left alone."""
        values = {
            name: each.written(self.cleaned_data[name], self._visit.shop.currency)
            for name, each in self._settings.items()
            if name in self.cleaned_data
        }
        return {name: text for name, text in values.items() if not self._settings[name].is_same(text, self._now[name])}

    def clean(self) -> dict[str, Any]:
        """Each field's refusal is shown next to it."""
        for name, reason in shops.refused_settings(self._visit.shop, self.texts()).items():
            self.add_error(name, as_sentence(reason))
        return self.cleaned_data

    def save(self) -> Mapping[str, str] | None:
        """Writes what was changed, and returns it; None if the use case refused, which the form then shows."""
        wanted, visit = self.texts(), self._visit
        try:
            named = "name" in wanted
            claim = shops.free_name(visit.service.database, wanted["name"], visit.shop) if named else nullcontext()
            with claim, visit.transaction() as tx:
                if wanted:
                    shops.change(tx, wanted, allow_private=visit.service.settings.callback_allow_private)
                    shops.reconsider(tx, wanted)
        except SettingRefused as refusal:
            self.add_error(refusal.parameter if refusal.parameter in self.fields else None, in_words_of(refusal))
            return None
        return wanted


class SettingTexts(forms.Form):
    """Settings as texts; the use case judges them, and its refusal appears beside its field."""

    def __init__(self, settings: Iterable[Setting], **more: Any) -> None:
        super().__init__(**more)
        self.fields.update({each.name: each.field() for each in settings})

    def texts(self) -> dict[str, Any]:
        """Setting -> text, without blanks around it."""
        return {name: text.strip() if isinstance(text, str) else text for name, text in self.cleaned_data.items()}

    def is_saved_by(self, save: Callable[[dict[str, Any]], Any]) -> bool:
        """Whether something was typed and `save` has taken it."""
        if not (self.is_bound and self.is_valid()):
            return False
        try:
            save(self.texts())
        except SettingRefused as refused:
            name = refused.parameter if refused.parameter in self.fields else None
            self.add_error(name, as_sentence(refused.expected or refused.message))
            return False
        except Refused as refused:
            self.add_error(None, in_words_of(refused))
            return False
        return True
