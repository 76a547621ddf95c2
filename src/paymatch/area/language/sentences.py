"""Sentences of the domain in the reader's language: each is a code with values, and its words are translated here."""

from __future__ import annotations

from datetime import date

from django.utils.translation import gettext, ngettext

from paymatch.area.language.figures import amount, day
from paymatch.area.language.reader_language import in_figures
from paymatch.domain.refusal import Refused
from paymatch.domain.words.english import SENTENCES
from paymatch.domain.words.message import Message, Percentage, Rate, Sum, Value, fill, in_english


def in_words(said: str) -> str:
    """The sentence in the reader's language; words without a code are unchanged."""
    if not isinstance(said, Message):
        return said
    sentence = SENTENCES[said.code]
    if isinstance(sentence, tuple):
        count = said.values["count"]
        assert isinstance(count, int), "what chooses between singular and plural is a number"
        return fill(ngettext(*sentence, count), said.values, _write_value)
    return fill(gettext(sentence), said.values, _write_value)


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
