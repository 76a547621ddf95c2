"""EBICS over HTTPS, through the one way out of the service."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from paymatch.domain.words.message import Message
from paymatch.outbound.ebics.failures import EbicsUnreachable
from paymatch.outbound.http import CallFailed, HttpCall, HttpDoor, HttpLimits

LIMITS: Final = HttpLimits(total_seconds=60.0, answer_bytes=4 * 1024 * 1024, wire_bytes=6 * 1024 * 1024)
"""A segment of 1 MB with its envelope; banks sign and encrypt while we wait."""


class HttpTransport:
    """Posts each message to one address."""

    def __init__(self, door: HttpDoor, url: str, ports: Collection[int] = ()) -> None:
        """`ports`: those that the bank may be reached at beside 443."""
        self._door = door
        self._url = url
        self._ports = ports

    def post(self, message: bytes) -> bytes:
        """The answer. EbicsUnreachable: none came, not whole, or with another status than 200."""
        headers = (("Content-Type", "text/xml; charset=UTF-8"), ("User-Agent", "paymatch"))
        try:
            answer = self._door.call(HttpCall(self._url, message, headers, more_ports=self._ports))
        except CallFailed as error:
            raise EbicsUnreachable(Message("ebics-no-answer", why=str(error))) from None
        if answer.status != 200 or answer.truncated:
            raise EbicsUnreachable(Message("ebics-no-answer", why=f"HTTP {answer.status}"))
        return answer.body
