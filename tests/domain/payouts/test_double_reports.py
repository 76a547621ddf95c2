"""Rows that come in pairs under one code: which are of one transaction, whichever files they are from."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import permutations

from paymatch.domain.payouts.double_reports import RowOfCode, name_rows
from paymatch.domain.payouts.movements import Half, Movement, MovementKind, distinct

_K = MovementKind


def happened(day: int, gross: int, kind: MovementKind, fee: int = 0, file: str = "a", place: int = 0) -> RowOfCode:
    at = datetime(2026, 11, day, 10, tzinfo=UTC)
    movement = Movement(kind, "EUR", gross, fee, "T1", payment_id="T1", at=at, half=Half.EVENT)
    return RowOfCode(file, place, movement)


def paid_out(day: int, gross: int, fee: int = 0, file: str = "a", place: int = 0) -> RowOfCode:
    kind = _K.SALE if gross > 0 else _K.REFUND
    movement = Movement(
        kind, "EUR", gross, fee, "T1", payment_id="T1", payout_id=f"PAYOUT {day}", payout_date=date(2026, 11, day),
        half=Half.PAYOUT, is_by_sign=True,
    )  # fmt: skip
    return RowOfCode(file, place, movement)


def named(rows: list[RowOfCode]) -> set[tuple[str, str, str, int]]:
    """(file, half, transaction, kind) of all rows, the same in each order of the rows."""
    found = [
        {
            (each.row.import_id, each.row.movement.half.value, each.transaction, each.kind, each.row.movement.fee_minor)
            for each in name_rows("T1", order)
        }
        for order in (rows, rows[::-1])
    ]
    assert found[0] == found[1]
    return {(f"{file} {half}", name, kind.value, fee) for file, half, name, kind, fee in found[0]}


def test_a_won_chargeback_is_not_the_sale_again() -> None:
    rows = [
        happened(2, 5877, _K.SALE, 82), paid_out(9, 5877, 82), happened(10, -5877, _K.CHARGEBACK, 1500),
        paid_out(16, -5877, 1500), paid_out(23, 5877, -1500, "b"),
    ]  # fmt: skip
    assert named(rows) == {
        ("a event", "T1 sale", "sale", 82), ("a payout", "T1 sale", "sale", 82),
        ("a event", "T1 refund -5877", "chargeback", 1500), ("a payout", "T1 refund -5877", "chargeback", 1500),
        ("b payout", "T1 sale 2", "chargeback reversed", -1500),
    }  # fmt: skip
    later = [paid_out(9, 5877, 82), happened(20, 5877, _K.CHARGEBACK_REVERSED, -1500), paid_out(23, 5877, -1500)]
    assert {(name, kind) for _, name, kind, _ in named(later)} == {
        ("T1 sale", "sale"), ("T1 sale 2", "chargeback reversed"),
    }  # fmt: skip


def test_two_refunds_of_one_amount_are_two_and_a_download_again_adds_none() -> None:
    rows = [
        happened(3, -500, _K.REFUND), happened(5, -500, _K.REFUND, place=1),
        paid_out(9, -500), paid_out(9, -500, place=1),
    ]  # fmt: skip
    again = [RowOfCode("b", each.place, each.movement) for each in rows]
    names = [each.transaction for each in name_rows("T1", rows + again)]
    assert sorted(names) == ["T1 refund -500"] * 4 + ["T1 refund -500 2"] * 4


def test_the_halves_of_a_transaction_are_one_movement() -> None:
    sale, paid = happened(2, 5877, _K.SALE).movement, paid_out(9, 5877, 82).movement
    for order in permutations((sale, paid, paid)):
        (both,) = distinct(order)
        assert (both.kind, both.fee_minor, both.payout_id, both.at) == (_K.SALE, 82, "PAYOUT 9", sale.at)


def test_money_that_comes_in_again_without_a_chargeback_moves_no_order() -> None:
    rows = [happened(2, 5877, _K.SALE, 82), paid_out(9, 5877, 82), paid_out(16, 5877, 82)]
    assert {(name, kind) for _, name, kind, _ in named(rows)} == {("T1 sale", "sale"), ("T1 sale 2", "adjustment")}
    twice = [paid_out(9, 5877, 82), paid_out(9, 5877, 82, place=1)]
    assert {(name, kind) for _, name, kind, _ in named(twice)} == {("T1 sale", "sale")}
