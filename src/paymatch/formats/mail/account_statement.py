"""The mail that brings a statement of account: what is open in words, and the PDF."""

from __future__ import annotations

from dataclasses import dataclass

from paymatch.domain.reminders.account_statement import AccountStatement
from paymatch.formats.languages.statement_texts import statement_notes, statement_sums
from paymatch.formats.languages.texts import group_digits
from paymatch.formats.mail.layout import Head, columns, compose, one_line


@dataclass(frozen=True, slots=True)
class AccountStatementMail:
    """Everything that the mail says."""

    head: Head
    statement: AccountStatement
    pdf: bytes

    @property
    def subject(self) -> str:
        """The subject as it is sent."""
        spoken, day = self.head.spoken, self.head.spoken.day(self.statement.day)
        shop = one_line(self.head.brand.name)
        return one_line(spoken.gettext("%(shop)s: your statement of account of %(day)s", shop=shop, day=day))

    @property
    def file_name(self) -> str:
        """What the PDF is called."""
        return f"statement-{self.statement.day.isoformat()}.pdf"

    def paragraphs(self) -> list[str]:
        """The words before the sums."""
        spoken, name = self.head.spoken, one_line(self.head.customer)
        return [
            spoken.gettext("Hello %(name)s,", name=name) if name else spoken.gettext("Hello,"),
            spoken.gettext("You will find your open orders in the PDF that is attached."),
        ]

    def lines(self) -> list[tuple[str, str]]:
        """The sums of each currency, and where to they are paid."""
        spoken, found = self.head.spoken, list[tuple[str, str]]()
        for part in self.statement.parts:
            found += statement_sums(spoken, part)
            paid_to = [(spoken.gettext("Payee"), one_line(part.payee)), ("IBAN", group_digits(part.iban))]
            found += [(label, value) for label, value in [*paid_to, ("BIC", part.bic)] if value and part.iban]
        return found

    def write(self) -> bytes:
        """The message as it is sent; the same statement at the same moment gives the same bytes."""
        lines = self.lines()
        context = {
            "paragraphs": self.paragraphs(), "lines": lines,
            "table": columns(lines, self.head.spoken.colon),
            "notes": statement_notes(self.head.spoken, self.statement),
        }  # fmt: skip
        files = {self.file_name: self.pdf}
        return compose(self.head, "account_statement", self.subject, context, {}, files)
