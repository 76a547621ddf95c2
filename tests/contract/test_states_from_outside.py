"""docs/api.md, States: a sandbox shop gets everywhere by the API and the command line alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paymatch.cli.main import app
from tests.contract.client import Clock, ShopClient, order

N = "S-1"
OPEN = ("UNPAID", "PAID_PARTIAL")


@pytest.fixture
def sandbox(make_shop: Callable[..., ShopClient], module_url: str, monkeypatch: pytest.MonkeyPatch) -> ShopClient:
    monkeypatch.setenv("PAYMATCH_DATABASE_URL", module_url)
    return make_shop(sandbox=True)


def command(*words: str) -> Any:
    """The JSON that a command prints."""
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def pay(shop: ShopClient, amount: str = "", number: str = N) -> None:
    body = {"orderNumber": number} | ({"amount": amount} if amount else {})
    assert shop.post("sandbox/payments", body).status == 200
    wait(shop)


def wait(shop: ShopClient, days: int = 1) -> None:
    assert shop.post("sandbox/clock", {"advance": f"{days}d"}).json["done"]


def refund(shop: ShopClient, reference: str, amount: str, outcome: str = "", planned: str = "06-03-2026") -> str:
    """Id of a new refund of the order."""
    body = {"externalReference": reference, "amount": amount, "currency": "EUR", "plannedDate": planned}
    made = shop.post(f"order/{N}/refund", body)
    assert made.status == 200, made.body
    if outcome:
        chosen = {"externalReference": reference, "outcome": outcome, "reason": "AC04"}
        assert shop.post("sandbox/refunds", chosen).status == 200
    return str(made.json["id"])


def refund_status(shop: ShopClient, reference: str) -> str:
    found = shop.get(f"order/{N}?includeRefunds=true").json["refunds"]
    (status,) = [each["status"] for each in found if each["externalReference"] == reference]
    return str(status)


def reach(shop: ShopClient, clock: Clock, status: str) -> None:
    """Brings a new order there."""
    shop.submit(N)
    match status:
        case "PAID":
            pay(shop)
        case "PAID by hand":
            shop.post(f"order/{N}/setpaid")
        case "PAID_PARTIAL":
            pay(shop, "5.00")
        case "CANCELLED":
            shop.post(f"order/{N}/cancel")
        case "DISAPPEARED":
            shop.post(f"order/remove/{N}")
        case "LEGACY":
            shop.submit("S-2")
            clock.pass_time(seconds=1)  # a list leaves orders alone that came in while it was made
            assert shop.post("ordersync", ["S-2"]).json == 1
        case "COLLECTION":
            command("collection", "agency", str(shop.id), "name=Agency Ltd")
            assert shop.post(f"order/{N}/collection").status == 200
        case "REFUNDED" | "REFUNDED_PARTIAL":
            pay(shop)
            refund(shop, "R-1", "19.90" if status == "REFUNDED" else "9.90")
            wait(shop, 7)
    assert shop.status(N) == status.removesuffix(" by hand")


STATES = (
    "UNPAID", "PAID", "PAID by hand", "PAID_PARTIAL", "CANCELLED", "DISAPPEARED", "LEGACY", "COLLECTION", "REFUNDED",
    "REFUNDED_PARTIAL",
)  # fmt: skip


@pytest.mark.parametrize("start", STATES)
@pytest.mark.parametrize("call", ["cancel", "remove", "setpaid", "setunpaid", "pay"])
def test_every_row_of_orders(sandbox: ShopClient, clock: Clock, start: str, call: str) -> None:
    reach(sandbox, clock, start)
    before = sandbox.status(N)
    match call:
        case "cancel":
            assert sandbox.post(f"order/{N}/cancel").json["paymentStatus"] == "CANCELLED"
        case "remove":
            assert sandbox.post(f"order/remove/{N}").json["paymentStatus"] == "DISAPPEARED"
        case "setpaid" if before == "PAID":
            assert sandbox.post(f"order/{N}/setpaid").error == (400, "Order already in paymentStatus PAID")
        case "setpaid":
            assert sandbox.post(f"order/{N}/setpaid").json["paymentStatus"] == "PAID"
        case "setunpaid" if before != "PAID":
            assert sandbox.post(f"order/{N}/setunpaid").error == (400, "Order must have paymentStatus PAID")
        case "setunpaid" if start == "PAID":
            assert sandbox.post(f"order/{N}/setunpaid").error == (400, "Order must have manual paymentStatus")
        case "setunpaid":
            assert sandbox.post(f"order/{N}/setunpaid").json["paymentStatus"] == "UNPAID"
        case "pay" if before in OPEN:
            pay(sandbox, "14.90" if before == "PAID_PARTIAL" else "")
            assert sandbox.status(N) == "PAID"
        case "pay":
            pay(sandbox, "1.00")
            assert sandbox.status(N) not in OPEN


def test_every_row_of_refunds(sandbox: ShopClient, clock: Clock, tmp_path: Path) -> None:
    reach(sandbox, clock, "PAID")
    seen = set[str]()
    refund(sandbox, "R-sent", "1.00")
    refund(sandbox, "R-back", "1.00", "returned")
    refund(sandbox, "R-no", "1.00", "rejected")
    assert {refund_status(sandbox, each) for each in ("R-sent", "R-back", "R-no")} == {"NEW"}
    kept = refund(sandbox, "R-kept", "1.00", planned="30-03-2026")
    sandbox.post(f"refund/{kept}/cancel")
    for _ in range(20):  # half days
        sandbox.post("sandbox/clock", {"advance": "12h"})
        seen.add(refund_status(sandbox, "R-sent"))
    assert {"NEW", "IN_PROCESS", "PROCESSED"} >= seen >= {"PROCESSED"}
    assert [refund_status(sandbox, each) for each in ("R-sent", "R-back", "R-no", "R-kept")] == [
        "PROCESSED", "RETURNED", "ERROR", "CANCELLED",
    ]  # fmt: skip
    day = "2026-03-20"
    (tmp_path / "old.csv").write_text(
        f"orderNumber,externalReference,amount,currency,plannedDate\n{N},R-old,1.00,EUR,{day}\n"
    )
    command("refunds", "import", str(sandbox.id), str(tmp_path / "old.csv"))
    assert refund_status(sandbox, "R-old") == "LEGACY"


def test_a_refund_without_bank_details_gets_them(sandbox: ShopClient, clock: Clock) -> None:
    reach(sandbox, clock, "PAID by hand")
    refund_id = refund(sandbox, "R-1", "5.00")
    assert refund_status(sandbox, "R-1") == "BANKDETAILS_MISSING"
    account = {"iban": "DE02120300000000202051", "accountHolder": "Erika Muster"}
    assert sandbox.post(f"refund/{refund_id}/account", account).status == 200
    assert refund_status(sandbox, "R-1") == "NEW"


def test_submitting_leads_back(sandbox: ShopClient, clock: Clock) -> None:
    """A legacy order that is listed again is recomputed (D-6); one that is removed comes back to life (D-11)."""
    for start in ("LEGACY", "DISAPPEARED"):
        reach(sandbox, clock, start)
        assert sandbox.post(f"order/{N}", order(N)).json["paymentStatus"] == "UNPAID"
