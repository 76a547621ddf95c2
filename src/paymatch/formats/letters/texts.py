"""Texts of letters in the customer's language: subjects, sentences, names of fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from babel import Locale

from paymatch.domain.money import Money
from paymatch.domain.reminders.letters import PostalAddress
from paymatch.formats.languages.texts import LanguageTexts, group_digits
from paymatch.formats.letters.letter import PaymentRow


@dataclass(frozen=True, slots=True)
class LetterWords:
    """Subject and sentences of a letter."""

    subject: str
    paragraphs: Sequence[str]


@dataclass(frozen=True, slots=True)
class PaymentRequestText:
    """What is asked for, and where to it is paid."""

    open: Money
    fee: Money
    earlier_fees: Money
    pay_until: date
    payee: str
    iban: str
    bic: str
    reference: str

    @property
    def total(self) -> Money:
        """What is open, and the fees of all reminders so far."""
        return self.open + self.fee + self.earlier_fees


def information(spoken: LanguageTexts, order: str, ordered: date, payment: PaymentRequestText) -> LetterWords:
    """Where and how a new order is paid."""
    values = _values(spoken, order, ordered, payment)
    return LetterWords(
        spoken.gettext("How to pay for your order %(order)s", order=order),
        [
            spoken.gettext(
                "Thank you for your order %(order)s of %(date)s. Please transfer %(total)s by %(until)s.", **values
            )
        ],
    )


def reminder(
    spoken: LanguageTexts, level: int, levels: int, order: str, ordered: date, payment: PaymentRequestText
) -> LetterWords:
    """The reminder of a level of a plan with so many."""
    values = _values(spoken, order, ordered, payment)
    if level <= 1:
        return LetterWords(
            spoken.gettext("Payment reminder for your order %(order)s", order=order),
            [
                spoken.gettext("We have not yet received full payment for your order %(order)s of %(date)s.", **values),
                spoken.gettext("%(open)s is still open. Please transfer %(total)s by %(until)s.", **values),
            ],
        )
    if level < levels:
        return LetterWords(
            spoken.gettext("Payment reminder no. %(level)s for your order %(order)s", level=level, order=order),
            [
                _still_unpaid(spoken, level, values),
                spoken.gettext("%(open)s is still open. Please transfer %(total)s by %(until)s.", **values),
            ],
        )
    return LetterWords(
        spoken.gettext("Last payment reminder for your order %(order)s", order=order),
        [
            _still_unpaid(spoken, level, values),
            spoken.gettext("%(open)s is still open. Please transfer %(total)s by %(until)s.", **values),
            spoken.gettext("This is our last reminder. Please contact us if anything is wrong."),
        ],
    )


def _still_unpaid(spoken: LanguageTexts, level: int, values: dict[str, str]) -> str:
    """That the order is unpaid, with as many reminders as came before this one: `level` is at least 2."""
    if level == 2:
        return spoken.gettext("Your order %(order)s of %(date)s is still unpaid despite our reminder.", **values)
    return spoken.gettext("Your order %(order)s of %(date)s is still unpaid despite our reminders.", **values)


def invoice_cover(
    spoken: LanguageTexts, invoice: str, order: str, ordered: date, payment: PaymentRequestText | None
) -> LetterWords:
    """The page in front of an invoice; without `payment` there is nothing to pay."""
    values = {"invoice": invoice, "order": order, "date": spoken.day(ordered)}
    found = [spoken.gettext("Please find enclosed invoice %(invoice)s for your order %(order)s of %(date)s.", **values)]
    if payment is None:
        found.append(spoken.gettext("There is nothing left to pay."))
    else:
        found.append(
            spoken.gettext("Please transfer %(total)s by %(until)s.", **_values(spoken, order, ordered, payment))
        )
    subject = spoken.gettext("Invoice %(invoice)s for your order %(order)s", invoice=invoice, order=order)
    return LetterWords(subject, found)


def account_request(spoken: LanguageTexts, order: str, ordered: date, amount: Money) -> LetterWords:
    """Asks for the IBAN to which a refund is transferred; the page for it follows as link and code."""
    values = {"amount": spoken.amount(amount), "order": order, "date": spoken.day(ordered)}
    return LetterWords(
        spoken.gettext("Your refund for order %(order)s", order=order),
        [
            spoken.gettext(
                "We would like to refund %(amount)s for your order %(order)s of %(date)s,"
                " but we do not know your bank account.",
                **values,
            ),
            spoken.gettext(
                "Please open the page below, or scan the code, and enter the IBAN there."
                " We never ask for passwords or PINs."
            ),
        ],
    )


def refund_texts(spoken: LanguageTexts, amount: Money | None) -> list[str]:
    """The refund once the order is paid, as a paragraph; none if there is none."""
    if amount is None:
        return []
    shown = spoken.amount(amount)
    return [spoken.gettext("Once your payment has arrived, we will refund %(amount)s to you.", amount=shown)]


def greeting(spoken: LanguageTexts, name: str) -> str:
    """The salutation; without a name it is a neutral one."""
    return spoken.gettext("Dear %(name)s,", name=name) if name else spoken.gettext("Dear customer,")


def regards(spoken: LanguageTexts, brand: str) -> str:
    """The last lines."""
    words = spoken.gettext("Kind regards")
    return f"{words}\n{brand}"


def crossed_payment_text(spoken: LanguageTexts) -> str:
    """For payments that are on their way."""
    return spoken.gettext("If you have paid in the last few days, please disregard this letter.")


def page_words(spoken: LanguageTexts) -> str:
    """`Page {page} of {pages}` for the template to fill."""
    return spoken.gettext("Page %(page)s of %(pages)s", page="{page}", pages="{pages}")


def code_caption(spoken: LanguageTexts) -> str:
    """What is written under a payment code."""
    return spoken.gettext("Scan this code with your banking app")


def link_caption(spoken: LanguageTexts) -> str:
    """What is written under the code of a page."""
    return spoken.gettext("Scan this code with your phone")


def item_names(spoken: LanguageTexts) -> tuple[str, str]:
    """The head of the table of items."""
    return spoken.gettext("Item number"), spoken.gettext("Item")


def details(
    spoken: LanguageTexts,
    today: date,
    order: str,
    customer_number: str,
    invoice: str = "",
    *,
    phone: str = "",
    email: str = "",
) -> list[tuple[str, str]]:
    """The block beside the address: date, numbers, and whom to ask."""
    found = [
        (spoken.gettext("Date"), spoken.day(today)),
        (spoken.gettext("Order"), order),
        (spoken.gettext("Invoice"), invoice),
        (spoken.gettext("Customer number"), customer_number),
        (spoken.gettext("Telephone"), phone),
        (spoken.gettext("E-mail"), email),
    ]
    return [(name, value) for name, value in found if value]


def payment_rows(spoken: LanguageTexts, payment: PaymentRequestText) -> list[PaymentRow]:
    """What is to be paid and where to, a line each."""
    found = [PaymentRow(spoken.gettext("Open amount"), spoken.amount(payment.open), payment.total == payment.open)]
    for name, fee in (
        (spoken.gettext("Earlier reminder fees"), payment.earlier_fees),
        (spoken.gettext("Reminder fee"), payment.fee),
    ):
        if fee.minor:
            found.append(PaymentRow(name, spoken.amount(fee)))
    if payment.total != payment.open:
        found.append(PaymentRow(spoken.gettext("Total to pay"), spoken.amount(payment.total), strong=True))
    found += [
        PaymentRow(spoken.gettext("Please pay by"), spoken.day(payment.pay_until)),
        PaymentRow(spoken.gettext("Payee"), payment.payee, on_slip=True),
        PaymentRow("IBAN", group_digits(payment.iban), on_slip=True),
        PaymentRow("BIC", payment.bic, on_slip=True),
        PaymentRow(spoken.gettext("Payment reference"), group_digits(payment.reference), on_slip=True),
    ]
    return [row for row in found if row.value]


def link_row(spoken: LanguageTexts, link: str) -> PaymentRow:
    """The address of the page that the customer opens."""
    return PaymentRow(spoken.gettext("Your page"), link, strong=True)


def recipient(address: PostalAddress, home: str, language: str) -> list[str]:
    """The address as it shows in the window; abroad with the country, in the language of where it is posted (UPU)."""
    lines = list(address.lines)
    if address.country and address.country != home:
        names = Locale.parse(language).territories
        lines.append(str(names.get(address.country, address.country)).upper())
    return lines


def _values(spoken: LanguageTexts, order: str, ordered: date, payment: PaymentRequestText) -> dict[str, str]:
    return {
        "order": order, "date": spoken.day(ordered), "open": spoken.amount(payment.open),
        "total": spoken.amount(payment.total), "until": spoken.day(payment.pay_until),
    }  # fmt: skip
