"""Aliases: accounts that pay for customers, as people's matches have taught; each is shown and can be taken back."""

from __future__ import annotations

from typing import Any, Final

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.matching import learn
from paymatch.domain.matching.learn import Alias
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store.matching import matching as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.matching.learning import save_state, state_of

_LATEST: Final = 1_000
"""Matches by hand whose accounts are shown."""


class AliasUnknown(Unknown):
    """Nothing was learnt under this id, or it was taken back."""

    def __init__(self, alias_id: str) -> None:
        super().__init__(Message("alias-unknown", alias=repr(alias_id)))


def list_aliases(tx: ShopTx) -> list[Alias]:
    """What was learnt and counts, by account; nothing while the shop does not learn."""
    if not tx.shop.learning:
        return []
    booked = [Alias(*pair) for pair in store.matched_by_hand(tx, _LATEST)]
    return learn.aliases(state_of(tx), booked)


def alias_rows(tx: ShopTx) -> list[dict[str, Any]]:
    """As pages and commands show them, accounts by their ends."""
    return [
        {"id": each.id, "account": masked_account(each.iban), "customer": each.customer} for each in list_aliases(tx)
    ]


def take_back(tx: ShopTx, alias_id: str) -> Alias:
    """The account says nothing of the customer any more; the open postings are matched again. AliasUnknown."""
    found = next((each for each in list_aliases(tx) if each.id == alias_id), None)
    if found is None:
        raise AliasUnknown(alias_id)
    save_state(tx, learn.without_alias(state_of(tx), found))
    record(tx, tx.shop, AuditAction.ALIAS_TAKEN_BACK, alias_id, before={"account": masked_account(found.iban)})
    store.mark_all_for_rematch(tx, tx.now)
    return found
