"""The life of a field of an order that has just been declared: sent, stored, answered, changed, documented, erased.

Run with a copy of the package first in the path: `python -m tests.contract.passive_field_story URL NAME`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import paymatch
from paymatch.api import Api, ApiConfig
from paymatch.api.openapi.document import document
from paymatch.domain.privacy.person import sought
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.usecases.privacy import erasing
from paymatch.usecases.privacy.files import Folders
from tests.contract.client import LONG_WAIT, Clock, ShopClient, new_shop, order
from tests.keys import KEYRING

NUMBER, EMAIL = "SO-89001", "erika@example.com"


def story(url: str, name: str, folder: Path) -> dict[str, Any]:
    """What each step shows of the field."""
    clock, files = Clock(), DirectoryFiles(folder)
    database = Database(url, size=4, keyring=KEYRING)
    try:
        api = Api(database, files, ApiConfig(("x-service-api-key",), clock, 1000, import_wait_seconds=LONG_WAIT))
        shop = new_shop(api, database, clock)
        told = {
            "package": str(Path(paymatch.__file__).parent),
            "answered": _submit(shop, name, "spring"),
            "read": shop.read(NUMBER).get(name),
            "stored": _stored(shop, name),
            "no text": shop.post(f"order/{NUMBER}", order(NUMBER, **{name: ["x"]})).error,
            "answered again": _submit(shop, name, "autumn"),
            "stored again": _stored(shop, name),
            "documented": document()["components"]["schemas"]["Order"]["properties"].get(name),
        }
        erasing.erase(database, shop.shop, sought(email=EMAIL), files, Folders([]), clock.now, although_open=True)
        return told | {"read erased": shop.read(NUMBER).get(name), "stored erased": _stored(shop, name)}
    finally:
        database.close()


def _submit(shop: ShopClient, name: str, value: str) -> Any:
    return shop.submit(NUMBER, customerEmail=EMAIL, **{name: value}).get(name)


def _stored(shop: ShopClient, name: str) -> Any:
    ((document_text,),) = shop.rows("SELECT o::text FROM orders o WHERE shop_id = $1")
    return [value for value in ("spring", "autumn") if value in document_text]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.stdout.write(json.dumps(story(sys.argv[1], sys.argv[2], Path(temporary))))
