"""Who an order is from, by the details of a request, and what an erased order keeps."""

from __future__ import annotations

from typing import Any

import pytest

from paymatch.domain.privacy.person import (
    ERASED,
    CustomerIdentity,
    Identifier,
    IdentityKind,
    PersonRefused,
    Sought,
    accounts_of,
    customer_of,
    is_named,
    pattern_of,
    sought,
)
from paymatch.domain.words.message import Message

ORDER: dict[str, Any] = {
    "number": "7",
    "customerEmail": "erika@example.org",
    "customerNumber": "K-12",
    "billing": {"firstName": "Erika", "lastName": "Mustermann", "company": "Lampen  & Co", "street": "Seeweg 5",
                "phone": "030 123 45 67", "city": "Kiel", "countryCode": "DE"},
    "shipping": {"lastName": "Musterfrau", "company": "Depot", "street": "Am See", "phone": "12345"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"email": " erika@example.org "}, Sought(email="erika@example.org")),
        ({"name": " Erika   Mustermann"}, Sought(name="Erika Mustermann")),
        ({"name": "Li Xu"}, Sought(name="Li Xu")),
        ({"iban": "de75 5121 0800 1245 1261 99"}, Sought(iban="DE75512108001245126199")),
        ({"customer": " K-12 "}, Sought(customer="K-12")),
    ],
)
def test_what_is_asked_for_is_cleaned(asked: dict[str, str], found: Sought) -> None:
    assert sought(**asked) == found


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({}, "person-not-named"),
        ({"name": "  "}, "person-not-named"),
        ({"name": "Xu"}, "person-short-name"),
        ({"name": "L. Xu"}, "person-short-name"),
        ({"name": "Xu", "email": "xu@example.org"}, "person-short-name"),
    ],
)
def test_too_little_means_nobody(asked: dict[str, str], why: str) -> None:
    with pytest.raises(PersonRefused) as refused:
        sought(**asked)
    assert str(refused.value) == Message(why)


def test_a_customer_is_known_by_mail_names_street_and_telephone_of_both_addresses() -> None:
    found = customer_of(ORDER)
    assert (found.email, found.number) == ("erika@example.org", "K-12")
    assert found.names == ("Erika Mustermann", "Lampen & Co", "Musterfrau")
    assert found.identifiers == {
        Identifier(IdentityKind.EMAIL, "erika@example.org"), Identifier(IdentityKind.NAME, "Erika Mustermann"),
        Identifier(IdentityKind.NAME, "Lampen & Co"), Identifier(IdentityKind.NAME, "Musterfrau"),
        Identifier(IdentityKind.STREET, "Seeweg 5"), Identifier(IdentityKind.PHONE, "030 123 45 67"),
    }  # fmt: skip
    assert customer_of({"number": "7"}) == CustomerIdentity("", "", frozenset())


@pytest.mark.parametrize(
    ("address", "kinds"),
    [
        ({"lastName": "Kurze"}, []),  # one short word is in too many texts
        ({"lastName": "Lampen"}, [IdentityKind.NAME]),
        ({"firstName": "Li", "lastName": "Xu"}, [IdentityKind.NAME]),
        ({"lastName": ERASED}, []),
        ({"firstName": "Erika"}, []),
        ({"firstName": "Henriette"}, [IdentityKind.NAME]),
        ({"street": "Weg 12"}, [IdentityKind.STREET]),
        ({"street": "Weg 1"}, []),
        ({"street": "Lange Gasse"}, []),  # without a house number it is anyone's
        ({"phone": "123456"}, [IdentityKind.PHONE]),
        ({"phone": "+49 - 123"}, []),
    ],
)
def test_only_what_is_long_enough_tells_one_person_from_others(
    address: dict[str, str], kinds: list[IdentityKind]
) -> None:
    for order in ({"billing": address}, {"shipping": address}):
        assert [each.kind for each in customer_of(order).identifiers] == kinds


@pytest.mark.parametrize(
    ("name", "named"),
    [("MUSTERMANN, Erika", True), ("erika mustermann", True), ("Musterfrau", True), ("Erika", False), ("", False)],
)
def test_a_customer_is_named_in_whatever_order_and_spelling(name: str, named: bool) -> None:
    assert is_named(customer_of(ORDER), name) is named


def test_accounts_are_recognised_masked_too_and_what_is_too_short_is_none() -> None:
    found = accounts_of(["DE75512108001245126199", "12345"])
    assert len(found) == 2
    assert {each.kind for each in found} == {IdentityKind.IBAN}
    assert "12345" not in {each.value for each in found}
    assert {each.value for each in accounts_of(["123456"])} >= {"123456"}
    assert accounts_of([]) == set()
    assert pattern_of([]) == "(?!)"
