"""Headings of order tables: those of usual shop systems and of our own export."""

from __future__ import annotations

import pytest

from paymatch.formats.order_files.columns import FIELDS, propose_columns

MEANT = {
    "Bestellnummer;Datum;Kunde;E-Mail;Betrag brutto;Währung;Zahlbar bis;Lieferstatus": {
        "Bestellnummer": "number", "Datum": "date", "Kunde": "customer", "E-Mail": "customerEmail",
        "Betrag brutto": "amount", "Währung": "currency", "Zahlbar bis": "dueDate",
    },
    "Name;Email;Created at;Total;Currency;Billing Name;Billing Zip;Billing City;Billing Country": {
        "Name": "number", "Email": "customerEmail", "Created at": "date", "Total": "amount", "Currency": "currency",
        "Billing Name": "customer", "Billing Zip": "billing.postCode", "Billing City": "billing.city",
        "Billing Country": "billing.countryCode",
    },
    "Order Number;Order Date;First Name (Billing);Last Name (Billing);Email (Billing);Order Total Amount": {
        "Order Number": "number", "Order Date": "date", "First Name (Billing)": "billing.firstName",
        "Last Name (Billing)": "billing.lastName", "Email (Billing)": "customerEmail", "Order Total Amount": "amount",
    },
    "Rechnungsnr.;Nummer;Nachname;Kunde;Rechnungsbetrag (EUR)": {
        "Rechnungsnr.": "invoiceNumbers", "Nummer": "number", "Nachname": "billing.lastName",
        "Rechnungsbetrag (EUR)": "amount",
    },
    "Bestellnummer;Name;Betrag": {"Bestellnummer": "number", "Name": "customer", "Betrag": "amount"},
    "Bestellnummer;Name;Nachname": {"Bestellnummer": "number", "Nachname": "billing.lastName"},
}  # fmt: skip


@pytest.mark.parametrize("headings", MEANT)
def test_headings_of_shop_systems(headings: str) -> None:
    assert propose_columns(headings.split(";")) == MEANT[headings]


def test_every_field_is_known_by_its_own_name() -> None:
    assert propose_columns(FIELDS[1:]) == {field: field for field in FIELDS[1:]}
