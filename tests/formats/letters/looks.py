"""Pages of a PDF as grey pixels, and where on the sheet there is ink."""

from __future__ import annotations

from pathlib import Path

import typst

from paymatch.formats.letters.paper import Box
from tests.formats.codes.png import grey

DPI = 75
PER_MM = DPI / 25.4


def page(folder: Path, pdf: bytes, number: int = 1, dpi: int = DPI) -> memoryview:
    """A page of A4, one byte per pixel, rows by columns."""
    (folder / "letter.pdf").write_bytes(pdf)
    (folder / "page.typ").write_text(
        f'#set page(width: 210mm, height: 297mm, margin: 0pt)\n#image("letter.pdf", page: {number}, width: 210mm)'
    )
    picture = typst.compile(folder / "page.typ", format="png", ppi=dpi)
    assert isinstance(picture, bytes)
    return grey(picture)


def has_ink(pixels: memoryview, box: Box) -> bool:
    """Whether anything is drawn in the box."""
    columns = range(round(box.x * PER_MM), round((box.x + box.width) * PER_MM))
    rows = range(round(box.y * PER_MM), round((box.y + box.height) * PER_MM))
    return any(pixels[y, x] < 200 for y in rows for x in columns)
