"""How often one address, and one link, may ask for customers' pages: enough for a person, too little for a program."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, ip_address


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many at once, and so many more a minute."""

    at_once: int
    per_minute: int

    @property
    def one(self) -> timedelta:
        """How long it takes until one that was taken is there again."""
        return timedelta(minutes=1) / self.per_minute

    @property
    def whole(self) -> timedelta:
        """How long it takes until all are there again."""
        return self.one * self.at_once


def neighbourhood(address: str) -> str:
    """The address, or of IPv6 the network that one customer of a provider has to himself (RFC 6177)."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return parsed.exploded[:19] if isinstance(parsed, IPv6Address) else address
