"""After a restore: repeats erasures made since the backup, from the register outside of backups (D-63)."""

from __future__ import annotations

from datetime import datetime

from paymatch.outbound.files import Files
from paymatch.settings import Settings
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.privacy import register
from paymatch.usecases.privacy.erasing import erase_again
from paymatch.usecases.privacy.files import Folders


def replay(database: Database, settings: Settings, kept: Files, since: datetime, clock: datetime) -> dict[str, int]:
    """Repeats the erasures since a moment: returns their number, and how many still had data."""
    erasures = again = 0
    for entry in register.read(register.place(settings), since):
        erasures += 1
        with database.of_shop(ShopId(entry.shop), at=clock) as tx:
            shop = shop_store.load(tx)
        if shop is not None:
            folders = Folders.of(settings, shop)
            again += erase_again(database, shop, entry, kept, folders, clock) is not None
    return {"erasures": erasures, "erasedAgain": again}
