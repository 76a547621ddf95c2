"""Which addresses mail can be sent to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.reminders.mail_addresses import mail_address

LONGEST = ".".join(["x" * 60] * 4) + ".abcdef"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("erika@example.com", "erika@example.com"),
        (" Erika.Muster+shop@Example.COM ", "Erika.Muster+shop@example.com"),
        ("eva@müller.example", "eva@xn--mller-kva.example"),
        ("o'brien@example.ie", "o'brien@example.ie"),
        ("a" * 64 + "@example.com", "a" * 64 + "@example.com"),  # RFC 5321, 4.5.3.1.1
        ("abc@" + LONGEST, "abc@" + LONGEST),  # 254 characters in all
    ],
)
def test_addresses(text: str, address: str) -> None:
    assert mail_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "", "erika", "@example.com", "erika@", "erika@localhost", "erika@example..com", "a b@example.com",
        "Erika <erika@example.com>", "a@b.example,c@d.example", "a@b.example\nBcc: c@d.example", "a@b.example\x00",
        "ä@example.com", '"a b"@example.com', "a@1.2.3.4", "a@-x.example", ".a@example.com", "a@[127.0.0.1]",
        "a" * 65 + "@example.com", "abcd@" + LONGEST, "a@" + ".".join(["x" * 60] * 5) + ".example",
    ],
)  # fmt: skip
def test_what_is_no_address(text: str) -> None:
    assert mail_address(text) is None


@given(st.text(max_size=80))
def test_an_address_is_one_line_of_ascii_and_stays_the_same(text: str) -> None:
    found = mail_address(text)
    if found is not None:
        assert found.isascii() and found.isprintable() and " " not in found and found.count("@") == 1
        assert mail_address(found) == found
