"""What is left of an order once its person is erased."""

from __future__ import annotations

from paymatch.domain.privacy.person import ERASED
from paymatch.formats.contract.erasure import erase_person
from paymatch.formats.contract.orders import Order

PERSON = {
    "billing": {"firstName": "Erika", "lastName": "Muster", "street": "Weg 1", "countryCode": "DE"},
    "shipping": {"company": "Muster GmbH", "countryCode": "DE"}, "customerEmail": "erika@example.org",
    "customerNumber": "4711", "marketplaceNumber": "M-1", "shippingNumbers": ["T1"], "statusDescription": "for Erika",
    "paymentMethodDescription": "Erika pays",
}  # fmt: skip


def test_an_erased_order_keeps_numbers_days_amounts_and_the_country() -> None:
    kept = {"number": "7", "date": "2026-03-01", "amount": "19.90", "currency": "EUR", "invoiceNumbers": ["R1"]}
    items = [{"number": "L1", "name": "Lamp for Erika"}, {"number": "L2", "name": "Shade"}]
    assert erase_person(Order, {**PERSON, **kept, "items": items}) == {
        **kept, "items": [{"number": "L1"}, {"number": "L2"}], "billing": {"lastName": ERASED, "countryCode": "DE"},
    }  # fmt: skip
    assert erase_person(Order, {"number": "7", "items": []}) == {"number": "7", "billing": {"lastName": ERASED}}
