"""The library's connection over the one way out of the service: bounded, without redirects, and never logged.

Import it only where the extra `fints` is installed.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

from fints.exceptions import FinTSConnectionError
from fints.message import FinTSInstituteMessage
from fints.segments.dialog import HIRMG2, HIRMS2

from paymatch.domain.words.faults import Fault
from paymatch.domain.words.message import Message
from paymatch.outbound.http import CallFailed, HttpCall, HttpDoor

MESSAGES_AT_MOST: Final = 2_000
BYTES_AT_MOST: Final = 256 * 1024 * 1024
"""Limits of one dialogue: a bank may answer every request with "there is more"."""


class FintsUnreachable(Fault, FinTSConnectionError):  # type: ignore[misc]
    """No answer of a FinTS bank came; `message` says why."""


class BoundedConnection:
    """Posts the library's messages to one address, and remembers the codes of the last answer."""

    def __init__(self, url: str, door: HttpDoor) -> None:
        self.url = url
        self._door = door
        self.last_codes: frozenset[str] = frozenset()
        self._messages = self._bytes = 0

    def send(self, message: Any) -> Any:
        """The bank's message. FintsUnreachable: none came, not whole, not FinTS, or the dialogue does not end."""
        if self._messages >= MESSAGES_AT_MOST or self._bytes > BYTES_AT_MOST:
            raise FintsUnreachable(Message("fints-endless"))
        call = HttpCall(self.url, base64.b64encode(message.render_bytes()), (("Content-Type", "text/plain"),))
        try:
            answer = self._door.call(call)
        except CallFailed as error:
            raise FintsUnreachable(Message("fints-no-answer", why=error.message)) from None
        if not 200 <= answer.status <= 299:
            raise FintsUnreachable(Message("fints-http-status", status=answer.status))
        if answer.truncated:
            raise FintsUnreachable(Message("fints-too-long"))
        self._messages, self._bytes = self._messages + 1, self._bytes + len(answer.body)
        reply = _parse(answer.body)
        self.last_codes = frozenset(
            response.code for segment in reply.find_segments((HIRMG2, HIRMS2)) for response in segment.responses
        )
        return reply


def _parse(body: bytes) -> Any:
    try:
        content = base64.b64decode(b"".join(body.split()), validate=True)
        if not content.startswith(b"HNHBK:"):
            raise ValueError("no head")
        return FinTSInstituteMessage(segments=content)
    except (binascii.Error, ValueError):
        raise FintsUnreachable(Message("fints-unreadable")) from None
    except Exception as error:  # the library's parser raises all kinds of exceptions on unexpected data
        if isinstance(error, MemoryError):
            raise
        raise FintsUnreachable(Message("fints-unreadable")) from None
