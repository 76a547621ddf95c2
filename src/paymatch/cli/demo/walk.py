"""One order followed from its submission to its refund: the commands to type, and what the service answered."""

from __future__ import annotations

import json
import shlex
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from paymatch.cli.demo.bank import order_statement
from paymatch.cli.demo.life import Life
from paymatch.cli.demo.orders import DemoOrder
from paymatch.domain.calendar import date_text
from paymatch.domain.money import EUR, minor_to_text

_KEY: Final = '-H "X-Service-API-Key: $KEY"'
_JSON: Final = '-H "Content-Type: application/json"'


def follow_one_order(life: Life, folder: Path, clock: datetime, balance_minor: int) -> None:
    """Submits an order, pays it, reads it, refunds part of it: real calls, shown as curl.

    `balance_minor` is the balance of the shop's account before the payment.
    """
    today = life.shop.today(clock)
    order = DemoOrder(
        "WT-99001", today, "PREPAYMENT", 4990, "Erika Mustermann", False, ("20095", "Hamburg", "DE"), "Am Markt 1",
        (("TK-110", "Teekanne, 1 l", 3490),), "", "", "K9001",
    )  # fmt: skip
    body = order.as_submitted
    console, client = life.console, life.client
    console.rule("One order followed through")
    console.print(f"export KEY={client.api_key} API={client.base}", highlight=False, markup=False, soft_wrap=True)
    _say(life, "1. The shop submits it", f"curl -s $API/order/{order.number} {_KEY} {_JSON} -d '{_text(body)}'")
    _answer(life, client.post(f"order/{order.number}", body))

    file = order_statement(order, today, balance_minor)
    kept = folder / "demo" / str(life.shop.id) / file.name
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(file.content)
    _say(
        life,
        "2. The customer pays; the bank's statement comes",
        f"curl -s $API/statements {_KEY} -F {shlex.quote(f'file=@{kept}')}",
    )
    _answer(life, client.import_statement(file.name, file.content))

    _say(life, "3. It is paid", f'curl -s "$API/order/{order.number}?includePostings=true" {_KEY}')
    _answer(life, client.get(f"order/{order.number}?includePostings=true"))

    life.wait_for_callbacks()
    told = life.receiver.of_order(order.number)
    if told:
        one = told[-1]
        _say(life, "4. The shop was told by callback", f"webhook-id: {one.headers.get('webhook-id', '')}")
        _answer(life, one.text)

    refund = {
        "externalReference": "RET-7001",
        "amount": minor_to_text(1490, EUR),
        "currency": EUR,
        "plannedDate": date_text(today + timedelta(days=3)),
    }
    _say(life, "5. The customer sends something back; the shop asks for a refund", _refund_command(order, refund))
    _answer(life, client.post(f"order/{order.number}/refund", refund))


def _refund_command(order: DemoOrder, refund: dict[str, Any]) -> str:
    return f"curl -s $API/order/{order.number}/refund {_KEY} {_JSON} -d '{_text(refund)}'"


def _say(life: Life, words: str, line: str) -> None:
    life.console.print(f"\n[bold]{words}[/]")
    life.console.print(line, highlight=False, markup=False, soft_wrap=True)


def _answer(life: Life, text: str) -> None:
    life.console.print(text, style="green", highlight=False, markup=False, soft_wrap=True)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
