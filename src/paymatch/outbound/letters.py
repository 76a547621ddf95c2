"""Letters on their way out: one door, to a provider by HTTP, into a folder that a provider fetches, or into memory.

A letter has an id of ours, and the provider knows it by this id: handing the same one over again sends nothing twice.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote, unquote, urlsplit

from paymatch.domain.refusal import Refused
from paymatch.outbound.http import Answer, Call, CallFailed, HttpClient, HttpDoor, Limits
from paymatch.settings import Settings

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORDS_KEPT: Final = 200
_SECONDS: Final = 60.0
_TRY_AGAIN: Final = frozenset({401, 403, 404, 408, 425, 429})
"""Answers of 4xx that say something of the provider or the way to it, and not of the letter."""


class Posted(StrEnum):
    """What a provider says of a letter that it has taken."""

    ACCEPTED = "accepted"
    POSTED = "posted"
    RETURNED = "returned"  # it was not posted, or came back


@dataclass(frozen=True, slots=True)
class OutgoingLetter:
    """A letter as it goes out: a PDF of A4 whose first page has the address in the window."""

    shop: str
    id: str
    pdf: bytes
    pages: int
    country: str
    duplex: bool
    colour: bool


@dataclass(frozen=True, slots=True)
class Report:
    """Where a letter stands at the provider, and why in its words."""

    posted: Posted
    words: str = ""


class LetterNotSent(Exception):
    """The provider has not taken the letter. `permanent`: it never will take this one."""

    def __init__(self, text: str, *, permanent: bool) -> None:
        super().__init__(text)
        self.permanent = permanent


class LetterDoor(Protocol):
    """The way out. A letter is out once `send` returns; LetterNotSent otherwise."""

    @property
    def delivers(self) -> bool:
        """Whether letters are posted; False where they are only kept."""

    @property
    def reports(self) -> bool:
        """Whether the provider says later what became of a letter."""

    def send(self, letter: OutgoingLetter) -> str:
        """Hands a letter over; the provider's own id of it, "" if it gives none. LetterNotSent."""

    def report(self, shop: str, letter_id: str) -> Report:
        """What became of a letter that was handed over. LetterNotSent if the provider does not say."""

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
        self._headers = (("Authorization", f"Bearer {token}"), ("Content-Type", "application/json"))
        self._http = http

    def send(self, letter: OutgoingLetter) -> str:
        """Hands a letter over under its id, so that a repetition is recognised."""
        body = {
            "id": letter.id, "shop": letter.shop, "pages": letter.pages, "country": letter.country,
            "duplex": letter.duplex, "colour": letter.colour, "pdf": b64encode(letter.pdf).decode(),
        }  # fmt: skip
        found = self._call(Call(self._at(letter.id), json.dumps(body).encode(), self._headers, "PUT", repeatable=True))
        return str(found.get("reference") or "")[:128]

    def report(self, shop: str, letter_id: str) -> Report:
        """What became of a letter."""
        found = self._call(Call(self._at(letter_id), b"", self._headers, "GET", repeatable=True))
        try:
            return Report(Posted(str(found.get("status"))), _one_line(str(found.get("reason") or "")))
        except ValueError:
            raise LetterNotSent(
                f"the provider's status is unknown: {found.get('status')!r:.40}", permanent=False
            ) from None

    def close(self) -> None:
        """Lets go of kept connections."""
        self._http.close()

    def _at(self, letter_id: str) -> str:
        return f"{self._url}/letters/{quote(letter_id, safe='')}"

    def _call(self, call: Call) -> dict[str, Any]:
        try:
            answer = self._http.call(call)
        except CallFailed as error:
            raise LetterNotSent(str(error), permanent=False) from error
        if not 200 <= answer.status < 300:
            permanent = 400 <= answer.status < 500 and answer.status not in _TRY_AGAIN
            raise LetterNotSent(f"{answer.status} {_said(answer)}".strip(), permanent=permanent)
        return _object(answer)


class FolderLetters:
    """A folder per shop that a provider fetches letters from, by SFTP or as a share: a PDF and its options as JSON."""

    delivers = True
    reports = False

    def __init__(self, root: Path) -> None:
        self._root = root

    def send(self, letter: OutgoingLetter) -> str:
        """Writes the letter, its options last: what has none is not complete. Once more, it is the same two files."""
        if not _NAME.fullmatch(letter.id):
            raise LetterNotSent(f"{letter.id!r} is no name of a file", permanent=True)
        folder = self._root / letter.shop
        options = {
            "id": letter.id, "pages": letter.pages, "country": letter.country, "duplex": letter.duplex,
            "colour": letter.colour,
        }  # fmt: skip
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(folder / f"{letter.id}.pdf", letter.pdf)
            _write(folder / f"{letter.id}.json", json.dumps(options).encode())
        except OSError as error:
            raise LetterNotSent(str(error), permanent=False) from error
        return ""

    def report(self, shop: str, letter_id: str) -> Report:
        """A folder says nothing of what became of a letter."""
        raise LetterNotSent("a folder does not report", permanent=True)

    def close(self) -> None:
        """Nothing to let go of."""


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

    def report(self, shop: str, letter_id: str) -> Report:
        """What became of it: nothing more."""
        return Report(Posted.ACCEPTED)

    def close(self) -> None:
        """Nothing to let go of."""


def open_letters(settings: Settings) -> LetterDoor | None:
    """The way to the provider that the operator has chosen; None if there is none. LetterUrlRefused."""
    if settings.letters_url is None:
        return None
    http = HttpClient(allow_private=settings.callback_allow_private, limits=Limits(total_seconds=_SECONDS))
    return letter_door(settings.letters_url.get_secret_value(), http)


def letter_door(url: str, http: HttpDoor) -> LetterDoor:
    """The door of `https://token@provider/path` or `file:///folder`. LetterUrlRefused."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise LetterUrlRefused("PAYMATCH_LETTERS_URL: the port is no number") from None
    if parts.scheme == "file" and not parts.netloc and len(parts.path) > 1:
        return FolderLetters(Path(unquote(parts.path)))
    if parts.scheme not in ("https", "http") or not parts.hostname or not parts.username or parts.password:
        raise LetterUrlRefused("PAYMATCH_LETTERS_URL: https://token@provider/path or file:///folder is expected")
    return HttpLetters(f"{parts.scheme}://{parts.hostname}{port}{parts.path}", unquote(parts.username), http)


def _write(path: Path, content: bytes) -> None:
    """The file durably under its name, all at once."""
    draft = path.with_name(f".{path.name}.part")
    with draft.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(path)


def _object(answer: Answer) -> dict[str, Any]:
    if not answer.body:
        return {}
    try:
        found = json.loads(answer.body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise LetterNotSent("the provider's answer is no JSON object", permanent=False)
    return found


def _said(answer: Answer) -> str:
    """What the provider gives as the reason, on one line."""
    try:
        found = json.loads(answer.body)
    except ValueError:
        return ""
    return _one_line(str(found.get("error") or "")) if isinstance(found, dict) else ""


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_WORDS_KEPT]
