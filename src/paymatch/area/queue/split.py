"""A posting split over orders by hand: what was typed, checked line by line, with what is still left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from paymatch.area.language.figures import amount
from paymatch.area.language.typed import typed_minor
from paymatch.area.page import Visit
from paymatch.area.queue.showing import FEE_WORDS, line_values
from paymatch.domain.money import AmountUnreadable, Currency
from paymatch.domain.orders.fees import KEPT_KINDS, FeeKind, withheld_parts
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching import queue
from paymatch.usecases.matching.queue import Line, Shown


@dataclass(slots=True)
class Typed:
    """A line of the form. `error` is shown next to it."""

    number: str
    credited: str = ""
    withheld: str = ""
    credited_minor: int = 0
    withheld_minor: int = 0
    error: str = ""


@dataclass(slots=True)
class SplitDraft:
    """The present form. Amounts in minor units of the posting's currency."""

    total_minor: int
    currency: Currency
    lines: list[Typed]
    kind: str = ""
    find: str = ""
    found: Sequence[ListedOrder] = ()
    error: str = ""
    shown: list[dict[str, Any]] = field(default_factory=list)

    @property
    def credited_minor(self) -> int:
        """What the orders are credited together."""
        return sum(line.credited_minor for line in self.lines)

    @property
    def withheld_minor(self) -> int:
        """What the payer kept of that."""
        return sum(line.withheld_minor for line in self.lines)

    @property
    def left_minor(self) -> int:
        """What is left of the posting."""
        return self.total_minor - self.credited_minor + self.withheld_minor

    def amounts(self) -> dict[str, tuple[int, int]]:
        """Order number -> (credited, withheld)."""
        return {line.number: (line.credited_minor, line.withheld_minor) for line in self.lines}

    @property
    def is_bookable(self) -> bool:
        """Whether every line could be read."""
        return bool(self.lines) and not any(line.error for line in self.lines)

    @property
    def kinds(self) -> Sequence[tuple[FeeKind, Any]]:
        """Kinds of fees with their words."""
        return FEE_WORDS

    def booked_lines(self) -> list[Line]:
        """The lines for `queue.parts_of`."""
        return [
            Line(line.number, credited_minor=line.credited_minor, withheld_minor=line.withheld_minor)
            for line in self.lines
        ]


def of_candidate(shown: Shown, picked: int) -> SplitDraft:
    """The form as it opens: the picked candidate's orders, or none."""
    posting = shown.queued.posting
    chosen = next((each for each in shown.candidates if each.place == picked), None)
    lines = [_read_form(line.number, line.credited_minor, line.withheld_minor, posting.currency)
             for line in (chosen.lines if chosen is not None else ())]  # fmt: skip
    return SplitDraft(posting.amount_minor, posting.currency, lines, kind=chosen.fee_kind if chosen is not None else "")


def of_form(form: QueryDict, shown: Shown) -> SplitDraft:
    """The form as it was sent."""
    posting = shown.queued.posting
    kind = form.get("kind", "")
    draft = SplitDraft(
        posting.amount_minor,
        posting.currency,
        [
            _read(number, credited, withheld, posting.currency)
            for number, credited, withheld in zip(
                form.getlist("part"), form.getlist("credited"), form.getlist("withheld"), strict=False
            )
        ],
        kind=kind if kind in KEPT_KINDS else "",
        find=form.get("find", "").strip()[:100],
    )
    draft.lines = [line for line in draft.lines if line.number != form.get("drop")]
    return draft


def complete(tx: ShopTx, visit: Visit, draft: SplitDraft, shown: Shown, *, add: str = "", fill: bool = False) -> None:
    """Adds an order with what it has open, withholds what is missing, searches, and looks up what becomes of all."""
    posting_id = shown.queued.id
    if add and add not in {line.number for line in draft.lines}:
        (line,) = queue.split_lines(tx, posting_id, {add: (0, 0)})
        credit = min(line.open_minor or 0, max(draft.left_minor, 0)) or line.open_minor or 0
        draft.lines.append(_read_form(add, max(credit, 0), 0, draft.currency))
        draft.find = ""
    looked_up = queue.split_lines(tx, posting_id, draft.amounts())
    if fill:
        _withhold(draft, looked_up)
        looked_up = queue.split_lines(tx, posting_id, draft.amounts())
    for typed, line in zip(draft.lines, looked_up, strict=True):
        if not line.is_known:
            typed.error = typed.error or _("There is no order of this number")
    draft.shown = [
        line_values(visit, line, draft.currency) | {"typed": typed}
        for typed, line in zip(draft.lines, looked_up, strict=True)
    ]
    if draft.find:
        known = draft.amounts()
        draft.found = [each for each in queue.find_orders(tx, draft.find) if each.number not in known]


def _withhold(draft: SplitDraft, looked_up: Sequence[Line]) -> None:
    """Credits every order what it has open; what the posting falls short of that was withheld, in proportion."""
    credits = [line.open_minor or 0 for line in looked_up]
    missing = sum(credits) - draft.total_minor
    if missing <= 0 or any(credit <= 0 for credit in credits):
        draft.error = _("Nothing is missing: the posting covers what the orders have open.")
        return
    fees = withheld_parts(missing, credits)
    draft.lines = [
        _read_form(line.number, credit, fee, draft.currency)
        for line, credit, fee in zip(draft.lines, credits, fees, strict=True)
    ]


def _read_form(number: str, credited: int, withheld: int, currency: Currency) -> Typed:
    return Typed(number, amount(credited, currency), amount(withheld, currency), credited, withheld)


def _read(number: str, credited: str, withheld: str, currency: Currency) -> Typed:
    line = Typed(number, credited, withheld)
    try:
        line.credited_minor = typed_minor(credited, currency)
        line.withheld_minor = typed_minor(withheld, currency) if withheld.strip() else 0
    except AmountUnreadable:
        line.error = _("Write an amount such as %(example)s") % {"example": amount(1250, currency)}
    return line
