"""Invoices for DATEV: a document package (ZIP with document.xml, version 6.0) whose ids the Beleglink names.

https://developer.datev.de, DATEV XML-Schnittstelle, Verwaltungsdatendatei: one `document` per invoice with its GUID, at
most 4,999 of them and 465 MB in a package.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final
from xml.sax.saxutils import quoteattr

MOST_DOCUMENTS: Final = 4_999
MOST_BYTES: Final = 465 * 1024**2
_NAMESPACE: Final = "http://xml.datev.de/bedi/tps/document/v06.0"
_PROCESS: Final = 1
_OUTGOING: Final = 2  # type of document: outgoing invoices


@dataclass(frozen=True, slots=True)
class Document:
    """An invoice in the package: the id that Beleglinks name, and how its file's name ends."""

    id: str
    suffix: str

    @property
    def name(self) -> str:
        """The file's name in the package."""
        return f"{self.id}.{self.suffix}"


def write_documents(file: BinaryIO, documents: Iterable[tuple[Document, BinaryIO]], created: datetime) -> int:
    """Writes the package, each invoice read as it is written; returns their number."""
    written: list[Document] = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for document, content in documents:
            with archive.open(document.name, "w") as member:
                shutil.copyfileobj(content, member)
            written.append(document)
        archive.writestr("document.xml", "".join(_xml(written, created)))
    return len(written)


def _xml(documents: Iterable[Document], created: datetime) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield f'<archive xmlns="{_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    yield f' xsi:schemaLocation="{_NAMESPACE} Document_v060.xsd" version="6.0" generatingSystem="paymatch">\n'
    yield f"<header><date>{created:%Y-%m-%dT%H:%M:%S}</date></header>\n<content>\n"
    for each in documents:
        yield f'<document guid="{each.id}" processID="{_PROCESS}" type="{_OUTGOING}">'
        yield f'<extension xsi:type="File" name={quoteattr(each.name)}/></document>\n'
    yield "</content>\n</archive>\n"
