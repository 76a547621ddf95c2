"""Compiles the catalogues of translations: every `.po` below `locale/` into the `.mo` that the program reads.

python -m tools.catalogues    writes those that are missing or older than their source

The wheel is built with them (`build_hook.py`), `make .venv/ready` and the tests make them where they are needed.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

SOURCES: Final = Path(__file__).resolve().parents[1] / "src" / "paymatch"
_NO_DATE: Final = datetime(2000, 1, 1, tzinfo=UTC)  # the same texts make the same file


def compiled(source: bytes, locale: str) -> bytes:
    """The `.mo` file of a `.po` file."""
    catalogue = read_po(io.BytesIO(source), locale=locale)
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    target = io.BytesIO()
    write_mo(target, catalogue)
    return target.getvalue()


def build(folder: Path = SOURCES) -> list[Path]:
    """Compiles the catalogues below a folder that are missing or older than their source; which ones."""
    written = []
    for source in sorted(folder.rglob("locale/*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
            continue
        part = target.with_suffix(".mo.part")  # several may build at once
        part.write_bytes(compiled(source.read_bytes(), source.parents[1].name))
        part.replace(target)
        written.append(target)
    return written


if __name__ == "__main__":
    for path in build():
        print(f"catalogues: {path.relative_to(SOURCES)}")
