"""What is kept of a request: no account number, and only what is text."""

from __future__ import annotations

import pytest

from paymatch.domain.shops.api_requests import MOST_TEXT, as_text, without_accounts


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("iban=DE75512108001245126199", "iban=..."),
        ("from=2026-01-01&IBAN=DE75&to=2026-02-01", "from=2026-01-01&IBAN=...&to=2026-02-01"),
        ("note=iban=7", "note=iban=7"),
        ("", ""),
    ],
)
def test_account_numbers_are_left_out_of_a_query(query: str, kept: str) -> None:
    assert without_accounts(query) == kept


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"number":"7"}', '{"number":"7"}'),
        ("Größe".encode(), "Größe"),
        ("Größe".encode()[:3], "Gr"),  # cut off within a letter
        (b"a\x00b", "ab"),
        (b"\xff\xd8\xff\xe0 a picture", ""),
        (b"text, and \xff at the end: \xff", ""),
        (b"x" * (MOST_TEXT + 1), "x" * MOST_TEXT),
        ("\U0001f986".encode() * (MOST_TEXT + 1), "\U0001f986" * MOST_TEXT),
        ("\U0001f986".encode() * MOST_TEXT + b"\xff", "\U0001f986" * MOST_TEXT),  # beyond what is kept
        (b"", ""),
    ],
)
def test_the_beginning_of_a_text_is_kept_and_nothing_of_what_is_none(body: bytes, text: str) -> None:
    assert as_text(body) == text
