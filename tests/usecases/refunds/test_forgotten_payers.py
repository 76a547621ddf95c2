"""The proof of money out beside payers who were forgotten (D-63), never known, or a payment service."""

from __future__ import annotations

from pathlib import Path

from paymatch.domain.privacy.person import sought
from paymatch.outbound.files import DirectoryFiles
from paymatch.usecases.privacy import erasing
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.refunds import proof
from paymatch.usecases.refunds.proof import BY_ACCOUNT, BY_ORDER
from tests.contract.bank import PAYER, book, entry
from tests.usecases.refunds.refund_world import RefundWorld


def found(world: RefundWorld) -> list[tuple[str, str]]:
    with world.database.of_shop(world.client.shop) as tx:
        return sorted((each.rule, each.text) for each in proof.findings(tx))


def sent_back(world: RefundWorld, number: str) -> None:
    """An order of 100.00 that was paid, and 60.00 of it sent back without a release."""
    world.paid(number)
    world.file(number, 60)
    world.pass_days(1)
    world.run()
    assert world.client.rows("SELECT count(*) FROM transfers WHERE shop_id = $1 AND NOT released") == [(1,)]


def forget_payers(world: RefundWorld, tmp_path: Path) -> None:
    erasing.erase(
        world.database, world.client.shop, sought(iban=PAYER), DirectoryFiles(tmp_path), Folders([]), world.clock.now,
        although_open=True,
    )  # fmt: skip
    assert world.client.rows("SELECT counterparty_iban FROM postings WHERE shop_id = $1") == [("",)]


def test_a_forgotten_payer_is_no_finding(world: RefundWorld, tmp_path: Path) -> None:
    sent_back(world, "SO-88001")
    forget_payers(world, tmp_path)
    assert found(world) == []


def test_of_a_forgotten_payer_the_order_is_still_judged(world: RefundWorld, tmp_path: Path) -> None:
    """What was forgotten is whose money it was; how much of it there was is still known."""
    sent_back(world, "SO-88002")
    forget_payers(world, tmp_path)
    world.client.run("UPDATE allocations SET amount_minor = 5000 WHERE shop_id = $1")
    assert found(world) == [(BY_ORDER, "60.00 EUR went out, 50.00 EUR arrived")]


def test_a_payer_who_was_never_known_hides_no_finding(world: RefundWorld) -> None:
    sent_back(world, "SO-88003")
    book(world.client, entry("Bestellung SO-88003", 100, account=""))
    world.client.run("UPDATE postings SET counterparty_iban = '', counterparty_has_iban = false WHERE shop_id = $1")
    assert (BY_ACCOUNT, "60.00 EUR went out, 0.00 EUR arrived") in found(world)
