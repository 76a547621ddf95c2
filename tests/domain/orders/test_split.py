"""A posting split over orders by hand: the parts and what was withheld add up (D-36)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.money import EUR
from paymatch.domain.orders.split import AssignmentRefused, SplitShare, missing_amount, remainder, split

TWO = (SplitShare("A", 4000), SplitShare("B", 6000))


@given(st.lists(st.integers(100, 10**6), min_size=2, max_size=20), st.data())
def test_a_fee_of_all_orders_adds_up(opens: list[int], data: st.DataObject) -> None:
    fee = data.draw(st.integers(1, sum(opens) // 2))
    shares = [SplitShare(f"A{i}", open_minor) for i, open_minor in enumerate(opens)]
    posting = sum(opens) - fee
    found = split(posting, shares, EUR, fee)
    assert [share.credited_minor for share in found] == opens
    assert sum(share.amount_minor or 0 for share in found) == posting
    assert sum(share.fee_minor for share in found) == fee
    assert missing_amount(posting, shares) == fee


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_what_is_left_goes_to_the_order_without_an_amount(given_minor: int, left: int) -> None:
    shares = [SplitShare("A", 0, given_minor), SplitShare("B", 0)]
    assert remainder(given_minor + left, shares) == left
    assert [share.amount_minor for share in split(given_minor + left, shares, EUR)] == [given_minor, left]


def test_one_order_takes_the_rest_with_its_fee() -> None:
    assert split(9600, [SplitShare("A", 0, 4000), SplitShare("B", 0)], EUR, 400) == [
        SplitShare("A", 0, 3840, 160),
        SplitShare("B", 0, 5760, 240),
    ]


def test_a_refund_is_split_without_fees() -> None:
    assert [share.amount_minor for share in split(-500, [SplitShare("A", 0)], EUR)] == [-500]
    with pytest.raises(AssignmentRefused, match="A fee is what was withheld of a payment received; give it once"):
        split(-500, [SplitShare("A", 0)], EUR, 20)


@pytest.mark.parametrize(
    ("posting", "shares", "fee", "words"),
    [
        (9600, (*TWO, TWO[0]), 0, "An order is named twice"),
        (9600, TWO, 0, "Only one order may be named without an amount"),
        (9600, TWO, 300, "The orders come to 100.00 EUR, the posting with the fee to 99.00 EUR"),
        (9600, (SplitShare("A", 0, 9700),), 0, "The parts add up to more than the posting"),
        (9600, (SplitShare("A", 0, -100),), 0, "The part for order 'A' must have the sign of the posting"),
        (9600, (SplitShare("A", 0, 9600, -1),), 0, "The fee of order 'A' must be above 0, and of a payment received"),
        (9600, (SplitShare("A", 0, 9600, 1),), 5, "A fee is what was withheld of a payment received; give it once"),
    ],
)
def test_what_does_not_add_up_is_refused(posting: int, shares: tuple[SplitShare, ...], fee: int, words: str) -> None:
    with pytest.raises(AssignmentRefused) as caught:
        split(posting, shares, EUR, fee)
    assert str(caught.value) == words


@pytest.mark.parametrize("fee", [-1, 0])
def test_a_fee_is_above_nothing(fee: int) -> None:
    if fee:
        with pytest.raises(AssignmentRefused, match="give it once"):
            split(9600, TWO, EUR, fee)
    else:
        assert split(4000, TWO[:1], EUR, fee) == [SplitShare("A", 4000, 4000, 0)]


def test_the_fee_of_one_share_and_one_of_all_are_too_many() -> None:
    with pytest.raises(AssignmentRefused, match="give it once"):
        split(9600, (SplitShare("A", 4000), SplitShare("B", 6000, None, 1)), EUR, 400)
    with pytest.raises(AssignmentRefused, match="give it once"):
        split(0, TWO, EUR, 400)


@pytest.mark.parametrize("minor", [-9600, 9600])
def test_a_share_with_a_fee_is_of_a_payment_received(minor: int) -> None:
    shares = (SplitShare("A", 0, minor, 1),)
    if minor > 0:
        assert split(minor, shares, EUR) == list(shares)
    else:
        with pytest.raises(AssignmentRefused, match="must be above 0, and of a payment received"):
            split(minor, shares, EUR)


@pytest.mark.parametrize(
    ("posting", "shares", "fee", "words"),
    [
        (9600, (SplitShare("A", 0, 400),), 400, "The fee is more than the orders are credited"),
        (9600, (SplitShare("A", 0, 399),), 400, "The fee is more than the orders are credited"),
        (9600, (SplitShare("A", 0, 0), SplitShare("B", 0, 9600)), 400, "The fee is more than the orders are credited"),
        (
            9600,
            (SplitShare("A", 0, 0), SplitShare("B", 0)),
            0,
            "The part for order 'A' must have the sign of the posting",
        ),
        (-9600, (SplitShare("A", 0, 100),), 0, "The part for order 'A' must have the sign of the posting"),
        (-9600, (SplitShare("A", 0, -9700),), 0, "The parts add up to more than the posting"),
    ],
)
def test_no_order_gets_nothing_and_no_fee_takes_all(
    posting: int, shares: tuple[SplitShare, ...], fee: int, words: str
) -> None:
    with pytest.raises(AssignmentRefused) as caught:
        split(posting, shares, EUR, fee)
    assert str(caught.value) == words


def test_single_cents_are_parts_too() -> None:
    assert split(1, [SplitShare("A", 101)], EUR, 100) == [SplitShare("A", 101, 1, 100)]
    assert split(1, [SplitShare("A", 1)], EUR) == [SplitShare("A", 1, 1)]
    assert split(-1, [SplitShare("A", 1)], EUR) == [SplitShare("A", 1, -1)]
    small = split(9600, [SplitShare("A", 0, 1), SplitShare("B", 0, 9999)], EUR, 400)
    assert [(share.amount_minor, share.fee_minor) for share in small] == [(1, 0), (9599, 400)]
