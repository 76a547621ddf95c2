"""Texts and tables of a statement of account in the customer's language."""

from __future__ import annotations

from collections.abc import Sequence

from paymatch.domain.reminders.account_statement import AccountStatement, OpenOrder
from paymatch.formats.languages.statement_texts import statement_sums
from paymatch.formats.languages.texts import LanguageTexts, group_digits
from paymatch.formats.letters.letter import LetterTable, PaymentRow
from paymatch.formats.letters.texts import LetterWords, details, greeting


def statement_subject(spoken: LanguageTexts, statement: AccountStatement) -> str:
    """What the statement is called."""
    return spoken.gettext("Statement of account of %(day)s", day=spoken.day(statement.day))


def statement_texts(spoken: LanguageTexts, statement: AccountStatement) -> LetterWords:
    """Subject and sentences before the tables."""
    found = [greeting(spoken, statement.name), open_words(spoken, statement)]
    if any(part.iban for part in statement.parts):
        found.append(spoken.gettext("Please transfer each amount with the payment reference of its order."))
    return LetterWords(statement_subject(spoken, statement), found)


def open_words(spoken: LanguageTexts, statement: AccountStatement) -> str:
    """The sentence before the tables."""
    return spoken.gettext("These orders were still to be paid on %(day)s.", day=spoken.day(statement.day))


def statement_details(
    spoken: LanguageTexts, statement: AccountStatement, *, phone: str, email: str
) -> list[tuple[str, str]]:
    """The block beside the address: date, customer number, and whom to ask."""
    return details(spoken, statement.day, "", statement.customer_number, phone=phone, email=email)


def statement_tables(spoken: LanguageTexts, statement: AccountStatement) -> list[LetterTable]:
    """A table for each currency, and its sums below."""
    head = [
        spoken.gettext("Order"), spoken.gettext("Date"), spoken.pgettext("statement", "Due"),
        spoken.pgettext("statement", "Amount"), spoken.pgettext("statement", "Paid"),
        spoken.pgettext("statement", "Open"),
    ]  # fmt: skip
    return [
        LetterTable(head, [_row(spoken, each) for each in part.orders], statement_sums(spoken, part))
        for part in statement.parts
    ]


def _row(spoken: LanguageTexts, order: OpenOrder) -> Sequence[str]:
    number = f"{order.number} *" if order.is_at_agency else order.number
    return [
        f"{number}\n{group_digits(order.reference)}" if order.reference else number, spoken.short_day(order.ordered),
        spoken.short_day(order.due), *(spoken.amount(each) for each in (order.amount, order.paid, order.open)),
    ]  # fmt: skip


def statement_payment(spoken: LanguageTexts, statement: AccountStatement) -> list[PaymentRow]:
    """Where to each currency is paid."""
    several, found = len(statement.parts) > 1, list[PaymentRow]()
    for part in statement.parts:
        if part.iban and part.total.minor:
            label = f"{spoken.gettext('Total to pay')} ({part.currency})" if several else spoken.gettext("Total to pay")
            found += [
                PaymentRow(label, spoken.amount(part.total), strong=True),
                PaymentRow(spoken.gettext("Payee"), part.payee),
                PaymentRow("IBAN", group_digits(part.iban)),
                PaymentRow("BIC", part.bic),
            ]
    return [row for row in found if row.value]
