"""Search texts of postings, and the search by part of the payer's account, which is sealed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from paymatch.domain.money import digits_of
from paymatch.domain.postings import Posting
from paymatch.domain.search.query import LEAST_OF_ACCOUNT, comparable_amount, long_words, search_text
from paymatch.domain.words.message import as_text
from paymatch.store.sealing import PARTY_MARKS, Vault
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_NO_REFERENCE: Final = "NOTPROVIDED"

_SAVE: Final = """
INSERT INTO posting_search (shop_id, posting_id, booking_date, amount, account, words, long_words)
SELECT $1, r.posting_id, r.booking_date, r.amount, r.account, r.words, r.long_words FROM json_to_recordset($2::json)
    AS r(posting_id text, booking_date date, amount bigint, account text, words text, long_words text)
ON CONFLICT (shop_id, posting_id) DO UPDATE SET
    booking_date = excluded.booking_date, account = excluded.account, words = excluded.words,
    long_words = excluded.long_words, segment = 0"""
_UNDER_ANOTHER_KEY: Final = """
SELECT p.id FROM postings p LEFT JOIN posting_search s ON s.shop_id = $1 AND s.posting_id = p.id
WHERE p.shop_id = $1 AND p.facts <> ''
  AND (s.posting_id IS NULL OR s.account <> '' AND NOT starts_with(s.account, $2)) LIMIT $3"""


def account_parts(account: str) -> frozenset[str]:
    """All parts of an account that a search finds it by, each of LEAST_OF_ACCOUNT characters."""
    return frozenset(account[place : place + LEAST_OF_ACCOUNT] for place in range(len(account) - LEAST_OF_ACCOUNT + 1))


def save(tx: ShopTx, postings: Iterable[tuple[str, Posting]]) -> None:
    """Stores the texts of postings (id, the bank's facts)."""
    vault = tx.vault()
    rows = [_row(posting_id, posting, vault) for posting_id, posting in postings]
    if rows:
        tx.put(_SAVE, tx.shop_id, _ENCODE(rows).decode())


def without_text(tx: ShopTx, limit: int) -> list[str]:
    """Postings that have no text yet, or whose account is marked under an earlier key."""
    newest = next(iter(tx.vault().key_ids), "")
    return [row[0] for row in tx.rows(_UNDER_ANOTHER_KEY, tx.shop_id, newest, limit)]


def _row(posting_id: str, posting: Posting, vault: Vault) -> dict[str, Any]:
    reference = posting.end_to_end_id
    words = search_text(
        posting.counterparty_name,
        posting.shown_text,
        *posting.structured_references,
        posting.bank_reference,
        "" if reference == _NO_REFERENCE else reference,
    )
    return {
        "posting_id": posting_id,
        "booking_date": posting.booking_date,
        "amount": comparable_amount(posting.amount_minor, digits_of(posting.currency)),
        "account": vault.marks(PARTY_MARKS, account_parts(posting.counterparty_iban)),
        "words": words,
        "long_words": long_words(words),
    }
