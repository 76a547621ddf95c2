"""Orders sorted by what is open: the same sequence, page by page, as all of them at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from paymatch.store.database import Database
from paymatch.store.lists.sorted_lists import AskedPage
from paymatch.usecases.orders import order_lists
from tests.usecases.refunds.refund_world import RefundWorld


def pages(world: RefundWorld, sort: str, statuses: tuple[str, ...], size: int) -> list[str]:
    """Numbers of all pages of this size, those with the most first."""
    found, after = list[str](), ""
    with world.database.of_shop(world.client.shop) as tx:
        while True:
            asked = AskedPage(size, sort=sort, is_descending=True, after=after)
            shown = order_lists.page(tx, statuses=statuses, asked=asked)
            found += [order.number for order in shown.rows]
            after = shown.next
            if not after:
                return found


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_pages_of_orders_with_the_most_open_follow_each_other(database: Database, tmp_path: Path, size: int) -> None:
    world = RefundWorld(database, tmp_path)
    for number, amount in (("A", 10), ("B", 30), ("C", 10), ("D", 20), ("E", 40)):
        world.client.submit(number, amount=amount)
    world.client.post("order/E/setpaid")
    world.client.post("order/D/cancel")
    assert pages(world, "open", (), size) == ["B", "C", "A", "E", "D"]
    assert pages(world, "open", ("PAID", "UNPAID"), size) == ["B", "C", "A", "E"]
    assert pages(world, "open", ("PAID",), size) == ["E"]
    assert pages(world, "due", (), size) == ["E", "D", "C", "B", "A"]
