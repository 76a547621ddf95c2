"""Reads any bank file: recognises it, opens bundles, and hands it to the reader of its format."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from paymatch.domain.words.message import Message
from paymatch.formats.bundle import DEFAULT_LIMITS, BundleLimits, check_directory, members_of
from paymatch.formats.foreign_text import admit
from paymatch.formats.recognise import ProfileOf, ReadingContext, recognise
from paymatch.formats.statement import FileRefused, StatementEvent
from paymatch.formats.tables.profiles import CsvProfile
from paymatch.formats.tables.workbook import csv_of_workbook, is_workbook

_PDF: Final = b"%PDF"


def _no_profile(_table: BinaryIO) -> CsvProfile | None:
    """No person has said how any table is read."""
    return None


@dataclass(frozen=True, slots=True)
class PlainFile:
    """A bank file without its wrapping; `is_member`: refusals name it."""

    name: str
    stream: BinaryIO
    is_member: bool = False

    def with_name(self, refusal: FileRefused) -> FileRefused:
        """The refusal with the member's name."""
        return type(refusal)(Message("file-named", name=self.name, what=refusal.message)) if self.is_member else refusal


def plain_files(stream: BinaryIO, name: str = "", limits: BundleLimits = DEFAULT_LIMITS) -> Iterator[PlainFile]:
    """The bank files that a file holds: itself, the members of a ZIP bundle, the sheet of an Excel workbook as CSV.

    `stream` must be seekable. A file is open until the next is asked for. PDF members of a bundle, the print of the
    same statement, are left out. FileRefused begins with the member's name.
    """
    if recognise(stream) is not None:
        yield PlainFile(name, stream)
        return
    check_directory(stream, limits)
    if is_workbook(stream):
        yield PlainFile(name, csv_of_workbook(stream))
        return
    read_any = False
    for member_name, member in members_of(stream, limits):
        if _is_pdf(member):
            continue
        read_any = True
        found = PlainFile(member_name, member, is_member=True)
        try:
            found = replace(found, stream=_unpack(member))
        except FileRefused as refusal:
            raise found.with_name(refusal) from None
        yield found
    if not read_any:
        raise FileRefused(Message("zip-pdf"))


def _unpack(member: BinaryIO) -> BinaryIO:
    """The member, or the sheet of the workbook that it is; FileRefused for a bundle."""
    if recognise(member) is not None:
        return member
    whole = io.BytesIO(member.read())  # the bundle's limits are checked
    check_directory(whole)
    if not is_workbook(whole):
        raise FileRefused(Message("zip-nested"))
    return csv_of_workbook(whole)


def first_file(stream: BinaryIO) -> BinaryIO:
    """The first bank file that a file holds, to be looked at; FileRefused as `plain_files` says."""
    for found in plain_files(stream):
        return io.BytesIO(found.stream.read()) if found.is_member else found.stream
    raise FileRefused(Message("file-is", what=Message("kind-empty")))


def read_statements(
    stream: BinaryIO,
    name: str = "",
    profile_of: ProfileOf = _no_profile,
    limits: BundleLimits = DEFAULT_LIMITS,
    *,
    default_currency: str = "EUR",
) -> Iterator[tuple[str, Iterator[StatementEvent]]]:
    """Name and events of each bank file that the file holds, as `plain_files` finds them.

    The events of a file must be taken before the next file is asked for. `default_currency` is that of files that name
    none. FileRefused may come after events were handed out, so a caller books nothing before the end.
    """
    for found in plain_files(stream, name, limits):
        yield found.name, events_of(found, profile_of, default_currency=default_currency)


def events_of(
    file: PlainFile, profile_of: ProfileOf = _no_profile, *, default_currency: str = "EUR"
) -> Iterator[StatementEvent]:
    """The events of one bank file; FileRefused begins with the name of a member."""
    try:
        found = recognise(file.stream)
        assert found is not None, "a bundle is opened by plain_files"
        yield from admit(found.read(file.stream, ReadingContext(profile_of, default_currency)))
    except FileRefused as refusal:
        raise file.with_name(refusal) from None


def _is_pdf(member: BinaryIO) -> bool:
    found = member.read(len(_PDF)) == _PDF
    member.seek(0)
    return found
