"""Files in the ZIP container of an order: bounded in number and size, in the bank's order."""

from __future__ import annotations

import io
import zipfile
from typing import Final

from paymatch.domain.words.message import Message
from paymatch.outbound.ebics.failures import EbicsAnswerUnreadable

MAX_FILES: Final = 2000
MAX_BYTES: Final = 512 * 1024 * 1024


def files_in(order_data: bytes, name: str, max_bytes: int = MAX_BYTES) -> list[tuple[str, bytes]]:
    """(name, content) of each file; of data that is not a ZIP, one file under `name`. EbicsAnswerUnreadable."""
    if not order_data.startswith(b"PK"):
        return [(name, order_data)]
    try:
        with zipfile.ZipFile(io.BytesIO(order_data)) as container:
            members = [each for each in container.infolist() if not each.is_dir()]
            if len(members) > MAX_FILES or sum(each.file_size for each in members) > max_bytes:
                raise EbicsAnswerUnreadable(Message("ebics-unreadable", what="ZIP"))
            return [(f"{name}-{each.filename.rsplit('/', 1)[-1][:120]}", container.read(each)) for each in members]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError):
        raise EbicsAnswerUnreadable(Message("ebics-unreadable", what="ZIP")) from None
