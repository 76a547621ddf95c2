"""Mail of sandbox shops over the API: what customers would have got, and a bank that falls silent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.contract.client import ShopClient
from tests.contract.conftest import SERVICE_ADDRESS


@pytest.fixture
def sandbox(make_shop: Callable[..., ShopClient]) -> ShopClient:
    found = make_shop(sandbox=True, ibans=["DE89370400440532013000"])
    found.change(reminders="on", payment_information="on")
    return found


def test_mail_is_kept_and_shown(sandbox: ShopClient) -> None:
    sandbox.submit("A-1", customerEmail="eva@example.com", language="en")
    sandbox.submit("A-2")
    sandbox.post("sandbox/clock", {"advance": "1m"})
    (mail,) = sandbox.get("sandbox/mails").json
    assert {name: mail[name] for name in ("orderNumber", "dunningLevel", "status", "to", "subject", "createdAt")} == {
        "orderNumber": "A-1", "dunningLevel": 0, "status": "KEPT", "to": "eva@example.com",
        "subject": "How to pay for your order A-1", "createdAt": "02-03-2026 10:30:00",
    }  # fmt: skip
    reference = sandbox.get("order/A-1").json["referenceNumber"]
    assert " ".join(reference[place : place + 4] for place in range(0, len(reference), 4)) in mail["text"]
    assert f"{SERVICE_ADDRESS}/p/" in mail["text"]
    assert "referenceNumber" not in sandbox.get("order/A-2").json
    sandbox.post("sandbox/clock", {"advance": "30d"})
    assert [(each["orderNumber"], each["dunningLevel"]) for each in sandbox.get("sandbox/mails").json] == [
        ("A-1", 1), ("A-1", 0),
    ]  # fmt: skip
    assert sandbox.get("sandbox/mails?orderNumber=A-2").json == []
    assert sandbox.get("order/A-1?includePaymentReminders=true").json["paymentReminders"] == [
        {"date": "23-03-2026", "dunningLevel": 1, "reminderFee": "0.00", "email": True, "letter": False}
    ]
    assert sandbox.rows("SELECT count(*) FROM callbacks WHERE shop_id = $1") == [(0,)]


def test_a_silent_bank_holds_reminders_back(sandbox: ShopClient) -> None:
    sandbox.submit("A-1", customerEmail="eva@example.com")
    assert sandbox.post("sandbox/bank", {"silent": True}).json == {"silent": True}
    sandbox.post("sandbox/clock", {"advance": "30d"})
    assert [each["dunningLevel"] for each in sandbox.get("sandbox/mails").json] == [0]
    sandbox.post("sandbox/bank", {"silent": False})
    sandbox.post("sandbox/clock", {"advance": "1d"})
    assert [each["dunningLevel"] for each in sandbox.get("sandbox/mails").json] == [1, 0]
    assert sandbox.post("sandbox/bank", {}).error == (400, "Missing parameter silent")
    assert sandbox.post("sandbox/bank", {"silent": "yes"}).error == (400, "Parameter silent is not valid")


def test_real_shops_show_no_mail_here(shop: ShopClient) -> None:
    refused = (400, "Only sandbox shops have a clock and a bank of their own")
    assert shop.get("sandbox/mails").error == refused
    assert shop.post("sandbox/bank", {"silent": True}).error == refused
