"""The token of the shop's agency: it gives access to reports, and to nothing else (D-61)."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from paymatch.domain.collection.cases import CollectionRefused
from paymatch.domain.shops.api_keys import SECRET_BYTES, agency_token, hash_of, hint_of
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store.collection import cases as store
from paymatch.store.ids import random_bytes
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record

OVERLAP: Final = timedelta(days=1)
"""How long the previous token is still accepted, while the agency switches."""


def token_hint(tx: ShopTx) -> str:
    """The visible part of the agency's token; "" if there is none."""
    token = store.agency_token(tx)
    return hint_of(token) if token else ""


def roll_token(tx: ShopTx, overlap: timedelta = OVERLAP) -> str:
    """A new token, shown only once; the previous one is accepted for a while.

    CollectionRefused if the shop has no agency.
    """
    if not store.agency(tx).is_set:
        raise CollectionRefused(Message("collection-shop-no-agency-set"))
    before = token_hint(tx)
    token = agency_token(tx.shop.id, random_bytes(SECRET_BYTES))
    store.set_agency_token(tx, token, hash_of(token), tx.wall_time + overlap)
    previous = {"token": before} if before else None
    record(tx, tx.shop, AuditAction.COLLECTION_AGENCY_SET, "agency", before=previous, after={"token": hint_of(token)})
    return token
