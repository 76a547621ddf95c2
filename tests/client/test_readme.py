"""client/README.md: its examples run against the service as it is started by `paymatch serve`."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from paymatch.clock import utc_now
from paymatch.domain.callbacks.signatures import secret_text, signature_headers
from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from tests.contract.bank import ACCOUNT
from tests.front.service import service
from tests.keys import KEYRING

PAGE = (Path(__file__).parents[2] / "client" / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SECRET = secret_text(bytes(range(32)))


def test_the_examples_run(
    module_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(EXAMPLES) == 6
    monkeypatch.chdir(tmp_path)
    with closing(Database(module_url, size=1, keyring=KEYRING)) as database:
        key = shops.create(database, "Shop", utc_now(), ibans=[ACCOUNT]).api_key
    names: dict[str, Any] = {}
    with service(module_url, tmp_path) as running:
        address = f"http://127.0.0.1:{running.port}"
        for text in EXAMPLES:
            changed = text.replace("https://pay.example.com", address).replace("pm_live_...", key)
            exec(compile(changed.replace("whsec_...", SECRET), "README.md", "exec"), names)  # noqa: S102  our own document
        for name in ("client", "once"):
            names[name].close()
    said = capsys.readouterr().out
    assert "A-1001 49.90 None" in said
    assert "404 Order 'A-9999' not found" in said
    assert (tmp_path / "pay.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "pay.svg").read_bytes()
    assert any(b"A-1001" in path.read_bytes() for path in tmp_path.glob("*.csv"))
    _check_receiver(names, capsys)


def _check_receiver(names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """The receiver of the page answers as it says."""
    order = {
        "number": "A-1", "date": "01-03-2026", "type": "INVOICE", "amount": 1, "currency": "EUR", "dunningLevel": 0,
        "billing": {"lastName": "M", "countryCode": "DE"}, "paymentStatus": "PAID",
    }  # fmt: skip
    body = json.dumps(order).encode()
    headers = dict(signature_headers([SECRET], "cb_1", utc_now(), body)) | {"X-Service-Access-Code": "the access code"}
    assert names["payment_status"](body, headers) == 200
    assert capsys.readouterr().out == "cb_1 A-1 PAID\n"
    assert names["payment_status"](body + b" ", headers) == 401
