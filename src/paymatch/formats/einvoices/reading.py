"""An electronic invoice's terms, from its XML. A fault is one sentence that names the line or the business term."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import BinaryIO, Final

from lxml import etree

from paymatch.domain.money import CURRENCIES, AmountUnreadable, Currency, decimal_to_minor
from paymatch.domain.orders.invoice_terms import DiscountOffer, InvoiceTerms
from paymatch.domain.words.message import Message
from paymatch.formats.einvoices.bindings import BINDINGS, CREDIT_NOTES, ROOTS, Binding
from paymatch.formats.einvoices.discounts import MAX_DAYS, MAX_DISCOUNTS, DiscountLine, basis_points_of, discount_lines
from paymatch.formats.statement import FileRefused
from paymatch.formats.xml_events import XmlEvents

MAX_TEXT: Final = 2_000
MAX_NUMBER: Final = 255


class EInvoiceUnreadable(FileRefused):
    """Nothing of the invoice is taken; the text is one sentence with its place."""


def read_einvoice(stream: BinaryIO) -> InvoiceTerms:
    """The terms that the XML states. FileRefused for a DOCTYPE, broken XML, or what is not an electronic invoice."""
    events = XmlEvents(stream, ROOTS)
    for _ in events:
        pass
    binding = BINDINGS.get(str(events.root.tag))
    if binding is None:
        name = etree.QName(events.root).localname
        raise EInvoiceUnreadable(
            Message("file-line", line=str(events.line_of(events.root)), what=Message("invoice-none", element=name))
        )
    return _Reading(events, binding).terms()


class _Reading:
    """One invoice and the paths of its syntax."""

    def __init__(self, events: XmlEvents, binding: Binding) -> None:
        self._events = events
        self._root = events.root
        self._binding = binding

    def terms(self) -> InvoiceTerms:
        binding = self._binding
        number = self._need(binding.number, "BT-1 (invoice number)")[0][:MAX_NUMBER]
        issued = self._date(self._need(binding.issue_date, "BT-2 (date of the invoice)"), "BT-2 (date of the invoice)")
        currency = self._currency()
        due = self._amount(self._need(binding.amount_due, "BT-115 (amount due)"), currency, "BT-115 (amount due)")
        total = self._texts((binding.total,))
        payable = self._texts(binding.due_date)
        said = "\n".join(text for text, _ in self._texts((binding.payment_terms,)))[:MAX_TEXT]
        remittance = self._texts((binding.remittance,))
        offers, unread = self._discounts(said, issued, currency, due)
        code = self._texts(binding.type_code)
        return InvoiceTerms(
            syntax=binding.syntax,
            number=number,
            issue_date=issued,
            currency=currency,
            amount_due_minor=due,
            total_minor=self._amount(total[0], currency, "BT-112 (total with taxes)") if total else None,
            due_date=self._date(payable[0], "BT-9 (due date)") if payable else None,
            payment_terms=said,
            remittance=remittance[0][0][:MAX_NUMBER] if remittance else "",
            is_credit_note=str(self._root.tag).endswith("}CreditNote") or bool(code and code[0][0] in CREDIT_NOTES),
            discounts=tuple(offers),
            unread=tuple(unread),
        )

    def _texts(self, paths: Iterable[str], within: etree._Element | None = None) -> list[tuple[str, etree._Element]]:
        """The texts at the first of the paths where there are any."""
        start = self._root if within is None else within
        for path in paths:
            found = [(text, each) for each in start.iterfind(path) if (text := (each.text or "").strip())]
            if found:
                return found
        return []

    def _need(self, path: str, name: str) -> tuple[str, etree._Element]:
        found = self._texts((path,))
        if not found:
            raise EInvoiceUnreadable(Message("invoice-missing", what=name))
        return found[0]

    def _currency(self) -> Currency:
        text, element = self._need(self._binding.currency, "BT-5 (currency)")
        if text not in CURRENCIES:
            raise self._unreadable(element, Message("invoice-currency", what="BT-5 (currency)", text=_short(text)))
        return Currency(text)

    def _amount(self, found: tuple[str, etree._Element], currency: Currency, name: str) -> int:
        text, element = found
        if not re.fullmatch(r"[+-]?\d{1,15}(?:\.\d{0,6})?", text, re.ASCII):
            raise self._unreadable(element, Message("invoice-no-amount", what=name, text=_short(text)))
        stated = element.get("currencyID")
        if stated and stated != currency:
            raise self._unreadable(
                element, Message("invoice-other-currency", what=name, currency=_short(stated), other=currency)
            )
        try:
            return decimal_to_minor(Decimal(text), currency)
        except AmountUnreadable as error:
            raise self._unreadable(element, Message("file-named", name=name, what=error.message)) from None

    def _date(self, found: tuple[str, etree._Element], name: str) -> date:
        text, element = found
        plain = re.fullmatch(r"(\d{4})-?(\d{2})-?(\d{2})(?:Z|[+-]\d{2}:\d{2}|T[\d:.Z+-]{1,24})?", text, re.ASCII)
        try:
            if plain and element.get("format", "102") == "102":
                return date(*map(int, plain.groups()))
        except ValueError:
            pass
        raise self._unreadable(element, Message("invoice-no-date", what=name, text=_short(text)))

    def _unreadable(self, element: etree._Element, why: Message) -> EInvoiceUnreadable:
        return EInvoiceUnreadable(Message("file-line", line=str(self._events.line_of(element)), what=why))

    def _discounts(
        self, said: str, issued: date, currency: Currency, due: int
    ) -> tuple[list[DiscountOffer], list[str]]:
        """What may be deducted, and what looks like it and cannot be read. The texts come before the elements."""
        lines, unread = discount_lines(said)
        offers = []
        for line in lines:
            offer = _offer(line, issued, currency, due)
            if offer is None:
                unread.append(f"BASISBETRAG={line.base}")
            else:
                offers.append(offer)
        if self._binding.discounts and not lines and not unread:
            for element in list(self._root.iterfind(self._binding.discounts))[:MAX_DISCOUNTS]:
                stated = self._stated_discount(element, issued, currency, due)
                if stated is None:
                    unread.append("ApplicableTradePaymentDiscountTerms")
                else:
                    offers.append(stated)
        return offers, unread

    def _stated_discount(
        self, element: etree._Element, issued: date, currency: Currency, due: int
    ) -> DiscountOffer | None:
        """A discount in elements of its own, as ZUGFeRD's profile EXTENDED has it."""
        binding = self._binding
        percent = self._texts((binding.discount_percent,), element)
        days = self._texts((binding.discount_days,), element)
        basis_points = basis_points_of(percent[0][0]) if percent else None
        if basis_points is None or not days or days[0][1].get("unitCode") != "DAY":
            return None
        if not re.fullmatch(r"\d{1,3}", days[0][0], re.ASCII) or int(days[0][0]) > MAX_DAYS:
            return None
        start, base = (
            self._texts((binding.discount_base_date,), element),
            self._texts((binding.discount_base,), element),
        )
        since = self._date(start[0], "BasisDateTime") if start else issued
        amount = Decimal(self._amount(base[0], currency, "BasisAmount")) if base else None
        line = DiscountLine(int(days[0][0]), basis_points, None)
        offer = _offer(line, since, currency, due)
        if offer is None or amount is None:
            return offer
        return DiscountOffer(offer.last_day, basis_points, int(amount))


def _offer(line: DiscountLine, issued: date, currency: Currency, due: int) -> DiscountOffer | None:
    """The discount as an offer of an invoice of this day and amount; None if its base cannot be."""
    base = due
    if line.base is not None:
        try:
            base = decimal_to_minor(line.base, currency)
        except AmountUnreadable:
            return None
    if base <= 0:
        return None
    return DiscountOffer(issued + timedelta(days=line.days), line.basis_points, base)


def _short(text: str) -> str:
    return " ".join(text.split())[:40]
