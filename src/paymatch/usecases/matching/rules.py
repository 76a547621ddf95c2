"""Rules that people make from decisions: previewed on the last 90 days, created, switched, deleted (D-49)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.matching.model import PostingFacts, ShopFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.text.names import has_words_of, parse_name
from paymatch.domain.payer_rules import (
    MOST_RULES,
    Past,
    PayerRule,
    RuleAction,
    RuleRefused,
    judge_posting,
    normalise_rule,
)
from paymatch.domain.postings import PostingStatus
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store import ids
from paymatch.store.matching import matching as match_store
from paymatch.store.matching import payers as store
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements.postings import StoredPosting
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record

LOOKS_BACK: Final = timedelta(days=90)
_MOST: Final = 500
"""Postings of a preview."""
_OFTEN: Final = 2
"""The number of equal reasons for a payer after which a rule is offered."""
_REMEMBERED: Final = 5
"""The latest postings of a payer whose reasons are remembered."""
_NAMES: Final = 10_000
"""The names on which a rule without an account is tested: the latest of the 90 days."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A past posting that the rule covers, its outcome, and the orders that it pays."""

    posting: StoredPosting
    past: Past
    orders: tuple[str, ...]
    aside_reason: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect that the rule would have had in the last 90 days, the latest posting first."""

    tried: Sequence[Tried]

    @property
    def counts(self) -> dict[Past, int]:
        """How many of each kind."""
        found = Counter(each.past for each in self.tried)
        return {past: found[past] for past in Past}


def preview(tx: ShopTx, rule: PayerRule) -> Preview:
    """The postings of the last 90 days that the rule covers; RuleRefused as in `checked`."""
    rule = normalise_rule(rule)
    postings = posting_store.load(tx, _maybe(tx, rule))
    views = prepare([PostingFacts(p.id, p.posting, p.posting.amount_minor) for p in postings], ShopFacts()).views
    caught = [stored for stored, view in zip(postings, views, strict=True) if rule.catches(view)][::-1]
    allocations = posting_store.allocations(tx, [stored.id for stored in caught])
    numbers: dict[str, list[str]] = {}
    for row in allocations:
        numbers.setdefault(row.posting_id, []).append(row.order_number)
    facts = match_store.load_orders(tx, sorted({row.order_number for row in allocations}))
    naming = store.naming_orders(tx, [stored.id for stored in caught])
    reasons = store.aside_reasons(tx, [stored.id for stored in caught])
    tried = []
    for stored in caught:
        orders = tuple(numbers.get(stored.id, ()))
        past = judge_posting(
            rule,
            aside=stored.id in reasons or stored.status is PostingStatus.IGNORED,
            names_order=stored.id in naming,
            customers=[(facts[number].customer_number, facts[number].names) for number in orders if number in facts],
        )
        tried.append(Tried(stored, past, orders, reasons.get(stored.id, "")))
    return Preview(tried)


def _maybe(tx: ShopTx, rule: PayerRule) -> list[str]:
    """The postings that the rule may cover: of its account, or with the words of its name in the payer's."""
    since = tx.today - LOOKS_BACK
    if rule.iban:
        return store.ids_of_account(tx, rule.iban, since, _MOST)
    wanted = parse_name(rule.name)
    rows = store.names_since(tx, since, _NAMES)
    return [posting for posting, name in rows if has_words_of(parse_name(name), wanted)][:_MOST]


def make(tx: ShopTx, rule: PayerRule) -> PayerRule:
    """Puts the rule in force; open postings that it covers are decided again.

    RuleRefused as in `checked`; if the shop already has such a rule; if it has too many.
    """
    now = tx.now
    made = replace(normalise_rule(rule), id=ids.new_id("rule", now), author=tx.actor.name, made_at=now, active=True)
    known = store.list_rules(tx)
    if any(_is_same(made, each) for each in known):
        raise RuleRefused(Message("rule-known"))
    if len(known) >= MOST_RULES:
        raise RuleRefused(Message("rule-too-many", count=MOST_RULES))
    store.add_rule(tx, made)
    _again(tx, made)
    record(tx, tx.shop, AuditAction.RULE_MADE, made.id, after=_audit_values(made))
    return made


def _is_same(one: PayerRule, other: PayerRule) -> bool:
    return (one.action, _pattern(one)) == (other.action, _pattern(other))


def _pattern(rule: PayerRule) -> dict[str, Any]:
    return {
        "iban": rule.iban, "name": rule.name, "words": rule.words, "reason": rule.reason,
        "customer_number": rule.customer_number, "customer_name": rule.customer_name,
    }  # fmt: skip


def switch(tx: ShopTx, rule_id: str, *, active: bool) -> PayerRule:
    """Switches the rule on or off; RuleRefused if there is none with this id."""
    rule = _load_rule(tx, rule_id)
    if rule.active is not active:
        store.switch_rule(tx, rule_id, active=active)
        _again(tx, rule)
        record(
            tx, tx.shop, AuditAction.RULE_SWITCHED, rule_id, before={"active": rule.active}, after={"active": active}
        )
    return replace(rule, active=active)


def delete(tx: ShopTx, rule_id: str) -> PayerRule:
    """Deletes the rule. Postings that only it has set aside wait again; RuleRefused if there is no such rule."""
    rule = _load_rule(tx, rule_id)
    store.delete_rule(tx, rule_id)
    _again(tx, rule)
    record(tx, tx.shop, AuditAction.RULE_DELETED, rule_id, before=_audit_values(rule))
    return rule


def list_rules(tx: ShopTx) -> list[PayerRule]:
    """The shop's rules, oldest first, in the order in which they are tried."""
    return store.list_rules(tx)


def from_posting(tx: ShopTx, posting_id: str) -> PayerRule:
    """A rule to start from: this posting's payer, set aside. RuleRefused if there is no such posting."""
    found = posting_store.load(tx, [posting_id])
    if not found:
        raise RuleRefused(Message("no-posting", posting=repr(posting_id)))
    posting = found[0].posting
    name = "" if posting.counterparty_iban else posting.counterparty_name
    return PayerRule(RuleAction.SET_ASIDE, iban=posting.counterparty_iban, name=name)


def _again(tx: ShopTx, rule: PayerRule) -> None:
    """Schedules the open postings that the rule covers."""
    open_ones = [each.posting.id for each in preview(tx, rule).tried if each.posting.is_open]
    match_store.mark_postings_for_rematch(tx, open_ones, tx.now)


def _load_rule(tx: ShopTx, rule_id: str) -> PayerRule:
    rule = store.find_rule(tx, rule_id)
    if rule is None:
        raise RuleRefused(Message("no-rule", rule=repr(rule_id)))
    return rule


def _audit_values(rule: PayerRule) -> dict[str, Any]:
    """A rule in the audit log: its account masked, as everywhere."""
    values = {
        "action": rule.action.value,
        **_pattern(rule),
        "iban": masked_account(rule.iban),
        "words": list(rule.words),
    }
    return {name: value for name, value in values.items() if value}


def repeated_reason(tx: ShopTx, posting_id: str) -> tuple[str, str, int] | None:
    """(payer, reason, how often) once the payer's account has been set aside twice for one reason, without a rule."""
    found = store.same_asides(tx, posting_id)
    if found is None or found[2] < _OFTEN:
        return None
    rules = [rule for rule in store.list_rules(tx) if rule.active and rule.action is RuleAction.SET_ASIDE]
    return None if any(rule.iban and rule.reason == found[1] for rule in rules) else found
