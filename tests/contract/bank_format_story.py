"""Files of a bank format that has just been added: uploaded, booked, and met by camt files of the same payments.

Run with a copy of the package first in the path: `python -m tests.contract.bank_format_story URL`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import paymatch
from paymatch.api import Api, ApiConfig
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from tests.contract.client import LONG_WAIT, Clock, ShopClient, new_shop, with_statements
from tests.contract.test_invoices_and_images import form
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, DAY, camt, paid

INVENTED = f"INVENTED {ACCOUNT} EUR\n{DAY};1990;Eva Muster;Danke 4711\n{DAY};2990;Max Muster;Merci 4712\n"
CAMT = camt(CamtMessage.STATEMENT, paid(1990, "Danke 4711 und viele Grüße"))


def story(url: str, folder: Path) -> dict[str, Any]:
    """What each upload reports, and what the books say then."""
    clock, files = Clock(), DirectoryFiles(folder)
    database = Database(url, size=4, keyring=KEYRING)
    try:
        api = Api(database, files, ApiConfig(("x-service-api-key",), clock, 1000, import_wait_seconds=LONG_WAIT))
        shop = with_statements(new_shop(api, database, clock, ibans=[ACCOUNT]))
        return {
            "package": str(Path(paymatch.__file__).parent),
            "invented": _upload(shop, INVENTED.encode()),
            "camt": _upload(shop, CAMT),
            "again": _upload(shop, f"{INVENTED}{DAY};3990;Ida Muster;Ciao 4713\n".encode()),
        }
    finally:
        database.close()


def _upload(shop: ShopClient, content: bytes) -> list[Any]:
    report = shop.post("statements", form(content), content_type="multipart/form-data; boundary=xxBOUNDARYxx").json
    booked = shop.rows("SELECT amount_minor, format FROM postings WHERE shop_id = $1 ORDER BY 1")
    return [report["format"], report["new"], report["known"], dict(booked)]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.stdout.write(json.dumps(story(sys.argv[1], Path(temporary))))
