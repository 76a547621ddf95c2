"""What a shop has taught the matching: brought to the engine, updated by decisions by hand, visible, resettable."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from paymatch.domain.matching import learn
from paymatch.domain.matching.learn import Learnt
from paymatch.domain.matching.model import AlwaysRule, Caution, IgnoreRule, ShopFacts
from paymatch.domain.matching.rank.delays import DELAYS
from paymatch.domain.matching.text.names import parse_name
from paymatch.domain.matching.text.payment_words import often_written
from paymatch.domain.orders.fees import ChargeLimit
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.matching import matching as store
from paymatch.store.matching import payer_rules, payouts
from paymatch.store.statements.postings import StoredPosting
from paymatch.usecases.audit import record


def shop_facts(tx: Tx, shop: Shop, waiting: Sequence[StoredPosting]) -> ShopFacts:
    """The shop's settings and what is known of the payers of these postings."""
    shop_id = ShopId(shop.id)
    ibans = sorted({stored.posting.counterparty_iban for stored in waiting if stored.posting.counterparty_iban})
    known = store.customers_of_ibans(tx, shop_id, ibans) if shop.learning and ibans else {}
    facts = ShopFacts(
        caution=Caution(shop.caution),
        tolerance_minor=shop.tolerance_minor,
        fee_tolerance_minor=shop.fee_tolerance_minor,
        charge_limit=ChargeLimit(shop.bank_charge_basis_points, shop.bank_charge_limit_minor),
        common_words=common_words(tx, shop),
        discount_basis_points=shop.discount_basis_points,
        tariffs=payouts.tariffs(tx, shop_id, [stored.posting for stored in waiting]) if shop.learning else {},
        known_ibans={iban: names for iban, names in known.items() if len(names) <= learn.MAX_CUSTOMERS},
        open_orders=store.count_open_orders(tx, shop_id),
        delays=store.last_delays(tx, shop_id, DELAYS) if shop.learning else (),
        **_rules(tx, shop_id),
    )
    return learn.shop_facts(facts, state_of(tx, shop), ibans)


def common_words(tx: Tx, shop: Shop) -> frozenset[str]:
    """Words that identify none of the shop's customers: those of its own name, and those that many payers write."""
    own = {word for text in (shop.name, shop.holder) for word in parse_name(text).words}
    return often_written(store.last_texts(tx, ShopId(shop.id))) | own


def _rules(tx: Tx, shop: ShopId) -> dict[str, Any]:
    """The rules in force that people have made (D-49); they hold without learning, too."""
    found = [rule.of_engine for rule in payer_rules.list_rules(tx, shop) if rule.active]
    return {
        "aside_rules": tuple(rule for rule in found if isinstance(rule, IgnoreRule)),
        "always_rules": tuple(rule for rule in found if isinstance(rule, AlwaysRule)),
    }


def state_of(tx: Tx, shop: Shop) -> Learnt:
    """What was learnt; switched off as the shop's setting says."""
    text = store.load_learnt(tx, ShopId(shop.id))
    state = learn.from_json(msgspec.json.decode(text)) if text else learn.reset()
    return replace(state, enabled=shop.learning)


def learn_from_match(
    tx: Tx, shop: Shop, posting: StoredPosting, numbers: Sequence[str], codes: Collection[str]
) -> None:
    """A person made a match, for which this evidence spoke if it was proposed; remembered if the shop learns."""
    if shop.learning:
        orders = list(store.load_orders(tx, ShopId(shop.id), numbers).values())
        _save(tx, shop, learn.learn_from_match(state_of(tx, shop), posting.posting, orders, codes))


def undone(tx: Tx, shop: Shop, posting: StoredPosting, numbers: Sequence[str], codes: Collection[str]) -> None:
    """A person undid a match that this evidence had led to; remembered if the shop learns."""
    if shop.learning and numbers:
        orders = list(store.load_orders(tx, ShopId(shop.id), numbers).values())
        _save(tx, shop, learn.undone(state_of(tx, shop), posting.posting, orders, codes))


def put_aside(tx: Tx, shop: Shop, posting: StoredPosting) -> None:
    """A person ignored a posting; a payer that is ignored again and again becomes a proposed rule."""
    if shop.learning:
        _save(tx, shop, learn.put_aside(state_of(tx, shop), posting.posting))


def taken_up(tx: Tx, shop: Shop, posting: StoredPosting) -> None:
    """A person returned a posting to matching that a person had ignored; what that taught is forgotten."""
    if shop.learning:
        _save(tx, shop, learn.taken_up(state_of(tx, shop), posting.posting))


def accept_all(tx: Tx, shop: Shop, clock: datetime) -> int:
    """Puts all proposed rules in force and has the open postings matched again; the number of the rules."""
    state = state_of(tx, shop)
    proposed: list[IgnoreRule | AlwaysRule] = [*state.proposed_ignore, *state.proposed_always]
    for rule in proposed:
        state = learn.accept_rule(state, rule)
    _save(tx, shop, state)
    if proposed:
        store.mark_all_for_rematch(tx, ShopId(shop.id), shop.now(clock))
        record(tx, shop, AuditAction.RULES_ACCEPTED, "", after={"rules": len(proposed)})
    return len(proposed)


def reset(tx: Tx, shop: Shop, clock: datetime) -> None:
    """Forgets everything that was learnt, rules included; the open postings are matched again."""
    store.save_learnt(tx, ShopId(shop.id), "")
    record(tx, shop, AuditAction.LEARNING_RESET, "")
    store.mark_all_for_rematch(tx, ShopId(shop.id), shop.now(clock))


def visible(tx: Tx, shop: Shop) -> dict[str, Any]:
    """What was learnt, for people to see."""
    return learn.to_json(state_of(tx, shop))


def _save(tx: Tx, shop: Shop, state: Learnt) -> None:
    store.save_learnt(tx, ShopId(shop.id), msgspec.json.encode(learn.to_json(state)).decode())
