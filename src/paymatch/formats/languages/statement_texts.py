"""Sums and notes of a statement of account, as the letter and the mail say them."""

from __future__ import annotations

from paymatch.domain.money import Money
from paymatch.domain.reminders.account_statement import AccountStatement, CurrencyStatement
from paymatch.formats.languages.texts import LanguageTexts


def statement_sums(spoken: LanguageTexts, part: CurrencyStatement) -> list[tuple[str, str]]:
    """The sums of a currency: open - what is with the agency + fees = total."""
    found: list[tuple[str, Money]] = [(spoken.gettext("Open amount"), part.open)]
    if part.overdue.minor:
        found.append((spoken.gettext("Overdue"), part.overdue))
    if part.at_agency.minor:
        found.append((spoken.gettext("With our collection agency"), part.at_agency))
    if part.fees.minor:
        found.append((spoken.gettext("Reminder fees"), part.fees))
    if part.total != part.open:
        found.append((spoken.gettext("Total to pay"), part.total))
    if part.credit.minor:
        found.append((spoken.gettext("Your credit with us"), part.credit))
    return [(label, spoken.amount(amount)) for label, amount in found]


def statement_notes(spoken: LanguageTexts, statement: AccountStatement) -> list[str]:
    """The text below the tables."""
    found = []
    if any(order.is_at_agency for part in statement.parts for order in part.orders):
        found.append(spoken.gettext("Orders with an asterisk are with our collection agency. Please pay them there."))
    if any(part.credit.minor for part in statement.parts):
        found.append(
            spoken.gettext(
                "Your credit is not deducted. Please contact us if we should use it for one of these orders."
            )
        )
    return found
