"""Debits that their payee collected, or that went to another account, beside the shop's own (D-4, D-80).

A collected debit has the name, text and references that its payee wrote. The bank's code tells it from a transfer of
the shop.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.domain.bank_codes import is_collected
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from paymatch.usecases.matching.assigning import match, suggested_parts
from tests.contract.bank import ACCOUNT, PAYER, book, entry
from tests.formats.typed_tokens import postings_in
from tests.usecases.refunds.refund_world import ERIKA, TOMORROW, RefundWorld, texts

NUMBER: Final = "SW-62001"
STRANGER: Final = "DE02120300000000202051"
COLLECTED: Final = ("PMNT/RDDT/ESDD", "PMNT/RDDT/BBDD", "PMNT/CCRD/POSD", "PMNT/DRFT/STAM", "105", "104", "107", "005")
ORDERED: Final = ("PMNT/ICDT/ESCT", "PMNT/IRCT/ESCT", "PMNT/NTAV/NTAV", "116", "177")


@pytest.fixture
def world(database: Database, tmp_path: Path) -> Iterator[RefundWorld]:
    found = RefundWorld(database, tmp_path)
    yield found
    found.check()


def paid(world: RefundWorld) -> None:
    billing = {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"}
    world.client.submit(NUMBER, amount=50, billing=billing)
    booked(world, 5_000, f"Bestellung {NUMBER}", end_to_end_id="E-1")
    assert world.client.status(NUMBER) == "PAID"


def booked(world: RefundWorld, minor: int, text: str, **more: Any) -> None:
    """A camt statement of today with one entry of Eva Muster, unless `more` says otherwise."""
    values = {"counterparty_name": "Eva Muster", "counterparty_iban": PAYER, **more}
    world.camt(WrittenEntry((world.posting(minor, remittance_lines=(text,) if text else (), **values),)))
    world.clock.pass_time(minutes=1)


def sent(world: RefundWorld) -> tuple[str, str]:
    """(refund, its EndToEndId) of a transfer of 50.00 that waits for the bank."""
    paid(world)
    refund = world.file(NUMBER, 50)
    world.pass_days(1)
    world.run()
    return refund, world.end_to_end(refund)


def decision_on(world: RefundWorld, minor: int) -> tuple[str, str]:
    """(status, code of the reason to hold it back) of the only posting of the amount."""
    ((status, code),) = world.client.rows(
        "SELECT status, coalesce(decision::json->'heldBackReason'->>'code', '') FROM postings WHERE shop_id = $1"
        " AND amount_minor = $2",
        minor,
    )
    return status, code


def unexpected_alerts(world: RefundWorld) -> int:
    """How many open alerts tell of a posting with a refund's reference that was not expected."""
    ((count,),) = world.client.rows(
        "SELECT count(*) FROM alerts WHERE shop_id = $1 AND kind = 'refund-unexpected' AND resolved_at IS NULL"
    )
    return int(count)


@pytest.mark.parametrize("code", COLLECTED)
@pytest.mark.parametrize("account", [PAYER, STRANGER], ids=["same account", "other account"])
def test_attack_a_collected_debit_with_the_customers_name_is_no_refund(
    world: RefundWorld, code: str, account: str
) -> None:
    paid(world)
    booked(world, -5_000, f"Erstattung {NUMBER}", bank_code=code, counterparty_iban=account)
    assert world.client.status(NUMBER) == "PAID"
    assert world.events(NUMBER) == [("UNPAID", "PAID")]
    assert decision_on(world, -5_000) == ("suggested", "collected-debit")


@pytest.mark.parametrize("code", ORDERED)
@pytest.mark.parametrize("account", [PAYER, STRANGER], ids=["same account", "other account"])
def test_a_transfer_by_hand_to_the_customer_is_a_refund(world: RefundWorld, code: str, account: str) -> None:
    paid(world)
    booked(world, -5_000, f"Erstattung {NUMBER}", bank_code=code, counterparty_iban=account)
    assert world.client.status(NUMBER) == "REFUNDED"
    assert decision_on(world, -5_000)[0] == "matched"


SUPPLIERS: Final = [
    (-2_000, f"Versand {NUMBER}", "Muster GmbH", STRANGER),
    (-5_100, f"Reparatur {NUMBER}", "Muster", STRANGER),
    (-2_000, f"Ihre Rechnung 20771 zu {NUMBER}", "Eva Muster", STRANGER),
]
"""Transfers of the shop that name an order and go to someone who is called like its customer."""


@pytest.mark.parametrize(("minor", "text", "name", "account"), SUPPLIERS)
def test_attack_a_transfer_to_a_supplier_with_the_customers_name_is_no_refund(
    world: RefundWorld, minor: int, text: str, name: str, account: str
) -> None:
    paid(world)
    booked(world, minor, text, counterparty_name=name, counterparty_iban=account)
    assert world.client.status(NUMBER) == "PAID"
    assert decision_on(world, minor)[0] == "suggested"


@pytest.mark.parametrize(
    ("minor", "text", "name", "status"),
    [
        (-2_000, f"Erstattung {NUMBER}", "Muster", "REFUNDED_PARTIAL"),
        (-2_000, NUMBER, "Eva Muster", "REFUNDED_PARTIAL"),
        (-2_000, f"{NUMBER} Retoure vom 3.3.", "E. Muster", "REFUNDED_PARTIAL"),
        (-5_000, NUMBER, "Muster", "REFUNDED"),
    ],
)
def test_a_transfer_that_speaks_of_the_refund_or_goes_to_the_customer_is_one(
    world: RefundWorld, minor: int, text: str, name: str, status: str
) -> None:
    paid(world)
    booked(world, minor, text, counterparty_name=name, counterparty_iban=STRANGER)
    assert world.client.status(NUMBER) == status


def test_a_person_confirms_that_a_collected_debit_was_the_refund(world: RefundWorld) -> None:
    paid(world)
    booked(world, -5_000, f"Erstattung {NUMBER}", bank_code="PMNT/RDDT/ESDD")
    ((posting,),) = world.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor < 0")
    parts = suggested_parts(world.database, world.client.shop, posting)
    match(world.database, world.client.shop, posting, parts, world.clock.now)
    assert world.client.status(NUMBER) == "REFUNDED"


@pytest.mark.parametrize("text", ["Retoure", f"{NUMBER} Rücklastschrift", "RTRN+MD06"])
def test_attack_return_words_of_a_collected_debit_take_no_payment_back(world: RefundWorld, text: str) -> None:
    paid(world)
    booked(world, -5_000, text, bank_code="PMNT/RDDT/ESDD", end_to_end_id="E-1")
    assert world.client.status(NUMBER) == "PAID"


@pytest.mark.parametrize("code", ["PMNT/RDDT/ESDD", "PMNT/IDDT/UPDD"])
def test_what_the_bank_marks_as_returned_is_taken_back(world: RefundWorld, code: str) -> None:
    paid(world)
    booked(world, -5_000, NUMBER, bank_code=code, end_to_end_id="E-1", is_return=True, return_reason="MD06")
    assert world.client.status(NUMBER) == "UNPAID"


def test_attack_a_collected_debit_with_the_refunds_reference_executes_no_refund(world: RefundWorld) -> None:
    refund, reference = sent(world)
    booked(world, -5_000, "", bank_code="PMNT/RDDT/ESDD", end_to_end_id=reference, counterparty_iban=STRANGER)
    assert (world.status(refund), world.client.status(NUMBER)) == ("IN_PROCESS", "PAID")
    assert unexpected_alerts(world) == 1
    booked(world, -5_001, f"{NUMBER} {reference}", bank_code="PMNT/RDDT/ESDD", counterparty_name="Inkasso GmbH")
    assert (world.status(refund), decision_on(world, -5_001)[0]) == ("IN_PROCESS", "suggested")
    booked(world, -5_000, "", end_to_end_id=reference)
    assert (world.status(refund), world.client.status(NUMBER)) == ("PROCESSED", "REFUNDED")


def test_attack_a_collected_debit_with_the_name_of_our_file_executes_no_refund(world: RefundWorld) -> None:
    refund, _ = sent(world)
    (batch,) = texts(world.contents()[0], "PmtInfId")
    booked(world, -5_000, "", bank_code="PMNT/RDDT/ESDD", batch_id=batch)
    assert (world.status(refund), world.client.status(NUMBER)) == ("IN_PROCESS", "PAID")
    booked(world, -5_000, "", batch_id=batch)
    assert world.status(refund) == "PROCESSED"


@pytest.mark.parametrize("account", [STRANGER, ERIKA])
def test_attack_a_transfer_with_the_refunds_reference_to_another_account_is_a_question(
    world: RefundWorld, account: str
) -> None:
    refund, reference = sent(world)
    booked(world, -5_000, "", end_to_end_id=reference, counterparty_iban=account)
    assert (world.status(refund), world.client.status(NUMBER)) == ("IN_PROCESS", "PAID")
    assert decision_on(world, -5_000) == ("suggested", "may-be-refund")
    assert unexpected_alerts(world) == 1


@pytest.mark.parametrize("account", [PAYER, "", "1245126199"], ids=["IBAN", "none", "number"])
def test_a_transfer_with_the_refunds_reference_executes_it(world: RefundWorld, account: str) -> None:
    refund, reference = sent(world)
    booked(world, -5_000, "", end_to_end_id=reference, counterparty_iban=account)
    assert (world.status(refund), world.client.status(NUMBER)) == ("PROCESSED", "REFUNDED")
    assert unexpected_alerts(world) == 0


def test_attack_tags_in_the_text_of_a_direct_debit_are_no_references(world: RefundWorld) -> None:
    refund, reference = sent(world)
    more = {"booking_date": TOMORROW, "name": "Inkasso GmbH", "account": STRANGER}
    book(world.client, entry(f"RTRN+MD06 EREF+{reference}", -5_000, gvc="105", **more))
    book(world.client, entry(f"RTRN+MD06 EREF+E-1 {NUMBER}", -5_000, gvc="105", **more))
    assert (world.status(refund), world.client.status(NUMBER)) == ("IN_PROCESS", "PAID")


TYPES: Final = {"NDDT": True, "FDDT": True, "NTRF": False, "NMSC": False}
"""Type in :61: of an MT940 whose :86: has no code -> whether the debit was collected."""


@pytest.mark.parametrize("kind", TYPES)
def test_the_type_of_a_line_without_code_says_that_it_was_collected(kind: str) -> None:
    lines = (
        ":20:S", f":25:{ACCOUNT}", ":28C:7/1", ":60F:C261123EUR100,00", f":61:2611241124D50,00{kind}NONREF//B1",
        f":86:Erstattung {NUMBER}", ":62F:C261124EUR50,00", "-", "",
    )  # fmt: skip
    found = postings_in("\r\n".join(lines).encode())
    assert not isinstance(found, str), "the file is read"
    assert [is_collected(each) for each in found] == [TYPES[kind]]


@pytest.mark.parametrize(
    ("text", "collected"),
    [
        ("FOLGELASTSCHRIFT", True), ("SEPA-Lastschrift", True), ("Direct Debit", True), ("DIRECTDEBIT", True),
        ("POS", True), ("SEPA INCASSO", True), ("Prélèvement", True), ("Kartenzahlung", True),
        ("Überweisung", False), ("RÜCKLASTSCHRIFT", False), ("Retoure Lastschrift", False), ("DEBIT", False),
        ("XFER", False), ("Deposit", False), ("", False),
    ],
)  # fmt: skip
def test_the_booking_text_says_it_where_there_is_no_code(text: str, collected: bool) -> None:
    posting = Posting(ACCOUNT, EUR, -5_000, TOMORROW, booking_text=text)
    assert is_collected(posting) is collected


def test_a_code_counts_before_the_booking_text_and_money_in_was_not_collected() -> None:
    said = {"booking_text": "FOLGELASTSCHRIFT"}
    assert not is_collected(Posting(ACCOUNT, EUR, -5_000, TOMORROW, bank_code="116", **said))  # type: ignore[arg-type]
    assert is_collected(Posting(ACCOUNT, EUR, -5_000, TOMORROW, bank_code="PMNT/NTAV/NTAV", **said))  # type: ignore[arg-type]
    assert not is_collected(Posting(ACCOUNT, EUR, 5_000, TOMORROW, bank_code="PMNT/RDDT/ESDD"))
