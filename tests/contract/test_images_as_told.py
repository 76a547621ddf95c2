"""`GET /image/{n}` and the mails (D-9): an image asks for the sum and account that the customer was given."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import zxingcpp

from paymatch.domain.money import Currency
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtStatement, write_camt
from paymatch.formats.mail.message import plain_text
from paymatch.usecases.reminders.reminders import send_due
from paymatch.usecases.shops import dunning_plans
from paymatch.usecases.statements.statements import import_file
from tests.contract.bank import pay
from tests.contract.client import ShopClient
from tests.formats.codes.png import grey
from tests.usecases.reminders.mail_world import Door

N = "IM-1"
DE, CH, CZ = "DE89370400440532013000", "CH5800791123000889012", "CZ6508000000192000145399"
HR, RS = "HR1210010051863000160", "RS35260005601001611379"
SI, SK, PL = "SI56263300012039086", "SK3112000000198742637541", "PL61109010140000071219812874"
Told = tuple[str, str, str]
"""IBAN, amount with its currency and reference."""

MakeShop = Callable[..., ShopClient]


def told(mail: bytes) -> Told:
    """What a mail in English says."""
    lines: dict[str, str] = dict(re.findall(r"^([A-Z][\w ]+): +(.+)$", plain_text(mail), re.MULTILINE))
    amount = lines.get("Total to pay", lines["Open amount"]).replace("\u00a0", "").replace(",", "")
    return lines["IBAN"].replace(" ", ""), amount.replace("€", "EUR"), lines["Payment reference"].replace(" ", "")


def coded(shop: ShopClient, kind: str) -> Told:
    """What the image says to a reader that is not ours; each code in its own format."""
    png = shop.get(f"image/{N}?type={kind}", accept="image/png")
    assert png.status == 200, png.body
    (found,) = zxingcpp.read_barcodes(grey(png.body))
    text = found.bytes.decode()
    lines = text.splitlines()
    if text.startswith("BCD"):
        return lines[6], lines[7], lines[9]
    if text.startswith("SPC"):
        return lines[3], f"{lines[19]}{lines[18]}", lines[28]
    if text.startswith("HRVHUB30"):
        return lines[9], f"{lines[1]}{Decimal(int(lines[2])) / 100:.2f}", lines[13].split()[0]
    fields = dict(part.split(":", 1) for part in re.split(r"[|*]", text) if ":" in part)
    if text.startswith("SPD"):
        return fields["ACC"].partition("+")[0], f"{fields['CC']}{fields['AM']}", fields["MSG"].split()[0]
    return RS[:4] + fields["R"], fields["I"].replace(",", "."), fields["S"].split()[0]


def telling(make_shop: MakeShop, iban: str, currency: str) -> tuple[ShopClient, Door]:
    """A shop that sends payment information and reminders in English."""
    shop = make_shop(ibans=[iban], currency=currency, country=iban[:2])
    shop.change(postcode="8000", city="Zürich", mail_from="post@shop.example", reminders="on", payment_information="on")
    with shop.database.of_shop(shop.shop) as tx:
        dunning_plans.change_plan(tx, {"levels": "7:2.50"})
    return shop, Door()


def after_weeks(shop: ShopClient, door: Door) -> list[bytes]:
    """All mails after three weeks of statements without a payment."""
    (account,) = shop.rows("SELECT account, currency FROM bank_accounts WHERE shop_id = $1")
    shop.clock.pass_time(days=21)
    day = shop.clock.now.date() - timedelta(days=1)
    statement = CamtStatement(account[0], Currency(account[1]), 0, day, day, "S1", 1, ())
    file = io.BytesIO(write_camt([statement], shop.clock.now))
    report = import_file(shop.database, shop.shop, file, "S1", shop.clock.now, channel=StatementChannel.COMMAND_LINE)
    assert report.new == 0
    return mails(shop, door)


def mails(shop: ShopClient, door: Door) -> list[bytes]:
    while send_due(shop.database, shop.shop, door, shop.clock.now):
        pass
    return [mail.content for mail in door.sent]


@pytest.mark.parametrize(
    ("iban", "currency", "kind", "kind_of_order"),
    [
        (DE, "EUR", "QRCODE", "PREPAYMENT"), (DE, "EUR", "QRCODE", "INVOICE"), (CH, "CHF", "QRCODE", "PREPAYMENT"),
        (CH, "CHF", "PAYMENTSLIP", "INVOICE"), (CZ, "CZK", "QRCODE", "INVOICE"), (RS, "RSD", "QRCODE", "PREPAYMENT"),
        (HR, "EUR", "NATIONAL", "INVOICE"), (SI, "EUR", "QRCODE", "INVOICE"), (SK, "EUR", "QRCODE", "PREPAYMENT"),
    ],
)  # fmt: skip
def test_13_image_asks_for_what_the_mail_asks_for(
    make_shop: MakeShop, iban: str, currency: str, kind: str, kind_of_order: str
) -> None:
    shop, door = telling(make_shop, iban, currency)
    order: dict[str, Any] = {"type": kind_of_order, "currency": currency, "amount": 1234.50, "dueDate": "04-03-2026"}
    shop.submit(N, **order, language="en", customerEmail="erika@example.com")
    (first,) = mails(shop, door)
    assert coded(shop, kind) == told(first)
    assert told(first)[:2] == (iban, f"{currency}1234.50")
    _, reminder = after_weeks(shop, door)
    assert coded(shop, kind) == told(reminder)
    assert told(reminder)[:2] == (iban, f"{currency}1237.00"), "with the fee of the reminder"


@pytest.mark.parametrize("kind_of_order", ["PREPAYMENT", "INVOICE"])
def test_13_without_a_code_for_the_account_mail_and_image_have_none(make_shop: MakeShop, kind_of_order: str) -> None:
    shop, door = telling(make_shop, PL, "PLN")
    shop.submit(N, type=kind_of_order, currency="PLN", language="en", customerEmail="erika@example.com")
    (mail,) = mails(shop, door)
    assert told(mail)[:2] == (PL, "PLN19.90")
    assert b"image/png" not in mail
    text = "Image not possible: no payment code for PLN on accounts in PL"
    assert shop.get(f"image/{N}").error == (400, text)


def test_13_image_of_an_order_in_a_foreign_currency_asks_for_the_converted_amount(make_shop: MakeShop) -> None:
    """D-41"""
    shop, door = telling(make_shop, DE, "EUR")
    shop.submit(N, currency="SEK", amount=1000, exchangeRate=11.5, language="en", customerEmail="erika@example.com")
    (mail,) = mails(shop, door)
    assert coded(shop, "QRCODE") == told(mail)
    assert told(mail)[:2] == (DE, "EUR86.96")


def test_13_image_of_an_order_that_is_paid_in_part_asks_for_the_rest_and_the_fee(make_shop: MakeShop) -> None:
    shop, door = telling(make_shop, DE, "EUR")
    shop.submit(N, amount=100, dueDate="04-03-2026", language="en", customerEmail="erika@example.com")
    assert len(mails(shop, door)) == 1
    _, reminder = after_weeks(shop, door)
    assert told(reminder)[:2] == (DE, "EUR102.50")
    pay(shop, N, 4000)
    assert coded(shop, "QRCODE") == (DE, "EUR62.50", told(reminder)[2])
