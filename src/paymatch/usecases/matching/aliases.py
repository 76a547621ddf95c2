"""Aliases: accounts that pay for customers, learned from people's matches.

Each is shown with its effect, can be tried on the past, and can be removed.
"""

from __future__ import annotations

from typing import Any, Final

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.matching import learn
from paymatch.domain.matching.catalogue import IBAN_KNOWN
from paymatch.domain.matching.learn import Alias
from paymatch.domain.payer_rules import Past, PayerRule, RuleAction
from paymatch.domain.refusal import Unknown
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store.matching import matching as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.matching import rules
from paymatch.usecases.matching.learning import save_state, state_of

_LATEST: Final = 1_000
"""Matches by hand whose accounts are shown."""


class AliasUnknown(Unknown):
    """Nothing was learnt under this id, or it was removed."""

    def __init__(self, alias_id: str) -> None:
        super().__init__(Message("alias-unknown", alias=repr(alias_id)))


def list_aliases(tx: ShopTx) -> list[Alias]:
    """Learned aliases in force, by account; none while learning is switched off."""
    if not tx.shop.learning:
        return []
    booked = [Alias(*pair) for pair in store.matched_by_hand(tx, _LATEST)]
    return learn.aliases(state_of(tx), booked)


def alias_rows(tx: ShopTx) -> list[dict[str, Any]]:
    """Aliases for pages and commands, with masked accounts.

    `matched` are the present automatic matches with the account as evidence, `takenBack` those of the account and the
    customer that people have undone.
    """
    found = list_aliases(tx)
    led_to = store.matches_led_to(tx, sorted({each.iban for each in found}), IBAN_KNOWN.code) if found else {}
    undone = {(each.iban, each.customer): each.undone for each in state_of(tx).payers}
    return [
        {
            "id": each.id, "account": masked_account(each.iban), "customer": each.customer,
            "matched": led_to.get(each, 0), "takenBack": undone.get(each, 0),
        }
        for each in found
    ]  # fmt: skip


def try_rows(tx: ShopTx) -> list[dict[str, Any]]:
    """The effect that each proposed rule and each learnt account would have had in the last 90 days (D-49).

    Of the payments it applies to: `waiting` would be decided now, `agrees` were decided so, `named` name an order
    themselves, `against` were decided otherwise.
    """
    state = state_of(tx)
    tried = [("proposed rule", _pays_for(rule.iban, rule.customer_number, rule.customer_name))
             for rule in state.proposed_always]  # fmt: skip
    tried += [
        ("proposed rule", PayerRule(RuleAction.SET_ASIDE, rule.iban, rule.name, reason="proposed"))
        for rule in state.proposed_ignore
    ]
    tried += [("account", _pays_for(each.iban, each.customer, each.customer)) for each in list_aliases(tx)]
    return [_trial_row(tx, what, rule) for what, rule in tried]


def _pays_for(iban: str, customer_number: str, customer_name: str) -> PayerRule:
    name = "" if customer_number else customer_name
    return PayerRule(RuleAction.PAYS_FOR, iban, customer_number=customer_number, customer_name=name)


def _trial_row(tx: ShopTx, what: str, rule: PayerRule) -> dict[str, Any]:
    counts = rules.preview(tx, rule).counts
    return {
        "what": what, "payer": masked_account(rule.iban) if rule.iban else rule.name,
        "does": rule.action.value, "customer": rule.customer_number or rule.customer_name,
        "waiting": counts[Past.CAUGHT], "agrees": counts[Past.AGREES], "named": counts[Past.NAMED],
        "against": counts[Past.AGAINST],
    }  # fmt: skip


def take_back(tx: ShopTx, alias_id: str) -> Alias:
    """Removes the link from the account to the customer; open postings are matched again. AliasUnknown."""
    found = next((each for each in list_aliases(tx) if each.id == alias_id), None)
    if found is None:
        raise AliasUnknown(alias_id)
    save_state(tx, learn.without_alias(state_of(tx), found))
    record(tx, tx.shop, AuditAction.ALIAS_TAKEN_BACK, alias_id, before={"account": masked_account(found.iban)})
    store.mark_all_for_rematch(tx, tx.now)
    return found
