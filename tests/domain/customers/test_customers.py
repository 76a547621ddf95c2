"""Customers: the links to their pages, how often they may ask, what they say, and when they are asked for details."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from paymatch.domain.customers.allowances import Allowance, neighbourhood
from paymatch.domain.customers.links import NO_SHOP, SECRET_BYTES, TOKEN_LENGTH, VALID, link_token, shop_of
from paymatch.domain.customers.notices import pause_ends
from paymatch.domain.customers.refund_requests import asked_again_at, is_given_up, wants_details
from paymatch.domain.refunds.refunds import RefundStatus

SHOP = UUID("12345678-1234-5678-1234-567812345678")
FIRST = datetime(2026, 2, 27, 8, tzinfo=UTC)


def test_an_allowance_grows_back_one_after_the_other() -> None:
    allowed = Allowance(at_once=20, per_minute=5)
    assert (allowed.one, allowed.whole) == (timedelta(seconds=12), timedelta(minutes=4))


@pytest.mark.parametrize(
    ("address", "of"),
    [
        ("192.0.2.17", "192.0.2.17"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002"),
        ("2001:db8:1:2:ffff::1", "2001:0db8:0001:0002"),
        ("2001:db8:1:3::1", "2001:0db8:0001:0003"),
        ("somewhere", "somewhere"),
    ],
)
def test_a_household_counts_as_one(address: str, of: str) -> None:
    assert neighbourhood(address) == of


def test_a_link_names_its_shop_and_holds_192_random_bits() -> None:
    token = link_token(SHOP, bytes(range(24)))
    assert token == "EjRWeBI0VngSNFZ4EjRWeAABAgMEBQYHCAkKCwwNDg8QERITFBUWFw"
    assert (shop_of(token), len(token), TOKEN_LENGTH, SECRET_BYTES) == (SHOP, 54, 54, 24)
    assert timedelta(days=180) == VALID


def test_what_is_no_token_names_the_shop_that_nobody_has() -> None:
    """Signs outside of Base64 are passed over by the decoder, so the length is looked at before and after it."""
    token = link_token(SHOP, bytes(24))
    assert UUID("00000000-0000-0000-0000-000000000000") == NO_SHOP
    for wrong in ("", token[:-1], f"{token}A", f"{token[:20]}!{token[20:]}", f"{token[:-1]}!", f"{token[:-1]}ä"):
        assert shop_of(wrong) == NO_SHOP, wrong


def test_reminders_wait_five_days_for_a_payment_that_the_customer_has_made() -> None:
    assert pause_ends(FIRST) == datetime(2026, 3, 4, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "bank_code", "wanted"),
    [
        (RefundStatus.BANKDETAILS_MISSING, "", True),
        (RefundStatus.RETURNED, "AC04", True),  # the account is closed
        (RefundStatus.ERROR, "AC01", True),  # there is no such account
        (RefundStatus.ERROR, "AM04", False),  # the shop's money does not suffice
        (RefundStatus.RETURNED, "", False),
        (RefundStatus.PROCESSED, "AC04", False),
        (RefundStatus.NEW, "", False),
    ],
)
def test_customers_are_asked_for_bank_details_where_nothing_else_helps(
    status: RefundStatus, bank_code: str, wanted: bool
) -> None:
    assert wants_details(status, bank_code) is wanted


def test_customers_are_asked_four_times_then_a_person_looks() -> None:
    days = [(asked_again_at(FIRST, place) - FIRST).days for place in range(4)]
    assert days == [3, 10, 30, 37]
    assert [is_given_up(place) for place in range(5)] == [False, False, False, False, True]
