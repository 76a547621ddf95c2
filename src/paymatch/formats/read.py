"""Reads any bank file: recognises it, opens bundles, and hands it to the reader of its format."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import BinaryIO, Final, Protocol, cast

from paymatch.formats.bundle import DEFAULT_LIMITS, BundleLimits, members_of
from paymatch.formats.camt import read_camt
from paymatch.formats.recognise import Format, recognise
from paymatch.formats.statement import FileRefused, StatementEvent

_PDF: Final = b"%PDF"


class _Reader(Protocol):
    def __call__(self, stream: BinaryIO) -> Iterator[StatementEvent]: ...


class _TableReader(Protocol):
    def __call__(self, stream: BinaryIO, profile: object = None) -> Iterator[StatementEvent]: ...


def read_statements(
    stream: BinaryIO, name: str = "", csv_profile: object = None, limits: BundleLimits = DEFAULT_LIMITS
) -> Iterator[tuple[str, Iterator[StatementEvent]]]:
    """Name and events of each bank file: one for a plain file, one per member for a ZIP bundle.

    `stream` must be seekable. The events of a file must be taken before the next file is asked for. PDF members of a
    bundle, the print of the same statement, are left out. FileRefused begins with the member's name; it may come
    after events were handed out, so a caller books nothing before the end.
    """
    found = recognise(stream)
    if found is not Format.ZIP:
        yield name, _events(found, stream, csv_profile)
        return
    read_any = False
    for member_name, member in members_of(stream, limits):
        if _is_pdf(member):
            continue
        read_any = True
        yield member_name, _named(member_name, _events(_member_format(member_name, member), member, csv_profile))
    if not read_any:
        raise FileRefused("the ZIP bundle holds PDF documents only; ask the bank for camt.053, MT940 or CSV")


def _is_pdf(member: BinaryIO) -> bool:
    found = member.read(len(_PDF)) == _PDF
    member.seek(0)
    return found


def _member_format(name: str, member: BinaryIO) -> Format:
    try:
        found = recognise(member)
    except FileRefused as refusal:
        raise FileRefused(f"{name}: {refusal}") from None
    if found is Format.ZIP:
        raise FileRefused(f"{name}: a ZIP bundle within a ZIP bundle is not opened")
    return found


def _named(name: str, events: Iterator[StatementEvent]) -> Iterator[StatementEvent]:
    try:
        yield from events
    except FileRefused as refusal:
        raise FileRefused(f"{name}: {refusal}") from None


def _events(found: Format, stream: BinaryIO, csv_profile: object) -> Iterator[StatementEvent]:
    if found in {Format.CAMT052, Format.CAMT053, Format.CAMT054}:
        return read_camt(stream)
    if found is Format.CSV:
        return cast("_TableReader", import_module("paymatch.formats.bank_csv").read_csv)(stream, csv_profile)
    if found is Format.OFX:
        return cast("_Reader", import_module("paymatch.formats.ofx").read_ofx)(stream)
    return cast("_Reader", import_module("paymatch.formats.mt940").read_mt940)(stream)
