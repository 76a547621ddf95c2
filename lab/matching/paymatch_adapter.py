"""paymatch's own engine on a world, in process and day by day, with the ledger's state kept as the service would.

Orders are known from their date on. What a day's postings settle is settled for the next day's. A posting without a
match is decided again when an order comes that has one of its lookup keys, and on nothing else.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from paymatch.domain.matching.decide import decide
from paymatch.domain.matching.lookup.keys import compact_of, order_keys
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import (
    AllocationProposal,
    Decision,
    Delay,
    FirstSuggestion,
    MatchOutcome,
    OrderFacts,
    OrderState,
    PaidCustomer,
    PastPosting,
    Payer,
    PostingFacts,
    Proposal,
    Related,
    ShopFacts,
)
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.rank.delays import DELAYS, delay_of
from paymatch.domain.matching.returns import may_give_back
from paymatch.domain.matching.several.hypothesis import contests, first_orders
from paymatch.domain.matching.several.payouts import MANY_CUSTOMERS
from paymatch.domain.matching.text.payers import bank_headings, often_written, payer_of
from paymatch.domain.money import Currency, decimal_to_minor, minor_to_decimal
from paymatch.domain.orders.fees import PAYOUT_FEES, KeptPayout, tariffs_of
from paymatch.domain.postings import Posting
from paymatch.domain.words.message import Message

Json = dict[str, Any]
_TEXTS: Final = 400
"""As many of a shop's latest payments tell its common words (`store/matching/matching.py`)."""
_NEWEST: Final = 100
"""As many of a shop's latest orders tell how far its numbers have counted (`store/matching/recent.py`)."""
FEE_QUESTIONS: Final = frozenset({"kept-confirm", "kept-unlike-before"})
"""Why a payout waits for a person who knows its payer, and for nothing else."""
ANSWERED_AFTER: Final = timedelta(days=7)
"""A person looks at these questions once a week."""


def _minor(amount: object, currency: str) -> int:
    return decimal_to_minor(Decimal(str(amount)), Currency(currency))


def _date(text: str) -> date:
    return date(int(text[6:]), int(text[3:5]), int(text[:2]))


def order_facts(o: Json) -> OrderFacts:
    """What the engine knows of a new order, from the body of `POST /orders`."""
    own, recipients = _names(o["billing"]), _names(o.get("shipping") or {})
    amount, billing = _minor(o["amount"], o["currency"]), o["billing"]
    return OrderFacts(
        number=o["number"],
        currency=o["currency"],
        amount_minor=amount,
        open_minor=amount,
        state=OrderState.CLOSED if o.get("paymentStatus") == "CANCELLED" else OrderState.OPEN,
        order_date=_date(o["date"]),
        type=o["type"],
        due_date=_date(o["dueDate"]) if "dueDate" in o else None,
        exchange_rate=Decimal(str(o["exchangeRate"])) if "exchangeRate" in o else None,
        creditor_reference=o.get("referenceNumber", ""),
        customer_number=o.get("customerNumber", ""),
        marketplace_number=o.get("marketplaceNumber", ""),
        invoice_numbers=tuple(o.get("invoiceNumbers", ())),
        proforma_numbers=tuple(o.get("proformaNumbers", ())),
        shipping_numbers=tuple(o.get("shippingNumbers", ())),
        item_numbers=tuple(i["number"] for i in o.get("items", ())),
        item_names=tuple(i["name"] for i in o.get("items", ()) if i.get("name")),
        names=tuple(dict.fromkeys(own + recipients)),
        recipient_names=tuple(n for n in recipients if n not in own),
        contact_names=tuple(n for n in own if n != billing.get("company")) if billing.get("company") else (),
        email=o.get("customerEmail", ""),
        post_code=billing.get("postCode", ""),
        city=billing.get("city", ""),
        phone=billing.get("phone", ""),
    )


def _names(address: Json) -> list[str]:
    """The person's and the company's name of an address."""
    person = f"{address.get('firstName', '')} {address.get('lastName', '')}".strip()
    return [name for name in (person, address.get("company", "")) if name]


def posting_facts(p: Json) -> PostingFacts:
    """The posting as the statement's import would hand it over."""
    amount = _minor(p["amount"], p["currency"])
    instructed = p.get("instructedAmount")
    posting = Posting(
        account=p["account"],
        currency=Currency(p["currency"]),
        amount_minor=amount,
        booking_date=_date(p["postingDate"]),
        value_date=_date(p["valuationDate"]),
        bank_reference=p["id"],
        counterparty_name=p["name"],
        counterparty_iban=p["iban"],
        ultimate_name=p["ultimateName"],
        end_to_end_id=p["endToEndId"],
        remittance_lines=tuple(p["text"][i : i + 140] for i in range(0, len(p["text"]), 140)),
        structured_references=(p["reference"],) if p["reference"] else (),
        booking_text=p["bookingText"],
        is_return=bool(p["returnReason"]),
        return_reason=p["returnReason"],
        original_amount_minor=_minor(instructed, p["currency"]) if instructed and p["returnReason"] else None,
        instructed_amount_minor=_minor(instructed, p["instructedCurrency"]) if instructed else None,
        instructed_currency=p.get("instructedCurrency", ""),
        exchange_rate=p.get("exchangeRate", ""),
        charges_minor=_minor(p.get("charges", 0), p["currency"]),
    )
    return PostingFacts(p["id"], posting, amount)


class Replay:
    """The ledger and the engine over the days of one world."""

    def __init__(self, terms: Json | None = None, truth: Mapping[str, Json] | None = None) -> None:
        self.terms = terms or {}
        self._truth = truth or {}
        self.index = MemoryIndex()
        self.decisions: dict[str, Decision] = {}
        self.shown: dict[str, str] = {}  # posting -> the order that was named first at its first decision
        self._waiting: dict[str, PostingFacts] = {}
        self._waiting_for: dict[int, set[str]] = defaultdict(set)  # lookup key -> postings without a match
        self._past: list[PastPosting] = []
        self._known_ibans: dict[str, tuple[str, ...]] = {}
        self._refunded: set[str] = set()  # an order that got money back awaits none (D-3: REFUNDED)
        self._open = 0
        self.by_person = False  # the match being booked is a person's, who teaches whose account it is
        self._paid_customers: dict[str, deque[PaidCustomer]] = defaultdict(lambda: deque(maxlen=10))
        self._newest: deque[tuple[date, str]] = deque(maxlen=_NEWEST)
        self._kept: dict[Payer, list[KeptPayout]] = defaultdict(list)  # payer -> its payouts
        self._asked: dict[str, date] = {}  # posting with a question about its payer's fee -> since when
        self._learnt: set[Payer] = set()  # payers whose fee was confirmed just now, or proved by a list
        self.delays: deque[Delay] = deque(maxlen=DELAYS)
        self._texts: deque[tuple[str, str]] = deque(maxlen=_TEXTS)  # what the latest payers wrote, and their names
        self._first_for: dict[str, set[FirstSuggestion]] = defaultdict(
            set
        )  # order -> undecided postings proposed for it first
        self._firsts: dict[str, tuple[str, ...]] = {}  # undecided posting -> the orders it is proposed for first
        self._contests: dict[str, set[str]] = defaultdict(set)  # order -> undecided postings that name it
        self._contested: dict[str, tuple[str, ...]] = {}

    def day(self, today: date, orders: Iterable[OrderFacts], postings: list[PostingFacts]) -> None:
        """Takes in the day's new orders, decides older postings that they touch, then the day's.

        Before, a person answers the questions about fees that have waited for a week.
        """
        touched: set[str] = set()
        self._answer_fees(today)
        for order in orders:
            self.index.add(order)
            self._newest.append((order.order_date, compact_of(order.number)))
            self._open += order.state is OrderState.OPEN
            for key in order_keys(order):
                touched |= self._waiting_for.get(key, set())
        again = [self._waiting[p] for p in sorted(touched) if p in self._waiting]
        if again:
            self._decide(again)
        self._texts += [(p.posting.text, p.posting.counterparty_name) for p in postings if p.posting.amount_minor > 0]
        if postings:
            self._decide(postings)

    def shop(self, postings: list[PostingFacts]) -> ShopFacts:
        """What the shop knows when it decides these postings."""
        return replace(self.settings, known_ibans=self._known_ibans, delays=tuple(self.delays))

    @property
    def settings(self) -> ShopFacts:
        """The shop's terms, how many orders it has open, and what payers have kept so far."""
        return ShopFacts(
            open_orders=self.open_orders,
            newest_orders=tuple(self._newest),
            paid_customers={iban: tuple(paid) for iban, paid in self._paid_customers.items()},
            fee_tolerance_minor=round(100 * self.terms.get("feeTolerance", 0)),
            discount_basis_points=round(100 * self.terms.get("cashDiscount", 0)),
            common_words=often_written(self._texts),
            bank_headings=bank_headings(self._texts),
            tariffs={payer: found for payer, kept in self._kept.items() if (found := tariffs_of(kept[::-1]))},
        )

    @property
    def open_orders(self) -> int:
        return max(1, self._open)

    @property
    def waiting(self) -> list[PostingFacts]:
        """The postings without a match, by their number."""
        return [self._waiting[posting] for posting in sorted(self._waiting)]

    def settle(self, facts: PostingFacts, match: Proposal | None) -> None:
        """A person's decision: the posting pays these orders, or none."""
        del self._waiting[facts.id]
        self._note_contests(facts.id, ())
        self._note_first(facts, Decision(facts.id, MatchOutcome.UNMATCHED))
        if match is not None:
            self.by_person = True
            self._book(facts, match)
            self.by_person = False

    def take_back(self, facts: PostingFacts, match: Proposal) -> None:
        """A person's match undone."""
        for a in match.allocations:
            self._allocate(facts, AllocationProposal(a.order_number, -a.amount_minor, -a.pays_minor))

    def _decide(self, postings: list[PostingFacts]) -> None:
        """Decides the postings, then those again that share a first proposal with one of them."""
        while postings:
            shared = self._decide_once(postings)
            postings = [self._waiting[p] for p in sorted(shared) if p in self._waiting]

    def _decide_once(self, postings: list[PostingFacts]) -> set[str]:
        shared: set[str] = set()
        shop = self.shop(postings)
        prepared = prepare(postings, shop)
        related = {f.id: Related(self._earlier(f)) for f in postings if may_give_back(f.posting)}
        for facts in postings:
            self._note_contests(facts.id, ())
        for facts, decision in zip(
            postings, decide(prepared, self.index.known_orders(prepared.keys), shop, related), strict=True
        ):
            self.decisions[facts.id] = decision
            self.shown.setdefault(facts.id, next(iter(_numbers(decision)), ""))
            shared |= self._note_first(facts, decision)
            self._note_contests(facts.id, contests(decision))
            if decision.outcome is MatchOutcome.MATCHED and decision.match:
                self._waiting.pop(facts.id, None)
                self._book(facts, decision.match)
                continue
            self._waiting[facts.id] = facts
            self._past.append(PastPosting(facts.id, facts.posting))
            for key in prepared.keys_of(facts.id):
                self._waiting_for[key].add(facts.id)
            if self._is_true(facts.id, decision):
                self._asked.setdefault(facts.id, facts.posting.booking_date)
        shared |= {p.id for p in self._waiting.values() if payer_of(p.posting) in self._learnt}
        self._learnt.clear()
        return shared

    def _answer_fees(self, today: date) -> None:
        """A person answers one question after the other whether this is what a payout's payer keeps.

        The decision stays a suggestion. Other postings of the payer are decided again after each answer.
        """
        for posting, since in list(self._asked.items()):
            facts, decision = self._waiting.get(posting), self.decisions[posting]
            if facts is None or (today - since) < ANSWERED_AFTER or not self._is_true(posting, decision):
                continue
            del self._asked[posting]
            self._past = [each for each in self._past if each.id != posting]
            self.settle(facts, decision.suggestions[0])
            again = [each for each in self.waiting if payer_of(each.posting) in self._learnt]
            self._learnt.clear()
            self._decide(again)

    def _is_true(self, posting: str, decision: Decision) -> bool:
        """True if what is asked about the payer's fee has the true orders."""
        asked = decision.review_reason.code if isinstance(decision.review_reason, Message) else ""
        if asked not in FEE_QUESTIONS or posting not in self._truth or not decision.suggestions:
            return False
        named = {a.order_number for a in decision.suggestions[0].allocations}
        return named == {a["orderNumber"] for a in self._truth[posting]["allocations"]}

    def _note_first(self, facts: PostingFacts, decision: Decision) -> set[str]:
        """Keeps which orders the posting is proposed for first; the postings that share one with it since now."""
        own = FirstSuggestion(facts.posting.booking_date, facts.id)
        before, after = self._firsts.pop(facts.id, ()), first_orders(decision)
        for number in before:
            self._first_for[number].discard(own)
        for number in after:
            self._first_for[number].add(own)
        if after:
            self._firsts[facts.id] = after
        for number in {*before, *after}:
            order = self.index.orders[number]
            self.index.orders[number] = replace(order, first_for=tuple(self._first_for[number]))
        return {other.posting for number in {*after} - {*before} for other in self._first_for[number] if other != own}

    def _note_contests(self, posting: str, numbers: tuple[str, ...]) -> None:
        """Keeps which orders the undecided posting names."""
        for number in self._contested.pop(posting, ()):
            self._contests[number].discard(posting)
            self.index.orders[number] = replace(self.index.orders[number], contested=bool(self._contests[number]))
        if numbers:
            self._contested[posting] = numbers
        for number in numbers:
            self._contests[number].add(posting)
            self.index.orders[number] = replace(self.index.orders[number], contested=True)

    def _earlier(self, facts: PostingFacts) -> tuple[PastPosting, ...]:
        """Earlier postings of the other sign and nearly the amount: what a return may give back."""
        wanted = -facts.posting.amount_minor
        return tuple(
            p
            for p in self._past
            if p.id != facts.id
            and not p.returned
            and p.posting.amount_minor * wanted > 0
            and abs(p.posting.amount_minor - wanted) <= max(2000, abs(wanted) // 10)
        )

    def _book(self, facts: PostingFacts, match: Proposal) -> None:
        self._past = [p for p in self._past if p.id != facts.id]
        self._past.append(PastPosting(facts.id, facts.posting, match.allocations))
        for allocation in match.allocations:
            self._allocate(facts, allocation)
        self._note_paid(facts, match)
        self._learn_fee(facts, match)

    def _note_paid(self, facts: PostingFacts, match: Proposal) -> None:
        """Keeps whose order the payer's account has paid, as the store finds it among the matched postings."""
        posting = facts.posting
        if posting.amount_minor > 0 and posting.counterparty_iban and payer_of(posting) not in self._kept:
            order = self.index.orders[match.allocations[0].order_number]
            customer = PaidCustomer(order.customer_number, order.email, order.post_code, order.names)
            self._paid_customers[posting.counterparty_iban].append(customer)

    def _learn_fee(self, facts: PostingFacts, match: Proposal) -> None:
        """Keeps a payout as a sample of its payer's tariff, as the store finds it among the matched postings."""
        credited = sum(a.credited_minor for a in match.allocations)
        withheld = sum(a.withheld_minor for a in match.allocations if a.fee_kind in PAYOUT_FEES)
        if withheld > 0 and credited - withheld == facts.posting.amount_minor:
            kept = KeptPayout(credited, len(match.allocations), withheld)
            self._kept[payer_of(facts.posting)].append(kept)
            if self.by_person or len(match.allocations) >= MANY_CUSTOMERS:
                self._learnt.add(payer_of(facts.posting))

    def _allocate(self, facts: PostingFacts, allocation: AllocationProposal) -> None:
        order = self.index.orders[allocation.order_number]
        open_minor = order.open_minor - allocation.pays_minor
        state = order.state
        given_back = facts.posting.amount_minor < 0 and not facts.posting.is_return
        if given_back:
            self._refunded.add(order.number)
        if state is not OrderState.CLOSED:
            awaits = open_minor > 0 and order.number not in self._refunded
            state = OrderState.OPEN if awaits else OrderState.SETTLED
        self._open += (state is OrderState.OPEN) - (order.state is OrderState.OPEN)
        paid = order.paid_minor + allocation.pays_minor
        day = facts.posting.booking_date
        self.index.update(replace(order, open_minor=open_minor, state=state, paid_minor=paid))
        if facts.posting.amount_minor > 0:
            self.delays.append(delay_of(order, day))
        iban = facts.posting.counterparty_iban
        if self.by_person and iban and facts.posting.amount_minor > 0 and order.customer_number:
            known = self._known_ibans.get(iban, ())
            if order.customer_number not in known:
                self._known_ibans[iban] = (*known, order.customer_number)


def replay(
    orders: list[Json],
    postings: list[Json],
    terms: Json | None = None,
    *,
    all_known: bool = False,
    truth: Mapping[str, Json] | None = None,
) -> Replay:
    """The world played through; `decisions` holds the last decision of every posting.

    With `all_known` every order is there before the first posting, as after a migration from another system. With
    `truth` a person confirms what a payer keeps where a payout asks for it.
    """
    by_day: dict[date, tuple[list[OrderFacts], list[PostingFacts]]] = defaultdict(lambda: ([], []))
    for o in orders:
        order = order_facts(o)
        by_day[date.min if all_known else order.order_date][0].append(order)
    for p in postings:
        facts = posting_facts(p)
        by_day[facts.posting.booking_date][1].append(facts)
    played = Replay(terms, truth)
    for day in sorted(by_day):
        played.day(day, *by_day[day])
    return played


def _numbers(decision: Decision) -> list[str]:
    """The orders of the match, or of the first suggestion."""
    proposals = [decision.match] if decision.match else decision.suggestions
    return [a.order_number for a in proposals[0].allocations] if proposals else []


def decision_json(decision: Decision, currency: str) -> Json:
    """The decision in the benchmark's form, with the probability of its first proposal."""

    def allocations(proposal: Proposal) -> list[Json]:
        return [
            {"orderNumber": a.order_number, "amount": float(minor_to_decimal(a.credited_minor, Currency(currency)))}
            for a in proposal.allocations
        ]

    proposals = [decision.match] if decision.match else list(decision.suggestions)
    out: Json = {"status": str(decision.outcome), "allocations": allocations(proposals[0]) if proposals else []}
    if proposals:
        out["probability"] = proposals[0].probability
        out["heldBack"] = decision.review_reason if decision.match is None else ""
        out["suggestions"] = [{"allocations": allocations(p), "probability": p.probability} for p in proposals]
    return out


def decisions(
    orders: list[Json],
    postings: list[Json],
    terms: Json | None = None,
    *,
    all_known: bool = False,
    truth: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """Decisions for the score; `terms` are the shop's, `all_known` and `truth` as in `replay`."""
    played = replay(orders, postings, terms, all_known=all_known, truth=truth)
    return {
        p["id"]: decision_json(played.decisions[p["id"]], p["currency"]) | {"firstShown": played.shown[p["id"]]}
        for p in postings
    }
