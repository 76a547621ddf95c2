"""Signatures of callbacks after Standard Webhooks."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.callbacks.signatures import (
    SecretUnreadable,
    SignatureRefused,
    secret_key,
    secret_text,
    signature,
    signature_headers,
    verify,
)

KEY = bytes(range(32))
SECRET = secret_text(KEY)
OTHER = secret_text(bytes(32))
SENT_AT = datetime(2026, 3, 2, 9, 30, 15, 999999, tzinfo=UTC)
BODY = b'{"number":"4711"}'


def test_signature_of_the_published_example() -> None:
    # The test vector of the Standard Webhooks reference libraries.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    sent_at = datetime.fromtimestamp(1614265330, UTC)
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", sent_at, b'{"test": 2432232314}') == expected


def test_headers_verify() -> None:
    headers = dict(signature_headers([SECRET], "cb_1", SENT_AT, BODY))
    assert headers["webhook-id"] == "cb_1"
    assert headers["webhook-timestamp"] == "1772443815"
    verify(SECRET, headers, BODY, SENT_AT + timedelta(minutes=4))


def test_both_secrets_verify_while_a_rotation_overlaps() -> None:
    headers = dict(signature_headers([SECRET, OTHER], "cb_1", SENT_AT, BODY))
    assert headers["webhook-signature"].count("v1,") == 2
    verify(SECRET, headers, BODY, SENT_AT)
    verify(OTHER, headers, BODY, SENT_AT)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"webhook-id": "cb_2"}, "no signature matches"),
        ({"webhook-id": ""}, "a webhook header is missing"),
        ({"webhook-timestamp": "1772443816"}, "no signature matches"),
        ({"webhook-timestamp": "soon"}, "the timestamp is not a number"),
        ({"webhook-timestamp": "-1"}, "the timestamp is not a number"),
        ({"webhook-timestamp": "1772443000"}, "the timestamp is too far from now"),
        ({"webhook-signature": ""}, "no signature matches"),
        ({"webhook-signature": "v1,AAAA v1a,BBBB"}, "no signature matches"),
    ],
)
def test_changed_header_is_refused(change: dict[str, str], text: str) -> None:
    headers = dict(signature_headers([SECRET], "cb_1", SENT_AT, BODY)) | change
    with pytest.raises(SignatureRefused) as refused:
        verify(SECRET, headers, BODY, SENT_AT)
    assert str(refused.value) == text


def test_changed_body_and_foreign_secret_are_refused() -> None:
    headers = dict(signature_headers([SECRET], "cb_1", SENT_AT, BODY))
    for secret, body in ((SECRET, BODY + b" "), (OTHER, BODY)):
        with pytest.raises(SignatureRefused):
            verify(secret, headers, body, SENT_AT)


def test_future_timestamp_is_refused() -> None:
    headers = dict(signature_headers([SECRET], "cb_1", SENT_AT, BODY))
    with pytest.raises(SignatureRefused):
        verify(SECRET, headers, BODY, SENT_AT - timedelta(minutes=6))


@given(st.binary(min_size=24, max_size=64), st.binary(max_size=200))
def test_what_is_signed_verifies(key: bytes, body: bytes) -> None:
    secret = secret_text(key)
    assert secret_key(secret) == key
    verify(secret, dict(signature_headers([secret], "cb", SENT_AT, body)), body, SENT_AT)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_AAAA", "whsec_!!!!", "whsec_" + "A" * 400, "whsec_ü"])
def test_unreadable_secret_is_refused(secret: str) -> None:
    with pytest.raises(SecretUnreadable):
        secret_key(secret)


@pytest.mark.parametrize(("size", "fits"), [(23, False), (24, True), (64, True), (65, False)])
def test_a_signing_secret_has_24_to_64_bytes(size: int, fits: bool) -> None:
    secret = "whsec_" + base64.b64encode(b"k" * size).decode()
    if fits:
        assert signature(secret, "cb_1", SENT_AT, BODY).startswith("v1,")
    else:
        with pytest.raises(SecretUnreadable, match="24 to 64 bytes"):
            signature(secret, "cb_1", SENT_AT, BODY)


def test_a_timestamp_may_be_five_minutes_off() -> None:
    sent_at = SENT_AT.replace(microsecond=0)
    headers = dict(signature_headers([SECRET], "cb_1", sent_at, BODY))
    for off in (timedelta(minutes=5), timedelta(minutes=-5)):
        verify(SECRET, headers, BODY, sent_at + off)
        with pytest.raises(SignatureRefused, match="the timestamp is too far from now"):
            verify(SECRET, headers, BODY, sent_at + off * 1.01)


@pytest.mark.parametrize("foreign", [" ", "!", "-", "\n"])
def test_a_secret_with_a_foreign_character_is_refused_as_a_whole(foreign: str) -> None:
    text = secret_text(bytes(range(32)))
    assert secret_key(text) == bytes(range(32))
    with pytest.raises(SecretUnreadable):
        secret_key(text[:12] + foreign + text[12:])
