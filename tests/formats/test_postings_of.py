"""The posting rule: which postings an entry stands for, and who is the other side."""
# ruff: noqa: E501  # a case per line

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from msgspec.structs import replace

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.witnesses import BankWord
from paymatch.formats.postings_of import postings_of
from paymatch.formats.statement import Charge, Detail, Entry, EntryStatus, Party, StatementHead
from tests.formats.camt.camt_samples import GERMAN, RETURN, SWISS_BATCH, camt053, entry_of, head_of

OWN = "DE89370400440532013000"
HEAD = StatementHead("camt.053", "001.08", OWN, "EUR", owner_name="Shop GmbH")
DAY = date(2026, 3, 2)
CUSTOMER = Party("Erika Muster", BankWord("DE02120300000000202051"), "BYLADEM1001", "Max Muster")
SHOP = Party("Shop GmbH", BankWord(OWN))


def _entry(minor: int, *details: Detail, **fields: Any) -> Entry:
    entry = Entry(minor, "EUR", EntryStatus.BOOKED, DAY, DAY, 0, 1, bank_reference="REF", details=details)
    return replace(entry, **fields)


def _detail(minor: int | None, **fields: Any) -> Detail:
    return replace(Detail(minor, "EUR", debtor=CUSTOMER, creditor=SHOP), **fields)


def test_a_single_payment_becomes_a_posting_with_all_its_fields() -> None:
    content = camt053(GERMAN)
    (posting,) = postings_of(head_of(content), entry_of(content))
    assert posting == Posting(
        OWN, EUR, 1990, date(2026, 3, 2), date(2026, 3, 3), "2026030212345",
        counterparty_name="Erika Muster", counterparty_iban="DE02120300000000202051", counterparty_bic="BYLADEM1001",
        ultimate_name="Max Muster", mandate_id="M-1", remittance_lines=("Rechnung R-1 Bestel", "lung B-2"),
        bank_code="PMNT/RCDT/ESCT", booking_text="GUTSCHRIFT",
    )  # fmt: skip
    assert posting.text == "Rechnung R-1 Bestellung B-2"


def test_a_batch_is_split_when_its_details_add_up() -> None:
    content = camt053(SWISS_BATCH)
    first, second = postings_of(head_of(content), entry_of(content))
    assert (first.amount_minor, second.amount_minor) == (1000, 2050)
    assert (first.bank_reference, first.entry_reference, first.detail_index, first.batch_size) == ("D1", "BATCH1", 0, 2)
    assert (second.bank_reference, second.detail_index) == ("D2", 1)
    assert (first.structured_references, first.extra_texts) == (("210000000003139471430009017",), ("?REJECT?0",))
    assert second.charges_minor == 90


def test_a_return_shows_the_customer_and_the_original_payment() -> None:
    content = camt053(RETURN)
    (posting,) = postings_of(head_of(content), entry_of(content))
    assert (posting.amount_minor, posting.is_return, posting.return_reason) == (-2500, True, "MD06")
    assert (posting.counterparty_name, posting.counterparty_iban) == ("Kunde", "DE02120300000000202051")
    assert (posting.original_end_to_end_id, posting.original_amount_minor, posting.charges_minor) == (
        "E2E-7",
        2200,
        300,
    )
    assert (posting.bank_code, posting.return_text) == ("109", "Widerspruch")


@pytest.mark.parametrize(
    ("details", "amounts"),
    [
        ((_detail(600), _detail(400)), [600, 400]),
        ((_detail(1500), _detail(-500)), [1500, -500]),
        ((_detail(600), _detail(300)), [1000]),
        ((_detail(600), _detail(None)), [1000]),
        ((_detail(600), replace(_detail(400), currency="USD")), [1000]),
        ((_detail(None, instructed_amount_minor=700, instructed_currency="EUR"), _detail(None, instructed_amount_minor=300, instructed_currency="EUR")), [700, 300]),
        ((_detail(None, instructed_amount_minor=700, instructed_currency="USD"), _detail(None, instructed_amount_minor=300, instructed_currency="EUR")), [1000]),
        ((_detail(None, counter_value_minor=700, counter_value_currency="EUR"), Detail(700, "USD", counter_value_minor=300, counter_value_currency="EUR")), [700, 300]),
        ((_detail(None, counter_value_minor=700, counter_value_currency="EUR"), Detail(700, "USD", counter_value_minor=301, counter_value_currency="EUR")), [1000]),
        ((_detail(None),), [1000]),
        ((_detail(999),), [1000]),
        ((), [1000]),
    ],
)  # fmt: skip
def test_details_split_an_entry_only_if_they_add_up(details: tuple[Detail, ...], amounts: list[int]) -> None:
    """Money is never made or lost: the postings' sum is the entry's."""
    postings = postings_of(HEAD, _entry(1000, *details))
    assert [posting.amount_minor for posting in postings] == amounts
    assert {posting.batch_size for posting in postings} == {len(amounts)}


def test_details_that_cannot_be_split_are_kept_as_text() -> None:
    details = (_detail(None, remittance_lines=("R-1", "2")), _detail(None, structured_references=(("SCOR", "RF18"),)))
    (posting,) = postings_of(HEAD, _entry(1000, *details))
    assert posting.extra_texts == (
        "Erika Muster DE02120300000000202051 R-12",
        "Erika Muster DE02120300000000202051 RF18",
    )
    assert (posting.counterparty_name, posting.remittance_lines) == ("", ())


@pytest.mark.parametrize("status", [EntryStatus.PENDING, EntryStatus.INFORMATION, EntryStatus.FUTURE])
def test_only_booked_entries_become_postings(status: EntryStatus) -> None:
    assert postings_of(HEAD, _entry(1000, _detail(1000), status=status)) == ()


@pytest.mark.parametrize(
    ("minor", "fields", "debtor", "creditor", "name"),
    [
        (1000, {}, CUSTOMER, SHOP, "Erika Muster"),
        (-1000, {}, SHOP, CUSTOMER, "Erika Muster"),
        (-1000, {"reversal": True}, CUSTOMER, SHOP, "Erika Muster"),  # a credit undone: roles of the credit
        (-1000, {"reversal": True}, SHOP, CUSTOMER, "Erika Muster"),  # and from a bank that turns them round
        (1000, {"gvc": "159"}, SHOP, CUSTOMER, "Erika Muster"),  # our refund comes back
        (1000, {"gvc": "159"}, CUSTOMER, Party(), "Erika Muster"),
        (1000, {"gvc": "159"}, CUSTOMER, Party("Some Shop Ltd"), "Erika Muster"),  # an account is better than a name
        (1000, {}, SHOP, CUSTOMER, "Erika Muster"),
        (1000, {}, Party(), SHOP, ""),
        (-1000, {"domain_code": "ACMT/MDOP/CHRG"}, SHOP, Party("Bank AG"), ""),
        (-1000, {"domain_code": "PMNT/ICDT/CHRG"}, SHOP, Party("Bank AG"), ""),
        (-1000, {"gvc": "808"}, SHOP, Party("Bank AG"), ""),
    ],
)  # fmt: skip
def test_the_counterparty_is_the_side_that_is_not_ours(
    minor: int, fields: dict[str, Any], debtor: Party, creditor: Party, name: str
) -> None:
    (posting,) = postings_of(HEAD, _entry(minor, Detail(minor, "EUR", debtor=debtor, creditor=creditor), **fields))
    assert posting.counterparty_name == name


@pytest.mark.parametrize(
    ("entry", "detail", "expected"),
    [
        ({}, {}, False),
        ({"reversal": True}, {}, True),
        ({}, {"returned": True}, True),
        ({"gvc": "109"}, {}, True),
        ({"gvc": "166"}, {"gvc": "159"}, True),
        ({"domain_code": "PMNT/ICDT/RRTN"}, {}, True),
        ({"domain_code": "PMNT/RDDT/UPDD"}, {}, True),
        ({"domain_code": "PMNT/RCDT/ESCT"}, {"bank_code": "PMNT/RCDT/RRTN"}, True),
        ({"domain_code": "PMNT/RCDT/ESCT"}, {}, False),
    ],
)
def test_what_makes_a_return(entry: dict[str, Any], detail: dict[str, Any], *, expected: bool) -> None:
    (posting,) = postings_of(HEAD, _entry(1000, _detail(1000, end_to_end_id="E", **detail), **entry))
    assert posting.is_return is expected
    assert posting.original_end_to_end_id == ("E" if expected else "")


@pytest.mark.parametrize("text", ["NOTPROVIDED", "NotProvided", "notprovided", "NONREF", "NICHT ANGEGEBEN", "-"])
def test_a_reference_that_says_there_is_none_is_none(text: str) -> None:
    detail = _detail(1000, end_to_end_id=text, mandate_id=text, message_id=text, transaction_id=text)
    (posting,) = postings_of(HEAD, _entry(1000, detail))
    assert (posting.end_to_end_id, posting.mandate_id, posting.message_id, posting.transaction_id) == ("", "", "", "")


@pytest.mark.parametrize(
    ("charges", "instructed", "expected"),
    [
        ((Charge(90, "EUR", included=True), Charge(10, "EUR", included=False)), None, 90),
        ((Charge(90, "CHF", included=True),), None, 0),
        ((Charge(50, "EUR", included=False),), 1050, 50),  # .02 has no mark; the difference tells
        ((Charge(50, "EUR", included=False),), 1000, 0),
        ((Charge(-50, "EUR", included=True),), None, 0),
    ],
)
def test_charges_that_the_bank_took_off(charges: tuple[Charge, ...], instructed: int | None, expected: int) -> None:
    detail = _detail(
        1000, charges=charges, instructed_amount_minor=instructed, instructed_currency="EUR" if instructed else ""
    )
    (posting,) = postings_of(HEAD, _entry(1000, detail))
    assert posting.charges_minor == expected


def test_without_remittance_information_the_text_of_the_entry_is_kept() -> None:
    """Some banks put everything into AddtlNtryInf."""
    (posting,) = postings_of(HEAD, _entry(1000, additional_info="ERIKA R-1", value_date=None))
    assert (posting.extra_texts, posting.value_date) == (("ERIKA R-1",), None)
    (dated,) = postings_of(HEAD, _entry(1000, booking_date=None))
    assert dated.booking_date == DAY


def test_the_only_detail_shown_of_a_batch_is_kept_as_text() -> None:
    detail = _detail(1000, end_to_end_id="E1")
    (posting,) = postings_of(HEAD, _entry(6000, detail, batch_count=3))
    assert (posting.amount_minor, posting.counterparty_name, posting.end_to_end_id) == (6000, "", "")
    assert posting.extra_texts == ("Erika Muster DE02120300000000202051 E1",)
    (whole,) = postings_of(HEAD, _entry(6000, _detail(6000, end_to_end_id="E1"), batch_count=3))
    assert (whole.counterparty_name, whole.end_to_end_id) == ("Erika Muster", "E1")


def test_the_customer_reference_of_mt940_is_kept() -> None:
    """Subfield 7 of :61:: what the payer called a credit, and what we called a debit."""
    head = replace(HEAD, format="MT940")
    (credit,) = postings_of(head, _entry(1000, _detail(1000), customer_reference="INV 4711"))
    assert (credit.extra_texts, credit.message_id) == (("INV 4711",), "")
    (debit,) = postings_of(head, _entry(-1000, _detail(-1000), customer_reference="PM-1"))
    assert (debit.extra_texts, debit.message_id) == ((), "PM-1")
    (tagged,) = postings_of(head, _entry(-1000, _detail(-1000, instruction_id="PM-2"), customer_reference="PM-1"))
    assert tagged.message_id == "PM-2"
    for known in (CUSTOMER.account, "E1", "0121470966      W.P. Jansen"):
        (posting,) = postings_of(head, _entry(1000, _detail(1000, end_to_end_id="E1"), customer_reference=known))
        assert posting.extra_texts == ()
