"""Headings of order tables: which field of the merchant API each one means, in English and German."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from paymatch.formats.bank_values import currency_in
from paymatch.formats.contract.declaration import declaration_of
from paymatch.formats.contract.orders import Order

CUSTOMER: Final = "customer"
"""The whole name of a customer in one cell; the API has first name, surname and company apart."""
_NOT_IN_TABLES: Final = frozenset({"items", "itemNumbers"})


def _fields() -> tuple[str, ...]:
    found = [CUSTOMER]
    for name, field in declaration_of(Order).writable.items():
        if name in _NOT_IN_TABLES:
            continue
        found += [name] if field.of is None else [f"{name}.{part}" for part in declaration_of(field.of).writable]
    return tuple(found)


FIELDS: Final = _fields()
"""What a column can mean: the fields that a shop sends by API, those of addresses after a full stop."""

_NAMES: Final[Mapping[str, str]] = {
    "number": "ordernumber orderno ordernr orderid order number bestellnummer bestellnr auftragsnummer auftragsnr"
    " bestellung auftrag nummer belegnummer name",
    "date": "orderdate orderdatetime ordered datecreated createdat bestelldatum bestellt auftragsdatum date datum"
    " bestelltam erstelltam orderedat",
    "dueDate": "duedate due paymentdue faellig faelligam faelligkeit faelligkeitsdatum zahlbarbis zahlungsziel",
    "amount": "amount ordertotalamount amounttotal ordertotal grandtotal totalamount totalgross total betrag"
    " betragbrutto bruttobetrag gesamtbetrag gesamtsumme rechnungsbetrag summe brutto endbetrag",
    "currency": "currency currencycode currencyisocode ordercurrency waehrung",
    "type": "type ordertype art zahlungsart bestellart",
    "exchangeRate": "exchangerate wechselkurs kurs",
    "customerEmail": "customeremail email emailaddress emailbilling billingemail ordercustomeremail emailadresse mail"
    " kundenemail",
    "customerNumber": "customernumber customerno customerid kundennummer kundennr ordercustomercustomernumber",
    "marketplaceNumber": "marketplacenumber marktplatznummer",
    "paymentMethod": "paymentmethod paymentmethodtitle zahlungsmethode zahlungsweise",
    "statusDescription": "statusdescription orderstatus bestellstatus",
    "language": "language languagecode sprache",
    "invoiceNumbers": "invoicenumbers invoicenumber invoiceno invoice rechnungsnummern rechnungsnummer rechnungsnr"
    " rechnung",
    "shippingNumbers": "shippingnumbers trackingnumber sendungsnummer trackingnummer paketnummer",
    "proformaNumbers": "proformanumbers angebotsnummer proformanummer",
    "stopReminder": "stopreminder mahnstopp mahnsperre",
    CUSTOMER: "customer customername billingname kunde kundenname rechnungsname fullname",
    "billing.firstName": "firstname billingfirstname firstnamebilling ordercustomerfirstname vorname givenname",
    "billing.lastName": "lastname billinglastname lastnamebilling ordercustomerlastname nachname surname familienname",
    "billing.company": "company billingcompany companybilling firma unternehmen billingaddresscompany",
    "billing.street": "street billingstreet billingaddress1 address12billing address1billing billingaddressstreet"
    " strasse strassehausnummer adresse",
    "billing.postCode": "postcode billingpostcode billingzip postcodebilling zip zipcode billingaddresszipcode plz"
    " postleitzahl",
    "billing.city": "city billingcity citybilling billingaddresscity ort stadt",
    "billing.countryCode": "countrycode billingcountrycode country billingcountry countrycodebilling"
    " billingaddresscountryiso land laendercode laenderkennzeichen",
    "billing.phone": "phone billingphone phonebilling telefon telefonnummer",
}  # fmt: skip
"""Field -> its usual headings without blanks and marks, the surest first."""
_SECOND_MEANINGS: Final = {"name": CUSTOMER}
"""Heading -> what it means beside one that is surer of its first meaning: `Name` is the number only in some exports."""
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_CURRENCY: Final = re.compile(r"[(\[]\s*(?:[A-Z]{3}|€)\s*[)\]]|\bin EUR\b")
_MARKS: Final = re.compile(r"[^a-z0-9]")


def plain_heading(text: str) -> str:
    """A heading without case, blanks, marks and the currency after an amount: `Betrag (EUR)` is betrag."""
    return _MARKS.sub("", _CURRENCY.sub("", text).casefold().translate(_UMLAUTS))


_RANKS: Final = {
    word: (field, rank)
    for field, names in _NAMES.items()
    for rank, word in enumerate(names.split())
} | {plain_heading(field): (field, -1) for field in FIELDS if field != CUSTOMER}  # fmt: skip


def propose_columns(headings: Sequence[str]) -> dict[str, str]:
    """Heading -> field, for those that are known; of several that mean the same the surest one."""
    best: dict[str, tuple[int, str]] = {}
    for heading in headings:
        field, rank = _RANKS.get(plain_heading(heading), ("", 0))
        if field and (field not in best or rank < best[field][0]):
            best[field] = (rank, heading)
    for heading in headings:
        field = _SECOND_MEANINGS.get(plain_heading(heading), "")
        if field and field not in best and all(heading != used for _, used in best.values()):
            best[field] = (0, heading)
    if CUSTOMER in best and {"billing.lastName", "billing.company"} & best.keys():
        del best[CUSTOMER]  # the parts of the name say more
    return {heading: field for field, (_, heading) in best.items()}


def is_order_heading(headings: Sequence[str]) -> bool:
    """Whether a row names at least the number and the amount of orders."""
    return {"number", "amount"} <= set(propose_columns(headings).values())


def currency_of_heading(heading: str) -> str:
    """The currency that the heading of an amount names, or ""."""
    return currency_in(heading)
