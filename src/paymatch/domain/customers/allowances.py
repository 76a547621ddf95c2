"""Rate limits of customers' pages per address and per link: enough for a person, too little for a program."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, ip_address


@dataclass(frozen=True, slots=True)
class Allowance:
    """Burst size, and refill per minute."""

    at_once: int
    per_minute: int

    @property
    def one(self) -> timedelta:
        """Time until one taken request is available again."""
        return timedelta(minutes=1) / self.per_minute

    @property
    def whole(self) -> timedelta:
        """Time until the whole burst is available again."""
        return self.one * self.at_once


def neighbourhood(address: str) -> str:
    """The address, or of IPv6 the network that one customer of a provider has to himself (RFC 6177)."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return parsed.exploded[:19] if isinstance(parsed, IPv6Address) else address
