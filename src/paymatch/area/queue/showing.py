"""A posting and its candidates as the page shows them: marked text, evidence side by side, words for states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.badges import ORDER_STATES, order_badge
from paymatch.area.language.figures import amount
from paymatch.area.language.sentences import in_words
from paymatch.area.page import Visit
from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.callbacks.deliveries import MAX_GRACE_SECONDS
from paymatch.domain.orders.fees import FeeKind, percent
from paymatch.domain.orders.settlement import AWAITING_MONEY, Ledger, open_minor
from paymatch.domain.search.marking import number_spans, word_spans
from paymatch.domain.witnesses import Witness
from paymatch.store.statements.posting_queue import QueuedOrder, StoredEvidence
from paymatch.usecases.matching.nearest import Near
from paymatch.usecases.matching.queue import Doubt, Line, QueueCandidate, Shown, doubt_of

FEE_WORDS: Final = (
    (FeeKind.COMMISSION, gettext_lazy("Commission")),
    (FeeKind.DELIVERY_FEE, gettext_lazy("Delivery fee")),
    (FeeKind.PAYMENT_FEE, gettext_lazy("Payment fee")),
    (FeeKind.BANK_CHARGE, gettext_lazy("Bank charge")),
    (FeeKind.CASH_DISCOUNT, gettext_lazy("Cash discount granted")),
)
_OTHERS: Final = 2
_REASONS_SHOWN: Final = 2
_STATES: Final = dict(ORDER_STATES)
_CALLBACKS: Final = {
    "PENDING": gettext_lazy("callback is sent now"),
    "WAITING": gettext_lazy("callback waits for an earlier one"),
    "PAUSED": gettext_lazy("callbacks are paused"),
    "DELIVERED": gettext_lazy("callback delivered"),
    "GIVEN_UP": gettext_lazy("callback given up"),
    "OFF": gettext_lazy("callbacks are off"),
    "WITHDRAWN": gettext_lazy("no callback is sent"),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the payment text; `mark` is "for", "against" or empty."""

    text: str
    mark: str = ""


def found_spans(text: str, lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Where the text has a number of these orders, however it is written, or a word of their customers' names."""
    numbers = {part for line in lines for part in (line.number, *line.invoices)}
    found = [span for number in numbers for span in number_spans(text, number)]
    return [*found, *word_spans(text, {line.customer for line in lines})]


def mark_evidence(text: str, evidence: Sequence[StoredEvidence], spans: Sequence[tuple[int, int]] = ()) -> list[Piece]:
    """The text in pieces, those marked that the evidence was read from, and that `spans` found in it."""
    marks = [""] * len(text)
    for start, end in spans:
        marks[start:end] = ["for"] * (end - start)
    for each in sorted(evidence, key=lambda one: one.weight):
        for start, end in each.highlight:
            for place in range(max(start, 0), min(end, len(text))):
                marks[place] = "for" if each.weight >= 0 else "against"
    pieces: list[Piece] = []
    for place, letter in enumerate(text):
        if pieces and pieces[-1].mark == marks[place]:
            pieces[-1] = Piece(pieces[-1].text + letter, marks[place])
        else:
            pieces.append(Piece(letter, marks[place]))
    return pieces


@dataclass(frozen=True, slots=True)
class Weighed:
    """One piece of evidence of the chosen candidate and of the one that it is compared with."""

    words: str
    own: float | None
    other: float | None
    witness: str = ""  # who states it, in words

    @property
    def sign(self) -> str:
        """What it says of the chosen candidate: "for", "against", or "lacks"."""
        if self.own is None:
            return "lacks"
        return "for" if self.own >= 0 else "against"

    @property
    def own_width(self) -> int:
        """Length of the bar of the chosen candidate, 0 to 32."""
        return _width(self.own)

    @property
    def other_width(self) -> int:
        """Length of the other's bar, 0 to 32."""
        return _width(self.other)


def _width(weight: float | None) -> int:
    return 0 if weight is None else max(3, min(32, round(abs(weight) * 4)))


def weigh_evidence(chosen: QueueCandidate, other: QueueCandidate | None) -> list[Weighed]:
    """The evidence of the chosen candidate by weight; then what only the other one has."""
    others = {} if other is None else {each.code: each for each in other.evidence}
    own = [
        Weighed(in_words(each.said), each.weight, _weight(others.get(each.code)), witness_of(each))
        for each in chosen.evidence
    ]
    codes = {each.code for each in chosen.evidence}
    return own + [
        Weighed(in_words(each.said), None, each.weight, witness_of(each))
        for each in others.values()
        if each.code not in codes
    ]


WITNESSES: Final[Mapping[str, str | Promise]] = {
    Witness.BANK: gettext_lazy("stated by the bank"),
    Witness.PROVIDER: gettext_lazy("stated by the payment service"),
    Witness.PERSON: gettext_lazy("decided or set by a person"),
    Witness.MERCHANT: gettext_lazy("sent by your shop system"),
    Witness.PAYER: gettext_lazy("the payer says"),
    Witness.CUSTOMER: gettext_lazy("chosen by the customer"),
}


def witness_of(evidence: StoredEvidence) -> str:
    """Who states a piece of evidence, in words; "" if that was not kept."""
    return str(WITNESSES.get(evidence.witness, ""))


def _weight(evidence: StoredEvidence | None) -> float | None:
    return None if evidence is None else evidence.weight


def lacks(chosen: QueueCandidate, other: QueueCandidate) -> list[str]:
    """The reasons for the chosen candidate that the other one does not have, in words."""
    codes = {each.code for each in other.evidence if each.weight > 0}
    return [in_words(each.said) for each in chosen.evidence if each.weight > 0 and each.code not in codes]


def other_values(
    visit: Visit, shown: Shown, chosen: QueueCandidate, near: Sequence[Near], currency: str
) -> list[dict[str, Any]]:
    """The two nearest others with why they are not taken: candidates first, then orders near by name or amount."""
    numbers = {line.number for line in chosen.lines}
    others = [each for each in shown.candidates if each is not chosen][:_OTHERS]
    found = [
        {
            "label": label_of([line.number for line in each.lines]), "url": order_url(visit, each.lines[0].number),
            "customer": each.lines[0].customer, "open_minor": each.open_minor, "currency": currency,
            "difference_minor": each.difference_minor,
            "why": [in_words(one.said) for one in each.evidence if one.weight < 0][:_REASONS_SHOWN]
            or lacks(chosen, each)[:_REASONS_SHOWN],
            "lacks": not any(one.weight < 0 for one in each.evidence),
        }
        for each in others
    ]  # fmt: skip
    numbers |= {line.number for each in others for line in each.lines}
    for each in near:
        if len(found) < _OTHERS and each.order.number not in numbers:
            found.append(_near_values(visit, each))
    return found


def _near_values(visit: Visit, near: Near) -> dict[str, Any]:
    """An order that is not a candidate, and what keeps it from being one."""
    order, difference = near.order, near.difference_minor
    beside = f"{amount(abs(difference), order.currency)} {order.currency}"
    words = _("the posting is %(sum)s too high") if difference > 0 else _("the posting is %(sum)s too low")
    why = [words % {"sum": beside}] if difference else []
    why += [] if near.same_name else [_("another name")]
    why += [_("the payment text does not name it")]
    return {
        "label": order.number, "url": order_url(visit, order.number), "customer": order.customer,
        "open_minor": near.order_minor, "difference_minor": difference, "currency": order.currency, "why": why,
        "lacks": False,
    }  # fmt: skip


def label_of(numbers: Sequence[str]) -> str:
    """`#10391`, `3 orders`, or nothing."""
    if len(numbers) == 1:
        return numbers[0]
    return _("%(count)d orders") % {"count": len(numbers)} if numbers else ""


def line_values(visit: Visit, line: Line, currency: str) -> dict[str, Any]:
    """An order's line as the templates show it."""
    return {
        "line": line,
        "url": order_url(visit, line.number),
        "becomes": order_badge(line.becomes) if line.is_known else None,
        "status": order_badge(line.status) if line.is_known else None,
        "foreign": line.currency != currency,
        "too_much": -line.stays_open_minor if line.stays_open_minor is not None and line.stays_open_minor < 0 else 0,
        "callback": callback_words(line.callback, line.callback_due, visit.now),
    }


def candidate_values(visit: Visit, candidate: QueueCandidate, currency: str) -> dict[str, Any]:
    """A candidate as the templates show it."""
    days = sorted(line.due for line in candidate.lines if line.due)
    first = candidate.lines[0]
    return {
        "candidate": candidate,
        "label": label_of([line.number for line in candidate.lines]),
        "numbers": " + ".join(line.number for line in candidate.lines) if len(candidate.lines) > 1 else "",
        "customer": first.customer if len(candidate.lines) == 1 else "",
        "due": days[0] if days else None,
        "due_until": days[-1] if len(days) > 1 and days[-1] != days[0] else None,
        "state": order_badge(first.status) if _is_settled(candidate) else None,
        "overpaid": _too_much_for_settled(candidate),
        "percent": round(candidate.probability * 100),
        "bar": round(candidate.probability * 32),
        "lines": [line_values(visit, line, currency) for line in candidate.lines],
        "withheld": sum(line.withheld_minor for line in candidate.lines),
        "becomes": outcome_words([line.becomes for line in candidate.lines]),
    }


def _is_settled(candidate: QueueCandidate) -> bool:
    """Whether it is one order that no longer waits for money."""
    (first, *more) = candidate.lines
    return not more and first.is_known and first.status not in AWAITING_MONEY


def _too_much_for_settled(candidate: QueueCandidate) -> str:
    """By how much an order would be overpaid that nothing is open of; "" for others."""
    line = candidate.lines[0]
    left = line.stays_open_minor
    if not _is_settled(candidate) or left is None or left >= 0:
        return ""
    return f"{amount(-left, line.currency)} {line.currency}"


def outcome_words(statuses: Sequence[str]) -> str:
    """`becomes Paid`, or `2 become Paid`; empty where nothing is known."""
    known = [status for status in statuses if status in _STATES]
    if not known:
        return ""
    word = _STATES[known[0]]
    same = sum(status == known[0] for status in known)
    if len(known) == 1:
        return _("becomes %(state)s") % {"state": word}
    return _("%(count)d become %(state)s") % {"count": same, "state": word}


def callback_words(status: str, due_at: datetime | None, now: datetime) -> SafeString:
    """The result of the last callback of an order; of one that can still be withdrawn, in how many seconds it goes."""
    left = ceil((due_at - now).total_seconds()) if status == "PENDING" and due_at is not None else 0
    if not 0 < left <= MAX_GRACE_SECONDS:
        return conditional_escape(_CALLBACKS.get(status, ""))
    words = _("callback is sent in {seconds} s").replace("{seconds}", "{}")
    return format_html(words, format_html('<span data-seconds="{}">{}</span>', left, left))


def order_url(visit: Visit, number: str) -> str:
    """The address of the order's page."""
    return visit.url("order", number=number)


def detail_values(visit: Visit, shown: Shown, picked: int) -> dict[str, Any]:
    """The posting, its candidates, and the picked one compared with the next best."""
    posting, currency = shown.queued.posting, shown.queued.posting.currency
    chosen = next((each for each in shown.candidates if each.place == picked), None)
    other = next((each for each in shown.candidates if each is not chosen), None)
    evidence = chosen.evidence if chosen is not None else shown.queued.decision.evidence
    compared = weigh_evidence(chosen, other) if chosen is not None else [
        Weighed(in_words(each.said), each.weight, None) for each in evidence
    ]  # fmt: skip
    return {
        "queued": shown.queued,
        "posting": posting,
        "currency": currency,
        "iban": masked_account(posting.counterparty_iban),
        "account": masked_account(posting.account),
        "pieces": mark_evidence(
            posting.shown_text, evidence, found_spans(posting.shown_text, chosen.lines if chosen is not None else ())
        ),
        "doubt": _doubt_words(visit, chosen) if chosen is not None and shown.is_open else "",
        "candidates": [candidate_values(visit, each, currency) for each in shown.candidates],
        "chosen": candidate_values(visit, chosen, currency) if chosen is not None else None,
        "other": label_of([line.number for line in other.lines]) if chosen is not None and other is not None else "",
        "lacks": lacks(chosen, other) if chosen is not None and other is not None else [],
        "compared": compared,
        "sum_own": sum(each.weight for each in evidence),
        "sum_other": sum(each.weight for each in other.evidence) if other is not None else 0,
        "other_percent": round(other.probability * 100) if other is not None else 0,
        "own_percent": round(100 * (chosen.probability if chosen else shown.queued.decision.probability or 0)),
        "booked": [line_values(visit, line, currency) for line in shown.booked],
        "tariff": shown.tariff,
        "tariff_share": _share(shown),
        "is_open": shown.is_open,
        "waits": shown.is_open and bool(shown.queued.aside_reason),
    }


def _doubt_words(visit: Visit, chosen: QueueCandidate) -> str:
    """What is not exact about the candidate, as the question before it is booked; "" for one that is exact."""
    doubt = doubt_of(chosen)
    if doubt is None:
        return ""
    if doubt is Doubt.UNKNOWN:
        return _("Its order is missing, or has no exchange rate into this currency.")
    if doubt is Doubt.WITHHELD:
        return _("Something is withheld: the orders become paid nevertheless.")
    stays = sum(line.stays_open_minor or 0 for line in chosen.lines)
    currency = chosen.lines[0].currency
    sum_of = f"{amount(abs(stays), currency)} {currency}"
    words = _("%(sum)s was paid too much.") if doubt is Doubt.OVERPAID else _("%(sum)s stays open.")
    return words % {"sum": sum_of}


def _share(shown: Shown) -> str:
    tariff = shown.tariff
    return (
        in_words(percent(tariff.withheld_minor, tariff.gross_minor))
        if tariff is not None and tariff.gross_minor > 0
        else ""
    )


@dataclass(frozen=True, slots=True)
class SuggestionSums:
    """What the orders of a suggestion have open, and what the posting brings beyond it, in its minor units."""

    open_minor: int
    difference_minor: int


def suggested_orders(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Numbers of the orders of each posting's best suggestion."""
    firsts = [row["first"] for row in rows if row["first"] is not None]
    return [credit.order_number for first in firsts for credit in first.allocations]


def suggestion_sums(
    rows: Iterable[Mapping[str, Any]], orders: Iterable[QueuedOrder], tolerance_minor: int
) -> dict[str, SuggestionSums]:
    """By posting, for those whose suggested orders are all known and in their currency."""
    known = {order.number: order for order in orders}
    found = {}
    for row in rows:
        mine = [known.get(number) for number in suggested_orders([row])]
        own = [each for each in mine if each is not None and each.currency == row["currency"]]
        if own and len(own) == len(mine):
            ledgers = [Ledger(each.amount_minor, each.paid_minor, each.refunded_minor, tolerance_minor) for each in own]
            total = sum(open_minor(ledger) for ledger in ledgers)
            found[row["id"]] = SuggestionSums(total, row["amount_minor"] - total)
    return found
