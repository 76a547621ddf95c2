"""Receivers: which URL and which network address the service may call (D-25).

Every part of a URL that two programs could read differently is refused, and an address is judged by a list of addresses
reachable on the public internet (IANA special-purpose registries of 2025), not by the library's `is_global`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final
from urllib.parse import quote

from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message

MAX_URL_LENGTH: Final = 2048

_URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<target>[^#]*)(?P<rest>#.*)?")
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER_LABEL: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_IDNA_DEVIATIONS: Final = frozenset("ßς\u200c\u200d")  # IDNA 2003 and 2008 send these to different hosts
_TARGET_SAFE: Final = "/?:@!$&'()*+,;=-._~%[]"

_NOT_GLOBAL_V4: Final = (
    *(IPv4Network((first << 24, 8)) for first in (0, 10, 127)),  # this network, private, loopback
    IPv4Network("100.64.0.0/10"),  # shared with the provider
    IPv4Network("168.63.129.16/32"),  # public by number, but the host's own agent inside a large cloud
    IPv4Network("169.254.0.0/16"),  # link-local, instance metadata
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv4Network("192.0.2.0/24"),  # documentation, and the next two of them
    IPv4Network("198.51.100.0/24"),
    IPv4Network("203.0.113.0/24"),
    IPv4Network("192.88.99.0/24"),  # 6to4 relays
    IPv4Network("192.168.0.0/16"),
    IPv4Network("198.18.0.0/15"),  # benchmarking
    IPv4Network("224.0.0.0/4"),  # multicast
    IPv4Network("240.0.0.0/4"),  # reserved, broadcast
)
_PRIVATE_V4: Final = (
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),
    IPv4Network("127.0.0.0/8"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.168.0.0/16"),
)
_METADATA: Final = (
    IPv4Network("169.254.0.0/16"),
    IPv4Network("100.100.100.200/32"),
    IPv4Network("168.63.129.16/32"),
    IPv4Network("192.0.0.192/32"),
    IPv6Network("fe80::/10"),
    IPv6Network("fd00:ec2::/32"),
    IPv6Network("fd00:42::42/128"),
    IPv6Network("fd20:ce::254/128"),
)
"""Where clouds serve the machine's own credentials: never called, not even if private addresses are allowed."""
_GLOBAL_V6: Final = IPv6Network("2000::/3")
_NOT_GLOBAL_V6: Final = (
    IPv6Network("2001::/23"),  # protocol assignments: Teredo, benchmarking, ORCHID
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("3fff::/20"),  # documentation
    IPv6Network("2002::/16"),  # 6to4 carries an arbitrary IPv4 address
)
_PRIVATE_V6: Final = (IPv6Network("::1/128"), IPv6Network("fc00::/7"))
_NAT64: Final = IPv6Network("64:ff9b::/96")


USUAL_PORTS: Final = frozenset({443, 80})
"""Ports that callbacks may go to; all others only if the shop's list says so."""


class ReceiverRefused(UnreadableValue):
    """The URL or the address must not be called; the text says why, for the merchant."""


@dataclass(frozen=True, slots=True)
class ReceiverAddress:
    """A checked URL: host in ASCII and lower case without trailing dot, IPv6 without brackets; target as sent."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def host_header(self) -> str:
        """The value of the Host header: brackets around IPv6, the port only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.scheme) else f"{host}:{self.port}"

    @property
    def is_literal(self) -> bool:
        """True if the host is an IP address, so there is nothing to resolve."""
        return _literal(self.host) is not None

    @property
    def is_loopback(self) -> bool:
        """True if the host is this machine: a loopback address, or the name `localhost`."""
        literal = _literal(self.host)
        return literal.is_loopback if literal is not None else self.host == "localhost"


def receiver_of(url: str, *, allow_private: bool) -> ReceiverAddress:
    """The receiver that `url` names; ReceiverRefused with the reason if it may not be called.

    A host name is not resolved here: the outgoing client judges its addresses when it calls.
    """
    match = _URL.fullmatch(url)
    if len(url) > MAX_URL_LENGTH or any(c <= " " or c in '\\"<>^`{|}' or "\x7f" <= c <= "\xa0" for c in url):
        raise ReceiverRefused(Message("url-characters"))
    if match is None:
        raise ReceiverRefused(Message("url-form"))
    scheme = match["scheme"].lower()
    if scheme != "https" and not (allow_private and scheme == "http"):
        raise ReceiverRefused(Message("url-scheme", scheme=scheme))
    if match["rest"] is not None:
        raise ReceiverRefused(Message("url-fragment"))
    host, port = _split_authority(match["authority"], _default_port(scheme))
    literal = _literal(host)
    if literal is not None:
        refuse_address(str(literal), allow_private=allow_private)
    target = quote(match["target"], safe=_TARGET_SAFE)
    return ReceiverAddress(scheme, host, port, target if target.startswith("/") else f"/{target}")


def refuse_address(address: str, *, allow_private: bool) -> None:
    """ReceiverRefused unless `address` (as a resolver gives it) is global, or private where that is allowed.

    NAT64's well-known prefix is judged by the IPv4 address inside (RFC 6052: that is where the packet goes); all
    other IPv6 forms that carry an IPv4 address are refused. Link-local addresses and those of instance metadata stay
    refused even where private ones are allowed.
    """
    literal = _literal(address)
    if literal is None or not _is_allowed(literal, allow_private=allow_private):
        raise ReceiverRefused(Message("url-address", address=str(address)))


def refuse_port(receiver: ReceiverAddress, more: Collection[int], *, allow_private: bool) -> None:
    """ReceiverRefused unless callbacks may go to this port: services behind others speak no HTTP and might obey it.

    Where private addresses are allowed, a receiver on this machine may use any port: it is still in development.
    """
    if receiver.port in USUAL_PORTS or receiver.port in more or (allow_private and receiver.is_loopback):
        return
    raise ReceiverRefused(Message("url-port", port=receiver.port))


def _is_allowed(address: IPv4Address | IPv6Address, *, allow_private: bool) -> bool:
    if any(address in network for network in _METADATA):
        return False
    if isinstance(address, IPv4Address):
        if allow_private and any(address in network for network in _PRIVATE_V4):
            return True
        return not any(address in network for network in _NOT_GLOBAL_V4)
    if address.scope_id is not None:
        return False
    if address in _NAT64:
        return _is_allowed(IPv4Address(int(address) & 0xFFFFFFFF), allow_private=False)
    if allow_private and any(address in network for network in _PRIVATE_V6):
        return True
    return address in _GLOBAL_V6 and not any(address in network for network in _NOT_GLOBAL_V6)


def _split_authority(authority: str, default_port: int) -> tuple[str, int]:
    if "@" in authority:
        raise ReceiverRefused(Message("url-password"))
    if authority.startswith("["):
        inner, bracket, port_text = authority[1:].partition("]")
        host = _ipv6_host(inner) if bracket else ""
        if not bracket or (port_text and not port_text.startswith(":")):
            raise ReceiverRefused(Message("url-host", host=repr(authority)))
        port_text = port_text or f":{default_port}"
    else:
        name, colon, digits = authority.partition(":")
        host = _host_name(name)
        port_text = f":{digits}" if colon else f":{default_port}"
    digits = port_text[1:]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 5 and 0 < int(digits) < 65536):
        raise ReceiverRefused(Message("url-no-port", port=repr(digits)))
    return host, int(digits)


def _ipv6_host(inner: str) -> str:
    try:
        address = IPv6Address(inner)
    except AddressValueError:
        raise ReceiverRefused(Message("url-host", host=f"[{inner}]")) from None
    if address.scope_id is not None:
        raise ReceiverRefused(Message("url-zone"))
    return str(address)


def _host_name(name: str) -> str:
    """`name` in ASCII; if any resolver may read it as a number, four plain decimals (127.1, 0x7f.1 are not)."""
    if any(c in _IDNA_DEVIATIONS for c in name):
        raise ReceiverRefused(Message("url-xn-form", host=repr(name)))
    try:
        host = name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise ReceiverRefused(Message("url-host", host=repr(name))) from None
    host = host.removesuffix(".")
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ReceiverRefused(Message("url-host", host=repr(name)))
    if _NUMBER_LABEL.fullmatch(labels[-1]) and not isinstance(_literal(host), IPv4Address):
        raise ReceiverRefused(Message("url-four-numbers", host=repr(name)))
    return host


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    """The IP address that `host` is, None if it is a name; leading zeros make no address (they may mean octal)."""
    try:
        return IPv6Address(host) if ":" in host else IPv4Address(host)
    except AddressValueError:
        return None


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80
