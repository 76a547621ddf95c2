"""Who has paid is thanked: where the shop wants it, once, and for payments only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from email import message_from_bytes, policy

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.languages.texts import LANGUAGES
from paymatch.formats.mail.message import plain_text
from paymatch.store.database import Database
from paymatch.usecases.matching.assigning import unmatch
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders.previews import preview_mail
from paymatch.usecases.shops import dunning_plans
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING
from tests.usecases.reminders.mail_world import MailWorld, new_world

DAY = date(2026, 3, 3)


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.fixture
def world(database: Database) -> MailWorld:
    found = new_world(database, reminders="off", payment_thanks="on")
    found.order("A-1001", language="en")
    found.go_to("2026-03-04 02:00")
    return found


def test_a_payment_is_thanked_for_once(world: MailWorld) -> None:
    world.statement(DAY, 0, (4990, "A-1001"))
    world.send()
    (mail,) = world.door.sent
    assert message_from_bytes(mail.content, policy=policy.default)["Subject"] == (
        "We have received your payment for order A-1001"
    )
    assert "Your order A-1001 of 2 March 2026 is now paid in full (€49.90)." in " ".join(
        plain_text(mail.content).split()
    )
    assert world.rows("SELECT thanks, status, dunning_level FROM mails WHERE shop_id = $1") == [(True, "SENT", 0)]
    assert world.rows("SELECT payment_info_at FROM orders WHERE shop_id = $1") == [(None,)]
    ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 4990")
    unmatch(world.database, world.shop, posting, world.now)
    world.send()
    assert len(world.door.sent) == 1 and check_shop(world.database, world.shop) == []


@pytest.mark.parametrize("how", ["off", "by hand", "late", "no address", "on delivery"])
def test_nobody_else_is_thanked(world: MailWorld, how: str) -> None:
    match how:
        case "off":
            world.set(payment_thanks="off", payment_information="on")
        case "late":
            world.go_to("2026-03-18 02:00")
        case "no address":
            world.order("A-1001", language="en", customerEmail="nobody")
        case "on delivery":
            world.order("A-1001", language="en", type="COD")
    world.send()
    before = len(world.door.sent)
    if how == "by hand":
        with world.database.of_shop(world.shop, at=world.now) as tx:
            orders.set_paid(tx, "A-1001")
    else:
        world.statement(DAY, 0, (4990, "A-1001"))
    assert world.rows("SELECT status FROM orders WHERE shop_id = $1") == [("PAID",)]
    world.send()
    assert len(world.door.sent) == before
    assert world.rows("SELECT count(*) FROM mails WHERE shop_id = $1 AND thanks") == [(0,)]


def test_a_payment_that_is_taken_back_before_is_not_thanked_for(world: MailWorld) -> None:
    world.statement(DAY, 0, (4990, "A-1001"))
    ((posting,),) = world.rows("SELECT id FROM postings WHERE shop_id = $1")
    unmatch(world.database, world.shop, posting, world.now)
    world.send()
    assert world.door.sent == []


def test_the_shop_words_its_thanks_in_every_language(world: MailWorld) -> None:
    for language in LANGUAGES:
        usual = next(
            row
            for row in _texts(world)
            if (row["mail"], row["language"], row["own"]) == ("thanks", language, False)
        )  # fmt: skip
        with world.database.of_shop(world.shop, at=world.now) as tx:
            shown = preview_mail(tx, "thanks", language, str(usual["subject"]), str(usual["body"]))
        assert shown is not None and "A-1001" in shown.subject and "Erika Mustermann" in shown.text
        assert "{" not in shown.text
    with world.database.of_shop(world.shop) as tx:
        dunning_plans.set_text(tx, "thanks", "en", "Thanks, {{ name }}!", "All is well with {{ order }}.")
        with pytest.raises(SettingRefused, match="there is no placeholder open"):
            dunning_plans.set_text(tx, "thanks", "en", "{{ open }}", "x")
        with pytest.raises(SettingRefused, match="Texts are of 0"):
            dunning_plans.set_text(tx, "10", "en", "x", "x")
    world.statement(DAY, 0, (4990, "A-1001"))
    world.send()
    (mail,) = world.door.sent
    assert message_from_bytes(mail.content, policy=policy.default)["Subject"] == "Thanks, Erika Mustermann!"


def _texts(world: MailWorld) -> list[dict[str, object]]:
    with world.database.of_shop(world.shop) as tx:
        return dunning_plans.texts(tx)
