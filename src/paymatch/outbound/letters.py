"""Letters on their way out: one door, to a provider by HTTP or SFTP, into a folder that a provider reads, into memory.

A letter has an id of ours, and the provider knows it by this id: handing the same one over again sends nothing twice.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import SplitResult, quote, unquote, urlsplit

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message
from paymatch.outbound import transfer_folder
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, HttpClient, HttpDoor, HttpLimits
from paymatch.outbound.sftp import PORT, SftpAccess, SftpFailed, SftpFolder, check_extra
from paymatch.settings import Settings
from paymatch.system_errors import in_a_sentence

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORDS_KEPT: Final = 200
_SECONDS: Final = 60.0
_STATUS_BYTES: Final = 10_000
_TRY_AGAIN: Final = frozenset({401, 403, 404, 408, 425, 429})
"""Answers of 4xx that say something of the provider or the way to it, and not of the letter."""


class Posted(StrEnum):
    """What a provider says of a letter that it has taken."""

    ACCEPTED = "accepted"
    POSTED = "posted"
    RETURNED = "returned"  # it was not posted, or came back


@dataclass(frozen=True, slots=True)
class OutgoingLetter:
    """A letter to send: a PDF of A4 whose first page has the address in the window."""

    shop: str
    id: str
    pdf: bytes
    pages: int
    country: str
    duplex: bool
    colour: bool


@dataclass(frozen=True, slots=True)
class LetterReport:
    """A letter's status at the provider, and the provider's reason."""

    posted: Posted
    words: str = ""


class LetterNotSent(Exception):
    """The provider has not taken the letter. `permanent`: it never will take this one."""

    def __init__(self, text: str, *, permanent: bool) -> None:
        super().__init__(str(text))
        self.text = text
        self.permanent = permanent


class LetterDoor(Protocol):
    """The way out. A letter is out once `send` returns; LetterNotSent otherwise."""

    @property
    def delivers(self) -> bool:
        """Whether letters are posted; False where they are only kept."""

    @property
    def reports(self) -> bool:
        """Whether the provider reports the status of a letter later."""

    def send(self, letter: OutgoingLetter) -> str:
        """Hands a letter over; the provider's own id of it, "" if it gives none. LetterNotSent."""

    def report(self, shop: str, letter_id: str) -> LetterReport:
        """The status of a letter that was handed over. LetterNotSent if the provider does not answer."""

    def close(self) -> None:
        """Lets go of connections."""


class LetterUrlRefused(Refused):
    """PAYMATCH_LETTERS_URL cannot be used; the text says why and never shows the token."""


class HttpLetters:
    """A provider with an HTTP interface: PUT /letters/<id> takes a letter, GET says where it is (docs/letters.md)."""

    delivers = True
    reports = True

    def __init__(self, url: str, token: str, http: HttpDoor) -> None:
        self._url = url.rstrip("/")
        port = urlsplit(url).port
        self._ports = () if port is None else (port,)  # the one that the operator has configured
        self._headers = (("Authorization", f"Bearer {token}"), ("Content-Type", "application/json"))
        self._http = http

    def send(self, letter: OutgoingLetter) -> str:
        """Hands a letter over under its id, so that a repetition is recognised."""
        body = {
            "id": letter.id, "shop": letter.shop, "pages": letter.pages, "country": letter.country,
            "duplex": letter.duplex, "colour": letter.colour, "pdf": b64encode(letter.pdf).decode(),
        }  # fmt: skip
        found = self._call(self._to(letter.id, json.dumps(body).encode(), "PUT"))
        return str(found.get("reference") or "")[:128]

    def report(self, shop: str, letter_id: str) -> LetterReport:
        """The status of a letter."""
        return _report(self._call(self._to(letter_id, b"", "GET")))

    def close(self) -> None:
        """Lets go of kept connections."""
        self._http.close()

    def _to(self, letter_id: str, body: bytes, method: str) -> HttpCall:
        url = f"{self._url}/letters/{quote(letter_id, safe='')}"
        return HttpCall(url, body, self._headers, method, repeatable=True, more_ports=self._ports)

    def _call(self, call: HttpCall) -> dict[str, Any]:
        try:
            answer = self._http.call(call)
        except CallFailed as error:
            raise LetterNotSent(error.message, permanent=False) from error
        if not 200 <= answer.status < 300:
            permanent = 400 <= answer.status < 500 and answer.status not in _TRY_AGAIN
            raise LetterNotSent(f"{answer.status} {_reason_text(answer)}".strip(), permanent=permanent)
        return _object(answer.body)


class LetterFolder(Protocol):
    """Where files of letters lie: a folder per shop, here or at the provider."""

    def put(self, folder: str, name: str, data: bytes) -> None:
        """The file under its name, complete or not there at all. OSError, SftpFailed."""

    def read(self, folder: str, name: str, limit: int) -> bytes | None:
        """The first `limit` bytes of a file; None if there is none. OSError, SftpFailed."""

    def close(self) -> None:
        """Lets go of connections."""


class OwnFolder:
    """A folder of this machine, which a provider reads by SFTP or as a share."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, folder: str, name: str, data: bytes) -> None:
        """The file, durably."""
        transfer_folder.put(self._root / folder, name, data)

    def read(self, folder: str, name: str, limit: int) -> bytes | None:
        """The first bytes of a file; symbolic links are not followed."""
        path = self._root / folder / name
        if path.is_symlink() or not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(limit)

    def close(self) -> None:
        """Nothing to let go of."""


class FolderLetters:
    """A PDF and its options as JSON for each letter; the provider answers with a file beside them."""

    delivers = True
    reports = True

    def __init__(self, folder: LetterFolder) -> None:
        self._folder = folder

    def send(self, letter: OutgoingLetter) -> str:
        """Writes the letter, its options last: what has none is not complete. Once more, it is the same two files."""
        if not _NAME.fullmatch(letter.id):
            raise LetterNotSent(f"{letter.id!r} is not a file name", permanent=True)
        options = {
            "id": letter.id, "pages": letter.pages, "country": letter.country, "duplex": letter.duplex,
            "colour": letter.colour,
        }  # fmt: skip
        try:
            self._folder.put(letter.shop, f"{letter.id}.pdf", letter.pdf)
            self._folder.put(letter.shop, f"{letter.id}.json", json.dumps(options).encode())
        except (OSError, SftpFailed) as error:
            raise LetterNotSent(in_a_sentence(error), permanent=False) from error
        return ""

    def report(self, shop: str, letter_id: str) -> LetterReport:
        """What `<id>.status.json` says; accepted as long as there is none."""
        try:
            found = self._folder.read(shop, f"{letter_id}.status.json", _STATUS_BYTES)
        except (OSError, SftpFailed) as error:
            raise LetterNotSent(in_a_sentence(error), permanent=False) from error
        return _report(_object(found)) if found is not None else LetterReport(Posted.ACCEPTED)

    def close(self) -> None:
        """Lets go of the connection, if there is one."""
        self._folder.close()


class NullLetters:
    """Letters in memory, gone with the process: for sandbox shops and tests."""

    reports = False

    def __init__(self, *, delivers: bool = False) -> None:
        self.delivers = delivers
        self.sent: list[OutgoingLetter] = []

    def send(self, letter: OutgoingLetter) -> str:
        """Keeps the letter."""
        self.sent.append(letter)
        return ""

    def report(self, shop: str, letter_id: str) -> LetterReport:
        """Its status: unchanged."""
        return LetterReport(Posted.ACCEPTED)

    def close(self) -> None:
        """Nothing to let go of."""


def open_letters(settings: Settings) -> LetterDoor | None:
    """The way to the provider that the operator has chosen; None if there is none. LetterUrlRefused."""
    if settings.letters_url is None:
        return None
    http = HttpClient(allow_private=settings.callback_allow_private, limits=HttpLimits(total_seconds=_SECONDS))
    return letter_door(settings.letters_url.get_secret_value(), http, settings)


def letter_door(url: str, http: HttpDoor, settings: Settings) -> LetterDoor:
    """The door that a URL names: https, sftp or file (docs/letters.md). LetterUrlRefused."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise LetterUrlRefused(Message("letter-url-paymatch-letters-url-port")) from None
    if parts.scheme == "file" and not parts.netloc and len(parts.path) > 1:
        return FolderLetters(OwnFolder(Path(unquote(parts.path))))
    if parts.scheme == "sftp" and parts.hostname and parts.username:
        return FolderLetters(_sftp_folder(parts, settings))
    if parts.scheme not in ("https", "http") or not parts.hostname or not parts.username or parts.password:
        raise LetterUrlRefused(Message("letter-url-paymatch-letters-url-https"))
    return HttpLetters(f"{parts.scheme}://{parts.hostname}{port}{parts.path}", unquote(parts.username), http)


def _sftp_folder(parts: SplitResult, settings: Settings) -> SftpFolder:
    if bool(parts.password) == (settings.letters_sftp_key is not None):
        raise LetterUrlRefused(Message("letter-url-paymatch-letters-url-sftp"))
    if not settings.letters_sftp_host_keys:
        raise LetterUrlRefused(Message("letter-url-paymatch-letters-sftp-host"))
    try:
        check_extra()
    except SftpFailed as error:
        raise LetterUrlRefused(Message("letter-url-paymatch-letters-url", error=str(error))) from None
    access = SftpAccess(
        parts.hostname or "", parts.port or PORT, unquote(parts.username or ""), unquote(parts.path) or ".",
        settings.letters_sftp_host_keys, unquote(parts.password or ""), settings.letters_sftp_key,
    )  # fmt: skip
    return SftpFolder(access, allow_private=settings.callback_allow_private)


def _object(answer: bytes) -> dict[str, Any]:
    if not answer:
        return {}
    try:
        found = json.loads(answer)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise LetterNotSent("the provider's answer is not a JSON object", permanent=False)
    return found


def _report(found: Mapping[str, Any]) -> LetterReport:
    try:
        return LetterReport(Posted(str(found.get("status"))), _one_line(str(found.get("reason") or "")))
    except ValueError:
        raise LetterNotSent(f"the provider's status is unknown: {found.get('status')!r:.40}", permanent=False) from None


def _reason_text(answer: HttpAnswer) -> str:
    """What the provider gives as the reason, on one line."""
    try:
        found = json.loads(answer.body)
    except ValueError:
        return ""
    return _one_line(str(found.get("error") or "")) if isinstance(found, dict) else ""


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_WORDS_KEPT]
