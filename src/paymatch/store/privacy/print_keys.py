"""The shop's fingerprint key: it recognises erased data, independent of the secret key (D-63)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Final

from paymatch.domain.books.forgotten import Fingerprint
from paymatch.store.sealing import PRINT_KEY
from paymatch.store.transactions import ShopTx

_DIGITS: Final = 32
_MAKE: Final = "UPDATE shops SET print_key = $2 WHERE shop_id = $1 AND print_key = ''"
_READ: Final = "SELECT print_key FROM shops WHERE shop_id = $1"


def fingerprint(tx: ShopTx) -> Fingerprint:
    """Makes the shop's fingerprints: HMAC-SHA-256, cut to 128 bits. Creates the key if there is none yet."""
    vault = tx.vault()
    stored = str(tx.value(_READ, tx.shop_id))
    if not stored:
        tx.run(_MAKE, tx.shop_id, vault.seal_once(PRINT_KEY, secrets.token_hex(32)))  # another process may be faster
        stored = str(tx.value(_READ, tx.shop_id))
    key = bytes.fromhex(vault.open(PRINT_KEY, stored))
    return lambda text: hmac.digest(key, text.encode(), hashlib.sha256).hex()[:_DIGITS]
