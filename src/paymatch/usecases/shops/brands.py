"""A shop's brand: the look of pages, mails and letters, and its logo; colour, contact and footer are settings."""

from __future__ import annotations

import hashlib
import tempfile
from base64 import b64decode
from datetime import datetime
from typing import Any, Final

from paymatch import confined
from paymatch.confined import Crashed, Overrun, ProcessBudget, WorkFailed
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.brand import Brand, Logo
from paymatch.domain.words.message import Message, message_of
from paymatch.formats.brand.logo_file import LogoRefused, check_size, drawn_anew
from paymatch.store.customers import brands as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record

LOGO_BUDGET: Final = ProcessBudget(memory_bytes=512 * 1024**2, cpu_seconds=10, wall_seconds=30)
"""The largest accepted picture needs 100 MB and a second."""


def brand_of(tx: ShopTx) -> Brand:
    """The shop as customers see it."""
    return store.load(tx)


def read_logo(content: bytes) -> Logo:
    """The uploaded picture, re-encoded; outside of a transaction, as it takes a while. LogoRefused."""
    check_size(content)
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        try:
            found = confined.run(drawn_anew, LOGO_BUDGET, [file])
        except (Overrun, Crashed, WorkFailed):
            raise LogoRefused(Message("logo-unreadable")) from None
    if "refused" in found:
        raise LogoRefused(message_of(found["refused"]))
    return Logo(b64decode(str(found["png"])), int(found["width"]), int(found["height"]))


def set_logo(tx: ShopTx, logo: Logo, now: datetime) -> None:
    """Sets the logo that the shop's customers see."""
    before = store.load(tx).logo
    store.save_logo(tx, logo, now)
    record(tx, tx.shop, AuditAction.SETTINGS_CHANGED, "logo", before=_tellable(before), after=_tellable(logo))


def remove_logo(tx: ShopTx) -> bool:
    """Removes the logo, so customers see the shop's name; False if there was none."""
    before = store.load(tx).logo
    if not store.remove_logo(tx):
        return False
    record(tx, tx.shop, AuditAction.SETTINGS_CHANGED, "logo", before=_tellable(before))
    return True


def _tellable(logo: Logo | None) -> dict[str, Any] | None:
    """The logo as the audit log keeps it: its size and which one it is."""
    if logo is None:
        return None
    return {"width": logo.width, "height": logo.height, "sha256": hashlib.sha256(logo.png).hexdigest()}
