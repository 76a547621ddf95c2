"""PDF files of letters put together: cover and enclosure, the letters of a print run, and the index beside them."""

from __future__ import annotations

import csv
import io
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

import pikepdf
from PIL import Image, ImageOps

from paymatch.formats.documents.cells import text_cell

_MOST_PAGES: Final = 200
"""Of one letter: what an envelope never holds, and what no invoice has."""


_A4_POINTS: Final = (595.28, 841.89)
_A4_PIXELS: Final = (1240, 1754)  # at 150 dpi
_DPI: Final = 150
_EDGE: Final = 60


def join_letters(files: Sequence[BinaryIO], *, duplex: bool = False) -> tuple[bytes, list[int]]:
    """The PDFs joined, and the number of pages of each; with `duplex` each begins on a sheet's front."""
    with pikepdf.new() as whole:
        counts = []
        for file in files:
            with pikepdf.open(file) as part:
                before = len(whole.pages)
                whole.pages.extend(part.pages)
                if duplex and len(whole.pages) % 2:
                    whole.add_blank_page(page_size=_A4_POINTS)
                counts.append(len(whole.pages) - before)
        out = io.BytesIO()
        whole.save(out, deterministic_id=True)
    return out.getvalue(), counts


def enclose(files: list[BinaryIO], _tell: object, *, is_picture: bool) -> dict[str, str | int]:
    """Cover and enclosure joined as PDF (Base64) with the number of pages, or `refused` with the reason.

    The files are the cover (empty: there is none) and the enclosure. For a process of its own, as the enclosure may
    be hostile.
    """
    cover, enclosure = files
    try:
        body = io.BytesIO(_on_a_page(enclosure)) if is_picture else enclosure
        has_cover = bool(cover.read(1))
        cover.seek(0)
        whole, counts = join_letters([cover, body] if has_cover else [body])
    except (pikepdf.PdfError, Image.DecompressionBombError, OSError, SyntaxError, ValueError):
        return {"refused": "the invoice cannot be read"}
    if sum(counts) > _MOST_PAGES:
        return {"refused": f"the invoice has more than {_MOST_PAGES} pages"}
    return {"pdf": b64encode(whole).decode(), "pages": sum(counts)}


def _on_a_page(picture: BinaryIO) -> bytes:
    """A PNG or JPEG as a PDF of one page of A4."""
    with Image.open(picture, formats=("PNG", "JPEG")) as image:
        seen = ImageOps.exif_transpose(image).convert("RGBA")
    seen.thumbnail((_A4_PIXELS[0] - 2 * _EDGE, _A4_PIXELS[1] - 2 * _EDGE))
    page = Image.new("RGB", _A4_PIXELS, "white")
    page.paste(seen, (_EDGE, _EDGE), seen)
    out = io.BytesIO()
    page.save(out, "PDF", resolution=_DPI)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class IndexLine:
    """A letter of a print run: its pages in the merged PDF, and whom it goes to."""

    place: int
    letter: str
    order_number: str
    kind: str
    first_page: int
    pages: int
    country: str
    recipient: str


_HEAD: Final = ("no", "letter", "order", "kind", "first page", "pages", "country", "recipient")


def index_csv(lines: Iterable[IndexLine]) -> bytes:
    """The index of a print run as CSV in UTF-8 with a byte order mark; no cell begins as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_HEAD)
    for line in lines:
        writer.writerow(
            [
                line.place, line.letter, text_cell(line.order_number), line.kind, line.first_page, line.pages,
                line.country, text_cell(line.recipient.replace("\n", ", ")),
            ]
        )  # fmt: skip
    return b"\xef\xbb\xbf" + out.getvalue().encode()
