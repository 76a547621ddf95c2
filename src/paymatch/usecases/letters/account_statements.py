"""Statements of account: computed, written as PDF, mailed in the customer's language, recorded (D-132)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from paymatch.domain.customers.credits import customer_key
from paymatch.domain.money import Currency, Money, plain_text
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.reminders.account_statement import (
    MOST_ORDERS,
    AccountStatement,
    AccountStatementRefused,
    CurrencyStatement,
    OpenOrder,
    address_of,
)
from paymatch.domain.reminders.letters import PostalAddress
from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.colours import WHITE, readable_on
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.formats.languages.statement_texts import statement_notes
from paymatch.formats.languages.texts import language_among, language_of, words
from paymatch.formats.letters import account_statement as texts
from paymatch.formats.letters.letter import Letter, Picture, write_letter
from paymatch.formats.letters.paper import Paper, usual_paper
from paymatch.formats.letters.texts import page_words, recipient, regards
from paymatch.formats.mail.account_statement import AccountStatementMail
from paymatch.formats.mail.layout import Head
from paymatch.outbound.mail.outgoing import MailDoor, MailNotSent, OutgoingMail
from paymatch.store.customers import credits
from paymatch.store.database import Database
from paymatch.store.letters import letters as letter_store
from paymatch.store.orders.order_list import customer_in, customer_key_in
from paymatch.store.reminders import mails, paid_fees, reminders
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.reports import receivables
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.letters.content import sender_line
from paymatch.usecases.orders.payment_requests import request_among
from paymatch.usecases.shops.brands import brand_of

_Row = Mapping[str, Any]
_NO_ADDRESS: Final = PostalAddress()


@dataclass(frozen=True, slots=True)
class SentStatement:
    """A statement that was mailed; `delivered` False: it was only kept, or the shop is a sandbox."""

    recipient: str
    subject: str
    message_id: str
    delivered: bool


def customer_of_order(tx: ShopTx, number: str) -> str:
    """The key of the order's customer; OrderUnknown."""
    found = credits.customers(tx, [number])
    if not found:
        raise OrderUnknown(number)
    return found[0].customer


def customer_of_number(number: str) -> str:
    """The key of the customer with this customer number."""
    return customer_key(number, "", "")


def addresses_of(tx: ShopTx, customer: str, day: date) -> list[str]:
    """The e-mail addresses that the customer's open orders name."""
    loaded = _load(tx, [row["number"] for row in _open_rows(tx, customer, day)])
    return sorted({row.facts.email.strip().lower() for row in loaded.values()} - {""})


def statement_of(tx: ShopTx, customer: str, day: date, address: str = "") -> AccountStatement:
    """A customer's debts at the end of the day: the orders that the report `customers` counts for this key.

    `address` chooses one if the orders name several e-mail addresses, or some name none and have other postal
    addresses. AccountStatementRefused: nothing is open, too much is, or an address has to be chosen.
    """
    rows = _open_rows(tx, customer, day)
    loaded = _load(tx, [row["number"] for row in rows])
    emails = {number: each.facts.email.strip().lower() for number, each in loaded.items()}
    email = address_of(emails.values(), address)
    if email and not address:
        homes = {loaded[number].postal for number, each in emails.items() if each}
        if any(loaded[number].postal not in homes for number, each in emails.items() if not each):
            said = Message("statement-several-addresses", addresses=f"{email}, –")
            raise AccountStatementRefused(said, parameter="to", allowed=[email])
    if address:
        rows = [row for row in rows if emails[row["number"]] == email]
    if not rows:
        raise AccountStatementRefused(Message("statement-nothing-open"))
    if len(rows) > MOST_ORDERS:
        raise AccountStatementRefused(Message("statement-too-many-orders", most=MOST_ORDERS))
    newest = max(rows, key=lambda row: (row["order_date"], row["number"]))
    last = loaded[newest["number"]]
    postals = {loaded[row["number"]].postal for row in rows}
    return AccountStatement(
        day, customer, customer_in(newest["doc"])[0], last.customer, email,
        language_of(last.language, tx.shop.language), last.postal.country or tx.shop.country,
        last.postal if len(postals) == 1 else _NO_ADDRESS,
        _parts(tx, customer, day, rows, loaded, has_credit=day == tx.today and len({*emails.values()} - {""}) < 2),
    )  # fmt: skip


def _open_rows(tx: ShopTx, customer: str, day: date) -> list[_Row]:
    return [row for row in receivables.open_orders(tx, day) if customer_key_in(row["doc"], row["number"]) == customer]


def _load(tx: ShopTx, numbers: Sequence[str]) -> dict[str, ReminderOrderRow]:
    rows = reminders.load(tx, numbers, tx.shop.tolerance_minor, tx.now)
    return {row.facts.number: row for row in rows}


def _parts(
    tx: ShopTx, customer: str, day: date, rows: Sequence[_Row], loaded: Mapping[str, ReminderOrderRow], *,
    has_credit: bool,
) -> list[CurrencyStatement]:  # fmt: skip
    """The orders by currency, the shop's first. `has_credit`: the customer's credit is shown."""
    demanded = paid_fees.demanded(tx, [row["number"] for row in rows])
    accounts = shop_store.accounts(tx)
    found: dict[str, list[OpenOrder]] = {}
    for row in rows:
        fees = sum(fee.minor for fee in demanded.get(row["number"], ()) if fee.sent_date <= day)
        found.setdefault(row["currency"], []).append(_order(row, loaded[row["number"]].reference, fees))
    parts = []
    for code in sorted(found, key=lambda each: (each != tx.shop.currency, each)):
        currency = Currency(code)
        credit = credits.balance(tx, customer, code) if has_credit else 0
        wanted = request_among(accounts, tx.shop, Money(1, currency), None)
        account = wanted.account if wanted else None
        parts.append(
            CurrencyStatement(
                currency, found[code], Money(max(credit, 0), currency),
                (account.holder or tx.shop.holder) if account else "",
                account.account if account else "", account.bic if account else "",
            )
        )  # fmt: skip
    return parts


def _order(row: _Row, reference: str, fees: int) -> OpenOrder:
    currency = Currency(row["currency"])
    return OpenOrder(
        row["number"], row["order_date"], row["due"], Money(row["amount_minor"], currency),
        Money(row["paid_minor"], currency), Money(row["open_minor"], currency), Money(fees, currency), reference,
        is_overdue=row["age"] > 0, is_at_agency=row["status"] == PaymentStatus.COLLECTION,
    )  # fmt: skip


def letter_of(tx: ShopTx, statement: AccountStatement) -> Letter:
    """The statement as a letter of the shop; it is rendered outside of the transaction (`write_letter`)."""
    spoken, brand = words(statement.language, statement.country), brand_of(tx)
    paper = letter_store.settings(tx).paper
    said = texts.statement_texts(spoken, statement)
    return Letter(
        paper=Paper(paper) if paper else usual_paper(tx.shop.country), language=spoken.language, brand=brand.name,
        accent=str(brand.accent), accent_text=str(readable_on(brand.accent, WHITE)), sender=sender_line(tx, brand),
        recipient=recipient(statement.postal, tx.shop.country, language_among(tx.shop.language)),
        details=texts.statement_details(spoken, statement, phone=brand.phone, email=brand.email),
        subject=said.subject, paragraphs=said.paragraphs, tables=texts.statement_tables(spoken, statement),
        payment=texts.statement_payment(spoken, statement), closing=[*statement_notes(spoken, statement),
        regards(spoken, brand.name)], page=page_words(spoken), running=f"{brand.name} · {said.subject}",
        footer=brand.footer.splitlines(),
        logo=Picture(brand.logo.png, brand.logo.width, brand.logo.height) if brand.logo else None,
    )  # fmt: skip


def mail_statement(
    database: Database, shop: Shop, door: MailDoor, customer: str, clock: datetime, address: str = ""
) -> SentStatement:
    """Mails the customer today's open items, as PDF. AccountStatementRefused, and then nothing was sent.

    The same statement has the same Message-ID, so most mailboxes drop a second attempt. A sandbox shop's mail never
    reaches the door.
    """
    with database.of_shop(shop, at=clock) as tx:
        statement = statement_of(tx, customer, tx.today, address)
        to, head = _address_of(tx, statement), _head(tx, statement)
        letter = letter_of(tx, statement)
    mail = AccountStatementMail(head, statement, write_letter(letter).pdf)
    if not shop.sandbox:
        mail_id = head.message_id.strip("<>").partition("@")[0]
        try:
            door.send(OutgoingMail(str(shop.id), mail_id, head.sender, to, mail.write()))
        except MailNotSent as error:
            raise AccountStatementRefused(Message("statement-not-sent", error=str(error))) from error
    with database.of_shop(shop, at=clock) as tx:
        record(
            tx, shop, AuditAction.ACCOUNT_STATEMENT_SENT, customer,
            after={
                "to": to, "day": statement.day.isoformat(), "orders": statement.numbers,
                "open": [f"{plain_text(part.open.minor, part.currency)} {part.currency}" for part in statement.parts],
                "total": [f"{plain_text(part.total.minor, part.currency)} {part.currency}" for part in statement.parts],
            },
        )  # fmt: skip
    return SentStatement(to, mail.subject, head.message_id, door.delivers and not shop.sandbox)


def _address_of(tx: ShopTx, statement: AccountStatement) -> str:
    """The address that the statement is mailed to; AccountStatementRefused."""
    to = mail_address(statement.email)
    if to is None:
        raise AccountStatementRefused(Message("statement-no-address"))
    facts = [each.facts for each in _load(tx, statement.numbers).values()]
    if any(each.wrong_person for each in facts):
        raise AccountStatementRefused(Message("statement-wrong-person", address=to))
    if any(to in each.refused_addresses for each in facts):
        raise AccountStatementRefused(Message("statement-address-refused", address=to))
    if not mails.sender(tx).address and not tx.shop.sandbox:
        raise AccountStatementRefused(Message("trial-shop-no-address-mail"))
    return to


def _head(tx: ShopTx, statement: AccountStatement) -> Head:
    sender = mails.sender(tx)
    address = sender.address or "shop@sandbox.invalid"
    said = "|".join(
        [str(tx.shop_id), statement.customer, statement.day.isoformat(), statement.email]
        + [f"{order.number} {order.open} {order.fees}" for part in statement.parts for order in part.orders]
    )
    mail_id = f"as_{hashlib.sha256(said.encode()).hexdigest()[:26]}"
    return Head(
        message_id=f"<{mail_id}@{address.rpartition('@')[2]}>", at=tx.now, sender=address, reply_to=sender.reply_to,
        recipient=statement.email, customer=statement.name, language=statement.language, country=statement.country,
        brand=brand_of(tx),
    )  # fmt: skip
