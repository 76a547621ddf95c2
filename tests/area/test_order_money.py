"""The money of an order on its page: trouble as a banner, overpayments kept, used and moved, what to ask back."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.words.message import Message, Sum
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.work import alerts
from paymatch.usecases.matching import assigning
from tests.area.conftest import Person
from tests.area.test_order import act, happenings, text
from tests.contract.bank import PAYER, pay
from tests.contract.client import START
from tests.usecases.refunds.refund_world import RefundWorld

ERIKA = "erika@example.com"


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    world.client.submit("O-1", amount=100, customerEmail=ERIKA)
    return sign_in(TeamRole.CLERK, world.client.shop)


def overpay(world: RefundWorld) -> None:
    """Ten euros too much on O-1."""
    pay(world.client, "O-1", 10_000)
    world.client.submit("O-1", amount=90, customerEmail=ERIKA)


def test_an_overpayment_is_kept_offered_at_the_next_order_and_taken_back(clerk: Person, world: RefundWorld) -> None:
    overpay(world)
    page = text(clerk.get("orders/O-1"))
    assert "Overpaid by 10.00" in page and "Keep as credit 10.00 EUR for the next order of this customer" in page
    done = text(act(clerk, "O-1", "keep-credit"))
    assert "What was paid too much is kept for the customer's next order." in done and "Overpaid" not in done
    assert "Kept as the customer's credit" in done and "Return for a refund" in done
    world.client.submit("O-2", amount=25, customerEmail=ERIKA)
    other = text(clerk.get("orders/O-2"))
    assert "Credit 10.00" in other and "Set 10.00 against this order" in other and "Return for" not in other
    used = text(act(clerk, "O-2", "use-credit"))
    assert "paid from the customer's credit 10.00 EUR Open amount 15.00 EUR" in used
    assert "Open amount 25.00 EUR" in text(act(clerk, "O-2", "take-back-credit"))
    assert "Refund 10.00 EUR" in text(act(clerk, "O-1", "pay-out-credit"))
    world.check()


def test_overpaid_orders_are_kept_in_bulk(clerk: Person, world: RefundWorld) -> None:
    overpay(world)
    world.client.submit("O-2", amount=25)
    chosen = {"action": "keep-credit", "order": ["O-1", "O-2"], "query": ""}
    seen = text(clerk.post("order-actions", chosen))
    assert "1 order would change" in seen and "Nothing to do: it is so already" in seen
    clerk.post("order-actions", {**chosen, "do": "1"})
    assert "Credit 10.00" in text(clerk.get("orders/O-1"))


def test_a_payment_moves_from_the_order_s_page(clerk: Person, world: RefundWorld) -> None:
    overpay(world)
    world.client.submit("O-2", amount=10)
    posting = world.client.rows("SELECT id FROM postings WHERE shop_id = $1")[0][0]
    page = clerk.get("orders/O-1").content.decode()
    assert 'name="amount" value="10.00"' in page, "what is too much of it is filled in"
    moved = text(act(clerk, "O-1", "move", posting=posting, to="O-2", amount="10.00"))
    assert "The payment is moved to order O-2." in moved
    assert (world.client.status("O-2"), "Overpaid" in moved) == ("PAID", False)
    assert "There is no order of this number" in text(act(clerk, "O-1", "move", posting=posting, to="O-9"))
    clerk.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    assert "Es gibt keine Bestellung mit dieser Nummer" in text(act(clerk, "O-1", "move", posting=posting, to="O-9"))
    clerk.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    assert "Enter an amount such as" in text(act(clerk, "O-1", "move", posting=posting, to="O-2", amount="x"))


def test_money_that_went_out_twice_reads_to_ask_back_and_may_be_noted_as_loss(
    clerk: Person, world: RefundWorld, service: Service
) -> None:
    """The open amount read 0.00 while 30.00 were missing."""
    world.client.change(refund_limit="100.00")
    pay(world.client, "O-1", 10_000)
    refund = world.file("O-1", 100)
    world.clock.pass_time(days=1)
    world.run()
    world.debit(10_000, world.end_to_end(refund))
    posting = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 10000")[0][0]
    assigning.unmatch(world.database, world.client.shop, posting, world.clock.now)
    with service.database.of_shop(world.client.id) as tx:
        said = Message("alert-given-back-twice", order="O-1", amount=Sum(10_000, "EUR"))
        alerts.add(tx, AlertKind.GIVEN_BACK_TWICE, "O-1 10000", said, START)
    answer = clerk.get("orders/O-1")
    (draft,) = {unescape(each) for each in re.findall(r'href="(mailto:[^"]+body[^"]+)"', answer.content.decode())}
    parts = urlsplit(draft)
    asked = parse_qs(parts.query)
    assert (parts.path, asked["subject"]) == (ERIKA, ["Doppelt erstattet: Bestellung O-1"])
    assert "Sie haben 100,00 EUR zu viel erhalten." in asked["body"][0]  # the customer's language, not the clerk's
    assert "IBAN: DE89370400440532013000\r\nBetrag: 100,00 EUR\r\nVerwendungszweck: O-1\r\n" in asked["body"][0]
    page = text(answer)
    assert "To ask back 100.00 EUR" in page and "Open amount" not in page and "100.00 missing" in page
    assert "Write to" in page and "Note as loss" in page and "Alert since" in page
    assert "Go to order O-1" in text(clerk.get("refunds"))
    noted = text(act(clerk, "O-1", "note-loss"))
    assert "The missing amount is recorded as a loss." in noted and "To ask back" not in noted


def test_an_alert_of_another_order_is_no_banner(clerk: Person, world: RefundWorld, service: Service) -> None:
    world.client.submit("O-12", amount=5)
    with service.database.of_shop(world.client.id) as tx:
        said = Message("alert-given-back-twice", order="O-12", amount=Sum(10_000, "EUR"))
        alerts.add(tx, AlertKind.GIVEN_BACK_TWICE, "O-12 10000", said, START)
    assert "Alert since" not in text(clerk.get("orders/O-1"))
    assert "Alert since" in text(clerk.get("orders/O-12"))


def test_a_return_that_was_returned_reads_as_money_that_came(clerk: Person, world: RefundWorld) -> None:
    world.client.submit("A-7", amount=60)
    marked: dict[str, Any] = {"is_return": True, "return_reason": "MD06", "original_end_to_end_id": "E-7"}
    for minor, more in ((6000, {"end_to_end_id": "E-7"}), (-6000, marked), (6000, marked)):
        posting = world.posting(
            minor, remittance_lines=("A-7",), counterparty_name="Eva Muster", counterparty_iban=PAYER,
            bank_reference=f"{world.client.paid}", **more,
        )  # fmt: skip
        world.camt(WrittenEntry((posting,)))
    answer = clerk.get("orders/A-7")
    assert sorted(happenings(answer)) == [
        "Open", "Paid", "Paid", "Payment", "Payment reversed", "Return reversed", "Submitted by the shop",
    ]  # fmt: skip
    assert "Credited 60.00 EUR" in text(answer)
