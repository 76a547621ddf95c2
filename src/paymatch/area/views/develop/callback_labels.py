"""Callbacks in the words and colours of people."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from django.template.defaultfilters import floatformat
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from paymatch.area.charts import ChartPoint, shares
from paymatch.area.language.sentences import in_words
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.outbound.http import HttpLimits
from paymatch.store.callbacks.callbacks import CallbackAttempt

_ROUNDED_US: Final = 1000
"""The whole time is kept in milliseconds: a smaller rest is only its rounding."""
_EXACT_BELOW_US: Final = 9_950
_SHORTEST_US: Final = 100

Badge = tuple[str, str, str | Promise]
"""Colour, title, word."""

_STATES: Final[Mapping[CallbackStatus, tuple[str, Promise]]] = {
    CallbackStatus.PENDING: ("amber", _("Waiting")),
    CallbackStatus.WAITING: ("amber", _("After an earlier one")),
    CallbackStatus.PAUSED: ("amber", _("Paused")),
    CallbackStatus.DELIVERED: ("green", _("Delivered")),
    CallbackStatus.GIVEN_UP: ("red", _("Given up")),
    CallbackStatus.OFF: ("grey", _("Callbacks were off")),
    CallbackStatus.WITHDRAWN: ("grey", _("Undone before it was sent")),
}


def status_badge(status: CallbackStatus) -> Badge:
    """The state of a callback."""
    colour, word = _STATES[status]
    return colour, str(status), word


def answer_badge(row: Mapping[str, Any]) -> Badge | None:
    """What the last attempt was answered; None where nothing was tried yet."""
    if not row["attempts"]:
        return None
    status: int | None = row["http_status"]
    if status is None:
        return "red plain-badge", in_words(row["last_error"]), _("no answer")
    return ("grey" if not row["last_error"] else "red") + " plain-badge", phrase(status), str(status)


def phrase(status: int) -> str:
    """The status code with its standard phrase."""
    known = next((each.phrase for each in HTTPStatus if each.value == status), "")
    return f"{status} {known}".strip()


def timing(attempt: CallbackAttempt) -> dict[str, Any]:
    """How long the answer took, in milliseconds, how long it may take, in seconds, and where the time went.

    `parts`: (colour, word, time in words) of each part that the call had; none for attempts before this was measured.
    """
    parts = _parts(attempt)
    shown = [(mark, word, milliseconds(spent)) for mark, word, spent in parts]
    name = gettext("Timing") + ": " + ", ".join(f"{word} {spent}" for _mark, word, spent in shown)
    points = [
        ChartPoint("", part[2], f"{word} {spent}", mark) for part, (mark, word, spent) in zip(parts, shown, strict=True)
    ]
    return {
        "took": attempt.elapsed_ms,
        "allowed": round(HttpLimits().total_seconds),
        "allowed_ms": round(HttpLimits().total_seconds * 1000),
        "parts": shown,
        "bar": shares(points, name=name) if parts else "",
        "kept": bool(parts) and attempt.timing.connect_us is None and attempt.timing.first_byte_us is not None,
        "address": attempt.timing.address,
    }


def _parts(attempt: CallbackAttempt) -> list[tuple[str, str, int]]:
    """(colour, word, microseconds) of the parts that the call had, and of the rest if there was one."""
    measured = attempt.timing
    if not measured.is_measured:
        return []
    found = (
        ("one", gettext("name lookup"), measured.name_us),
        ("two", gettext("connection"), measured.connect_us),
        ("three", gettext("TLS"), measured.tls_us),
        ("wait", gettext("first byte"), measured.first_byte_us),
    )
    parts = [(mark, word, spent) for mark, word, spent in found if spent is not None]
    rest = attempt.elapsed_ms * 1000 - sum(spent for _mark, _word, spent in parts)
    return [*parts, ("rest", gettext("other"), rest)] if rest >= _ROUNDED_US else parts


def milliseconds(microseconds: int) -> str:
    """A time in milliseconds in the reader's way, below ten with one decimal."""
    if 0 < microseconds < _SHORTEST_US:
        return f"< {floatformat(_SHORTEST_US / 1000, 1)} ms"
    return f"{floatformat(microseconds / 1000, 1 if microseconds < _EXACT_BELOW_US else '0g')} ms"
