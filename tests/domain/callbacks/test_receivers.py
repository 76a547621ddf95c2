"""Which URLs and addresses may be called: spellings that two programs read differently are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.callbacks.receivers import (
    ReceiverAddress,
    ReceiverRefused,
    receiver_of,
    refuse_address,
    refuse_port,
)

LONG_HOST = ".".join(["x" * 60] * 4)
"""With ten characters more it is as long as a host may be (RFC 1035, 3.1)."""

FORBIDDEN_URLS = [
    # loopback
    "https://127.0.0.1/", "https://127.0.0.1:8080/", "https://127.8.9.10/", "https://127.0.0.1./",
    "https://127.1/", "https://127.0.1/", "https://127.1./", "https://2130706433/", "https://2130706433./",
    "https://017700000001/", "https://0x7f000001/", "https://0x7F000001/", "https://0x7f.0x0.0x0.0x1/",
    "https://0x7f.1/", "https://0x7f.0.0.1/", "https://0177.0.0.1/", "https://0177.0.0.01/", "https://127.0.0.01/",
    "https://127.0.0.0x1/", "https://00127.0.0.1/", "https://4294967297/", "https://127.0.0.1.1/",
    "https://١٢٧.0.0.1/", "https://①②⑦.⓪.⓪.①/", "https://１２７.0.0.1/", "https://127。0。0。1/", "https://127．0．0．1/",
    "https://[::1]/", "https://[0:0:0:0:0:0:0:1]/", "https://[::0001]/", "https://[::]/", "https://0.0.0.0/",
    "https://0/", "https://0x0/", "https://000.000.000.000/",
    # IPv6 that carries IPv4
    "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[0:0:0:0:0:ffff:7f00:1]/", "https://[::127.0.0.1]/",
    "https://[::ffff:8.8.8.8]/", "https://[::ffff:0:127.0.0.1]/",
    "https://[64:ff9b::127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b::10.0.0.1]/", "https://[64:ff9b:1::127.0.0.1]/", "https://[64:ff9b:1::808:808]/",
    "https://[2002:7f00:1::]/", "https://[2002:a00:1::1]/", "https://[2002:808:808::1]/",
    "https://[2001:0:7f00:1::]/", "https://[2001:0000:4136:e378:8000:63bf:3fff:fdd2]/",
    # private, link-local, unique local, shared, metadata
    "https://10.0.0.1/", "https://10.255.255.255/", "https://172.16.0.1/", "https://172.31.255.255/",
    "https://192.168.0.1/", "https://100.64.0.1/", "https://100.100.100.200/", "https://169.254.169.254/latest/meta-data",
    "https://2852039166/", "https://0xa9fea9fe/", "https://0251.0376.0251.0376/", "https://168.63.129.16/",
    "https://192.0.0.192/", "https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/",
    "https://[2a00:1450::1%1]/", "https://[fec0::1]/", "https://[fc00::1]/", "https://[fd00:ec2::254]/",
    # reserved, documentation, multicast, broadcast
    "https://192.0.2.1/", "https://198.51.100.7/", "https://203.0.113.9/", "https://198.18.0.1/", "https://192.88.99.1/",
    "https://224.0.0.1/", "https://240.0.0.1/", "https://255.255.255.255/", "https://[ff02::1]/", "https://[2001:db8::1]/",
    "https://[3fff::1]/", "https://[100::1]/", "https://[5f00::1]/", "https://[2001:2::1]/", "https://[2001:20::1]/",
    # user names, other separators, escapes
    "https://example.com@127.0.0.1/", "https://example.com:443@127.0.0.1/", "https://127.0.0.1@example.com/",
    "https://example.com:pass@/", "https://@example.com/", "https://example.com%40127.0.0.1/", "https://127%2e0%2e0%2e1/",
    "https://%31%32%37.0.0.1/", "https://example.com\\@127.0.0.1/", "https:\\\\127.0.0.1/", "https:/127.0.0.1/",
    "https:127.0.0.1", "https:///127.0.0.1/", "https://127.0.0.1#@example.com/", "https://example.com#x",
    "https://exam\tple.com/", "https://example.com/\r\nX-Evil: 1", "https://example.com/ HTTP/1.1\r\nHost: x",
    "https://example.com\n/", " https://example.com/", "https://example.com/\x00", "https://example.com/\u00a0",
    "https://example.com/\x7f", f"https://{LONG_HOST}.abcdefghij/",
    "https://example.com:0/", "https://example.com:65536/", "https://example.com:/", "https://example.com:8 0/",
    "https://example.com:٤٤٣/", "https://example.com:-1/", "https://example.com:443:443/", "https://[::1/", "https://::1/",
    "https://[example.com]/", "https://[::1]x/", "https://[127.0.0.1]/", "https:///", "https://./", "https://../",
    "https://example..com/", "https://.example.com/", "https://example.com../", "https://-example.com/",
    f"https://{'a' * 64}.com/", f"https://{'a.' * 127}com/", f"https://example.com/{'a' * 2048}",
    "https://faß.example/", "https://exa\u200dmple.com/", "https://ex*mple.com/", "https://exam,ple.com/",
    # other schemes
    "http://example.com/", "HTTP://example.com/", "file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1:25/",
    "data:text/plain,x", "javascript://example.com/", "//example.com/", "example.com/", "", "https", "https://",
]  # fmt: skip

ALLOWED_URLS = [
    ("https://example.com", ReceiverAddress("https", "example.com", 443, "/")),
    ("HTTPS://Example.COM./a?b=c", ReceiverAddress("https", "example.com", 443, "/a?b=c")),
    ("https://example.com?x=1", ReceiverAddress("https", "example.com", 443, "/?x=1")),
    ("https://example.com:8443/hook/%2F?q=%20", ReceiverAddress("https", "example.com", 8443, "/hook/%2F?q=%20")),
    ("https://bücher.example/rückruf", ReceiverAddress("https", "xn--bcher-kva.example", 443, "/r%C3%BCckruf")),
    ("https://shop_1.example.com/", ReceiverAddress("https", "shop_1.example.com", 443, "/")),
    ("https://8.8.8.8/", ReceiverAddress("https", "8.8.8.8", 443, "/")),
    ("https://[2A00:1450:0::1]:444/", ReceiverAddress("https", "2a00:1450::1", 444, "/")),
    ("https://[64:ff9b::8.8.8.8]/", ReceiverAddress("https", "64:ff9b::808:808", 443, "/")),
    ("https://1.example/", ReceiverAddress("https", "1.example", 443, "/")),
    ("https://0x7f.example/", ReceiverAddress("https", "0x7f.example", 443, "/")),
    ("https://example.com/@user:pass", ReceiverAddress("https", "example.com", 443, "/@user:pass")),
    ("https://example.com:1/", ReceiverAddress("https", "example.com", 1, "/")),
    ("https://example.com:65535/", ReceiverAddress("https", "example.com", 65535, "/")),
    (f"https://{LONG_HOST}.abcdefghi/", ReceiverAddress("https", f"{LONG_HOST}.abcdefghi", 443, "/")),
]


@pytest.mark.parametrize("url", FORBIDDEN_URLS)
def test_forbidden_url_is_refused(url: str) -> None:
    with pytest.raises(ReceiverRefused):
        receiver_of(url, allow_private=False)


@pytest.mark.parametrize(("url", "expected"), ALLOWED_URLS)
def test_allowed_url_is_taken_apart(url: str, expected: ReceiverAddress) -> None:
    assert receiver_of(url, allow_private=False) == expected


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://10.0.0.1/", "address not allowed: 10.0.0.1"),
        ("http://example.com/", "URL must begin with https://, not http://"),
        ("https://u:p@example.com/", "URL must not contain a user name or password"),
        ("https://127.1/", "URL not valid: host '127.1'; write an address as four decimal numbers"),
        ("https://example.com/#x", "URL must not have a fragment (#...)"),
        ("https://example.com:99999/", "URL not valid: port '99999'"),
    ],
)
def test_refusal_says_why(url: str, text: str) -> None:
    with pytest.raises(ReceiverRefused) as refused:
        receiver_of(url, allow_private=False)
    assert str(refused.value) == text


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8411/", "http://localhost/x", "https://10.1.2.3/", "http://[::1]:80/", "http://[fd00::1]/"],
)
def test_private_receivers_are_allowed_by_setting(url: str) -> None:
    assert receiver_of(url, allow_private=True).target in ("/", "/x")


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/", "http://[fe80::1]/", "http://0.0.0.0/", "http://[::]/", "http://224.0.0.1/",
        "http://255.255.255.255/", "http://127.1/", "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::127.0.0.1]/",
        "http://[2002:7f00:1::]/", "ftp://127.0.0.1/", "http://168.63.129.16/",
    ],
)  # fmt: skip
def test_metadata_and_tricks_stay_refused_where_private_is_allowed(url: str) -> None:
    with pytest.raises(ReceiverRefused):
        receiver_of(url, allow_private=True)


@pytest.mark.parametrize("address", ["fe80::1%eth0", "2a00::1%2", "", "localhost", "127.0.0.1\n", "::ffff:1.1.1.1"])
def test_resolver_answers_are_judged_alike(address: str) -> None:
    with pytest.raises(ReceiverRefused):
        refuse_address(address, allow_private=False)


@pytest.mark.parametrize(
    ("url", "header"),
    [
        ("https://example.com/", "example.com"),
        ("https://example.com:443/", "example.com"),
        ("https://example.com:80/", "example.com:80"),
        ("https://[2a00::1]/", "[2a00::1]"),
        ("https://[2a00::1]:8443/", "[2a00::1]:8443"),
    ],
)
def test_host_header_keeps_the_name(url: str, header: str) -> None:
    assert receiver_of(url, allow_private=False).host_header == header


@given(st.ip_addresses(v=4))
def test_what_the_library_calls_private_is_never_global(address: object) -> None:
    if getattr(address, "is_private") or getattr(address, "is_multicast"):  # noqa: B009 - hypothesis types it as object
        with pytest.raises(ReceiverRefused):
            refuse_address(str(address), allow_private=False)


@given(st.text(max_size=60))
def test_any_text_is_refused_or_clean(text: str) -> None:
    try:
        receiver = receiver_of(f"https://{text}", allow_private=False)
    except ReceiverRefused:
        return
    assert receiver.host.isascii()
    assert receiver.host == receiver.host.lower()
    assert receiver.target.isascii()
    assert receiver.target.isprintable()
    assert " " not in receiver.target


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fe80::1", "fd00:ec2::254",
     "fd00:ec2::23", "fd00:42::42", "fd20:ce::254"],
)  # fmt: skip
def test_metadata_addresses_stay_refused_where_private_ones_are_allowed(address: str) -> None:
    """Before, two of the clouds' could be called with PAYMATCH_CALLBACK_ALLOW_PRIVATE, and what came back was shown."""
    for private in (False, True):
        with pytest.raises(ReceiverRefused, match="address not allowed"):
            refuse_address(address, allow_private=private)
        host = f"[{address}]" if ":" in address else address
        with pytest.raises(ReceiverRefused, match="address not allowed"):
            receiver_of(f"https://{host}/latest/meta-data/", allow_private=private)


def test_ports_are_the_usual_ones_and_those_that_the_shop_allows() -> None:
    def at(port: int, host: str = "shop.example") -> ReceiverAddress:
        return receiver_of(f"https://{host}:{port}/", allow_private=True)

    for port in (443, 80):
        refuse_port(at(port), (), allow_private=False)
    refuse_port(at(8443), [8443], allow_private=False)
    for port in (22, 25, 6379, 8443, 9200):
        for private in (False, True):
            with pytest.raises(
                ReceiverRefused, match=f"^port {port} not allowed; the shop's setting callback-ports may"
            ):
                refuse_port(at(port), [9443], allow_private=private)


def test_a_receiver_on_this_machine_may_use_any_port_where_private_addresses_are_allowed() -> None:
    for host in ("127.0.0.1", "[::1]", "localhost"):
        here = receiver_of(f"http://{host}:5005/", allow_private=True)
        refuse_port(here, (), allow_private=True)
        with pytest.raises(ReceiverRefused, match=r"^port 5005 not allowed"):
            refuse_port(here, (), allow_private=False)
    with pytest.raises(ReceiverRefused, match=r"^port 5005 not allowed"):
        refuse_port(receiver_of("http://10.0.0.1:5005/", allow_private=True), (), allow_private=True)


@pytest.mark.parametrize("port", [1, 65535])
def test_first_and_last_port_are_ports(port: int) -> None:
    assert receiver_of(f"https://example.com:{port}/", allow_private=False).port == port


@pytest.mark.parametrize(("scheme", "port"), [("https", 443), ("http", 80)])
def test_a_url_without_a_port_goes_to_the_usual_one(scheme: str, port: int) -> None:
    assert receiver_of(f"{scheme}://shop.example/callback", allow_private=True).port == port
