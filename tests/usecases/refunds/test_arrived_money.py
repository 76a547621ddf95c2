"""Money out counts what arrived, not what was credited; days are 24 hours; loosened settings wait (D-37, D-58)."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path

import pytest

from paymatch.domain.money import EUR, Currency
from paymatch.domain.refunds.refunds import HoldReason
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.shops.cooling_off import COOLING_OFF
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part, Withheld
from paymatch.usecases.matching.matching import match_due
from paymatch.usecases.refunds import refund_lists
from paymatch.usecases.shops import cooling_off, shops
from paymatch.usecases.statements import accounts
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.alerts import keep_alerts, list_alerts, resolve
from paymatch.usecases.work.check import check_shop
from tests.contract.bank import ACCOUNT, PAYER, book, entry, pay
from tests.usecases.refunds.refund_world import ERIKA, RefundWorld

SWISS = "CH9300762011623852957"
COMMAND = Actor(ActorKind.COMMAND, "eva")


def reasons(world: RefundWorld) -> list[HoldReason]:
    return [held.reason for held in world.run().held]


def posting_of(world: RefundWorld, minor: int) -> str:
    ((found,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = $2", minor)
    return str(found)


def set_by(world: RefundWorld, actor: Actor, **settings: str) -> None:
    """Settings of the shop as this actor sets them."""
    with world.database.acting_as(actor).of_shop(world.client.shop) as tx:
        shops.change(tx, {name.replace("_", "-"): value for name, value in settings.items()})


def columns(world: RefundWorld, *names: str) -> list[object]:
    (row,) = world.client.rows(f"SELECT {', '.join(names)} FROM shops WHERE shop_id = $1")
    return list(row)


def test_attack_a_withheld_amount_is_not_paid_out(world: RefundWorld) -> None:
    """One cent with 99.99 withheld credits 100.00; one cent is what goes back."""
    world.client.submit("SO-86001", amount=100)
    book(world.client, entry("Danke", 1))
    withheld = Withheld(9_999)
    assigning.match(
        world.database, world.client.shop, posting_of(world, 1), [Part("SO-86001")], world.clock.now, withheld
    )
    assert world.client.get("order/SO-86001").json["paymentStatus"] == "PAID"
    refund = world.file("SO-86001", 100)
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ACCOUNT_PAID_LESS]
    assert world.contents() == []
    (shown,) = world.client.get("refunds").json
    assert (shown["amount"], shown["arrivedAmount"], shown["arrivedFromAccount"]) == ("100.00", "0.01", "0.01")
    world.release(refund)
    assert reasons(world) == []
    world.check()
    assert "arrivedAmount" not in world.client.get("refunds").json[0]


def test_attack_a_rate_of_the_key_makes_a_large_sum_of_a_small_one(database: Database, tmp_path: Path) -> None:
    world = RefundWorld(database, tmp_path)
    with database.of_shop(world.client.id) as tx:
        row = shop_store.AccountRow(SWISS, "CHF", "", "", "Shop", confirmed=True)
        shop_store.add_account(tx, row, world.clock.now)
    world.client.submit("SO-86002", amount=500)
    book(world.client, entry("Bestellung SO-86002", 100), account=SWISS, currency=Currency("CHF"))
    posting = posting_of(world, 100)
    world.client.run(
        "INSERT INTO allocations (shop_id, posting_id, order_number, amount_minor, order_amount_minor, kind, by_hand,"
        " withheld_minor, created_at) VALUES ($1, '"
        + posting
        + "', 'SO-86002', 100, 50000, 'payment', false, 0, now())"
    )
    world.client.run("UPDATE postings SET allocated_minor = 100, status = 'matched' WHERE shop_id = $1")
    world.client.run("UPDATE orders SET postings_minor = 50000, status = 'PAID' WHERE shop_id = $1")
    world.file("SO-86002", 500)
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ACCOUNT_PAID_LESS]
    assert world.contents() == []
    with world.database.of_shop(world.client.shop) as tx:
        ((_refund, arrived),), _lacking = refund_lists.waiting_refunds(tx, 10)
    assert (arrived.in_all, arrived.account_minor) == ((("EUR", 0), ("CHF", 100)), 0)


def test_an_order_paid_by_two_accounts_goes_back_to_the_one_that_paid_enough(world: RefundWorld) -> None:
    world.client.submit("SO-86003", amount=100)
    pay(world.client, "SO-86003", 4_000, account=ERIKA)
    pay(world.client, "SO-86003", 6_000)
    world.file("SO-86003", 60)
    world.pass_days(1)
    assert reasons(world) == []
    assert len(world.contents()) == 1
    world.check()


def test_what_was_released_to_another_account_has_gone_out_for_the_order(world: RefundWorld) -> None:
    """The order is credited 199.00; once the 100.00 that arrived have gone, nothing leaves without a release."""
    world.client.submit("SO-86004", amount=199)
    book(world.client, entry("Danke", 10_000))
    posting = posting_of(world, 10_000)
    assigning.match(
        world.database, world.client.shop, posting, [Part("SO-86004")], world.clock.now, Withheld(9_900)
    )  # fmt: skip
    first = world.file("SO-86004", 99, "first")
    world.set_iban(first)
    world.release(first)
    world.pass_days(1)
    assert reasons(world) == []
    world.file("SO-86004", 99, "second", plannedDate="04-03-2026")
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ABOVE_ARRIVED]
    world.check()


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"])
def test_attack_another_time_zone_begins_no_day_anew(world: RefundWorld, zone: str) -> None:
    with world.database.of_shop(world.client.shop) as tx:
        shops.change(tx, {"refund-day-limit": "60.00"})
    world.paid("SO-86005", 20_000, amount=200)
    for reference in ("first", "second"):
        world.file("SO-86005", 60, reference)
    world.pass_days(1)
    assert reasons(world) == [HoldReason.DAY_LIMIT]
    with world.database.of_shop(world.client.shop) as tx:
        shops.change(tx, {"timezone": zone})
    assert reasons(world) == [HoldReason.DAY_LIMIT]
    world.clock.pass_time(seconds=timedelta(hours=23, minutes=59).total_seconds())
    assert reasons(world) == [HoldReason.DAY_LIMIT]
    world.clock.pass_time(minutes=2)
    assert reasons(world) == []


LOOSER = {
    "timezone": ("timezone", "Asia/Tokyo", "Europe/Berlin", "Asia/Tokyo"),
    "tolerance": ("tolerance_minor", "400", 0, 40_000),
    "fee_tolerance": ("fee_tolerance_minor", "400", 0, 40_000),
    "cash_discount": ("discount_basis_points", "20", 0, 2_000),
    "caution": ("caution", "bold", "normal", "bold"),
}


@pytest.mark.parametrize("kind", [ActorKind.COMMAND, ActorKind.PERSON, ActorKind.KEY])
@pytest.mark.parametrize("name", LOOSER)
def test_a_loosened_setting_counts_a_day_later(world: RefundWorld, name: str, kind: ActorKind) -> None:
    column, text, before, after = LOOSER[name]
    world.paid("SO-86006")
    set_by(world, Actor(kind, "eva"), **{name: text})
    assert columns(world, column) == [before]
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        assert cooling_off.apply_settled(tx) == []
        keep_alerts(tx)
        (waiting,) = cooling_off.waiting_changes(tx)
        assert (waiting.subject, waiting.counts_at) == (column, waiting.since + COOLING_OFF)
        tx.run("UPDATE new_powers SET since = since - interval '1 day' WHERE shop_id = $1", world.client.id)
        assert cooling_off.apply_settled(tx) == [column]
        assert cooling_off.apply_settled(tx) == []
    assert columns(world, column) == [after]
    kinds = [each["kind"] for each in list_alerts(world.database, world.client.shop)]
    assert AlertKind.NEW_POWER in kinds


def test_a_tightened_setting_counts_at_once_and_ends_what_waits(world: RefundWorld) -> None:
    set_by(world, COMMAND, tolerance="5.00", caution="bold")  # nothing was ever booked: there is no money to lose
    assert columns(world, "tolerance_minor", "caution") == [500, "bold"]
    world.paid("SO-86007")
    set_by(world, COMMAND, tolerance="9.00")
    set_by(world, COMMAND, tolerance="1.00", caution="cautious")
    assert columns(world, "tolerance_minor", "caution") == [100, "cautious"]
    with world.database.of_shop(world.client.shop) as tx:
        assert cooling_off.waiting_changes(tx) == []


def test_a_raised_limit_waits_at_the_command_line_too(world: RefundWorld) -> None:
    with world.database.of_shop(world.client.shop) as tx:
        shops.change(tx, {"refund-limit": "10.00"})
    world.paid("SO-86008")
    set_by(world, COMMAND, refund_limit="500.00")
    world.file("SO-86008", 60)
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ABOVE_LIMIT]


def test_payments_to_an_account_that_was_just_added_count_a_day_later(world: RefundWorld) -> None:
    world.paid("SO-86009")
    other = "DE02120300000000202051"
    accounts.add(world.database.acting_as(COMMAND), world.client.shop, other, "EUR", world.clock.now)
    world.client.submit("SO-86010", amount=100)
    book(world.client, entry("Bestellung SO-86010", 10_000, account=ERIKA), account=other)
    world.file("SO-86010", 100)
    world.pass_days(1)
    assert reasons(world) == [HoldReason.ACCOUNT_PAID_LESS]
    world.client.run("UPDATE new_powers SET since = since - interval '1 day' WHERE shop_id = $1")
    assert reasons(world) == []


def test_check_and_an_alert_say_that_more_went_out_than_arrived(world: RefundWorld) -> None:
    world.paid("SO-86011")
    world.file("SO-86011", 60)
    world.pass_days(1)
    world.run()
    world.check()
    world.client.run("UPDATE allocations SET amount_minor = 5000 WHERE shop_id = $1")
    rules = {each.rule for each in check_shop(world.database, world.client.shop)}
    assert {
        "no more goes back to an account without a release than arrived from it",
        "no more goes out for an order without a release than arrived for it",
    } <= rules
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        keep_alerts(tx)
    found = [each for each in list_alerts(world.database, world.client.shop) if each["kind"] == AlertKind.MONEY_OUT]
    assert next(each["text"] for each in found) == (
        "Money out is not proved by money in for SO-86011: 60.00 EUR went out, 50.00 EUR arrived"
    )


def test_check_says_that_an_attempt_was_sent_while_another_had_not_come_back(world: RefundWorld) -> None:
    world.paid("SO-86012")
    world.file("SO-86012", 60)
    world.pass_days(1)
    world.run()
    world.client.run(
        "INSERT INTO transfers (shop_id, end_to_end_id, refund_id, attempt, file_id, amount_minor, iban, holder,"
        " status, created_at, released) SELECT shop_id, end_to_end_id || '-2', refund_id, 2, file_id, amount_minor,"
        " iban, holder, status, created_at, true FROM transfers WHERE shop_id = $1"
    )
    rules = {each.rule for each in check_shop(world.database, world.client.shop)}
    assert "each attempt of a refund is sent once" in rules


def broken_statement(world: RefundWorld, text: str, minor: int) -> None:
    """A camt.053 whose closing balance is 5.00 more than its entries say."""
    day = world.clock.now.date()
    payment = world.posting(minor, counterparty_name="Eva Muster", counterparty_iban=PAYER, remittance_lines=(text,))
    statement = CamtStatement(
        ACCOUNT, EUR, 100_000, day - timedelta(days=1), day, "ST1", 1, (WrittenEntry((payment,)),)
    )
    data = write_camt([statement], world.clock.now, message_id="M1")
    closing = f"{(100_000 + minor) / 100:.2f}".encode()
    assert closing in data
    wrong = data.replace(closing, f"{(100_500 + minor) / 100:.2f}".encode())
    import_file(world.database, world.client.shop, io.BytesIO(wrong), "1.xml", world.clock.now, channel=world.channel)


def test_a_statement_that_does_not_add_up_makes_nothing_paid_until_a_person_has_looked(world: RefundWorld) -> None:
    world.client.submit("SO-86013", amount=100)
    broken_statement(world, "Bestellung SO-86013", 10_000)
    ((status, code),) = world.client.rows(
        "SELECT status, decision::json->'heldBackReason'->>'code' FROM postings WHERE shop_id = $1"
    )
    assert (status, code) == ("suggested", "statement-does-not-add-up")
    assert world.client.get("order/SO-86013").json["paymentStatus"] == "UNPAID"
    with world.database.of_shop(world.client.shop, at=world.clock.now) as tx:
        keep_alerts(tx)
    alerts = [each for each in list_alerts(world.database, world.client.shop) if each["kind"] == "balance-mismatch"]
    resolve(world.database, world.client.shop, alerts[0]["id"], world.clock.now)
    match_due(world.database, world.client.shop, world.clock.now)
    assert world.client.get("order/SO-86013").json["paymentStatus"] == "PAID"


@pytest.mark.parametrize("first", ["return", "debit"])
def test_a_return_and_its_debit_end_alike_whichever_comes_first(world: RefundWorld, first: str) -> None:
    world.client.submit("SO-86014", amount=100)
    names = {"counterparty_name": "Eva Muster", "counterparty_iban": PAYER}
    back = world.posting(10_000, is_return=True, return_reason="AC04", remittance_lines=("SO-86014",), **names)
    debit = world.posting(-10_000, remittance_lines=("SO-86014",), **names)
    for posting in (back, debit) if first == "return" else (debit, back):
        world.camt(WrittenEntry((posting,)))
    rows = world.client.rows(
        "SELECT amount_minor, status, decision::json->'heldBackReason'->>'code' FROM postings WHERE shop_id = $1"
        " ORDER BY amount_minor"
    )
    assert [(row[0], row[1]) for row in rows] == [(-10_000, "suggested"), (10_000, "unmatched")]
    assert rows[1][2] == "reverses-unpaid"
    assert world.client.get("order/SO-86014").json["paymentStatus"] == "UNPAID"
