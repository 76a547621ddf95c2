"""Search texts of orders: written with every submission, invoice and agency's file number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import msgspec

from paymatch.domain.money import Currency, digits_of
from paymatch.domain.search.query import compact, comparable_amount, long_words, search_text
from paymatch.domain.words.message import as_text
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode


class NewOrder(NamedTuple):
    """The search text of a newly submitted order."""

    number: str
    doc: bytes
    ordered: date
    amount_minor: int
    currency: str
    reference: str


class _Person(msgspec.Struct, rename="camel"):
    first_name: str = ""
    last_name: str = ""
    company: str = ""
    street: str = ""
    post_code: str = ""
    city: str = ""
    phone: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """First and last name are one text, so they are found in their usual order."""
        name = f"{self.first_name} {self.last_name}"
        return name, self.company, self.street, f"{self.post_code} {self.city}", self.phone


class SearchedOrder(msgspec.Struct, rename="camel"):
    """The search text of an order's document."""

    customer_email: str = ""
    customer_number: str = ""
    marketplace_number: str = ""
    invoice_numbers: tuple[str, ...] = ()
    shipping_numbers: tuple[str, ...] = ()
    proforma_numbers: tuple[str, ...] = ()
    billing: _Person = msgspec.field(default_factory=_Person)
    shipping: _Person | None = None

    @property
    def customer(self) -> str:
        """The identity of the customer: the number, else the e-mail address, else the name."""
        return self.customer_number or self.customer_email.lower() or compact("".join(self.billing.texts[:2]))


_DECODE: Final = msgspec.json.Decoder(SearchedOrder).decode

SAVE: Final = """
INSERT INTO order_search (shop_id, order_number, order_date, amount, customer, words, long_words)
SELECT $1, r.order_number, r.order_date, r.amount, r.customer, r.words, r.long_words FROM json_to_recordset($2::json)
    AS r(order_number text, order_date date, amount bigint, customer text, words text, long_words text)
ON CONFLICT (shop_id, order_number) DO UPDATE SET
    order_date = excluded.order_date, amount = excluded.amount, customer = excluded.customer, words = excluded.words,
    long_words = excluded.long_words"""
_STORED: Final = """
SELECT o.number, o.doc, o.order_date, o.amount_minor, o.currency, o.reference,
       ARRAY(SELECT i.invoice_number FROM invoices i WHERE i.shop_id = $1 AND i.order_number = o.number
             UNION SELECT i.terms::json->>'key' FROM invoices i WHERE i.shop_id = $1 AND i.order_number = o.number
             AND i.terms <> '' AND i.terms::json->>'key' <> ''
             UNION SELECT c.file FROM collections c WHERE c.shop_id = $1 AND c.order_number = o.number
             AND c.file <> '' ORDER BY 1) AS numbers
FROM orders o WHERE o.shop_id = $1 AND o.number = ANY($2)"""
_WITHOUT: Final = """
SELECT o.number FROM orders o WHERE o.shop_id = $1 AND NOT EXISTS (
    SELECT FROM order_search s WHERE s.shop_id = $1 AND s.order_number = o.number) LIMIT $2"""


def save_new(tx: ShopTx, rows: Iterable[NewOrder]) -> None:
    """Stores the texts of orders that did not exist before."""
    _save(tx, [_row(*row[:-1], (row.reference,)) for row in rows])


def renew(tx: ShopTx, numbers: Sequence[str]) -> None:
    """Stores the texts of orders from their present data in the database."""
    found = tx.rows(_STORED, tx.shop_id, list(numbers)) if numbers else []
    _save(
        tx,
        [
            _row(row.number, row.doc, row.order_date, row.amount_minor, row.currency, (row.reference, *row.numbers))
            for row in found
        ],
    )


def without_text(tx: ShopTx, limit: int) -> list[str]:
    """Orders without a text: from before search texts existed, or of an erased person."""
    return [row[0] for row in tx.rows(_WITHOUT, tx.shop_id, limit)]


def _save(tx: ShopTx, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        tx.put(SAVE, tx.shop_id, _ENCODE(rows).decode())


def _row(
    number: str, doc: str | bytes, ordered: date, amount_minor: int, currency: str, numbers: Sequence[str]
) -> dict[str, Any]:
    wire = _DECODE(doc)
    texts = search_text(
        number,
        *wire.billing.texts,
        *(wire.shipping.texts if wire.shipping else ()),
        wire.customer_email,
        wire.customer_number,
        wire.marketplace_number,
        *wire.invoice_numbers,
        *wire.shipping_numbers,
        *wire.proforma_numbers,
        *numbers,
    )
    amount = comparable_amount(amount_minor, digits_of(Currency(currency)))
    return {
        "order_number": number,
        "order_date": ordered,
        "amount": amount,
        "customer": wire.customer,
        "words": texts,
        "long_words": long_words(texts),
    }
