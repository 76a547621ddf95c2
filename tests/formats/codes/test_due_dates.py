"""The payment date of an order, in codes with a field for it, and the link that opens a payment."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from urllib.parse import parse_qs, urlsplit

import pytest

from paymatch.domain.money import EUR, Currency, Money
from paymatch.formats.codes.epc_qr import Payee, PaymentCodeRefused
from paymatch.formats.codes.payme import payme_link
from paymatch.formats.codes.payments import CodedPayment
from paymatch.formats.codes.spayd import spayd_text
from paymatch.formats.codes.upn_qr import upn_text

DUE = date(2026, 12, 11)
SLOVAK = CodedPayment(
    Payee("Obchod s.r.o.", "SK6807200002891987426353"), Money(1_234, EUR), "RF18 5390 0754 7034", text="A-1", pay_by=DUE
)  # fmt: skip


def test_codes_with_a_field_for_it_carry_the_date() -> None:
    czech = replace(
        SLOVAK, payee=Payee("Obchod", "CZ6508000000192000145399"), amount=Money(1_000, Currency("CZK"))
    )  # fmt: skip
    assert "*DT:20261211*" in spayd_text(czech)
    assert "DT:" not in spayd_text(replace(czech, pay_by=None))
    slovenian = replace(SLOVAK, payee=Payee("Trgovina", "SI56263300012039086"))
    assert upn_text(slovenian).split("\n")[13] == "11.12.2026"


def test_a_slovak_payment_has_a_link_that_opens_it_in_a_banking_app() -> None:
    found = urlsplit(payme_link(SLOVAK))
    assert (found.scheme, found.netloc) == ("https", "payme.sk")
    assert {name: values[0] for name, values in parse_qs(found.query).items()} == {
        "V": "1", "IBAN": "SK6807200002891987426353", "AM": "12.34", "CC": "EUR", "DT": "20261211",
        "MSG": "RF18539007547034 A-1", "CN": "Obchod s.r.o.",
    }  # fmt: skip
    with pytest.raises(PaymentCodeRefused):
        payme_link(replace(SLOVAK, payee=Payee("Shop", "DE89370400440532013000")))
