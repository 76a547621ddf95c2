"""Content of a letter: the order's current state, the shop's branding and texts, the way to pay."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from paymatch.domain.money import Currency, Money
from paymatch.domain.reminders.letters import LetterKind
from paymatch.domain.reminders.payment_date import date_asked_for
from paymatch.domain.reminders.policy import PlannedReminder
from paymatch.domain.shops.brand import Brand
from paymatch.domain.shops.colours import WHITE, readable_on
from paymatch.formats.codes.pictures import qr_code, qr_svg
from paymatch.formats.languages.texts import LanguageTexts, language_among, language_of, words
from paymatch.formats.letters import texts
from paymatch.formats.letters.letter import Letter, Picture
from paymatch.formats.letters.paper import Paper, usual_paper
from paymatch.formats.letters.texts import LetterWords, PaymentRequestText
from paymatch.store.customers import refund_requests
from paymatch.store.letters import letters as store
from paymatch.store.letters.letters import LetterRow, LetterSettings
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.customers.links import link_of
from paymatch.usecases.orders.images import PaymentCode, payment_code
from paymatch.usecases.orders.payment_requests import payment_request
from paymatch.usecases.shops.brands import brand_of
from paymatch.usecases.shops.dunning_plans import payment_terms, plan_of

_LISTS_ITEMS: Final = frozenset({LetterKind.INFORMATION, LetterKind.REMINDER})
MAX_ITEMS: Final = 200
"""The most items listed of an order: the first ones."""


@dataclass(frozen=True, slots=True)
class LetterDraft:
    """A letter to be written; its code is drawn outside of the transaction. None: the file is sent unchanged."""

    letter: Letter | None
    code: PaymentCode | None = None
    pay_by: date | None = None  # None: it asks for no payment


def draft(
    tx: ShopTx,
    row: LetterRow,
    order: ReminderOrderRow,
    settings: LetterSettings,
    base: str,
) -> LetterDraft:
    """The letter for the present order, locked by the caller; `base` is the address of the service's pages."""
    now = tx.now
    if row.kind is LetterKind.INVOICE and settings.invoices == "as-is":
        return LetterDraft(None)
    spoken = words(language_of(order.language, tx.shop.language), order.postal.country or tx.shop.country)
    today = tx.shop.today(now)
    link = ""
    if row.kind is LetterKind.REFUND_ACCOUNT:
        link = link_of(tx, order.facts.number, base)
        payment, code = None, None
        said = _request_texts(tx, row, order, spoken)
    else:
        payment, code = _payment(tx, row, order, today, now)
        said = _letter_texts(tx, row, order, spoken, payment)
    brand, document = brand_of(tx), store.facts(tx, order.facts.number)
    closing = [texts.regards(spoken, brand.name)]
    if row.kind is LetterKind.REMINDER:
        closing.insert(0, texts.crossed_payment_text(spoken))
    number = order.facts.number
    letter = Letter(
        paper=Paper(settings.paper) if settings.paper else usual_paper(tx.shop.country), language=spoken.language,
        brand=brand.name, accent=str(brand.accent), accent_text=str(readable_on(brand.accent, WHITE)),
        sender=sender_line(tx, brand),
        recipient=texts.recipient(order.postal, tx.shop.country, language_among(tx.shop.language)),
        details=texts.details(
            spoken, today, number, str(document.get("customerNumber") or ""), row.invoice_number or "",
            phone=brand.phone, email=brand.email,
        ),
        subject=said.subject, paragraphs=said.paragraphs, closing=closing, page=texts.page_words(spoken),
        running=f"{brand.name} · {number}", footer=brand.footer.splitlines(),
        item_names=texts.item_names(spoken), items=_items(document) if row.kind in _LISTS_ITEMS else [],
        payment=[texts.link_row(spoken, link)] if link else texts.payment_rows(spoken, payment) if payment else [],
        code_caption=texts.link_caption(spoken) if link else texts.code_caption(spoken),
        code_svg=qr_svg(qr_code(link)) if link else b"",
        logo=Picture(brand.logo.png, brand.logo.width, brand.logo.height) if brand.logo else None,
    )  # fmt: skip
    return LetterDraft(letter, code, payment.pay_until if payment else None)


def _request_texts(tx: ShopTx, row: LetterRow, order: ReminderOrderRow, spoken: LanguageTexts) -> LetterWords:
    refund = refund_requests.find(tx, row.refund_id or "")
    assert refund is not None, "what is still to be asked has a refund"
    amount = Money(refund.amount_minor, Currency(refund.currency))
    found = texts.account_request(spoken, order.facts.number, order.facts.order_date, amount)
    return LetterWords(found.subject, [texts.greeting(spoken, order.customer), *found.paragraphs])


def _payment(
    tx: ShopTx, row: LetterRow, order: ReminderOrderRow, today: date, now: datetime
) -> tuple[PaymentRequestText | None, PaymentCode | None]:
    """The payment request and its code; (None, None) if nothing is open or no account is known."""
    facts, plan = order.facts, plan_of(tx)
    if facts.open_minor <= facts.tolerance_minor or facts.is_given_back:
        return None, None
    wanted = payment_request(tx, Money(facts.open_minor, Currency(facts.currency)), order.exchange_rate)
    if wanted is None:
        return None, None
    account, currency = wanted.account, wanted.amount.currency
    level = row.dunning_level if row.kind is LetterKind.REMINDER else 0
    until = date_asked_for(facts, PlannedReminder(level, now, by_letter=True), now, payment_terms(tx.shop, plan))
    payment = PaymentRequestText(
        wanted.amount, Money(row.fee_minor, currency), Money(order.fees_before(row.dunning_level), currency), until,
        account.holder or tx.shop.holder, account.account, account.bic, order.reference,
    )  # fmt: skip
    code = payment_code(
        tx, account, payment.total, order.reference, facts.number, order.postal.country, order.postal, until
    )
    return payment, code


def _letter_texts(
    tx: ShopTx,
    row: LetterRow,
    order: ReminderOrderRow,
    spoken: LanguageTexts,
    payment: PaymentRequestText | None,
) -> LetterWords:
    facts, plan = order.facts, plan_of(tx)
    hello = texts.greeting(spoken, order.customer)
    if row.kind is LetterKind.INVOICE:
        found = texts.invoice_cover(spoken, row.invoice_number or "", facts.number, facts.order_date, payment)
        return LetterWords(found.subject, [hello, *found.paragraphs])
    assert payment is not None, "what is due has an amount and an account"
    if row.kind is LetterKind.INFORMATION:
        found = texts.information(spoken, facts.number, facts.order_date, payment)
    else:
        levels = len(plan.levels)
        found = texts.reminder(spoken, row.dunning_level, levels, facts.number, facts.order_date, payment)
    return LetterWords(found.subject, [hello, *found.paragraphs, *texts.refund_texts(spoken, facts.to_refund)])


def sender_line(tx: ShopTx, brand: Brand) -> str:
    """The shop's name and address on one line, for letters that come back."""
    street, house_number, postcode, city = shop_store.address(tx)
    parts = (brand.name, f"{street} {house_number}".strip(), f"{postcode} {city}".strip())
    return " · ".join(part for part in parts if part)


def _items(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Number and name of what was ordered; empty if no item has a name: numbers alone tell a reader nothing."""
    found = [(str(item.get("number") or ""), str(item.get("name") or "")) for item in document.get("items") or []]
    return found[:MAX_ITEMS] if any(name for _, name in found) else []
