"""Transfer files on their way out of the database into a folder (D-31)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from paymatch.domain.shops.shop import Shop
from paymatch.outbound import transfer_folder
from paymatch.store.database import Database, ShopId
from paymatch.store.refunds import transfers
from paymatch.store.refunds.transfers import FileRow


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A transfer file and where it lies."""

    file: FileRow
    path: Path


def write_out(
    database: Database, shop: Shop, folder: Path, clock: datetime, *, missing_too: bool = False
) -> list[WrittenFile]:
    """Writes the files that no folder has received yet, those that a hard stop has left behind included. OSError.

    A file that was written once is not written again by itself: somebody may have taken it to the bank, and would
    take it there twice. `missing_too` says that the folder should have every file of the shop again.
    """
    shop_id, now = ShopId(shop.id), shop.now(clock)
    with database.transaction(shop_id) as tx:
        waiting = transfers.files(tx, shop_id, unwritten_only=not missing_too)
    written: list[WrittenFile] = []
    for file in waiting:
        name = f"{file.message_id}.xml"
        if file.written_at is not None and (folder / name).exists():
            continue
        with database.transaction(shop_id) as tx:
            content = transfers.content(tx, shop_id, file.id)
        path = transfer_folder.put(folder, name, content)
        with database.transaction(shop_id) as tx:
            transfers.set_written(tx, shop_id, file.id, now)
        written.append(WrittenFile(file, path))
    return written
