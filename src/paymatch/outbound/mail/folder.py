"""Mail that is kept: as files in a folder while no mail server is set, or in memory."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from paymatch.domain.words.message import Message
from paymatch.outbound.mail.outgoing import MailNotSent, MailRoute, OutgoingMail
from paymatch.system_errors import in_a_sentence

_ID: Final = re.compile(r"[a-z0-9_-]{1,64}")


class FolderDoor:
    """Mail as `.eml` files, one folder per shop: what is used while no mail server is set. The same mail, one file."""

    delivers = False

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def route(self) -> MailRoute:
        """The folder."""
        return MailRoute(str(self._root))

    def send(self, mail: OutgoingMail) -> str:
        """Writes the file, whole or not at all."""
        if not (_ID.fullmatch(mail.shop) and _ID.fullmatch(mail.id)):
            raise MailNotSent(str(Message("mail-no-file")), permanent=True)
        folder = self._root / mail.shop
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = folder / f".{mail.id}.{os.getpid()}"
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(mail.content)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(folder / f"{mail.id}.eml")
        except OSError as error:
            raise MailNotSent(in_a_sentence(error), permanent=False) from error
        return ""

    def close(self) -> None:
        """Nothing to let go of."""


class NullMail:
    """Mail in memory, gone with the process: for tests, and where mail is never sent."""

    def __init__(self, *, delivers: bool = False) -> None:
        self.delivers = delivers
        self.sent: list[OutgoingMail] = []

    def send(self, mail: OutgoingMail) -> str:
        self.sent.append(mail)
        return ""

    def close(self) -> None:
        """Nothing to let go of."""
