"""Drafts of mails that a clerk sends from their own mail program, in the language of the order's customer."""

from __future__ import annotations

from urllib.parse import quote

from django.utils.translation import gettext as _
from django.utils.translation import override

from paymatch.area.language.figures import amount
from paymatch.domain.money import Money
from paymatch.formats.languages.texts import language_of
from paymatch.store.transactions import ShopTx
from paymatch.usecases.orders.payment_requests import payment_request


def refunded_twice(tx: ShopTx, number: str, language: str, too_much: Money, *, customer: str, email: str) -> str:
    """A `mailto:` address that asks the customer for what was refunded twice: how much, and to which account."""
    asked = payment_request(tx, too_much, None)
    with override(language_of(language, tx.shop.language)):
        sum_ = f"{amount(too_much.minor, too_much.currency)} {too_much.currency}"
        subject = _("Refunded twice: order {number}").format(number=number)
        greeting = _("Hello {name},").format(name=customer) if customer else _("Hello,")
        lines = [
            greeting, "",
            _("We refunded your order {number}, and your bank returned its payment to you as well.").format(
                number=number
            ),
            _("You have received {amount} too much. Please transfer this amount back to us.").format(amount=sum_),
        ]  # fmt: skip
        if asked is not None:
            account = asked.account
            lines += [
                "", _("Account holder: {name}").format(name=account.holder or tx.shop.holder or tx.shop.name),
                f"IBAN: {account.account}", _("Amount: {amount}").format(amount=sum_),
                _("Payment text: {text}").format(text=number),
            ]  # fmt: skip
        lines += ["", _("Kind regards"), tx.shop.name]
    body = "\r\n".join(lines)
    return f"mailto:{quote(email, safe='@')}?subject={quote(subject)}&body={quote(body)}"
