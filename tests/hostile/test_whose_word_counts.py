"""No typed text, chosen name or stolen key turns into money: each attack on one shop, by API and statement files.

The company's sign-in is attacked in `tests/area/test_company.py`, backups in `tests/usecases/work/test_backup.py`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.domain.money import Currency
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from tests.contract.bank import ACCOUNT, PAYER, book, entry
from tests.usecases.refunds.refund_world import RefundWorld

SWISS: Final = "CH9300762011623852957"
TYPED: Final = (
    "SW-60001 OAMT+500,00", "OAMT+500,00 SW-60001", "SW-60001 /OCMT/EUR500,00/", "SW-60001 /CHGS/EUR499,99/",
    "SW-60001 ?20OAMT+500,00", "SVWZ+SW-60001 OAMT+EUR 500,00", "SW-60001 COAM+499,99",
    f"SW-60001 /CNTP/{ACCOUNT}/X/PAYPAL EUROPE/Y//", "SW-60001 Gebuehr 499,99",
)  # fmt: skip
CHOSEN: Final = (
    {"firstName": "Vielen", "lastName": "Dank"}, {"firstName": "Rechnung", "lastName": "Zahlung"},
    {"firstName": "Bestellung", "lastName": "Nummer"}, {"lastName": "Shop"}, {"company": "PayPal"},
)  # fmt: skip


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Iterator[RefundWorld]:
    """A shop; after the attack no transfer has gone out beyond what arrived, and the books are sound."""
    found = RefundWorld(database, tmp_path)
    yield found
    assert check_shop(database, found.client.shop) == []


def swiss(world: RefundWorld) -> None:
    """The shop has an account in Swiss francs, too."""
    with world.database.of_shop(world.client.id) as tx:
        row = shop_store.AccountRow(SWISS, "CHF", "", "", "Shop", confirmed=True)
        shop_store.add_account(tx, row, world.clock.now)


def assert_no_transfer_of(world: RefundWorld, number: str, amount: float) -> None:
    """A refund of so much does not leave by itself, today or in the days after."""
    world.file(number, amount)
    for _day in range(3):
        world.pass_days(1)
        world.run()
    assert world.contents() == []
    assert world.client.rows("SELECT count(*) FROM transfers WHERE shop_id = $1") == [(0,)]


@pytest.mark.parametrize("text", TYPED)
def test_attack_one_cent_and_typed_text_pay_one_cent(world: RefundWorld, text: str) -> None:
    world.client.submit("SW-60001", amount=500)
    book(world.client, entry(text, 1))
    order = world.client.read("SW-60001")
    assert order["paymentStatus"] != "PAID"
    assert world.client.rows("SELECT sum(withheld_minor)::int FROM allocations WHERE shop_id = $1") in (
        [(None,)],
        [(0,)],
    )
    ((name, iban),) = world.client.rows("SELECT counterparty_name, counterparty_iban FROM postings WHERE shop_id = $1")
    assert "PAYPAL" not in name and ACCOUNT not in iban


def test_attack_one_cent_is_not_refunded_as_five_hundred(world: RefundWorld) -> None:
    world.client.submit("SW-60001", amount=500)
    book(world.client, entry(TYPED[0], 1))
    world.client.post("order/SW-60001/cancel", {})
    assert_no_transfer_of(world, "SW-60001", 500)


@pytest.mark.parametrize("text", ["", "RTRN+AC04"])
def test_attack_a_part_of_a_refund_with_its_reference_sends_nothing_again(world: RefundWorld, text: str) -> None:
    world.paid("SW-60002")
    refund = world.file("SW-60002", 100)
    world.pass_days(1)
    world.run()
    sent = world.end_to_end(refund)
    world.debit(10_000, sent)
    for _round in range(2):
        world.pass_days(1)
        more = {"counterparty_name": "Eva Muster", "counterparty_iban": PAYER, "end_to_end_id": sent}
        world.camt(WrittenEntry((world.posting(7_500, remittance_lines=(text,), **more),)))
        assert world.status(refund) == "PROCESSED"
        world.pass_days(2)
        world.run()
    assert len(world.contents()) == 1


@pytest.mark.parametrize("rate", [500, 0.002])
def test_attack_a_keys_rate_makes_no_large_refund_of_one_franc(world: RefundWorld, rate: float) -> None:
    swiss(world)
    world.client.submit("SW-60003", amount=500, exchangeRate=rate)
    book(world.client, entry("Bestellung SW-60003", 100), account=SWISS, currency=Currency("CHF"))
    assert_no_transfer_of(world, "SW-60003", 500)


@pytest.mark.parametrize("billing", CHOSEN, ids=lambda each: " ".join(each.values()))
def test_attack_a_chosen_name_gets_no_strangers_payment(world: RefundWorld, billing: dict[str, str]) -> None:
    world.client.submit("SW-60004", amount=77, billing={"countryCode": "DE", **billing})
    for text, name in (
        ("Vielen Dank", "Anna Schulze"), ("Rechnung Zahlung", "Bernd Adler"), ("Bestellung Nummer", "Clara Vogt"),
        ("Shop", "Dieter Wolf"), ("PayPal", "PayPal Europe"),
    ):  # fmt: skip
        book(world.client, entry(text, 7_700, name=name))
    assert world.client.status("SW-60004") == "UNPAID"


@pytest.mark.parametrize("user", ["SW-60006", "01729876543", "24122026"])
def test_attack_a_user_name_that_is_another_number_gets_no_payment(world: RefundWorld, user: str) -> None:
    world.client.submit("SW-60005", amount=77, customerNumber=user)
    book(world.client, entry(f"Bestellung {user}", 7_700, name="Anna Schulze"))
    assert world.client.status("SW-60005") == "UNPAID"


@pytest.mark.parametrize(
    ("name", "text"),
    [("Kurier Blitz GmbH", "Auszahlung SW-60007 Entgelt 40,00"), ("Kaufland Marktplatz", "Auszahlung SW-60007")],
)
@pytest.mark.parametrize("kind", ["PREPAYMENT", "COD"])
def test_attack_who_calls_himself_a_carrier_or_marketplace_keeps_nothing(
    world: RefundWorld, name: str, text: str, kind: str
) -> None:
    world.client.submit("SW-60007", amount=100, type=kind)
    book(world.client, entry(text, 8_000 if "Markt" in name else 6_000, name=name))
    assert world.client.status("SW-60007") != "PAID"


def test_attack_stated_charges_have_a_bound_and_small_ones_settle(world: RefundWorld) -> None:
    for number in ("SW-60008", "SW-60009"):
        world.client.submit(number, amount=100)
    charged = world.posting(100, remittance_lines=("SW-60008",), charges_minor=9_900)
    world.camt(WrittenEntry((charged,)))
    world.camt(WrittenEntry((replace(charged, amount_minor=9_950, remittance_lines=("SW-60009",), charges_minor=50),)))
    assert world.client.status("SW-60008") != "PAID"
    assert world.client.status("SW-60009") == "PAID"


@pytest.mark.parametrize(("minor", "paid"), [(11_700, False), (8_547, True)])
def test_attack_a_rate_is_read_in_one_direction(world: RefundWorld, minor: int, paid: bool) -> None:
    world.client.submit("SW-60010", amount=100, currency="GBP", exchangeRate=1.17)
    book(world.client, entry("Bestellung SW-60010", minor))
    assert (world.client.status("SW-60010") == "PAID") is paid


def test_attack_two_changes_of_the_time_zone_do_not_begin_the_day_anew(world: RefundWorld) -> None:
    world.client.change(refund_day_limit="60.00")
    world.paid("SW-60011", 20_000, amount=200)
    for reference in ("first", "second", "third"):
        world.file("SW-60011", 60, reference)
    world.pass_days(1)
    world.run()
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        world.client.change(timezone=zone)
        world.clock.pass_time(minutes=75)
        world.run()
    assert len(world.contents()) == 1


PAYOUTS: Final = (
    "automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,currency,gross,fee,net,"
    "reporting_category\n"
    "po_1FIRST0001,2026-02-20 00:00:00,txn_1,2026-02-18 09:00:00,eur,50.35,0.35,50.00,charge\n"
    "po_1SECOND002,2026-02-27 00:00:00,txn_2,2026-02-25 09:00:00,eur,107.95,0.35,107.60,charge\n"
)


def test_attack_who_is_called_like_a_service_and_types_an_id_ties_no_payout(world: RefundWorld) -> None:
    shop, clock = world.client, world.client.clock
    import_file(
        shop.database, shop.shop, io.BytesIO(PAYOUTS.encode()), "stripe.csv", clock.now,
        channel=StatementChannel.COMMAND_LINE,
    )  # fmt: skip
    stripe = {"name": "STRIPE PAYMENTS EUROPE", "account": "IE29AIBK93115212345678"}
    book(shop, entry("STRIPE", 5000, booking_date=date(2026, 2, 23), **stripe))
    book(shop, entry("STRIPE po_1SECOND002", 1, name=stripe["name"]))
    tied = "SELECT payout_id, short_minor FROM payouts WHERE shop_id = $1 AND posting_id <> '' ORDER BY 1"
    assert shop.rows(tied) == [("po_1FIRST0001", 0)]
    book(shop, entry("STRIPE", 10760, **stripe))
    assert shop.rows(tied) == [("po_1FIRST0001", 0), ("po_1SECOND002", 0)]


def _debited(world: RefundWorld, text: str, name: str, account: str, **more: Any) -> None:
    world.client.submit("SW-60011", amount=50)
    book(world.client, entry("Bestellung SW-60011", 5_000))
    book(world.client, entry(text, -5_000, name=name, account=account, **more))


@pytest.mark.parametrize("more", [{}, {"gvc": "159", "return_reason": "MD06"}], ids=["debit", "return of the bank"])
def test_attack_who_debits_with_a_strangers_order_number_takes_no_payment_back(
    world: RefundWorld, more: dict[str, str]
) -> None:
    _debited(world, "Retoure Bestellung SW-60011", "Lieferant GmbH", "DE02120300000000202051", **more)
    assert world.client.status("SW-60011") == "PAID"


@pytest.mark.parametrize("more", [{}, {"gvc": "159", "return_reason": "MD06"}], ids=["debit", "return of the bank"])
def test_a_payment_that_goes_back_to_its_payer_is_taken_back(world: RefundWorld, more: dict[str, str]) -> None:
    _debited(world, "Retoure Bestellung SW-60011", "Eva Muster", PAYER, **more)
    assert world.client.status("SW-60011") == ("UNPAID" if more else "REFUNDED")
