"""Whose word counts for where a request comes from (X-Forwarded-Proto, X-Forwarded-For), in tables."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from paymatch.front import Proxies
from paymatch.settings import Settings
from paymatch.web import Origin

HERE, PROXY, STRANGER = "127.0.0.1", "10.0.0.7", "203.0.113.9"

UNSET = Settings()
ALONE = Settings(local_requests=True)
PUBLISHED = Settings(base_url="https://pay.example.com")
NAMED = Settings(trusted_proxies=(ip_network("10.0.0.0/8"),))
HERE_NAMED = Settings(trusted_proxies=(ip_network("127.0.0.1"),))


def origin(settings: Settings, peer: str, scheme: str = "http", **headers: str) -> Origin:
    proxies = Proxies(
        settings.trusts, named=settings.names_proxies, https_needed=settings.require_https,
        local_requests=settings.local_requests, published=settings.base_url.startswith("https://"),
    )  # fmt: skip
    return proxies.origin(peer, scheme, {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize(
    ("settings", "peer", "scheme", "forwarded", "secure"),
    [
        (UNSET, HERE, "http", None, True),
        (UNSET, "::1", "http", None, True),
        (UNSET, STRANGER, "http", None, False),
        (UNSET, STRANGER, "https", None, True),
        (UNSET, STRANGER, "http", "https", False),
        (UNSET, HERE, "http", "https", True),
        (UNSET, HERE, "http", "HTTPS", True),
        (UNSET, HERE, "http", "http", False),
        (UNSET, HERE, "http", "", False),
        (UNSET, HERE, "http", "http, https", False),  # one of them the client wrote itself
        (UNSET, HERE, "http", "https, https", False),
        (UNSET, HERE, "http", "https,", False),
        (PUBLISHED, HERE, "http", None, False),  # a proxy on this machine that says nothing
        (PUBLISHED, HERE, "http", "https", True),
        (NAMED, PROXY, "http", "https", True),
        (NAMED, PROXY, "http", None, False),
        (NAMED, HERE, "http", None, False),
        (NAMED, HERE, "http", "https", False),
        (NAMED, HERE, "https", None, True),
        (NAMED, STRANGER, "http", "https", False),
        (HERE_NAMED, HERE, "http", None, False),
        (HERE_NAMED, HERE, "http", "https", True),
    ],
)
def test_https(settings: Settings, peer: str, scheme: str, forwarded: str | None, secure: bool) -> None:
    headers = {} if forwarded is None else {"x_forwarded_proto": forwarded}
    found = origin(settings, peer, scheme, **headers)
    assert found.secure is secure


def test_header_counts_by_its_exact_name_only() -> None:
    proxies = Proxies(NAMED.trusts, named=True, https_needed=True, local_requests=True, published=False)
    assert proxies.origin(PROXY, "http", {"x_forwarded_proto": "https"}).secure is False
    assert proxies.origin(PROXY, "http", {"x-forwarded-proto": "https"}).secure is True


def test_plain_http_is_as_good_where_https_is_not_needed() -> None:
    found = origin(Settings(require_https=False), STRANGER)
    assert (found.secure, found.https, found.local) == (True, False, False)


@pytest.mark.parametrize("name", ["x_forwarded_proto", "x_forwarded_for", "x_real_ip", "forwarded", "via"])
def test_request_that_a_proxy_brought_is_not_local(name: str) -> None:
    assert origin(ALONE, HERE).local is True
    assert origin(ALONE, HERE, **{name: "x"}).local is False
    assert origin(ALONE, STRANGER).local is False
    assert origin(HERE_NAMED, HERE).local is False


@pytest.mark.parametrize(
    ("settings", "peer", "forwarded", "client"),
    [
        (UNSET, STRANGER, "198.51.100.1", STRANGER),
        (UNSET, HERE, STRANGER, STRANGER),
        (UNSET, HERE, f"198.51.100.1, {STRANGER}", STRANGER),
        (NAMED, PROXY, f"198.51.100.1, {STRANGER}, 10.1.2.3", STRANGER),
        (NAMED, PROXY, "10.1.2.3, 10.1.2.4", "10.1.2.3"),
        (NAMED, PROXY, "", PROXY),
        (NAMED, PROXY, f"{STRANGER}, ", PROXY),
        (NAMED, HERE, STRANGER, HERE),
    ],
)
def test_client(settings: Settings, peer: str, forwarded: str, client: str) -> None:
    assert origin(settings, peer, x_forwarded_for=forwarded).client == client


@pytest.mark.parametrize("settings", [UNSET, PUBLISHED, NAMED, HERE_NAMED])
@pytest.mark.parametrize("peer", [HERE, "::1"])
def test_attack_by_a_proxy_on_this_machine_that_says_nothing_nobody_is_local(settings: Settings, peer: str) -> None:
    assert origin(settings, peer).local is False
