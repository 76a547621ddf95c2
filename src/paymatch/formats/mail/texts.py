"""Texts of payment information and reminders: the default in each language, and a shop's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.formats.languages.own_words import WordsRefused, check_words
from paymatch.formats.languages.texts import LanguageTexts, words

MAX_SUBJECT: Final = 200
MAX_BODY: Final = 4000

THANKS: Final = "thanks"
SEVERAL: Final = "several"
"""Kinds of mail beside payment information (`0`) and the levels (`1` to `9`)."""

_OF_ORDER: Final = frozenset(
    {"name", "shop", "order", "date", "amount", "open", "fee", "total", "until", "level", "reference", "link"}
)
_OF_OTHERS: Final = {
    THANKS: frozenset({"name", "shop", "order", "date", "amount", "link"}),
    SEVERAL: frozenset({"name", "shop", "orders", "total", "until"}),
}


def placeholders(kind: str) -> frozenset[str]:
    """What a text of this kind of mail may hold as `{{ order }}` or `$order`."""
    return _OF_OTHERS.get(kind, _OF_ORDER)


_HOLES: Final = {name: f"{{{{ {name} }}}}" for name in _OF_ORDER.union(*_OF_OTHERS.values())}


class TextRefused(Refused):
    """A text of a shop cannot be used; the reason in words."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Subject and words of a mail, with placeholders; paragraphs are parted by an empty line."""

    subject: str
    body: str


def usual_wording(kind: str, levels: int, language: str) -> Wording:
    """How a mail is worded where the shop has no words of its own; `levels` is how many the plan has."""
    spoken = words(language)
    if kind == THANKS:
        subject, sentences = _thanks(spoken)
    elif kind == SEVERAL:
        subject, sentences = _several(spoken)
    else:
        subject, sentences = _information(spoken) if kind == "0" else _reminder(spoken, int(kind), levels)
    return Wording(subject, f"{_greeting(spoken)}\n\n{' '.join(sentences)}")


def corrected_wording(language: str) -> Wording:
    """How customers learn that the amount has changed since they were last written to."""
    spoken = words(language)
    sentences = [
        spoken.gettext("The amount of your order %(order)s of %(date)s has changed to %(amount)s.", **_HOLES),
        spoken.gettext("%(open)s is still open. Please transfer %(total)s by %(until)s.", **_HOLES),
    ]
    subject = spoken.gettext("New amount of your order %(order)s", **_HOLES)
    return Wording(subject, f"{_greeting(spoken)}\n\n{' '.join(sentences)}")


def _greeting(spoken: LanguageTexts) -> str:
    by_name, hello = spoken.gettext("Hello %(name)s,", **_HOLES), spoken.gettext("Hello,")
    return f"{{% if name %}}{by_name}{{% else %}}{hello}{{% endif %}}"


def _information(spoken: LanguageTexts) -> tuple[str, list[str]]:
    return spoken.gettext("How to pay for your order %(order)s", **_HOLES), [
        spoken.gettext(
            "Thank you for your order %(order)s of %(date)s. Please transfer %(total)s by %(until)s.", **_HOLES
        )
    ]


def _thanks(spoken: LanguageTexts) -> tuple[str, list[str]]:
    return spoken.gettext("We have received your payment for order %(order)s", **_HOLES), [
        spoken.gettext(
            "Thank you for your payment. Your order %(order)s of %(date)s is now paid in full (%(amount)s).", **_HOLES
        )
    ]


def _several(spoken: LanguageTexts) -> tuple[str, list[str]]:
    return spoken.gettext("Payment for your orders at %(shop)s", **_HOLES), [
        spoken.gettext("Several of your orders are still to be paid: %(orders)s.", **_HOLES),
        spoken.gettext(
            "Please transfer each amount with the payment reference of its order by %(until)s."
            " The total of all orders is %(total)s.",
            **_HOLES,
        ),
    ]


def _reminder(spoken: LanguageTexts, level: int, levels: int) -> tuple[str, list[str]]:
    asked = spoken.gettext("%(open)s is still open. Please transfer %(total)s by %(until)s.", **_HOLES)
    if level == 1:
        return spoken.gettext("Payment reminder for your order %(order)s", **_HOLES), [
            spoken.gettext("We have not yet received full payment for your order %(order)s of %(date)s.", **_HOLES),
            asked,
        ]
    if level < levels:
        return spoken.gettext("Payment reminder no. %(level)s for your order %(order)s", **_HOLES), [
            _still_unpaid(spoken, level),
            asked,
        ]
    return spoken.gettext("Last payment reminder for your order %(order)s", **_HOLES), [
        _still_unpaid(spoken, level),
        asked,
        spoken.gettext("This is our last reminder. Please contact us if anything is wrong."),
    ]


def _still_unpaid(spoken: LanguageTexts, level: int) -> str:
    """That the order is unpaid, with as many reminders as came before this one: `level` is at least 2."""
    if level == 2:
        return spoken.gettext("Your order %(order)s of %(date)s is still unpaid despite our reminder.", **_HOLES)
    return spoken.gettext("Your order %(order)s of %(date)s is still unpaid despite our reminders.", **_HOLES)


def _text_refused(name: str, why: str) -> TextRefused:
    return TextRefused(Message("setting-refused", setting=name, why=why), parameter=name)


def checked_wording(kind: str, subject: str, body: str) -> Wording:
    """Words of a shop for a kind of mail. TextRefused if they are empty, too long or no template of its words."""
    subject, body = " ".join(subject.split()), body.replace("\r\n", "\n").strip()
    for name, text, most in (("subject", subject, MAX_SUBJECT), ("body", body, MAX_BODY)):
        if not 1 <= len(text) <= most:
            raise _text_refused(name, Message("text-length", most=most))
        if any(ord(char) < 32 and char not in "\n\t" for char in text):
            raise _text_refused(name, Message("text-control-characters"))
        try:
            check_words(text, placeholders(kind))
        except WordsRefused as error:
            raise _text_refused(name, error.message) from None
    return Wording(subject, body)
