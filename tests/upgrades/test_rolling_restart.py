"""Several servers are restarted one after the other, and no order is lost; `lab.rolling` does it longer."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.upgrades.rolling import roll


@pytest.mark.long
def test_no_order_is_lost_while_servers_are_replaced(migrated_url: str, tmp_path: Path) -> None:
    shops = roll(migrated_url, tmp_path, servers=2, shops=3, rounds=1, pause=0.5)
    assert [shop.wrong for shop in shops] == [[]] * 3
    with psycopg.connect(migrated_url) as connection:
        found = [str(row[0]) for row in connection.execute("SELECT number FROM orders")]
    assert sorted(found) == sorted(number for shop in shops for number in shop.acknowledged)
    assert all(len(shop.acknowledged) > 10 for shop in shops)
    assert sum(shop.refused for shop in shops) > 0  # the shops did meet servers that were away
