"""Sentences of the domain in the reader's language: each is a code with values, and its words are translated here.

Sentences name moments in UTC and things by their ids, as the API and the command line do. A page of a shop shows the
shop's time (`timezone.override` around each of them), and no id that only a machine reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from paymatch.area.language.figures import amount, day, moment
from paymatch.area.language.reader_language import in_figures
from paymatch.domain.refusal import Refused
from paymatch.domain.words.english import SENTENCES
from paymatch.domain.words.message import Message, Percentage, Rate, Sum, Value, fill, in_english
from paymatch.store.ids import is_row_id

_WRITTEN_MOMENT: Final = "%Y-%m-%d %H:%M"


def in_words(said: str) -> str:
    """The sentence in the reader's language, moments in the shop's time; words without a code are unchanged."""
    if not isinstance(said, Message):
        return said
    sentence = SENTENCES[said.code]
    if isinstance(sentence, tuple):
        count = said.values["count"]
        assert isinstance(count, int), "what chooses between singular and plural is a number"
        template = ngettext(*sentence, count)
    else:
        template = gettext(sentence)
    return _filled(template, said.values)


def _filled(template: str, values: Mapping[str, Any]) -> str:
    """The translated template with its values: moments in the shop's time, ids of rows left out."""
    zone = timezone.get_current_timezone_name()
    if " UTC" in template and zone != "UTC":
        local = _local_values(values, zone)
        template, values = template.replace(" UTC", "") if local else template, {**values, **local}
    for name, value in values.items():
        if isinstance(value, str) and not isinstance(value, Message) and is_row_id(value):
            template = template.replace(f" {{{name}}}", "", 1).replace(f"{{{name}}} ", "", 1)
    return fill(template, values, _write_value)


def _local_values(values: Mapping[str, Any], zone: str) -> dict[str, Value]:
    """The values of a sentence that name its moment in UTC, in the zone: `day` and `time`, or one text of both."""
    match values:
        case {"day": date() as when, "time": str(clock)}:
            local = datetime.combine(when, time.fromisoformat(clock), UTC).astimezone(timezone.get_current_timezone())
            return {"day": local.date(), "time": f"{local:%H:%M}"}
    for name, value in values.items():
        try:
            at = datetime.strptime(value, _WRITTEN_MOMENT).replace(tzinfo=UTC) if isinstance(value, str) else None
        except ValueError:
            continue
        if at is not None:
            return {name: moment(at, zone)}
    return {}


def as_sentence(said: str) -> str:
    """The same with a capital at its beginning, unless it begins with a value such as the name of a file."""
    words = in_words(said)
    first = SENTENCES[said.code] if isinstance(said, Message) else ""
    begins_with_value = (first if isinstance(first, str) else first[0]).startswith("{")
    return words if begins_with_value else words[:1].upper() + words[1:]


def refusal(error: Exception) -> str:
    """Why something was refused, as a sentence in the reader's language."""
    return as_sentence(error.message if isinstance(error, Refused) else str(error))


def _write_value(value: Value) -> str:
    match value:
        case Sum(minor, currency):
            return f"{amount(minor, currency)} {currency}"
        case Percentage() | Rate():
            return in_figures(in_english(value))
        case date():
            return day(value)
        case str():
            return in_words(value)
        case _:
            return in_english(value)
