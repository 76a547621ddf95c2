"""Letters about orders of which a refund is under way: withdrawn, written without asking for money, or told (D-3)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from paymatch.domain.money import EUR
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.formats.letters.letter import Letter
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.store.letters import letters as store
from paymatch.usecases.letters.content import draft
from paymatch.usecases.letters.writing import locked_order
from paymatch.usecases.refunds import refunds
from tests.keys import KEYRING
from tests.usecases.letters.test_letters import ADDRESS, first_invoice, letters, problems, run, work
from tests.usecases.reminders.mail_world import MailWorld, new_world

TOLD = "Sobald Ihre Zahlung eingegangen ist, erstatten wir Ihnen 10,00\u00a0€."


@pytest.fixture
def world(migrated_url: str, tmp_path: Path) -> Iterator[MailWorld]:
    """An order whose first reminder goes out by letter on Monday, 16 March."""
    database = Database(migrated_url, size=4, keyring=KEYRING)
    found = new_world(database, letters="on", street="Beispielweg", house_number="12", postcode="10115", city="Berlin")
    found.files = DirectoryFiles(tmp_path)  # type: ignore[attr-defined]
    found.plan(levels="7:2.50", letters_from="1")
    found.order("A-1", billing=ADDRESS)
    found.statement(date(2026, 3, 13))
    found.go_to("2026-03-16 09:00")
    yield found
    database.close()


def file(world: MailWorld, minor: int) -> str:
    wanted = SubmittedRefund(f"RET-{minor}", minor, EUR, 2, world.now.date() + timedelta(days=1))
    with world.database.of_shop(world.shop, at=world.now) as tx:
        refunds.create(tx, "A-1", wanted)
    ((found,),) = world.rows("SELECT id FROM refunds WHERE shop_id = $1 AND external_reference = $2", f"RET-{minor}")
    return str(found)


def cancel(world: MailWorld, refund_id: str) -> None:
    with world.database.of_shop(world.shop, at=world.now) as tx:
        refunds.cancel(tx, refund_id)


def written(world: MailWorld) -> Letter:
    """The one letter as it would be written now."""
    with world.database.of_shop(world.shop, at=world.now) as tx:
        (row,) = store.page(tx, number="A-1")
        order = locked_order(tx, row, world.now)
        found = draft(tx, row, order, store.settings(tx), "").letter
    assert found is not None
    return found


def test_a_written_reminder_does_not_go_out_for_what_is_given_back(world: MailWorld) -> None:
    work(world)
    assert letters(world) == [("A-1", "REMINDER", 1, "SPOOLED")]
    refund_id = file(world, 4990)
    assert run(world) is None
    assert letters(world) == [("A-1", "REMINDER", 1, "WITHDRAWN")]
    assert world.rows("SELECT error FROM letters WHERE shop_id = $1") == [
        ("a refund in progress covers the open amount: the customer is not asked for it",)
    ]
    work(world)
    assert letters(world) == [("A-1", "REMINDER", 1, "WITHDRAWN")]
    cancel(world, refund_id)
    work(world)
    assert sorted(row[3] for row in letters(world)) == ["SPOOLED", "WITHDRAWN"]
    assert problems(world) == []


def test_an_invoice_asks_for_no_money_that_is_given_back(world: MailWorld) -> None:
    world.set(reminders="off")
    first_invoice(world, "A-1")
    work(world)
    assert [row.strong for row in written(world).payment][:1] == [True]
    refund_id = file(world, 4990)
    run(world)
    work(world)
    found = written(world)
    assert (list(found.payment), found.paragraphs[-1]) == ([], "Es ist nichts mehr zu zahlen.")
    assert world.rows("SELECT status, open_minor FROM letters WHERE shop_id = $1") == [("SPOOLED", 0)]
    cancel(world, refund_id)
    work(world)
    assert world.rows("SELECT status, open_minor FROM letters WHERE shop_id = $1") == [("SPOOLED", 4990)]
    assert run(world) is not None


def test_a_reminder_tells_of_the_part_that_goes_back_as_long_as_it_does(world: MailWorld) -> None:
    refund_id = file(world, 1000)
    work(world)
    assert letters(world) == []
    world.statement(date(2026, 3, 27))
    world.go_to("2026-03-30 09:00")
    work(world)
    assert letters(world) == [("A-1", "REMINDER", 1, "SPOOLED")]
    assert written(world).paragraphs[-1] == TOLD
    cancel(world, refund_id)
    assert letters(world) == [("A-1", "REMINDER", 1, "NEW")], "written anew: nothing goes back any more"
    work(world)
    assert letters(world) == [("A-1", "REMINDER", 1, "SPOOLED")]
    assert TOLD not in written(world).paragraphs
    assert run(world) is not None
    assert problems(world) == []
