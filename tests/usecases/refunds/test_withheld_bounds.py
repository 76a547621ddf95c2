"""`paymatch check` and alerts: what was withheld without a person is within the bound of whoever states it (D-84)."""

from __future__ import annotations

from typing import Any

from paymatch.domain.matching.several.payouts import MANY_CUSTOMERS
from paymatch.domain.shops.alerts import AlertKind
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.refunds.withheld_bounds import CHARGES, DISCOUNT, PAYOUT
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part, Withheld
from paymatch.usecases.refunds import proof
from paymatch.usecases.shops import shops
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from paymatch.usecases.work.check import check_shop
from tests.contract.bank import PAYER, book, entry
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld

OF_RETURNS = "what a return lacks without a person is at most a bank's charge"


def found(world: RefundWorld) -> list[tuple[str, str]]:
    """Rules about money out that do not hold, and why."""
    with world.database.of_shop(world.client.shop) as tx:
        return sorted((each.rule, each.text) for each in proof.findings(tx))


def charged(world: RefundWorld, number: str, minor: int, charges: int) -> None:
    """An order of 100.00, and a payment of which the bank says it has taken charges."""
    world.client.submit(number, amount=100)
    more: dict[str, Any] = {"counterparty_name": "Eva Muster", "counterparty_iban": PAYER}
    world.camt(WrittenEntry((world.posting(minor, charges_minor=charges, remittance_lines=(number,), **more),)))


def withhold(world: RefundWorld, number: str, minor: int, kind: str = "BANK_CHARGE") -> None:
    """The database says that so much of the order's 100.00 was withheld without a person."""
    world.client.run(
        f"UPDATE allocations SET amount_minor = 10000 - {minor}, withheld_minor = {minor}, fee_kind = '{kind}',"
        f" by_hand = false WHERE shop_id = $1 AND order_number = '{number}'"
    )
    world.client.run(
        f"UPDATE postings p SET amount_minor = 10000 - {minor}, allocated_minor = 10000 - {minor} FROM allocations a"
        f" WHERE p.shop_id = $1 AND a.shop_id = $1 AND a.posting_id = p.id AND a.order_number = '{number}'"
    )


def test_charges_within_the_bounds_are_right(world: RefundWorld) -> None:
    charged(world, "SO-87001", 9_505, 495)
    assert world.client.get("order/SO-87001").json["paymentStatus"] == "PAID"
    assert found(world) == []


def test_charges_beyond_the_bounds_are_found_and_alerted(world: RefundWorld) -> None:
    charged(world, "SO-87002", 9_505, 495)
    withhold(world, "SO-87002", 501)
    assert found(world) == [(CHARGES, "5.01 EUR withheld of 100.00 EUR")]
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        keep_alerts(tx)
    alerts = list_alerts(world.database, world.client.shop)
    (text,) = [each["text"] for each in alerts if each["kind"] == AlertKind.MONEY_OUT]
    assert text.endswith("5.01 EUR withheld of 100.00 EUR")
    assert CHARGES in {each.rule for each in check_shop(world.database, world.client.shop)}


def test_a_person_or_a_provider_may_withhold_more(world: RefundWorld) -> None:
    world.client.submit("SO-87003", amount=100)
    book(world.client, entry("Danke", 9_000))
    ((posting,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.match(
        world.database, world.client.shop, posting, [Part("SO-87003")], world.clock.now, Withheld(1_000)
    )  # fmt: skip
    assert found(world) == []
    world.client.run("UPDATE allocations SET by_hand = false WHERE shop_id = $1")
    assert [rule for rule, _ in found(world)] == [PAYOUT if fee_kind(world) != "BANK_CHARGE" else CHARGES]
    world.client.run(
        'UPDATE postings SET facts = (facts::jsonb || \'{"charges_by":"provider"}\'::jsonb)::text WHERE shop_id = $1'
    )
    assert found(world) == []


def fee_kind(world: RefundWorld) -> str:
    return str(world.client.rows("SELECT fee_kind FROM allocations WHERE shop_id = $1")[0][0])


def test_a_limit_that_was_lowered_since_makes_no_finding(world: RefundWorld) -> None:
    with world.database.of_shop(world.client.shop) as tx:
        shops.change(tx, {"fee-tolerance": "8.00"})
    charged(world, "SO-87004", 9_505, 495)
    withhold(world, "SO-87004", 800)
    with world.database.of_shop(world.client.shop) as tx:
        shops.change(tx, {"fee-tolerance": "0.00"})
    assert found(world) == []
    withhold(world, "SO-87004", 801)
    assert [rule for rule, _ in found(world)] == [CHARGES]


def test_cash_discount_beyond_what_the_shop_grants_is_found(world: RefundWorld) -> None:
    with world.database.of_shop(world.client.shop) as tx:
        shops.change(tx, {"cash-discount": "2"})
    charged(world, "SO-87005", 9_505, 495)
    withhold(world, "SO-87005", 200, "CASH_DISCOUNT")
    assert found(world) == []
    withhold(world, "SO-87005", 300, "CASH_DISCOUNT")
    assert [rule for rule, _ in found(world)] == [DISCOUNT]


def test_a_payers_fee_needs_a_payout_that_a_person_confirmed(world: RefundWorld) -> None:
    for number, account in (("SO-87006", PAYER), ("SO-87007", PAYER), ("SO-87008", ERIKA)):
        world.client.submit(number, amount=100)
        book(world.client, entry(f"Bestellung {number}", 10_000, account=account))
    for number in ("SO-87006", "SO-87007", "SO-87008"):
        withhold(world, number, 400, "DELIVERY_FEE")
    world.client.run("UPDATE postings SET collective = true WHERE shop_id = $1")
    assert [rule for rule, _ in found(world)] == [PAYOUT] * 3
    world.client.run("UPDATE allocations SET by_hand = true WHERE shop_id = $1 AND order_number = 'SO-87006'")
    world.client.run(
        "UPDATE postings SET by_hand = true WHERE shop_id = $1 AND id ="
        " (SELECT posting_id FROM allocations WHERE shop_id = $1 AND order_number = 'SO-87006')"
    )
    assert [rule for rule, _ in found(world)] == [PAYOUT]  # another account, which calls itself the same
    withhold(world, "SO-87007", 700, "DELIVERY_FEE")
    assert [text for _, text in found(world)] == ["4.00 EUR withheld of 100.00 EUR", "7.00 EUR withheld of 100.00 EUR"]


def test_what_a_return_lacks_without_a_person_is_at_most_fifteen(world: RefundWorld) -> None:
    world.paid("SO-87009")
    refund = world.file("SO-87009", 60)
    world.pass_days(1)
    world.run()
    world.debit(6_000, world.end_to_end(refund))
    world.give_back(4_500, world.end_to_end(refund))
    assert world.status(refund) == "RETURNED"
    assert found(world) == []
    world.client.run(
        "UPDATE allocations SET amount_minor = 4499, withheld_minor = 1501 WHERE shop_id = $1"
        " AND kind = 'refund-return'"
    )
    assert OF_RETURNS in [rule for rule, _ in found(world)]


def test_a_list_of_many_customers_needs_no_person(world: RefundWorld) -> None:
    """The honest twin: a carrier's list of five parcels less a usual fee, and then one parcel of the same account."""
    numbers = [f"SO-8701{place}" for place in range(MANY_CUSTOMERS)]
    for number in (*numbers, "SO-87019"):
        world.client.submit(number, amount=100)
        book(world.client, entry(f"Bestellung {number}", 10_000, account=PAYER))
    for number in (*numbers, "SO-87019"):
        withhold(world, number, 400, "DELIVERY_FEE")
    world.client.run("UPDATE postings SET collective = true WHERE shop_id = $1")
    assert [rule for rule, _ in found(world)] == [PAYOUT] * 6
    world.client.run(
        "UPDATE postings SET amount_minor = 48000, allocated_minor = 48000 WHERE shop_id = $1 AND id ="
        " (SELECT posting_id FROM allocations WHERE shop_id = $1 AND order_number = 'SO-87010')"
    )
    world.client.run(
        "UPDATE allocations SET posting_id = (SELECT posting_id FROM allocations WHERE shop_id = $1"
        " AND order_number = 'SO-87010') WHERE shop_id = $1 AND order_number <> 'SO-87019'"
    )
    assert found(world) == []
    withhold(world, "SO-87019", 2_101, "DELIVERY_FEE")
    assert [text for _, text in found(world)] == ["21.01 EUR withheld of 100.00 EUR"]
