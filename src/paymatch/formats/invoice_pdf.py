"""Active content of an invoice's PDF: checked in a separate process, because the file may be hostile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import pikepdf

_ACTIONS: Final = {
    "/JavaScript": "JavaScript",
    "/Launch": "an action that starts programs",
    "/ImportData": "an action that reads files",
    "/RichMedia": "media that run programs",
}
"""Actions and annotations (ISO 32000-1, 12.6.4 and 12.5.6) that do something on the reader's machine."""

ENCRYPTED: Final = "it is encrypted"
UNREADABLE: Final = "it cannot be read"
_PART_SHOWN: Final = 200


def inspect(files: list[BinaryIO], _tell: object) -> str:
    """Why the PDF must not be kept; empty if nothing speaks against it."""
    try:
        with pikepdf.open(files[0], suppress_warnings=True) as pdf:
            if pdf.is_encrypted:
                return ENCRYPTED
            return next((why for each in pdf.objects for why in _reasons(each)), "")
    except pikepdf.PasswordError:
        return ENCRYPTED
    except (pikepdf.PdfError, ValueError) as error:
        part = " ".join(str(error).split())[:_PART_SHOWN]
        return f"{UNREADABLE}: {part}" if part else UNREADABLE


def _reasons(found: Any) -> Iterator[str]:
    """Objections to an object and its direct contents; separate objects are checked separately."""
    waiting = [found]
    while waiting:
        each = waiting.pop()
        if isinstance(each, pikepdf.Array):
            waiting += [inner for inner in each if _is_direct_container(inner)]
        elif isinstance(each, pikepdf.Dictionary | pikepdf.Stream):
            yield from _reasons_of_entries(each)
            waiting += [inner for _, inner in each.items() if _is_direct_container(inner)]


def _reasons_of_entries(entries: Any) -> Iterator[str]:
    for key in ("/S", "/Subtype"):
        name = entries.get(key)
        if isinstance(name, pikepdf.Name) and str(name) in _ACTIONS:
            yield f"it holds {_ACTIONS[str(name)]}"
    if "/JS" in entries:
        yield f"it holds {_ACTIONS['/JavaScript']}"
    attached = entries.get("/EF")
    if isinstance(attached, pikepdf.Dictionary):
        yield from ("it holds a file that is not XML" for _, file in attached.items() if not _is_xml(file))


def _is_xml(file: Any) -> bool:
    """Electronic invoices (Factur-X, ZUGFeRD: PDF/A-3) hold themselves as XML; nothing else is needed."""
    return isinstance(file, pikepdf.Stream) and file.read_bytes().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml")


def _is_direct_container(value: Any) -> bool:
    return isinstance(value, pikepdf.Array | pikepdf.Dictionary) and not value.is_indirect
