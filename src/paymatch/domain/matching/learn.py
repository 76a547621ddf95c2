"""Learning, per shop: who pays for whom, small shifts of weights, and rules that a person may accept.

The state is a frozen value, stored as JSON. The merchant can see it, switch it off and reset it. It only adds to the
evidence of a decision: a payer's remembered customer counts like a part of the name, never like a number. Evidence that
led to a match which a person undid weighs a little less, within bounds; confirmations restore it, but never above its
weight without learning: so learning only makes the engine more careful.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from paymatch.domain.matching.catalogue import Reason
from paymatch.domain.matching.model import AlwaysRule, IgnoreRule, OrderFacts, ShopFacts
from paymatch.domain.matching.text.names import has_words_of, parse_name
from paymatch.domain.matching.text.normalise import canonical, flat
from paymatch.domain.postings import Posting

if TYPE_CHECKING:
    from paymatch.domain.matching.prepare import PostingView

LOWEST_SHIFT: Final = -2.0
HIGHEST_SHIFT: Final = 0.0
UNDONE_STEP: Final = -0.25
CONFIRMED_STEP: Final = 0.05
ENOUGH: Final = 2
"""After this many confirmations and no undone match, a payer is remembered and a rule proposed."""
CONTRADICTION: Final = 3
"""An undone match outweighs this many confirmations: contradicted knowledge counts again only once confirmed."""
MAX_CUSTOMERS: Final = 4


@dataclass(frozen=True, slots=True)
class Payer:
    """Knowledge of one payer's account and one customer it has paid for."""

    iban: str
    customer: str  # customer number, else the name
    confirmed: int = 0
    undone: int = 0

    @property
    def is_trusted(self) -> bool:
        return self.confirmed > CONTRADICTION * self.undone


class Alias(NamedTuple):
    """An account that pays for a customer of another name, learned from a person's matches."""

    iban: str
    customer: str  # customer number, else the name

    @property
    def id(self) -> str:
        """A name for people; it reveals nothing of the account."""
        return f"alias_{sha256(f'{self.iban} {self.customer}'.encode()).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Learnt:
    """Everything learned from a shop's corrections. Rules in `proposed` do nothing until a person accepts them."""

    enabled: bool = True
    payers: tuple[Payer, ...] = ()
    shifts: Mapping[str, float] = field(default_factory=dict)
    set_aside: Mapping[str, int] = field(default_factory=dict)  # payer's IBAN, else name -> how often it was set aside
    ignore_rules: tuple[IgnoreRule, ...] = ()
    always_rules: tuple[AlwaysRule, ...] = ()
    proposed_ignore: tuple[IgnoreRule, ...] = ()
    proposed_always: tuple[AlwaysRule, ...] = ()
    taken_back: tuple[Alias, ...] = ()  # undone by a person: counts again only once a person makes such a match


def learn_from_match(
    state: Learnt, posting: Posting, orders: Sequence[OrderFacts], codes: Collection[str] = ()
) -> Learnt:
    """The state after a person confirmed or made the match of `posting` to `orders`.

    `codes` is the evidence that spoke for the suggestion that was confirmed, if it was one.
    """
    for customer in _customers(orders):
        state = _count(state, posting.counterparty_iban, customer, confirmed_by=1)
    state = replace(state, shifts=_shift_weights(state.shifts, codes, CONFIRMED_STEP))
    return _propose_always(state, posting, orders)


def undone(state: Learnt, posting: Posting, orders: Sequence[OrderFacts], codes: Collection[str] = ()) -> Learnt:
    """The state after a person undid the match of `posting` to `orders`; `codes` is the evidence that led to it."""
    for customer in _customers(orders):
        state = _count(state, posting.counterparty_iban, customer, undone_by=1)
    state = replace(state, shifts=_shift_weights(state.shifts, codes, UNDONE_STEP))
    wrong = set(_customers(orders))
    kept = tuple(rule for rule in state.proposed_always if (rule.customer_number or rule.customer_name) not in wrong)
    return replace(state, proposed_always=kept)


def spoke_for(reasons: Iterable[Reason]) -> frozenset[str]:
    """The codes of the evidence that spoke for a proposal."""
    return frozenset(reason.code for reason in reasons if reason.weight > 0)


def put_aside(state: Learnt, posting: Posting) -> Learnt:
    """The state after a person set the posting aside as unrelated to orders.

    A rule is proposed for the payer's account or, if the bank gives none, for a name of at least two words: a
    supplier's name `Schmidt` is also that of every customer called Schmidt.
    """
    words, iban = parse_name(posting.counterparty_name).words, posting.counterparty_iban
    name = " ".join(words)
    payer = iban or name
    if not payer:
        return state
    count = state.set_aside.get(payer, 0) + 1
    state = replace(state, set_aside={**state.set_aside, payer: count})
    rule = IgnoreRule(name=name, iban=iban)
    if (not iban and len(words) < 2) or count < ENOUGH or rule in state.proposed_ignore or rule in state.ignore_rules:
        return state
    return replace(state, proposed_ignore=(*state.proposed_ignore, rule))


def taken_up(state: Learnt, posting: Posting) -> Learnt:
    """The state after a set-aside posting was returned to matching: as if it had never been set aside.

    A proposed rule that then has too little support is dropped; one that a person has accepted stays in force.
    """
    name, iban = " ".join(parse_name(posting.counterparty_name).words), posting.counterparty_iban
    payer = iban or name
    count = state.set_aside.get(payer, 0) - 1
    if count < 0:
        return state
    counts = {each: times for each, times in {**state.set_aside, payer: count}.items() if times}
    rule = IgnoreRule(name=name, iban=iban)
    proposed = tuple(each for each in state.proposed_ignore if each != rule or count >= ENOUGH)
    return replace(state, set_aside=counts, proposed_ignore=proposed)


def accept_rule(state: Learnt, rule: IgnoreRule | AlwaysRule) -> Learnt:
    """The state with a rule in force, proposed or made by hand."""
    if isinstance(rule, IgnoreRule):
        rest = tuple(r for r in state.proposed_ignore if r != rule)
        return replace(state, proposed_ignore=rest, ignore_rules=(*state.ignore_rules, rule))
    left = tuple(r for r in state.proposed_always if r != rule)
    return replace(state, proposed_always=left, always_rules=(*state.always_rules, rule))


def reset() -> Learnt:
    """The state of a shop that has learnt nothing."""
    return Learnt()


def without(state: Learnt, ibans: Collection[str], names: Callable[[str], bool]) -> Learnt:
    """The state without anything about a person: these accounts, and what `names` them. Weights stay."""

    def of_others(rule: IgnoreRule | AlwaysRule) -> bool:
        customer = rule.customer_name if isinstance(rule, AlwaysRule) else rule.reason
        return rule.iban not in ibans and not names(" ".join([rule.name, customer, *rule.words]))

    return replace(
        state,
        payers=tuple(each for each in state.payers if each.iban not in ibans and not names(each.customer)),
        set_aside={payer: times for payer, times in state.set_aside.items() if payer not in ibans and not names(payer)},
        ignore_rules=tuple(filter(of_others, state.ignore_rules)),
        always_rules=tuple(filter(of_others, state.always_rules)),
        proposed_ignore=tuple(filter(of_others, state.proposed_ignore)),
        proposed_always=tuple(filter(of_others, state.proposed_always)),
        taken_back=tuple(each for each in state.taken_back if each.iban not in ibans and not names(each.customer)),
    )


def aliases(state: Learnt, booked: Iterable[Alias]) -> list[Alias]:
    """Every alias that counts: what was learnt, accepted rules of one account, and what people have `booked`."""
    learnt = [Alias(each.iban, each.customer) for each in state.payers if each.is_trusted]
    ruled = [Alias(rule.iban, rule.customer_number or rule.customer_name) for rule in state.always_rules if rule.iban]
    return sorted({*learnt, *ruled, *booked} - set(state.taken_back) - contradicted_aliases(state))


def contradicted_aliases(state: Learnt) -> frozenset[Alias]:
    """Aliases whose undone matches outweigh their confirmations: past matches restore none of them."""
    return frozenset(Alias(each.iban, each.customer) for each in state.payers if each.undone and not each.is_trusted)


def without_alias(state: Learnt, alias: Alias) -> Learnt:
    """The state without any link from this account to this customer, until a person teaches it again."""

    def of_others(rule: AlwaysRule) -> bool:
        return (rule.iban, rule.customer_number or rule.customer_name) != alias

    return replace(
        state,
        payers=tuple(each for each in state.payers if (each.iban, each.customer) != alias),
        always_rules=tuple(filter(of_others, state.always_rules)),
        proposed_always=tuple(filter(of_others, state.proposed_always)),
        taken_back=(*(each for each in state.taken_back if each != alias), alias),
    )


def _less_taken_back(known: Mapping[str, tuple[str, ...]], taken: Collection[Alias]) -> dict[str, tuple[str, ...]]:
    left = {
        iban: tuple(customer for customer in customers if Alias(iban, customer) not in taken)
        for iban, customers in known.items()
    }
    return {iban: customers for iban, customers in left.items() if customers}


def known_ibans(state: Learnt, ibans: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For each account of `ibans`, the customers it is trusted to pay for; accounts that pay for many are left out."""
    found: dict[str, list[str]] = {}
    wanted = set(ibans)
    for payer in state.payers:
        if payer.iban in wanted and payer.is_trusted:
            found.setdefault(payer.iban, []).append(payer.customer)
    return {iban: tuple(customers) for iban, customers in found.items() if len(customers) <= MAX_CUSTOMERS}


def shop_facts(shop: ShopFacts, state: Learnt, ibans: Sequence[str]) -> ShopFacts:
    """`shop` with what was learnt, as far as it concerns the accounts of a batch; unchanged if learning is off.

    Rules that a person accepted stay in force when learning is off.
    """
    shop = replace(shop, ignore_rules=state.ignore_rules, always_rules=(*shop.always_rules, *state.always_rules))
    if not state.enabled:
        return shop
    doubted = {*state.taken_back, *contradicted_aliases(state)}
    known = _less_taken_back({**shop.known_ibans, **known_ibans(state, ibans)}, doubted)
    return replace(shop, weight_shifts=dict(state.shifts), known_ibans=known)


def is_ignored(view: PostingView, shop: ShopFacts) -> bool:
    """True if one of the shop's rules says that this posting is unrelated to orders."""
    return any(applies(rule, view) for rule in shop.ignore_rules)


def aside_rule(view: PostingView, shop: ShopFacts) -> IgnoreRule | None:
    """The first of the shop's rules that sets this posting aside."""
    return next((rule for rule in shop.aside_rules if applies(rule, view)), None)


def applies(rule: IgnoreRule | AlwaysRule, view: PostingView) -> bool:
    """True if every part that the rule gives agrees with the posting."""
    if not (rule.name or rule.iban or rule.words):
        return False
    if rule.iban and rule.iban != view.posting.counterparty_iban:
        return False
    if rule.name and not _has_name(view, rule.name):
        return False
    words = {canonical(word) for word in view.words} if rule.words else set()
    return all(canonical(flat(word)) in words for word in rule.words)


def is_always(view: PostingView, shop: ShopFacts, order: OrderFacts) -> bool:
    """True if a rule says that this payer's money is always for the order's customer."""
    for rule in shop.always_rules:
        if not (rule.iban or rule.name) or not applies(rule, view):
            continue
        if (rule.customer_number and rule.customer_number == order.customer_number) or (
            rule.customer_name and rule.customer_name in order.names
        ):
            return True
    return False


def _has_name(view: PostingView, name: str) -> bool:
    wanted = parse_name(name)
    return any(has_words_of(payer, wanted) for payer in view.payers)


def _customers(orders: Sequence[OrderFacts]) -> tuple[str, ...]:
    names = (order.customer_number or (order.names[0] if order.names else "") for order in orders)
    return tuple(dict.fromkeys(name for name in names if name))


def _count(state: Learnt, iban: str, customer: str, confirmed_by: int = 0, undone_by: int = 0) -> Learnt:
    if not iban:
        return state
    payers = list(state.payers)
    if confirmed_by and (iban, customer) in state.taken_back:  # a person teaches it again
        payers = [each for each in payers if (each.iban, each.customer) != (iban, customer)]
    for i, payer in enumerate(payers):
        if (payer.iban, payer.customer) == (iban, customer):
            payers[i] = replace(payer, confirmed=payer.confirmed + confirmed_by, undone=payer.undone + undone_by)
            break
    else:
        payers.append(Payer(iban, customer, confirmed_by, undone_by))
    left = tuple(each for each in state.taken_back if not confirmed_by or each != (iban, customer))
    return replace(state, payers=tuple(payers), taken_back=left)


def _shift_weights(shifts: Mapping[str, float], codes: Collection[str], step: float) -> dict[str, float]:
    """`shifts` moved by `step` for this evidence, within the bounds; unchanged weights are left out."""
    moved = dict(shifts)
    for code in codes:
        moved[code] = round(min(HIGHEST_SHIFT, max(LOWEST_SHIFT, moved.get(code, 0.0) + step)), 4)
    return {code: shift for code, shift in moved.items() if shift}


def _propose_always(state: Learnt, posting: Posting, orders: Sequence[OrderFacts]) -> Learnt:
    customers = _customers(orders)
    if len(customers) != 1 or not posting.counterparty_iban:
        return state
    mine = [payer for payer in state.payers if payer.iban == posting.counterparty_iban]
    if len(mine) != 1 or mine[0].confirmed < ENOUGH or mine[0].undone:
        return state
    number = orders[0].customer_number
    rule = AlwaysRule(
        iban=posting.counterparty_iban, customer_number=number, customer_name="" if number else customers[0]
    )
    if rule in state.proposed_always or rule in state.always_rules:
        return state
    return replace(state, proposed_always=(*state.proposed_always, rule))


def to_json(state: Learnt) -> dict[str, Any]:
    """The state as a JSON object; `from_json` reads it back."""
    return asdict(state)


def from_json(data: Mapping[str, Any]) -> Learnt:
    """The state that `to_json` wrote. Unknown fields are ignored, missing ones empty; TypeError for a wrong shape."""
    return Learnt(
        enabled=bool(data.get("enabled", True)),
        payers=tuple(Payer(**payer) for payer in data.get("payers", ())),
        shifts={str(code): float(shift) for code, shift in data.get("shifts", {}).items()},
        set_aside={str(name): int(count) for name, count in data.get("set_aside", {}).items()},
        ignore_rules=_ignore_rules(data.get("ignore_rules", ())),
        always_rules=_always_rules(data.get("always_rules", ())),
        proposed_ignore=_ignore_rules(data.get("proposed_ignore", ())),
        proposed_always=_always_rules(data.get("proposed_always", ())),
        taken_back=tuple(Alias(*each) for each in data.get("taken_back", ())),
    )


def _always_rules(rows: Sequence[Mapping[str, Any]]) -> tuple[AlwaysRule, ...]:
    return tuple(AlwaysRule(**{**row, "words": tuple(row.get("words", ()))}) for row in rows)


def _ignore_rules(rows: Sequence[Mapping[str, Any]]) -> tuple[IgnoreRule, ...]:
    return tuple(IgnoreRule(row.get("name", ""), row.get("iban", ""), tuple(row.get("words", ()))) for row in rows)
