"""Prepares postings and orders for the engine: folds their texts and reads their numbers and names once.

The open amount of an order changes while a batch is decided.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date
from enum import IntEnum
from itertools import pairwise
from typing import Final

from paymatch.domain.matching.lookup.batch import LOOKING_UP, MAX_KEYS, Work
from paymatch.domain.matching.lookup.keys import (
    AMOUNT,
    NUMBER,
    NUMBER_AMOUNT,
    PAIR,
    PAIR_AMOUNT,
    WORD_AMOUNT,
    compact_of,
    customer_numbers,
    key,
    keys_of,
)
from paymatch.domain.matching.model import FirstSuggestion, OrderFacts, OrderState, PostingFacts, ShopFacts
from paymatch.domain.matching.text.context import may_be_name
from paymatch.domain.matching.text.names import Name, pair_words, parse_name, single_words
from paymatch.domain.matching.text.normalise import canonical, flat
from paymatch.domain.matching.text.numbers import Form, forms_of
from paymatch.domain.matching.text.own_amount import without_own_amount
from paymatch.domain.matching.text.payers import fee_kind_of, is_public_name, payer_of
from paymatch.domain.matching.text.reading import Number, letter_numbers, numbers_in, read_text
from paymatch.domain.matching.text.stated import stated_fee
from paymatch.domain.matching.text.wording import RemittanceSignals
from paymatch.domain.matching.weigh.amounts import MAX_INSTALMENTS
from paymatch.domain.money import digits_of
from paymatch.domain.orders.fees import StatedFee
from paymatch.domain.orders.invoice_terms import DiscountOffer
from paymatch.domain.postings import Posting

_WORD: Final = re.compile("[A-Z]{2,}")
_MAX_SHARED: Final = 12
_ONE_OF: Final = re.compile(r"(?<![0-9.,/])[0-9]{1,2} ?(?:/|VON|VAN|OF|SUR|DE|Z|ZE) ?([0-9]{1,2})(?![0-9.,]|/[0-9])")
MAX_NAME_WORDS: Final = 5
_NO_KEYS: Final = frozenset[int]()


class PostingView:
    """A posting with everything that is computed from it alone."""

    __slots__ = (
        "all_keys",
        "amount",
        "amount_key",
        "booked",
        "collective",
        "currency",
        "dates",
        "facts",
        "fee_kind",
        "flat_name",
        "id",
        "key_count",
        "names_more",
        "number_keys",
        "numbers",
        "pair_amount_keys",
        "pair_keys",
        "payers",
        "posting",
        "relative_keys",
        "shared",
        "shared_keys",
        "signals",
        "tariffs",
        "text",
        "word_keys",
        "words",
        "work",
    )

    def __init__(self, facts: PostingFacts, shop: ShopFacts | None) -> None:
        posting = facts.posting
        self.facts = facts
        self.work = Work()  # work of deciding it, reset each time
        self.id = facts.id
        self.posting = posting
        self.amount = facts.open_minor
        self.currency: str = posting.currency
        self.booked: date = posting.booking_date
        self.text = flat(posting.text)
        self.flat_name = flat(posting.counterparty_name)
        self.numbers, self.dates = _read_numbers(posting, self.text, self.flat_name)
        if self.numbers and digits_of(posting.currency) == 2:
            self.numbers = without_own_amount(self.numbers, self.text, abs(posting.amount_minor))
        self.payers = _payers(posting)
        self.words = _words(posting, self.text)
        self.signals = RemittanceSignals(self.words - _headings(self.text, shop))
        self.fee_kind = next((kind for kind in map(fee_kind_of, self.payers) if kind is not None), None)
        self.tariffs = shop.tariffs.get(payer_of(posting)) if shop is not None and shop.tariffs else None
        self.collective = self.fee_kind is not None or self.tariffs is not None
        self.signals.contradicts_payment = self.signals.contradicts_payment or any(map(is_public_name, self.payers))
        self._keys(shop)

    def _keys(self, shop: ShopFacts | None) -> None:
        tag = f":{abs(self.amount)}{self.currency}"
        self.number_keys = keys_of([NUMBER + number.compact for number in self.numbers])
        shared = {number.compact: number for number in self.numbers if number.source == "text"}
        self.shared = list(shared.values())[:_MAX_SHARED]
        self.shared_keys = keys_of([NUMBER_AMOUNT + number.compact + tag for number in self.shared])
        self.names_more = False  # a date, or words that may be a name: possible evidence for another order
        pairs = [pair for name in self.payers for pair in pair_words(name)]
        words = [word for name in self.payers for word in single_words(name)]
        self.pair_keys = keys_of([PAIR + pair for pair in pairs])
        self.relative_keys: list[int] = []
        if self.amount > 0:
            text_name = _text_name(self)
            self.names_more = text_name is not None or bool(self.dates)
            if text_name is not None:
                self.relative_keys = keys_of([PAIR + pair for pair in _of_relatives(self.payers, text_name)])
                pairs += pair_words(text_name)
                words += single_words(text_name)
        numbers = _customers_of_account(self.posting, shop, pairs) if shop is not None and shop.known_ibans else []
        self.pair_amount_keys = keys_of([PAIR_AMOUNT + pair + tag for pair in pairs])
        self.word_keys = keys_of([WORD_AMOUNT + word + tag for word in words])
        if self.signals.instalment and self.amount > 0:
            tags = [f":{total}{self.currency}" for total in _totals(self.text, self.amount)]
            self.word_keys += keys_of([WORD_AMOUNT + word + whole for word in words for whole in tags])
        if numbers:
            self.pair_amount_keys += keys_of([NUMBER_AMOUNT + number + tag for number in numbers])
            self.word_keys += keys_of([NUMBER + number for number in numbers])
        self.amount_key = key(AMOUNT + tag)
        named = self._named_keys()
        self.key_count = 1 + sum(map(len, named))
        self.all_keys = _NO_KEYS  # where they are more than one posting may look up
        if self.key_count <= MAX_KEYS:
            self.all_keys = _NO_KEYS.union((self.amount_key,), *named)

    def _named_keys(self) -> tuple[list[int], ...]:
        """All of its keys but that of the amount."""
        names = (self.pair_keys, self.pair_amount_keys, self.word_keys, self.relative_keys)
        return (self.number_keys, self.shared_keys, *names)

    @property
    def stated_fee(self) -> StatedFee:
        """The fee that the text states; none if the currency has no hundredths."""
        return stated_fee(self.text) if digits_of(self.posting.currency) == 2 else StatedFee()

    def count_keys(self) -> None:
        """Counts the work of looking them up; TooMuchWork if they are too many."""
        self.work.add(LOOKING_UP * self.key_count)


class Prepared:
    """A prepared batch of postings; look up its `keys`, then pass it to `decide`."""

    __slots__ = ("_by_id", "keys", "views")

    def __init__(self, views: list[PostingView]) -> None:
        self.views = views
        self._by_id = {view.id: view for view in views}
        self.keys = _NO_KEYS.union(*(view.all_keys for view in views))

    def only(self, posting_ids: Collection[str]) -> Prepared:
        """The batch with these postings alone."""
        return Prepared([view for view in self.views if view.id in posting_ids])

    def keys_of(self, posting_id: str) -> frozenset[int]:
        """The keys of one posting: stored while it is open, so that a new order finds it. KeyError if unknown."""
        return self._by_id[posting_id].all_keys


def prepare(postings: Sequence[PostingFacts], shop: ShopFacts | None = None) -> Prepared:
    """The prepared batch. With `shop`, customers known from the payer's IBAN are looked up as well."""
    return Prepared([PostingView(facts, shop) for facts in postings])


def _read_numbers(posting: Posting, text: str, flat_name: str) -> tuple[list[Number], frozenset[int]]:
    booked = posting.booking_date
    lines = posting.remittance_lines
    found, dates = read_text(text, booked) if lines else ([], frozenset())
    if len(lines) > 1:
        _read_lines(lines, booked, found)
    for reference in posting.structured_references:
        found += numbers_in(flat(reference), booked, "reference")
    if flat_name:
        found += numbers_in(flat_name, booked, "name")
    if posting.ultimate_name:
        found += numbers_in(flat(posting.ultimate_name), booked, "name")
    if posting.end_to_end_id:
        found += numbers_in(flat(posting.end_to_end_id), booked, "end-to-end")
    for document in posting.referred_documents:
        found += numbers_in(flat(document), booked, "document")
    for detail in posting.extra_texts:
        found += numbers_in(flat(detail), booked, "detail")
    if not found and lines:
        found = letter_numbers(text)
    return found, dates


def _read_lines(lines: Sequence[str], booked: date, found: list[Number]) -> None:
    """Adds the numbers of single lines where joining lines without a blank may have merged two of them."""
    glued = any(one[-1:].isalnum() and other[:1].isalnum() for one, other in pairwise(lines))
    if not glued:
        return
    known = {(number.compact, number.start) for number in found}
    offset = 0
    for line in lines:
        numbers = numbers_in(flat(line), booked, "text", offset)
        found += [number for number in numbers if (number.compact, number.start) not in known]
        offset += len(line)


def _payers(posting: Posting) -> tuple[Name, ...]:
    names = []
    if posting.counterparty_name:
        names.append(parse_name(posting.counterparty_name))
    if posting.ultimate_name and posting.ultimate_name != posting.counterparty_name:
        names.append(parse_name(posting.ultimate_name))
    return tuple([name for name in names if name.words])


def _words(posting: Posting, text: str) -> frozenset[str]:
    words = _WORD.findall(text)
    if len(posting.remittance_lines) > 1:
        words += _WORD.findall(flat(" ".join(posting.remittance_lines)))
    return frozenset(words)


def _headings(text: str, shop: ShopFacts | None) -> frozenset[str]:
    """The bank's own word with which the text begins, unless the payer writes it as well."""
    begins = _WORD.match(text) if shop is not None and shop.bank_headings else None
    word = begins.group() if begins is not None else ""
    is_heading = shop is not None and word in shop.bank_headings and text.count(word) == 1
    return frozenset((word,)) if is_heading else frozenset()


def _text_name(view: PostingView) -> Name | None:
    """A name that the text may contain, if there is little else in it."""
    found = [word for word in view.words if may_be_name(word)]
    if not found:
        return None
    given = {word for payer in view.payers for word in payer.words}
    words = [w for w in found if canonical(w) not in given]
    if not words or len(words) > MAX_NAME_WORDS:
        return None
    return Name(tuple(sorted(map(canonical, words))), frozenset(), False, False)


def _of_relatives(payers: Sequence[Name], text_name: Name) -> list[str]:
    """Pairs of a payer's word, which may be the surname, and a word of the text, which may be a first name."""
    own = [word for payer in payers if not payer.company for word in payer.words]
    pairs = [pair_words(text_name._replace(words=(one, other))) for one in own for other in text_name.words]
    return list(dict.fromkeys(pair[0] for pair in pairs if pair))


def _totals(text: str, amount: int) -> list[int]:
    """The possible total if the text says that `amount` is one of several equal parts (`2/4`, `1 von 3`)."""
    stated = _ONE_OF.search(text)
    count = int(stated[1]) if stated is not None else 0
    if not 2 <= count <= MAX_INSTALMENTS:
        return []
    return list(range(amount * count - count + 1, amount * count + count))


def _customers_of_account(posting: Posting, shop: ShopFacts, pairs: list[str]) -> list[str]:
    """Customer numbers for which the payer's account has paid before; pairs of their names are added to `pairs`."""
    numbers = []
    for known in shop.known_ibans.get(posting.counterparty_iban, ()):
        numbers.append(compact_of(known))
        pairs += pair_words(parse_name(known))
    return numbers


class KeyKind(IntEnum):
    """Which of an order's numbers was found; the first are the order's own, the last many orders share."""

    REFERENCE = 0
    ORDER = 1
    INVOICE = 2
    MARKETPLACE = 3
    PROFORMA = 4
    SHIPPING = 5
    CUSTOMER = 6
    ITEM = 7


_ITSELF: Final = (KeyKind.ORDER, Form.FULL)


class OrderView:
    """An order with what is computed from it; its open amount changes as postings of the batch are decided."""

    __slots__ = (
        "_kinds",
        "_names",
        "contested",
        "customer",
        "facts",
        "first_for",
        "number",
        "open",
        "paid",
        "state",
        "touched",
    )

    def __init__(self, facts: OrderFacts) -> None:
        self.facts = facts
        self.number = facts.number
        self.open = facts.open_minor
        self.paid = facts.paid_minor
        self.state = facts.state
        self.contested = facts.contested
        self.first_for = set(facts.first_for)
        self.touched = 0  # postings of this batch that were matched to it
        self._names: tuple[Name, ...] | None = None
        self._kinds: dict[str, tuple[KeyKind, Form] | None] = {}
        self.customer = facts.customer_number

    def find(self, compact: str) -> tuple[KeyKind, Form] | None:
        """Which of the order's numbers is written as `compact`, and how completely; None if none of them is."""
        if compact == self.number:
            return _ITSELF
        if compact not in self._kinds:
            self._kinds[compact] = self._find(compact)
        return self._kinds[compact]

    def _find(self, compact: str) -> tuple[KeyKind, Form] | None:
        facts = self.facts
        if compact == facts.creditor_reference:
            return KeyKind.REFERENCE, Form.FULL
        best: tuple[KeyKind, Form] | None = None
        for kind, numbers in self._own_numbers():
            for number in numbers:
                if number[-1:].isdigit() and number[-1] != compact[-1]:
                    continue  # every form of it ends with its last digit
                form = forms_of(flat(number)).get(compact)
                if form is Form.FULL:
                    return kind, form
                if form is not None and (best is None or form < best[1]):
                    best = kind, form
        if best is not None:
            return best
        if compact in map(compact_of, customer_numbers(facts)):
            return KeyKind.CUSTOMER, Form.FULL
        if compact in map(compact_of, facts.item_numbers):
            return KeyKind.ITEM, Form.FULL
        return None

    def _own_numbers(self) -> tuple[tuple[KeyKind, tuple[str, ...]], ...]:
        facts = self.facts
        return (
            (KeyKind.ORDER, (facts.number,)),
            (KeyKind.INVOICE, facts.invoice_numbers),
            (KeyKind.MARKETPLACE, (facts.marketplace_number,) if facts.marketplace_number else ()),
            (KeyKind.PROFORMA, facts.proforma_numbers),
            (KeyKind.SHIPPING, facts.shipping_numbers),
        )

    def ends_in(self, digits: str) -> KeyKind | None:
        """Which of its own, longer numbers ends in these digits (`4224` of `RE-2026-4224`); None if none does."""
        for kind, numbers in self._own_numbers():
            for number in numbers:
                own = "".join(filter(str.isdigit, flat(number)))
                if len(own) > len(digits) and own.endswith(digits):
                    return kind
        return None

    def offers_in(self, currency: str) -> tuple[DiscountOffer, ...]:
        """The cash discounts of its invoice; none for a payment in another currency."""
        return self.facts.discounts if self.facts.currency == currency else ()

    def is_called(self, flat_name: str) -> bool:
        """True if one of its names is `flat_name` (flat capitals) letter by letter; the cheap way to be sure."""
        if flat_name:
            for name in self.facts.names:
                if len(name) == len(flat_name) and flat(name) == flat_name:
                    return True
        return False

    def has_letters(self, kind: KeyKind, letters: str) -> bool:
        """True if a number of this kind has these letters in it."""
        return any(letters in flat(number) for own, numbers in self._own_numbers() if own is kind for number in numbers)

    def full_forms(self) -> list[str]:
        """Its own numbers in their complete forms, with and without their letters."""
        return [
            text
            for _, numbers in self._own_numbers()
            for number in numbers
            for text, form in forms_of(flat(number)).items()
            if form <= Form.DIGITS
        ]

    @property
    def names(self) -> tuple[Name, ...]:
        if self._names is None:
            self._names = tuple(parse_name(name) for name in dict.fromkeys(self.facts.names) if name)
        return self._names

    def contest(self) -> None:
        """Notes that a posting left to a person may be this order's payment."""
        if not self.contested:
            self.contested = True
            self.touched += 1

    def propose(self, suggestion: FirstSuggestion) -> None:
        """Notes that this undecided posting is proposed for this order first."""
        self.first_for.add(suggestion)
        self.touched += 1

    def take(self, order_minor: int, tolerance: int) -> None:
        """Books a payment (negative: a refund or return) of this batch.

        The order is settled once at most the shop's tolerance is open (D-2).
        """
        self.open -= order_minor
        self.paid += order_minor
        self.touched += 1
        if self.state is OrderState.OPEN and self.open <= tolerance:
            self.state = OrderState.SETTLED
        elif self.state is OrderState.SETTLED and self.open > tolerance and order_minor < 0:
            self.state = OrderState.OPEN
