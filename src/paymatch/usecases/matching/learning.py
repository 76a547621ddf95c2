"""Learned facts of a shop: used by the engine, updated by decisions by hand, visible, resettable."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, TypedDict

import msgspec

from paymatch.domain.matching import learn
from paymatch.domain.matching.learn import Learnt
from paymatch.domain.matching.model import AlwaysRule, Caution, IgnoreRule, ShopFacts
from paymatch.domain.matching.rank.delays import DELAYS
from paymatch.domain.matching.text.names import parse_name
from paymatch.domain.matching.text.payers import bank_headings, often_written
from paymatch.domain.orders.fees import ChargeLimit
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import as_text
from paymatch.store.matching import matching as store
from paymatch.store.matching import payers, recent
from paymatch.store.statements.postings import StoredPosting
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record


class TextFacts(TypedDict):
    """Words that identify none of the shop's customers, and words of its banks (`ShopFacts`)."""

    common_words: frozenset[str]
    bank_headings: frozenset[str]


def shop_facts(tx: ShopTx, waiting: Sequence[StoredPosting]) -> ShopFacts:
    """The shop's settings and its knowledge of these postings' payers."""
    ibans = sorted({stored.posting.counterparty_iban for stored in waiting if stored.posting.counterparty_iban})
    known = store.customers_of_ibans(tx, ibans) if tx.shop.learning and ibans else {}
    facts = ShopFacts(
        caution=Caution(tx.shop.caution),
        tolerance_minor=tx.shop.tolerance_minor,
        fee_tolerance_minor=tx.shop.fee_tolerance_minor,
        charge_limit=ChargeLimit(tx.shop.bank_charge_basis_points, tx.shop.bank_charge_limit_minor),
        **text_facts(tx),
        discount_basis_points=tx.shop.discount_basis_points,
        tariffs=payers.tariffs(tx, [stored.posting for stored in waiting]) if tx.shop.learning else {},
        known_ibans={iban: names for iban, names in known.items() if len(names) <= learn.MAX_CUSTOMERS},
        open_orders=store.count_open_orders(tx),
        paid_customers=recent.paid_customers(tx, ibans) if tx.shop.learning and ibans else {},
        newest_orders=recent.newest_orders(tx, max((each.posting.booking_date for each in waiting), default=tx.today)),
        delays=store.last_delays(tx, DELAYS) if tx.shop.learning else (),
        **_rules(tx),
    )
    return learn.shop_facts(facts, state_of(tx), ibans)


def text_facts(tx: ShopTx) -> TextFacts:
    """What the shop's latest payments show of their words."""
    own = {word for text in (tx.shop.name, tx.shop.holder) for word in parse_name(text).words}
    texts = store.last_texts(tx)
    return {"common_words": often_written(texts) | own, "bank_headings": bank_headings(texts)}


def _rules(tx: ShopTx) -> dict[str, Any]:
    """The rules in force that people have made (D-49); they also apply without learning."""
    found = [rule.of_engine for rule in payers.list_rules(tx) if rule.active]
    return {
        "aside_rules": tuple(rule for rule in found if isinstance(rule, IgnoreRule)),
        "always_rules": tuple(rule for rule in found if isinstance(rule, AlwaysRule)),
    }


def state_of(tx: ShopTx) -> Learnt:
    """The learned state; off if the shop's setting says so."""
    text = store.load_learnt(tx)
    state = learn.from_json(msgspec.json.decode(text)) if text else learn.reset()
    return replace(state, enabled=tx.shop.learning)


def learn_from_match(tx: ShopTx, posting: StoredPosting, numbers: Sequence[str], codes: Collection[str]) -> None:
    """Learns from a person's match, with this evidence if it was proposed; only if learning is on."""
    if tx.shop.learning:
        orders = list(store.load_orders(tx, numbers).values())
        save_state(tx, learn.learn_from_match(state_of(tx), posting.posting, orders, codes))


def undone(tx: ShopTx, posting: StoredPosting, numbers: Sequence[str], codes: Collection[str]) -> None:
    """Learns from an undone match that this evidence had led to; only if learning is on."""
    if tx.shop.learning and numbers:
        orders = list(store.load_orders(tx, numbers).values())
        save_state(tx, learn.undone(state_of(tx), posting.posting, orders, codes))


def put_aside(tx: ShopTx, posting: StoredPosting) -> None:
    """Learns from an ignored posting; a payer that is ignored repeatedly becomes a proposed rule."""
    if tx.shop.learning:
        save_state(tx, learn.put_aside(state_of(tx), posting.posting))


def taken_up(tx: ShopTx, posting: StoredPosting) -> None:
    """Forgets what an ignored posting taught, once a person returns it to matching."""
    if tx.shop.learning:
        save_state(tx, learn.taken_up(state_of(tx), posting.posting))


def accept_all(tx: ShopTx) -> int:
    """Puts all proposed rules in force and schedules matching of the open postings; returns the number of rules."""
    state = state_of(tx)
    proposed: list[IgnoreRule | AlwaysRule] = [*state.proposed_ignore, *state.proposed_always]
    for rule in proposed:
        state = learn.accept_rule(state, rule)
    save_state(tx, state)
    if proposed:
        store.mark_all_for_rematch(tx, tx.now)
        record(tx, tx.shop, AuditAction.RULES_ACCEPTED, "", after={"rules": len(proposed)})
    return len(proposed)


def reset(tx: ShopTx) -> None:
    """Forgets everything learnt, including rules; the open postings are matched again."""
    store.save_learnt(tx, "")
    record(tx, tx.shop, AuditAction.LEARNING_RESET, "")
    store.mark_all_for_rematch(tx, tx.now)


def visible(tx: ShopTx) -> dict[str, Any]:
    """The learned state, for people."""
    return learn.to_json(state_of(tx))


def save_state(tx: ShopTx, state: Learnt) -> None:
    """Keeps what was learnt."""
    store.save_learnt(tx, msgspec.json.encode(learn.to_json(state), enc_hook=as_text).decode())
