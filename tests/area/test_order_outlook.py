"""What an order of the form would bring about: the same as once it is stored, and nothing is stored before."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.domain.reminders.policy import PlannedReminder
from paymatch.store.orders.order_json import Include
from paymatch.store.reminders import reminders
from paymatch.usecases.customers import order_pages
from paymatch.usecases.desk import order_outlook
from paymatch.usecases.orders import made_here, orders
from paymatch.usecases.reminders.reminder_lists import next_of
from tests.area.conftest import Person
from tests.area.test_new_order import FORM
from tests.area.test_order import text
from tests.area.test_order_money import ERIKA, overpay
from tests.usecases.refunds.refund_world import RefundWorld

LOOK = FORM | {"do": "preview", "email": "einkauf@example.org"}


@pytest.fixture
def clerk(world: RefundWorld, sign_in: Callable[..., Person]) -> Person:
    world.client.change(mail_from="shop@example.org", payment_information="on", reminders="on")
    return sign_in(TeamRole.CLERK, world.client.shop)


def shown(person: Person, path: str = "new-order", **typed: str) -> str:
    """The part beside the form, in words."""
    answer = person.post(path, LOOK | typed)
    assert answer.status_code == 200
    (part,) = re.findall(r'id="order-outlook".*?</form>', answer.content.decode(), re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", part.partition(">")[2]).split()).replace("&nbsp;", " ").replace("\xa0", " ")


def stored_rows(world: RefundWorld) -> dict[str, int]:
    """Table -> rows of the shop, for every table that has shops."""
    named = "SELECT table_name FROM information_schema.columns WHERE column_name = 'shop_id' AND $1::uuid IS NOT NULL"
    count = "SELECT count(*) FROM {} WHERE shop_id = $1"
    return {table: world.client.rows(count.format(table))[0][0] for (table,) in world.client.rows(named)}


def test_what_happens_is_shown_before_anything_is_stored(clerk: Person, world: RefundWorld) -> None:
    before = stored_rows(world)
    page = shown(clerk)
    assert "Payment information is sent at once to einkauf@example.org" in page
    assert "First reminder on" in page and "further ones:" in page and "Due on" in page
    assert "Your shop system is not informed: callbacks are off" in page
    assert "Text 10426 Amount 318.60 EUR Once it is created, the order has a payment reference of its own" in page
    assert stored_rows(world) == before
    assert before["orders"] == 0


def test_it_is_what_the_stored_order_does(clerk: Person, world: RefundWorld) -> None:
    """The first mail, the day of each reminder, account and due date are those of the order once it is there."""
    document = {
        "number": "T-1", "date": "14-03-2026", "type": "INVOICE", "amount": "318.60", "currency": "EUR",
        "customerEmail": "einkauf@example.org", "billing": {"lastName": "Meer", "countryCode": "DE"},
    }  # fmt: skip
    shop = world.client.shop
    with world.client.database.of_shop(shop, at=world.client.clock()) as tx:
        document["date"] = f"{tx.today:%d-%m-%Y}"
        foreseen = order_outlook.foresee(tx, document, is_new=True)
        assert not orders.exists(tx, "T-1")
        made_here.make(tx, document)
        page = order_pages.view(tx, "T-1")
        (row,) = reminders.load(tx, ["T-1"], shop.tolerance_minor, tx.now)
        first = next_of(tx, row)
    assert isinstance(first, PlannedReminder)
    assert foreseen.mails[0] == first
    assert foreseen.to_pay is not None and page.to_pay is not None
    assert (foreseen.to_pay.iban, foreseen.to_pay.amount) == (page.to_pay.iban, page.to_pay.amount)
    assert foreseen.to_pay.until == page.to_pay.until
    assert foreseen.open == page.amount


def test_fields_that_are_empty_yet_are_no_faults(clerk: Person) -> None:
    assert "it says here what is sent to whom" in shown(clerk, number="", amount="", customer="", email="")
    assert shown(clerk, number="", amount="12O", customer="") == "What happens Amount: Enter an amount such as 12.50"
    clerk.post("new-order", FORM | {"email": LOOK["email"]})
    found = shown(clerk, number="10427")
    assert "Hotel Meeresblick is known : 1 order. Address and language are those of the last order, 10426" in found
    assert "This customer has" not in found, "said once"
    assert "other order" not in shown(clerk, number="10427", email="other@example.org")
    assert shown(clerk).endswith("What happens Order number: There is an order with this number already")


def test_why_no_mail_is_sent_is_said(clerk: Person) -> None:
    assert "No mail: The order has no usable e-mail address" in shown(clerk, email="")
    assert "No reminders: The shop has stopped the reminders" in shown(clerk, no_reminders="on")
    delivery = shown(clerk, type="COD")
    assert "No mail: Orders of the type" in delivery and "The carrier collects the money on delivery." in delivery


def test_credit_is_offered_and_used_with_the_order(clerk: Person, world: RefundWorld) -> None:
    world.client.submit("O-1", amount=100, customerEmail=ERIKA)
    overpay(world)
    clerk.post("orders/O-1", {"action": "keep-credit"})
    offered = shown(clerk, email=ERIKA)
    assert "This customer has a credit of 10.00 EUR from O-1 . Use it for this order" in offered
    used = shown(clerk, email=ERIKA, use_credit="1")
    assert "Used here: 308.60 EUR is left to pay" in used and "Amount 308.60 EUR" in used
    stranger = shown(clerk, use_credit="1")
    assert "credit" not in stranger and "Amount 318.60 EUR" in stranger
    assert clerk.post("new-order", FORM | {"email": ERIKA, "use_credit": "1"}).status_code == 302
    assert "Open amount 308.60 EUR" in text(clerk.get("orders/10426"))
    refused = clerk.post("new-order", FORM | {"number": "10427", "use_credit": "1"})
    assert refused.status_code == 422
    with world.client.database.of_shop(world.client.shop) as tx:
        assert not orders.exists(tx, "10427")


def test_a_change_is_previewed_beside_the_stored_order(clerk: Person, world: RefundWorld) -> None:
    clerk.post("new-order", FORM | {"email": "einkauf@example.org"})
    with world.client.database.of_shop(world.client.shop) as tx:
        reference = msgspec.json.decode(orders.read(tx, "10426", Include()))["referenceNumber"]
    grouped = " ".join(reference[start : start + 4] for start in range(0, len(reference), 4))
    assert "data-preview-at-once" in clerk.get("change-order/10426").content.decode()
    assert f"Text {grouped} Amount 318.60 EUR" in shown(clerk, "change-order/10426", last="Hotel Meeresblick")
    assert f"Text {grouped} Amount 320.00 EUR" in shown(
        clerk, "change-order/10426", amount="320", last="Hotel Meeresblick"
    )
    assert "Open amount 318.60 EUR" in text(clerk.get("orders/10426"))
