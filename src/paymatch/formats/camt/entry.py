"""Entries of a camt message from the text of their elements."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import chain
from typing import Any, Final, TypeVar

from paymatch.formats.camt.detail import amounts_of, charges_of, read_detail
from paymatch.formats.camt.entry_templates import EntryTemplates, Found
from paymatch.formats.camt.plan import DetailPlan, EntryPlan
from paymatch.formats.camt.shape import local_name, plain_tags, resolved, split_markup, tree_of
from paymatch.formats.camt.values import (
    FIRST_YEAR,
    FLAGS,
    LAST_YEAR,
    SIGNS,
    ValueUnreadable,
    amount_if_readable,
    amount_of,
    count_of,
    day_of,
    gvc_of,
    joined_code,
)
from paymatch.formats.quick_values import quick
from paymatch.formats.statement import Entry, EntryStatus, FileRefused, UnreadableEntry

MAX_PLANS: Final = 500
RAW_CHARS: Final = 4_000

_STATUS: Final = {status.value: status for status in EntryStatus}
_PLAIN: Final = ("TxDtls", "/TxDtls")
_Plan = TypeVar("_Plan", EntryPlan, DetailPlan)
_quick_entry: Final = quick(Entry)


class EntryReader:
    """Reads entries; keeps one plan per shape that it has met, so one reader serves a whole file."""

    def __init__(self, templates: EntryTemplates) -> None:
        self._templates = templates
        self._entry_plans: dict[tuple[str, ...], EntryPlan] = {}
        self._detail_plans: dict[tuple[str, ...], DetailPlan] = {}
        self._first_tag = ""
        self.statement_day: Callable[[], date | None] = lambda: None
        """The day of the statement, asked for where an entry has none of its own."""
        self.undated: list[int] = []
        """Lines of the entries that took the day of the statement."""
        self._detail_tags = _PLAIN

    def read_matched(self, found: Found, position: int, line: int) -> Entry | UnreadableEntry:
        """The entry that a template has matched; as `read`."""
        template, match = found
        texts = [*match.group(*template.groups), ""]
        start, end = match.span()
        if match.string.find("&", start, end) >= 0:
            texts = [resolved(text) if "&" in text else text for text in texts]
        try:
            entry = self._build(template.entry, texts, [(plan, texts) for plan in template.details], position, line)
        except ValueUnreadable as error:
            return UnreadableEntry(position, line, str(error), match[0][:RAW_CHARS])
        return entry

    def read(self, text: str, position: int, line: int) -> Entry | UnreadableEntry:
        """The entry whose source is `text`; an UnreadableEntry if its amount, sign, status or a date is not certain.

        FileRefused if it is larger or deeper than any bank's.
        """
        tags, texts = split_markup(text)
        if tags[0] != self._first_tag:
            prefix = tags[0].strip("/").split(None, 1)[0].rpartition("Ntry")[0]
            self._first_tag, self._detail_tags = tags[0], (f"{prefix}TxDtls", f"/{prefix}TxDtls")
        try:
            return self._entry(tags, texts, position, line, plain=False)
        except ValueUnreadable as error:
            return UnreadableEntry(position, line, str(error), text[:RAW_CHARS])

    def _entry(self, tags: list[str], texts: list[str], position: int, line: int, *, plain: bool) -> Entry:
        spans = _spans(tags, *(_PLAIN if plain else self._detail_tags))
        key = tuple(_outside(tags, spans))
        plan = self._entry_plans.get(key)
        if plan is None:
            if any(local_name(tag) == "TxDtls" for tag in key):  # <TxDtls/> or <TxDtls >
                if plain:
                    raise FileRefused(f"line {line}: TxDtls stands within TxDtls")
                return self._entry(*plain_tags(tags, texts), position, line, plain=True)
            plan = EntryPlan(tree_of(key, f"line {line}: Ntry").children[0])
            _keep(self._entry_plans, key, plan)
        details = [self._planned(tags[start:end], texts[start:end], line) for start, end in spans]
        entry = self._build(plan, _prepared(_outside(texts, spans)), details, position, line)
        self._templates.learn(tags, texts, len(spans))
        return entry

    def _planned(self, tags: list[str], texts: list[str], line: int) -> tuple[DetailPlan, list[str]]:
        key = tuple(tags)
        plan = self._detail_plans.get(key)
        if plan is None:
            plan = DetailPlan(tree_of(key, f"line {line}: TxDtls"))
            _keep(self._detail_plans, key, plan)
        ready = _prepared(texts)
        for place in plan.unstructured:  # the only texts whose blanks at the ends count
            ready[place] = resolved(texts[place])
        return plan, ready

    def _day_of_statement(self, line: int) -> date:
        day = self.statement_day()
        if day is None:
            raise ValueUnreadable("BookgDt, ValDt: neither a booked entry nor its statement has a date")
        self.undated.append(line)
        return day

    def _build(
        self, plan: EntryPlan, texts: list[str], details: list[tuple[DetailPlan, list[str]]], position: int, line: int
    ) -> Entry:
        (
            amount, direction, status_text, reversal, booking, value, reference, bank_reference,
            domain, family, sub_family, proprietary, issuer, info,
        ) = plan.pick(texts)  # fmt: skip
        currency = plan.currency
        minor = amount_of(amount, currency, "Amt")
        sign = SIGNS.get(direction)
        if sign is None:
            raise ValueUnreadable(f"CdtDbtInd: {direction!r} is neither CRDT nor DBIT")
        status = _STATUS.get(status_text)
        if status is None:
            raise ValueUnreadable(f"Sts: {status_text!r} is not known")
        is_reversal = FLAGS.get(reversal)
        if is_reversal is None:
            raise ValueUnreadable(f"RvslInd: {reversal!r} is neither true nor false")
        booking_date, value_date = day_of(booking), day_of(value)
        if booking_date is None and value_date is None and status is EntryStatus.BOOKED:
            booking_date = self._day_of_statement(line)
        day = booking_date or value_date
        if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise ValueUnreadable(f"BookgDt, ValDt: {day} lies too far away")  # as in the other formats
        rare = _rare_fields(plan, texts) if plan.has_rare else {}
        return _quick_entry(
            sign * minor,
            currency,
            status,
            booking_date,
            value_date,
            position,
            line,
            is_reversal,
            reference,
            bank_reference,
            domain_code=joined_code(domain, family, sub_family),
            proprietary_code=proprietary,
            gvc=gvc_of(proprietary, issuer) if proprietary else "",
            booking_text=info,
            additional_info=info,
            details=tuple([read_detail(its_plan, its_texts, sign, currency) for its_plan, its_texts in details]),
            **rare,
        )


def _keep(plans: dict[tuple[str, ...], _Plan], key: tuple[str, ...], plan: _Plan) -> None:
    if len(plans) >= MAX_PLANS:
        plans.clear()
    plans[key] = plan


def _prepared(texts: list[str]) -> list[str]:
    """The texts as plans take them: stripped, references resolved, and an empty one at the end for missing fields."""
    ready = [resolved(text.strip()) if "&" in text else text.strip() for text in texts]
    ready.append("")
    return ready


def _spans(tags: list[str], opening: str, closing: str) -> list[tuple[int, int]]:
    """First and last-but-one index of the tags inside of each detail."""
    spans: list[tuple[int, int]] = []
    end = 0
    try:
        while True:
            start = tags.index(opening, end)
            end = tags.index(closing, start)
            spans.append((start + 1, end))
    except ValueError:
        return spans


def _outside(items: list[str], spans: list[tuple[int, int]]) -> list[str]:
    """What belongs to the entry itself."""
    if not spans:
        return items
    if len(spans) == 1:
        start, end = spans[0]
        return items[: start - 1] + items[end + 1 :]
    starts = chain((0,), (end + 1 for _, end in spans))
    ends = chain((start - 1 for start, _ in spans), (len(items),))
    return [item for start, end in zip(starts, ends, strict=True) for item in items[start:end]]


def _rare_fields(plan: EntryPlan, texts: list[str]) -> dict[str, Any]:
    """Fields that few entries have: batch, charges, amounts in another currency."""
    fields: dict[str, Any] = {"charges": charges_of(plan.charges, texts)}
    if plan.amounts:
        fields |= amounts_of(plan.amounts, texts)
    if plan.batches:
        message_id, payment_id, _, total = plan.batches[0]
        counts = [count_of(texts[place]) for _, _, place, _ in plan.batches]
        known = [count for count in counts if count is not None]
        fields |= {
            "batch_message_id": texts[message_id],
            "batch_payment_information_id": texts[payment_id],
            "batch_count": sum(known) if known else None,
            "batch_total_minor": amount_if_readable(texts[total.place], total.currency),
        }
    return fields
