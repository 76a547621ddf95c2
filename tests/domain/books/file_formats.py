"""The formats of bank files as the books know them."""

from __future__ import annotations

from paymatch.formats.read import source_format

CAMT, SWIFT_MT, CSV = map(source_format, ("camt", "MT940", "CSV"))
