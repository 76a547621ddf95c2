"""Callbacks in the words and colours of people."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from paymatch.area.language.sentences import in_words
from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.outbound.http import HttpLimits

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


def timing(elapsed_ms: int) -> dict[str, int]:
    """How long the answer took, in milliseconds, and how long it may take, in seconds."""
    return {
        "took": elapsed_ms,
        "allowed": round(HttpLimits().total_seconds),
        "allowed_ms": round(HttpLimits().total_seconds * 1000),
    }
