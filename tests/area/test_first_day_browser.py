"""The owner's first day in a real browser: from the operator's invitation to the first paid order."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from paymatch.area.service import Service
from paymatch.clock import utc_now
from paymatch.domain.money import EUR
from paymatch.domain.shops.shop import Shop
from paymatch.formats.mt940.writer import StatementToWrite, write_mt940
from tests.area.conftest import PASSWORD, Phone
from tests.contract.bank import ACCOUNT, entry
from tests.keys import SECRET_KEY

pytestmark = pytest.mark.browser

STEPS = ("Use an API key", "Submit an order", "Import a bank statement", "See the first order become paid")


def invitation(service: Service, shop: Shop, email: str, address: str, program: Path) -> str:
    """The link that the operator's command shows; it leads to the server of the test."""
    words = ("user", "create", email, "--shop", str(shop.id), "--role", "owner", "--json")
    database_url, folder = service.settings.database_url, service.settings.data_dir
    assert database_url is not None
    environment = os.environ | {
        "PAYMATCH_DATABASE_URL": database_url.get_secret_value(), "PAYMATCH_DATA_DIR": str(folder),
        "PAYMATCH_SECRET_KEY": SECRET_KEY, "PAYMATCH_BASE_URL": address,
    }  # fmt: skip
    command = [str(program), *words]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return re.search(r"http[^\"]+", told)[0]  # type: ignore[index]


def done(page: Any, shop: Shop) -> tuple[str, ...]:
    """The steps that the overview ticks off."""
    page.goto(f"/shops/{shop.id}/overview")
    page.get_by_role("heading", name="To the first paid order").wait_for()
    assert tuple(page.locator(".tasks li:not(.task)").all_inner_texts()) == STEPS
    return tuple(page.locator(".tasks li.done").all_inner_texts())


def test_owners_first_day(
    service: Service, new_shop: Callable[..., Shop], browser: Callable[[], Any], address: str, phone: Phone,
    monkeypatch: pytest.MonkeyPatch, warm_program: Path,
) -> None:  # fmt: skip
    shop = new_shop(sandbox=True)
    email = f"owner-{shop.id.hex[:8]}@example.org"
    link = invitation(service, shop, email, address, warm_program)
    page = browser().new_context(base_url=address).new_page()

    page.goto(link)
    page.get_by_label("Your name").fill("Malte Onken")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    assert done(page, shop) == ()
    assert page.locator(".side .person-name").inner_text() == "Malte Onken"
    page.get_by_role("heading", name="To the first paid order").wait_for()

    page.goto(f"/shops/{shop.id}/bank/accounts")
    page.get_by_text("Changes on this page need a second factor.").wait_for()
    page.get_by_role("link", name="Set up a second factor").click()
    page.get_by_text("so that a stolen password is not enough").wait_for()
    secret = page.get_by_label("Authenticator secret").input_value()
    page.get_by_label("Authenticator code").fill(phone.code(secret))
    page.keyboard.press("Enter")
    page.wait_for_url("**/account/2fa/recovery-codes/")
    page.get_by_role("link", name="Continue where you were").click()

    page.get_by_label("IBAN or account number").fill(ACCOUNT)
    page.get_by_role("button", name="Add account").click()  # the code, a moment ago, is the proof
    page.get_by_text(f"Account {ACCOUNT} is added").wait_for()

    later = utc_now() + timedelta(minutes=10)
    page.goto(f"/shops/{shop.id}/developers")
    page.get_by_role("link", name="New key").click()
    page.get_by_label("What it is for").fill("The shop's server")
    with monkeypatch.context() as patched:
        patched.setattr("paymatch.area.proof.utc_now", lambda: later)
        page.get_by_role("button", name="Create key").click()
        page.get_by_label("Code").wait_for()  # nor does the code of ten minutes ago
    page.get_by_label("Code").fill(phone.code(secret))
    page.keyboard.press("Enter")
    key = page.locator("pre.wire").inner_text().strip()
    assert done(page, shop) == ()

    body = {
        "number": "A-1001", "date": "01-03-2026", "type": "PREPAYMENT", "amount": 24.90, "currency": "EUR",
        "billing": {"lastName": "Muster", "countryCode": "DE"},
    }  # fmt: skip
    answer = page.request.post("/api/v2/order/A-1001", data=body, headers={"X-Service-API-Key": key})
    assert (answer.status, answer.json()["paymentStatus"]) == (200, "UNPAID")
    assert done(page, shop) == STEPS[:2]

    page.goto(f"/shops/{shop.id}/developers/sandbox")
    page.get_by_label("Number of the order").fill("A-1001")
    page.get_by_role("button", name="Pay", exact=True).click()
    page.get_by_text("has paid.").wait_for()
    page.get_by_role("button", name="Move the clock").click()
    page.get_by_text("1 postings").wait_for()

    page.goto(f"/shops/{shop.id}/overview")
    page.get_by_role("heading", name="To do").wait_for()
    page.locator(".figures .figure", has_text="24.90").first.wait_for()
    page.goto(f"/shops/{shop.id}/orders")
    page.get_by_role("link", name="A-1001").click()
    page.locator(".order-title .badge", has_text="Paid").wait_for()
    answer = page.request.get("/api/v2/order/A-1001", headers={"X-Service-API-Key": key})
    assert answer.json()["paymentStatus"] == "PAID"


def test_an_owner_reaches_the_first_paid_order_by_files_alone(
    service: Service, new_shop: Callable[..., Shop], browser: Callable[[], Any], address: str, phone: Phone,
    tmp_path: Path, warm_program: Path,
) -> None:  # fmt: skip
    """No command line, no API: from the invitation to a paid order, in the seven steps of an empty live shop."""
    shop = new_shop()
    link = invitation(service, shop, f"owner-{shop.id.hex[:8]}@example.org", address, warm_program)
    orders = tmp_path / "orders.csv"
    orders.write_text("Order number,Customer,Amount\nA-1001,Eva Muster,24.90\n")
    day, paid = date(2026, 3, 2), entry("Bestellung A-1001", 2490)
    statement = tmp_path / "statement.sta"
    statement.write_bytes(write_mt940([StatementToWrite(ACCOUNT, EUR, 0, day - timedelta(days=1), day, 1, (paid,))]))
    page = browser().new_context(base_url=address).new_page()
    page.goto(link)
    page.get_by_label("Your name").fill("Malte Onken")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name=f"Set up {shop.name}").wait_for()

    page.get_by_label("IBAN or account number").fill(ACCOUNT)
    page.get_by_role("button", name="Add account").click()
    page.get_by_label("Authenticator code").fill(phone.code(page.get_by_label("Authenticator secret").input_value()))
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Continue with what you entered").click()

    page.locator("#step-orders.is-open").get_by_label("File").set_input_files(orders)
    page.get_by_role("button", name="Preview the file").click()
    page.get_by_role("button", name="Import 1 order").click()

    page.locator("#step-statement.is-open").get_by_label("File").set_input_files(statement)
    page.get_by_role("button", name="Read the file").click()
    page.locator(".setup-figures .figure", has_text="1").first.wait_for()
    page.get_by_role("button", name="Import these payments").click()
    page.locator("#step-sender.is-open").wait_for()
    page.get_by_role("link", name="1 order is paid").wait_for()
    for step in ("sender", "look", "team"):
        page.locator(f"#step-{step}.is-open").get_by_role("button", name="Skip this step").click()
    page.get_by_role("button", name="Go live").click()
    page.locator(".figures .figure", has_text="24.90").first.wait_for()
    page.goto(f"/shops/{shop.id}/orders/A-1001")
    page.locator(".order-title .badge", has_text="Paid").wait_for()
