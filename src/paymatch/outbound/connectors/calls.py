"""Calls to shop systems: the meaning of each kind of answer, in words for the shop's owner."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypeVar

from paymatch.domain.callbacks.deliveries import retry_after_of
from paymatch.domain.words.message import Message
from paymatch.formats.connectors.foreign_orders import AnswerUnexpected, child, decode, text
from paymatch.outbound.connectors.gateway import ConnectorFailed
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, HttpDoor, HttpLimits

LIMITS: Final = HttpLimits(total_seconds=60.0, answer_bytes=8 * 1024 * 1024, wire_bytes=9 * 1024 * 1024)
"""A page of a hundred orders is far longer than an answer to a callback, and small servers take their time for it."""

MAX_WAIT: Final = timedelta(hours=24)
"""A shop that asks for more is asked again after a day."""

_NO_CLOCK: Final = datetime.max.replace(tzinfo=UTC)
"""Replaces the clock of a shop that gives none: there is then no wait until a moment."""
_MEGABYTE: Final = 1024 * 1024
_SHOWN: Final = 200
_BUSY: Final = frozenset({408, 425, 429, 503})
_REFUSED: Final = frozenset({400, 401, 403, 404})
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ShopCalls:
    """Calls to one shop. `ports`: those that it may be called at beside 443 and 80."""

    http: HttpDoor
    base: str
    ports: Collection[int] = ()

    def send(
        self,
        method: str,
        path: str,
        headers: Sequence[tuple[str, str]],
        body: Any = None,
        *,
        takes: Collection[int] = (),
    ) -> HttpAnswer:
        """The shop's answer if it is a success or has a status in `takes`; ConnectorFailed with what is wrong."""
        content = b"" if body is None else json.dumps(body).encode()
        sent = [("Accept", "application/json"), *([("Content-Type", "application/json")] if content else []), *headers]
        repeatable = method == "GET"
        try:
            answer = self.http.call(
                HttpCall(
                    f"{self.base}{path}", content, tuple(sent), method, repeatable=repeatable, more_ports=self.ports
                )
            )
        except CallFailed as error:
            raise ConnectorFailed(Message("connector-unreachable", error=_short(str(error)))) from error
        if answer.truncated:
            raise ConnectorFailed(
                Message("connector-too-long", most=LIMITS.answer_bytes // _MEGABYTE), for_a_person=True
            )
        if 200 <= answer.status < 300 or answer.status in takes:
            return answer
        raise _failure(answer)


def read(answer: HttpAnswer, reader: Callable[[bytes], Result]) -> Result:
    """What the reader makes of the answer; ConnectorFailed if it is not what was asked for."""
    try:
        return reader(answer.body)
    except AnswerUnexpected as error:
        shown = _first_words(answer)
        if "json" in answer.headers.get("content-type", "").lower():
            said = Message("connector-strange", what=_short(str(error)))
        else:
            said = Message("connector-not-json", what=shown or _short(str(error)))
        raise ConnectorFailed(said, for_a_person=True) from error


def said_at(answer: HttpAnswer) -> datetime | None:
    """What the shop's clock showed, from its Date header; None if that cannot be read."""
    try:
        found = parsedate_to_datetime(answer.headers.get("date", ""))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _failure(answer: HttpAnswer) -> ConnectorFailed:
    status, what = answer.status, words_of(answer)
    if status in _BUSY:
        wait = retry_after_of(answer.retry_after, said_at(answer) or _NO_CLOCK)
        return ConnectorFailed(
            Message("connector-later", status=status), wait=None if wait is None else min(wait, MAX_WAIT)
        )
    if 300 <= status < 400:
        return ConnectorFailed(Message("connector-redirect", status=status), for_a_person=True)
    if status == 401:
        return ConnectorFailed(Message("connector-wrong-key", status=status, what=what), for_a_person=True)
    if status == 403:
        return ConnectorFailed(Message("connector-not-allowed", status=status, what=what), for_a_person=True)
    if status == 404:
        return ConnectorFailed(Message("connector-not-found", status=status, what=what), for_a_person=True)
    return ConnectorFailed(Message("connector-failed", status=status, what=what), for_a_person=status in _REFUSED)


def words_of(answer: HttpAnswer) -> str:
    """What the shop says of an error: the message of its JSON, else the beginning of the page as plain text."""
    try:
        found = decode(answer.body)
    except AnswerUnexpected:
        return _first_words(answer)
    errors = child(found, "errors")
    first = errors[0] if isinstance(errors, list) and errors else None
    return _short(text(child(found, "message")) or text(child(first, "detail")) or text(child(first, "title")) or "-")


def _first_words(answer: HttpAnswer) -> str:
    """The first words of a page without its tags; the pattern is linear."""
    plain = re.sub(r"<[^<>]{0,500}>", " ", answer.body[:4096].decode("utf-8", "replace"))
    return _short(plain) or "-"


def _short(words: str) -> str:
    """One line of printable text."""
    plain = "".join(char if char.isprintable() else " " for char in words)
    return " ".join(plain.split())[:_SHOWN]
