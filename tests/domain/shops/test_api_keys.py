"""API keys: they carry their shop, show little of themselves, and are kept as a hash (D-17)."""

from __future__ import annotations

import hashlib
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.shops.api_keys import (
    agency_token,
    api_key,
    hash_of,
    hint_of,
    is_agency_token,
    is_placeholder,
    shop_of,
)

SHOPS = st.uuids()
SECRETS = st.binary(min_size=24, max_size=64)


@given(SHOPS, st.booleans(), SECRETS)
def test_key_names_its_shop(shop: UUID, live: bool, secret: bytes) -> None:
    key = api_key(shop, live=live, secret=secret)
    assert shop_of(key) == shop
    assert len(key) == 62
    assert key.startswith("pm_live_" if live else "pm_test_")
    assert key.isascii()
    assert key[8:].isalnum()


@given(SHOPS, SECRETS, SECRETS)
def test_other_secrets_make_other_keys(shop: UUID, one: bytes, other: bytes) -> None:
    same = int.from_bytes(one, "big") % 62**32 == int.from_bytes(other, "big") % 62**32
    assert (api_key(shop, live=True, secret=one) == api_key(shop, live=True, secret=other)) is same


def test_largest_and_smallest_shop() -> None:
    for number in (0, 1, (1 << 128) - 1):
        assert shop_of(api_key(UUID(int=number), live=True, secret=b"x" * 32)) == UUID(int=number)


def test_an_agency_token_names_its_shop_and_is_no_key() -> None:
    token = agency_token(UUID(int=7), b"secret" * 6)
    assert token == "pm_agcy_" + KEY[8:]
    assert shop_of(token) == UUID(int=7)
    assert [is_agency_token(each) for each in (token, KEY)] == [True, False]


KEY = api_key(UUID(int=7), live=True, secret=b"secret" * 6)


@pytest.mark.parametrize(
    "text",
    ["", "pm_live_", KEY[:-1], KEY + "x", "xx" + KEY[2:], KEY.replace("pm_live_", "pm_prod_"), "pm_live_" + "-" * 54,
     "pm_live_" + "7n42DGM5Tflk9n8mt7Fhc8" + "z" * 32, "pm_live_" + "z" * 54, "pm_live_" + "ü" * 54,
     "pm_live_" + "²" * 54],
)  # fmt: skip
def test_what_is_no_key(text: str) -> None:
    assert shop_of(text) is None


@given(st.text(max_size=80))
def test_any_text_is_read_without_harm(text: str) -> None:
    found = shop_of(text)
    assert found is None or isinstance(found, UUID)


def test_hash_is_sha256_and_hint_shows_the_ends() -> None:
    assert hash_of(KEY) == hashlib.sha256(KEY.encode()).digest()
    assert hint_of(KEY) == f"pm_live_...{KEY[-4:]}"
    assert KEY[8:-4] not in hint_of(KEY)


@pytest.mark.parametrize(
    "text",
    [
        "<API_KEY>",
        "API_KEY",
        "<api_key>",
        " <API_KEY> ",
        "<YOUR_API_KEY>",
        "your api key",
        "<API-KEY>",
        "your-api-key",
        "{API_KEY}",
        "'<API_KEY>'",
    ],
)
def test_placeholders_are_known(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["", "<>", "''", KEY, f"<{KEY}>", "<KEY>", "API_KEY_1"])
def test_what_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text)
