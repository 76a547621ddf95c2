"""Collective payments to the demo shop: payouts of a payment service and a marketplace, an announced transfer."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

from paymatch.cli.demo.life import CLERK, Life
from paymatch.clock import utc_now
from paymatch.domain.calendar import date_text
from paymatch.domain.money import EUR, minor_to_text
from paymatch.domain.statement_channels import StatementChannel
from paymatch.usecases.advices.advices import import_advice
from paymatch.usecases.statements.statements import import_file

_CARD: Final = (("WT-98001", 4260, 89), ("WT-98002", 2750, 66), ("WT-98003", 3990, 85))
"""Orders paid by card, with the service's fees."""
_MARKET: Final = (("WT-98101", 5490, 824), ("WT-98102", 3180, 477))
_ANNOUNCED: Final = (("WT-98201", 18900), ("WT-98202", 7450), ("WT-98203", 12380))
"""Orders of one business customer, who pays them in one sum."""
_STRIPE: Final = (
    "automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,currency,gross,fee,net,"
    "reporting_category,charge_id,payment_metadata[order_id]"
)
_AMAZON: Final = (
    "settlement-id", "settlement-start-date", "settlement-end-date", "deposit-date", "total-amount", "currency",
    "transaction-type", "order-id", "merchant-order-id", "marketplace-name", "amount-type", "amount-description",
    "amount", "posted-date", "posted-date-time",
)  # fmt: skip
_SETTLEMENT: Final = "81021822748"


def submit_orders(life: Life) -> None:
    """The orders that will be paid in sums."""
    day = _today(life)
    orders = [_order(number, minor, day) for number, minor, _ in _CARD]
    orders += [
        _order(number, minor, day) | {"marketplaceNumber": _at_market(place)}
        for place, (number, minor, _) in enumerate(_MARKET)
    ]
    orders += [
        _order(number, minor, day) | {"billing": {"company": "Hof Lindental KG", "countryCode": "DE"}}
        for number, minor in _ANNOUNCED
    ]
    life.client.post("orders", orders)


def receive_payouts(life: Life) -> None:
    """The service and the marketplace pay out, and the clerk imports the files that say for what."""
    sent = _today(life)
    card = sum(minor - fee for _, minor, fee in _CARD)
    market = sum(minor - fee for _, minor, fee in _MARKET)
    _book(life, card, "Stripe Technology Europe Ltd", "STRIPE PO_1QLBWM4C")
    _book(life, market, "AMAZON PAYMENTS EUROPE S.C.A.", "B1XK2PQ7WZ9 Amazon.de")
    for name, content in (("stripe.csv", _stripe(sent)), ("amazon.txt", _amazon(sent, market))):
        stream = io.BytesIO(content.encode())
        import_file(life.as_person(CLERK), life.shop, stream, name, utc_now(), channel=StatementChannel.AREA)


def receive_announced(life: Life) -> None:
    """A business customer pays three orders in one sum, and its advice says which."""
    total = sum(minor for _, minor in _ANNOUNCED)
    _book(life, total, "Hof Lindental KG", "Zahlungsavis 2291")
    rows = ["Bestellnummer;Betrag", *(f"{number};{_text(minor, ',')}" for number, minor in _ANNOUNCED)]
    stream = io.BytesIO("\n".join(rows).encode())
    import_advice(life.as_person(CLERK), life.shop, stream, "avis-2291.csv", utc_now(), StatementChannel.AREA)


def _order(number: str, minor: int, day: date) -> dict[str, Any]:
    return {
        "number": number, "date": date_text(day), "type": "PREPAYMENT", "amount": minor_to_text(minor, EUR),
        "currency": EUR, "billing": {"firstName": "Mila", "lastName": "Kora", "countryCode": "DE"},
    }  # fmt: skip


def _today(life: Life) -> date:
    return life.shop.today(utc_now())


def _at_market(place: int) -> str:
    return f"303-980010{place}-1234567"


def _book(life: Life, minor: int, name: str, text: str) -> None:
    body = {"amount": minor_to_text(minor, EUR), "name": name, "text": text}
    life.client.post("sandbox/bookings", body)


def _stripe(sent: date) -> str:
    sold = sent - timedelta(days=2)
    rows = [
        f"po_1QLbWm4c,{sent} 00:00:00,txn_1Q{place},{sold} 09:{place:02d}:00,eur,"
        + ",".join(_text(each) for each in (minor, fee, minor - fee))
        + f",charge,ch_1Q{place},{number}"
        for place, (number, minor, fee) in enumerate(_CARD)
    ]
    return "\n".join([_STRIPE, *rows])


def _amazon(sent: date, total: int) -> str:
    sold = sent - timedelta(days=2)
    head = {
        "settlement-id": _SETTLEMENT, "deposit-date": f"{sent:%d.%m.%Y} 00:00:00 UTC", "currency": EUR,
        "total-amount": _text(total, ","),
    }  # fmt: skip
    rows = [head]
    for place, (_, minor, fee) in enumerate(_MARKET):
        for part, detail, amount in (("ItemPrice", "Principal", minor), ("ItemFees", "Commission", -fee)):
            rows.append({
                "settlement-id": _SETTLEMENT, "transaction-type": "Order", "order-id": _at_market(place),
                "marketplace-name": "Amazon.de", "amount-type": part, "amount-description": detail,
                "amount": _text(amount, ","), "posted-date": f"{sold:%d.%m.%Y}",
                "posted-date-time": f"{sold:%d.%m.%Y} 10:00:00 UTC",
            })  # fmt: skip
    return _tab_separated(rows)


def _tab_separated(rows: Sequence[dict[str, str]]) -> str:
    return "\n".join(
        "\t".join(cells) for cells in (_AMAZON, *([row.get(name, "") for name in _AMAZON] for row in rows))
    )


def _text(minor: int, mark: str = ".") -> str:
    return minor_to_text(minor, EUR).replace(".", mark)
