"""Searches all that an installation keeps: each column of each table, opened and unpacked, and all files of folders."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from typing import Any

import psycopg

from paymatch.store import sealing
from paymatch.store.sealing import SealRefused, Vault
from tests.keys import KEYRING

_SEALED = re.compile(r"~1\.[0-9a-f]{8}\.[A-Za-z0-9_=-]+")
_COLUMNS = [
    value for name, value in vars(sealing).items() if name.isupper() and isinstance(value, str) and "." in value
]


def places_with(url: str, *wanted: str, folder: Path | None = None, opened: bool = True) -> set[str]:
    """`table.column` or file of everything that holds one of these texts, however it is written or wrapped.

    Sealed values are opened, unless only what a thief of the database could read is of interest.
    """
    patterns = [_pattern(each) for each in wanted]
    found = set()
    for place, text in (*_columns(url, opened=opened), *_files(folder)):
        if any(pattern.search(text) for pattern in patterns):
            found.add(place)
    return found


def _pattern(wanted: str) -> re.Pattern[str]:
    """The text with spaces anywhere or nowhere; first and last name also as an order's document has them."""
    words = [r"\s*".join(map(re.escape, word)) for word in wanted.split()]
    return re.compile(r'\s*(?:","lastName":")?'.join(words), re.IGNORECASE)


def _columns(url: str, *, opened: bool) -> Iterator[tuple[str, str]]:
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'area')"
        ).fetchall()
        for schema, table in tables:
            cursor = connection.execute(f'SELECT * FROM "{schema}"."{table}"'.encode())
            names = [each.name for each in cursor.description or ()]
            vaults: dict[Any, Vault] = {}
            for row in cursor:
                values = dict(zip(names, row, strict=True))
                shop = values.get("shop_id")
                vault = vaults.setdefault(shop, KEYRING.vault(shop)) if shop and opened else None
                for name, value in values.items():
                    yield f"{table}.{name}", _text(value, vault)


def _text(value: Any, vault: Vault | None) -> str:
    if isinstance(value, bytes | memoryview):
        text = "\n".join(part.decode("utf-8", "replace") for part in _unpacked(bytes(value)))
    else:
        text = str(value)
    return text if vault is None else _SEALED.sub(lambda sealed: _opened(sealed[0], vault), text)


def _opened(sealed: str, vault: Vault) -> str:
    for column in _COLUMNS:
        try:
            return vault.open(column, sealed)
        except SealRefused:
            continue
    raise AssertionError(f"nothing opens {sealed}")


def _unpacked(content: bytes) -> Iterator[bytes]:
    yield content
    if content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield archive.read(name)


def _mail(content: bytes) -> Iterator[bytes]:
    """The parts of a mail without their encoding for the way."""
    for part in message_from_bytes(content).walk():
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            yield payload


def _files(folder: Path | None) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")) if folder else ():
        if path.is_file():
            content = path.read_bytes()
            parts = [*_unpacked(content), *(_mail(content) if path.suffix == ".eml" else ())]
            texts = [part.decode(encoding, "replace") for part in parts for encoding in ("utf-8", "latin-1")]
            yield str(path), "\n".join([path.name, *texts])
