"""The formats of bank files as the books know them."""

from __future__ import annotations

from paymatch.formats.recognise import source_format

CAMT, SWIFT_MT, CSV = map(source_format, ("camt", "MT940", "CSV"))
