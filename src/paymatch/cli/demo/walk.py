"""One order followed from its submission to its refund: the commands to type, and what the service answered."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any, Final

from paymatch.cli.demo.life import Life
from paymatch.cli.demo.orders import DemoOrder
from paymatch.domain.calendar import date_text
from paymatch.domain.money import EUR, minor_to_text

_KEY: Final = '-H "X-Service-API-Key: $KEY"'
_JSON: Final = '-H "Content-Type: application/json"'
_BANK_CLOSES: Final = "18:05"


def follow_one_order(life: Life, today: date) -> None:
    """Submits an order, has it paid, reads it, refunds part of it: real calls, shown as curl, on the shop's `today`."""
    order = DemoOrder(
        "WT-99001", today, "PREPAYMENT", 4990, "Erika Mustermann", False, ("20095", "Hamburg", "DE"), "Am Markt 1",
        (("TK-110", "Teekanne, 1 l", 3490),), "", "", "K9001",
    )  # fmt: skip
    console, client = life.console, life.client
    console.rule("One order followed through")
    console.print(f"export KEY={client.api_key} API={client.base}", highlight=False, markup=False, soft_wrap=True)
    _posts(life, "1. The shop submits it", f"order/{order.number}", order.as_submitted)
    payment = {"orderNumber": order.number, "text": f"Bestellung {order.number} vielen Dank"}
    _posts(life, "2. The customer pays at the simulated bank", "sandbox/payments", payment)
    evening = {"set": f"{today} {_BANK_CLOSES}"}
    _posts(life, "3. The bank's day ends, and its statement comes", "sandbox/clock", evening)
    life.refresh()

    _say(life, "4. It is paid", f'curl -s "$API/order/{order.number}?includePostings=true" {_KEY}')
    _answer(life, client.get(f"order/{order.number}?includePostings=true"))

    life.wait_for_callbacks()
    callbacks = life.receiver.of_order(order.number)
    if callbacks:
        one = callbacks[-1]
        _say(life, "5. The shop got callbacks", f"webhook-id: {one.headers.get('webhook-id', '')}")
        _answer(life, one.text)

    refund = {
        "externalReference": "RET-7001",
        "amount": minor_to_text(1490, EUR),
        "currency": EUR,
        "plannedDate": date_text(today + timedelta(days=3)),
    }
    _posts(
        life, "6. The customer sends something back; the shop asks for a refund", f"order/{order.number}/refund", refund
    )


def _posts(life: Life, words: str, path: str, body: dict[str, Any]) -> None:
    """Says what is done and how, does it, and shows the answer."""
    _say(life, words, f"curl -s $API/{path} {_KEY} {_JSON} -d '{_text(body)}'")
    _answer(life, life.client.post(path, body))


def _say(life: Life, words: str, line: str) -> None:
    life.console.print(f"\n[bold]{words}[/]")
    life.console.print(line, highlight=False, markup=False, soft_wrap=True)


def _answer(life: Life, text: str) -> None:
    life.console.print(text, style="green", highlight=False, markup=False, soft_wrap=True)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
