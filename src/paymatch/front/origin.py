"""Origin of a request: its address, and whether it came by HTTPS, as seen by us or a trusted proxy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from paymatch.settings import is_loopback
from paymatch.web import Origin

_FORWARDING: Final = ("x-forwarded-proto", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via")


@dataclass(frozen=True, slots=True)
class Proxies:
    """The trusted proxies. `named`: the operator has named the proxies, so no others count.

    Without that the proxies are on this machine. A request from it without proxy headers may come from a silent proxy:
    it is local only where the operator says so (`local_requests`), and plain HTTP is taken from it only as long as the
    service is not `published` by HTTPS.
    """

    trusts: Callable[[str], bool]
    named: bool
    https_needed: bool
    local_requests: bool
    published: bool

    def origin(self, peer: str, scheme: str, headers: Mapping[str, str]) -> Origin:
        """The origin of a request; `headers` by their exact names in lower case, lines of one name with commas."""
        trusted = self.trusts(peer)
        https = scheme == "https" or (trusted and _only(headers, "x-forwarded-proto").lower() == "https")
        unmarked = is_loopback(peer) and not self.named and not any(name in headers for name in _FORWARDING)
        local = unmarked and self.local_requests
        client = self._client(headers, peer) if trusted else peer
        is_plain_taken = not self.https_needed or (unmarked and not self.published)
        return Origin(client, https=https, local=local, secure=https or local or is_plain_taken)

    def _client(self, headers: Mapping[str, str], peer: str) -> str:
        """The last address that no trusted proxy has: anyone can have written the part before it."""
        client = peer
        for element in reversed(headers.get("x-forwarded-for", "").split(",")):
            text = element.strip()
            if not text:
                break
            client = text
            if not self.trusts(text):
                break
        return client


def _only(headers: Mapping[str, str], name: str) -> str:
    """The value of a header that is there once, with one value. Of several one is not the proxy's, so none counts."""
    value = headers.get(name, "")
    return "" if "," in value else value.strip()
