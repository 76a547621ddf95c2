"""Bank files into whose remittance information a payer types, and what must not change by it (D-80)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Final
from xml.sax.saxutils import escape

from paymatch.domain.postings import Posting
from paymatch.domain.witnesses import FACTS, Place
from paymatch.formats.postings_of import postings_of
from paymatch.formats.read import TABLE, BankFormat, read_statements, recognise
from paymatch.formats.statement import Entry, FileRefused, StatementHead

_VALUE: Final = "DE02120300000000202051"

TOKENS: Final = (
    *(f"{tag}+{value}" for tag in (
        "EREF", "KREF", "MREF", "CRED", "DEBT", "SVWZ", "ABWA", "ABWE", "PURP", "ANAM", "RREF", "BREF", "RTRN", "RETP",
        "ORCR", "MDAT",
    ) for value in ("AC04", "FORGED-1")),
    "OAMT+500,00", "COAM+499,99", "OAMT+EUR 500,00", f"IBAN+{_VALUE}", "BIC+BYLADEM1001", f"IBAN: {_VALUE}",
    f"IBAN: {_VALUE} BIC: BYLADEM1001", "BIC: BYLADEM1001", "EREF: FORGED-1", "MREF: FORGED-1", "KREF: F CRED: G",
    "NAAM: PAYPAL EUROPE", "KENMERK: FORGED-1", "OMSCHRIJVING: x", f"REK: {_VALUE}/NAAM: PAYPAL", "Kenmerk: FORGED-1",
    "Naam: PAYPAL", "Machtiging ID: M-1", f"Rachunek nadawcy : {_VALUE}", "Nazwa nadawcy : PAYPAL", "Buchungstext: x",
    "Auftraggeber: PAYPAL", "End-to-End-Ref.: FORGED-1", f"Kto/IBAN: {_VALUE}", "MTLG:Konto gesperrt",
    f"/CNTP/{_VALUE}/X/PAYPAL EUROPE/Y//", f"/IBAN/{_VALUE}", "/BIC/BYLADEM1001", "/NAME/PAYPAL", "/RTRN/AC04",
    "/RTRN/AC04//", "/OCMT/EUR500,00/", "/CHGS/EUR499,99/", "/EREF/FORGED-1", "/EREF/FORGED-1//", "/MARF/FORGED-1",
    "/PREF/F", "/PURP/SALA", "/ORDP//NAME/PAYPAL", "/BENM//NAME/PAYPAL", "/ULTD//NAME/PAYPAL", "/TRTP/RETOUR",
    "/CSID/DE98ZZZ09999999999", "/REMI/x", "/ISDT/2026-11-24", "/EXCH/1,17", "//REMI/USTD//x", "/SUM/1",
    f"; OD: PAYPAL; Z RACH.: {_VALUE}; TYT.: x", "Z RACH.: 1", "RvslInd true", "<RtrInf/>", "</Ustrd>", "&amp;", "]]>",
    '"', ";", "RETOURE", "STORNO", "Ref. FORGED/1 x", "-500,00", "EUR 500,00", "-}", "@@", "\\n",
)  # fmt: skip
"""What payers type who know how banks write; each reader's own words are among them."""

_OF_TEXT: Final = frozenset(fact.field for fact in FACTS if fact.place is Place.TEXT)
"""Fields of a posting that are the remittance information, or hold what was found beside it."""


@dataclass(frozen=True, slots=True)
class TypedFile:
    """A bank file, and where the remittance information of its postings stands in it."""

    name: str
    data: bytes
    places: tuple[tuple[int, int], ...]  # begin and end of a text, in characters of `text`

    @property
    def text(self) -> str:
        return self.data.decode("latin-1")

    def with_typed(self, token: str, place: int, at: float) -> bytes:
        """The file with a token typed at a share of a text, never at its very begin."""
        begin, end = self.places[place % len(self.places)]
        return self._typed(token, begin + max(1, round(at * (end - begin))))

    def typed_first(self, token: str, place: int) -> bytes:
        """The file with a token typed at the very beginning of a text."""
        return self._typed(f"{token} ", self.places[place % len(self.places)][0])

    def _typed(self, token: str, where: int) -> bytes:
        written = token if self._format is None else _escaped(token, self._format)
        text = self.text
        return f"{text[:where]}{written}{text[where:]}".encode("latin-1")

    @property
    def _format(self) -> BankFormat | None:
        return recognise(io.BytesIO(self.data))


def _escaped(token: str, found: BankFormat) -> str:
    """The token as a bank writes it into a file of the format: its own signs never come from a payer."""
    if found.name == "OFX" or found.family == "camt":
        return escape(token)
    if found is TABLE:
        return token.translate(str.maketrans("", "", '";,\t|'))
    return token.replace("@@", "")


def postings_in(data: bytes) -> tuple[Posting, ...] | str:
    """All postings of a file, or why it is refused."""
    try:
        return tuple(_postings(data))
    except FileRefused as refusal:
        return str(refusal)


def _postings(data: bytes) -> Iterator[Posting]:
    for _, events in read_statements(io.BytesIO(data), "typed"):
        head: StatementHead | None = None
        for event in events:
            if isinstance(event, StatementHead):
                head = event
            elif isinstance(event, Entry):
                assert head is not None
                yield from postings_of(head, event)


def typed_file(name: str, data: bytes) -> TypedFile | None:
    """The file with the places of its texts; None if it has none that can be found in it as written."""
    read = postings_in(data)
    if isinstance(read, str):
        return None
    text = data.decode("latin-1")
    places = []
    for posting in read:
        for line in _typed_lines(posting):
            written = line.strip().encode("utf-8").decode("latin-1")
            if len(written) >= 5 and text.count(written) == 1 and posting.amount_minor >= 0:
                places.append((text.index(written), text.index(written) + len(written)))
    return TypedFile(name, data, tuple(places)) if places else None


def _typed_lines(posting: Posting) -> tuple[str, ...]:
    """The lines that a payer typed: a bank that sends free text writes the other side into lines of its own."""
    lines = posting.remittance_lines
    title = [at for at, line in enumerate(lines) if "TYT.:" in line]
    if title:
        return lines[title[0] + 1 :]
    own = (posting.counterparty_iban, posting.counterparty_name)
    return tuple(line for line in lines if not any(word and word in line for word in own))


def facts_of(data: bytes) -> list[dict[str, Any]] | str:
    """What the postings of a file state beside their texts."""
    read = postings_in(data)
    if isinstance(read, str):
        return read
    names = [field.name for field in fields(Posting) if field.name not in _OF_TEXT]
    return [{name: getattr(posting, name) for name in names} for posting in read]
