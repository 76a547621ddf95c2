"""The SEPA payment code (EPC069-12), read back by an independent reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.bank_accounts import creditor_reference, registered_iban
from paymatch.domain.money import EUR, Currency, Money
from paymatch.formats.codes.epc_qr import Payee, PaymentCodeRefused, epc_png, epc_svg, epc_text
from tests.formats.codes.png import read_code

SHOP = Payee("Müller & Söhne GmbH", "DE89 3704 0044 0532 0130 00", "COBADEFFXXX")
REFERENCE = "RF18539007547034"


def test_a_reference_has_a_field_of_its_own() -> None:
    assert epc_text(SHOP, Money(1230, EUR), REFERENCE).split("\n") == [
        "BCD",
        "002",
        "1",
        "SCT",
        "COBADEFFXXX",
        "Müller & Söhne GmbH",
        "DE89370400440532013000",
        "EUR12.30",
        "",
        REFERENCE,
    ]


def test_any_other_reference_is_remittance_text() -> None:
    lines = epc_text(Payee("Shop", SHOP.iban), Money(1, EUR), "Order  4711\n#ü").split("\n")
    assert lines[4] == ""
    assert lines[7:] == ["EUR0.01", "", "", "Order 4711 #ü"]


def test_the_name_is_one_line_of_70_characters() -> None:
    name = epc_text(Payee("A\nB " + "ß" * 100, SHOP.iban), Money(1, EUR), REFERENCE).split("\n")[5]
    assert name == "A B " + "ß" * 66


@pytest.mark.parametrize(
    ("payee", "amount", "reference", "text"),
    [
        (SHOP, Money(1230, Currency("CHF")), REFERENCE, "the SEPA payment code knows EUR only, not CHF"),
        (SHOP, Money(0, EUR), REFERENCE, "the SEPA payment code takes 0.01 to 999999999.99, not 0.00 EUR"),
        (SHOP, Money(-1, EUR), REFERENCE, "the SEPA payment code takes 0.01 to 999999999.99, not -0.01 EUR"),
        (SHOP, Money(10**11, EUR), "", "the SEPA payment code takes 0.01 to 999999999.99, not 1000000000.00 EUR"),
        (SHOP, Money(1, EUR), "x" * 141, "the reference has 141 characters, at most 140 fit"),
        (Payee(" ", SHOP.iban), Money(1, EUR), REFERENCE, "the shop has no account holder"),
        (
            Payee("ü" * 70, SHOP.iban),
            Money(1, EUR),
            "ü" * 140,
            "name and reference take too much room: 469 bytes, at most 331",
        ),
    ],
)
def test_refusals(payee: Payee, amount: Money, reference: str, text: str) -> None:
    with pytest.raises(PaymentCodeRefused) as refused:
        epc_text(payee, amount, reference)
    assert str(refused.value) == text


def test_a_wrong_iban_is_refused() -> None:
    with pytest.raises(PaymentCodeRefused, match="the account of the shop is not a valid IBAN"):
        epc_text(Payee("Shop", "DE88370400440532013000"), Money(1, EUR), REFERENCE)


@pytest.mark.parametrize("name", ["Shop", "Müller & Söhne GmbH", "ü" * 70])
def test_the_picture_says_the_text(name: str) -> None:
    text = epc_text(Payee(name, SHOP.iban, SHOP.bic), Money(99_999_999_999, EUR), REFERENCE)
    assert read_code(epc_png(text)) == text


@given(minor=st.integers(1, 99_999_999_999), payload=st.text("234679ACDEFGHJKMNPQRTUVWXY", min_size=1, max_size=21))
def test_amount_and_reference_come_back(minor: int, payload: str) -> None:
    lines = epc_text(SHOP, Money(minor, EUR), creditor_reference(payload)).split("\n")
    assert int(lines[7].removeprefix("EUR").replace(".", "")) == minor
    assert lines[9] == creditor_reference(payload)


def test_svg() -> None:
    svg = epc_svg(epc_text(SHOP, Money(1230, EUR), REFERENCE))
    assert svg.startswith(b"<?xml")
    assert b"viewBox" in svg


@pytest.mark.parametrize(("iban", "bic"), [("CH9300762011623852957", "KBBECH22XXX"), ("DE89370400440532013000", "")])
def test_the_bic_stands_where_it_is_known(iban: str, bic: str) -> None:
    assert epc_text(Payee("Kramladen", iban, bic), Money(1230, EUR), REFERENCE).split("\n")[4] == bic


def test_a_swiss_account_without_a_bic_gets_no_code() -> None:
    """Banks refuse an empty line for the BIC outside of the European Economic Area."""
    said = "the BIC of the shop's bank is unknown, and accounts in CH need it"
    with pytest.raises(PaymentCodeRefused, match=said):
        epc_text(Payee("Kramladen", "CH9300762011623852957"), Money(1230, EUR), REFERENCE)


@pytest.mark.parametrize("iban", ["CH5604835012345678009", "LI21088100002324013AA"])
@pytest.mark.parametrize("bic", ["", " "])
def test_the_code_of_a_swiss_account_has_no_empty_line_for_the_bic(iban: str, bic: str) -> None:
    """The bytes that a banking app reads: the BIC of the account's bank is there although the shop gave none."""
    lines = (
        read_code(epc_png(epc_text(Payee("Kramladen", iban, bic), Money(1230, EUR), REFERENCE))).encode().split(b"\n")
    )
    assert lines == [
        b"BCD", b"002", b"1", b"SCT", registered_iban(iban).bic.encode(), b"Kramladen", iban.encode(), b"EUR12.30",
        b"", REFERENCE.encode(),
    ]  # fmt: skip
    assert len(lines[4]) == 11
