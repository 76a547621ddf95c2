"""Reads any bank file: recognises it, opens bundles, and hands it to the reader of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from paymatch.formats.bundle import DEFAULT_LIMITS, BundleLimits, members_of
from paymatch.formats.camt.reader import read_camt
from paymatch.formats.foreign_text import admit
from paymatch.formats.mt940.reader import read_mt940
from paymatch.formats.ofx import read_ofx
from paymatch.formats.recognise import Format, recognise
from paymatch.formats.statement import FileRefused, StatementEvent
from paymatch.formats.tables.profiles import CsvProfile
from paymatch.formats.tables.reader import read_csv

_PDF: Final = b"%PDF"
ProfileOf = Callable[[BinaryIO], CsvProfile | None]
"""How a person said that a table is read; None if no person has. The stream is left at its beginning."""


def _unasked(_table: BinaryIO) -> CsvProfile | None:
    """No person has said how any table is read."""
    return None


def read_statements(
    stream: BinaryIO,
    name: str = "",
    profile_of: ProfileOf = _unasked,
    limits: BundleLimits = DEFAULT_LIMITS,
    *,
    default_currency: str = "EUR",
) -> Iterator[tuple[str, Iterator[StatementEvent]]]:
    """Name and events of each bank file: one for a plain file, one per member for a ZIP bundle.

    `stream` must be seekable. The events of a file must be taken before the next file is asked for. `default_currency`
    is that of files that name none. PDF members of a bundle, the print of the same statement, are left
    out. FileRefused begins with the member's name; it may come after events were handed out, so a caller books nothing
    before the end.
    """
    found = recognise(stream)
    if found is not Format.ZIP:
        yield name, _events(found, stream, profile_of, default_currency)
        return
    read_any = False
    for member_name, member in members_of(stream, limits):
        if _is_pdf(member):
            continue
        read_any = True
        yield member_name, _member_events(member_name, member, profile_of, default_currency)
    if not read_any:
        raise FileRefused("the ZIP bundle holds PDF documents only; ask the bank for camt.053, MT940 or CSV")


def _is_pdf(member: BinaryIO) -> bool:
    found = member.read(len(_PDF)) == _PDF
    member.seek(0)
    return found


def _member_events(
    name: str, member: BinaryIO, profile_of: ProfileOf, default_currency: str
) -> Iterator[StatementEvent]:
    try:
        found = recognise(member)
        if found is Format.ZIP:
            raise FileRefused("a ZIP bundle within a ZIP bundle is not opened")
        yield from _events(found, member, profile_of, default_currency)
    except FileRefused as refusal:
        raise type(refusal)(f"{name}: {refusal}") from None


def _events(found: Format, stream: BinaryIO, profile_of: ProfileOf, default_currency: str) -> Iterator[StatementEvent]:
    if found in {Format.CAMT052, Format.CAMT053, Format.CAMT054}:
        return admit(read_camt(stream))
    if found is Format.CSV:
        return admit(read_csv(stream, profile_of(stream), default_currency=default_currency))
    if found is Format.OFX:
        return admit(read_ofx(stream, default_currency=default_currency))
    return admit(read_mt940(stream, default_currency=default_currency))
