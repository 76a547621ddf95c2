"""OFX files (1.x SGML and 2.x XML, also QFX): statements and entries in the bank's words.

Read by ourselves: the public readers shift dates by the time zone of the bank's server, or refuse what banks send.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import BinaryIO, Final

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import known_currency, printed_amount
from paymatch.formats.statement import (
    Balance,
    Detail,
    Entry,
    EntryStatus,
    FileRefused,
    Party,
    StatementEnd,
    StatementHead,
    UnreadableEntry,
)
from paymatch.formats.text_decoding import encoding_of

MAX_BYTES: Final = 64 * 1024 * 1024
_RAW: Final = 4000
_MAX_DEPTH: Final = 8  # a transaction, its payee, his address
_TOKEN: Final = re.compile(r"<(/?)([A-Za-z0-9_.]{1,40})(?:\s[^<>]{0,500})?(/?)>([^<]*)")
_MINUS: Final = re.compile(r"<TRNAMT>\s*-", re.IGNORECASE)
_CREDIT: Final = re.compile(r"<TRNTYPE>\s*CREDIT", re.IGNORECASE)
_CHARACTER: Final = re.compile(r"&(?:#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[A-Za-z]{2,8});")
_SECTIONS: Final = (("<![CDATA[", "]]>"), ("<!--", "-->"))
_STATEMENTS: Final = frozenset({"STMTRS", "CCSTMTRS"})
_TRANSACTIONS: Final = frozenset({"STMTTRN", "STMTTRNP"})
_GROUPS: Final = frozenset({"LEDGERBAL", "AVAILBAL", "BANKACCTTO", "CCACCTTO", "PAYEE", "CURRENCY", "ORIGCURRENCY"})

Event = StatementHead | Entry | UnreadableEntry | StatementEnd


@dataclass(slots=True)
class _Statement:
    line: int
    values: dict[str, str] = field(default_factory=dict)
    head_given: bool = False
    position: int = 0
    balances: list[dict[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Group:
    """An element with children that is being read; keys of nested groups are written `PAYEE.NAME`."""

    tag: str
    line: int
    begin: int
    values: dict[str, str] = field(default_factory=dict)


def read_ofx(
    stream: BinaryIO, *, default_currency: str = "EUR"
) -> Iterator[StatementHead | Entry | UnreadableEntry | StatementEnd]:
    """The statements of an OFX file: per account its head, its entries in order, its end with the balances it gives.

    Dates are the bank's calendar dates: the first eight digits, regardless of the time zone after them.
    `default_currency` is the account's where the statement does not name one (the head then says ""). FileRefused: no
    OFX, no statement of an account in it, a DOCTYPE, NUL bytes, an unclosed element (the file breaks off), more than 64
    MB.
    """
    text = _text(stream)
    return _Reader(text, default_currency).read()


def _text(stream: BinaryIO) -> str:
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FileRefused(Message("file-too-many-bytes", bytes=MAX_BYTES))
    encoding, mark = encoding_of(data)
    text = data[mark:].decode(encoding, "replace")
    if "\x00" in text:
        raise FileRefused(Message("file-line", line="1", what=Message("ofx-nul")))
    if re.search("<!(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise FileRefused(Message("file-line", line="1", what=Message("ofx-entities")))
    if re.search(r"<OFX\b", text, re.IGNORECASE) is None:
        raise FileRefused(Message("file-line", line="1", what=Message("ofx-none")))
    return _without_sections(text) if "<!" in text else text


def _without_sections(text: str) -> str:
    """The text with CDATA content written out, and without comments; lines stay where they are."""
    parts: list[str] = []
    at = 0
    while (begin := text.find("<!", at)) >= 0:
        opening, closing = next((pair for pair in _SECTIONS if text.startswith(pair[0], begin)), ("<!", ""))
        end = text.find(closing, begin + len(opening))
        if end < 0:
            break
        inside = text[begin + len(opening) : end]
        parts.append(text[at:begin])
        parts.append("\n" * inside.count("\n") if opening == "<!--" else html.escape(inside, quote=False))
        at = end + len(closing)
    return "".join((*parts, text[at:]))


class _Reader:
    def __init__(self, text: str, default_currency: str) -> None:
        self._text = text
        self._default = default_currency
        self._statement: _Statement | None = None
        self._open: list[_Group] = []
        self._found = False
        self._unsigned = _MINUS.search(text) is None and _CREDIT.search(text) is not None
        self._counted_to = 0
        self._line = 1

    def read(self) -> Iterator[Event]:
        closed = False
        for token in _TOKEN.finditer(self._text):
            tag = token[2].upper()
            if token[1]:
                yield from self._close(tag, token.end(2) + 1)
                closed = closed or tag == "OFX"
            elif not token[3]:
                yield from self._begin(tag, token)
        if not closed or self._open or self._statement is not None:
            raise FileRefused(
                Message("file-line", line=str(self._line_of(len(self._text))), what=Message("ofx-breaks-off"))
            )
        if not self._found:
            raise FileRefused(Message("file-line", line="1", what=Message("ofx-no-statement")))

    def _line_of(self, offset: int) -> int:
        self._line += self._text.count("\n", self._counted_to, offset)
        self._counted_to = offset
        return self._line

    def _begin(self, tag: str, token: re.Match[str]) -> Iterator[Event]:
        now = self._statement
        if tag in _STATEMENTS:
            if now is not None:
                raise FileRefused(
                    Message("file-line", line=str(self._line_of(token.start())), what=Message("ofx-nested-statement"))
                )
            self._statement = _Statement(self._line_of(token.start()))
        elif now is None:
            return
        elif tag in _TRANSACTIONS:
            if self._open:
                raise FileRefused(
                    Message("file-line", line=str(self._line_of(token.start())), what=Message("ofx-nested-entry"))
                )
            yield from self._give_head(now)
            self._open.append(_Group(tag, self._line_of(token.start()), token.start()))
        elif tag in _GROUPS and not token[4].strip():
            if len(self._open) >= _MAX_DEPTH:
                raise FileRefused(
                    Message(
                        "file-line", line=str(self._line_of(token.start())), what=Message("ofx-depth", depth=_MAX_DEPTH)
                    )
                )
            self._open.append(_Group(tag, 0, token.start()))
        else:
            values = self._open[-1].values if self._open else now.values
            values.setdefault(tag, _value(token[4]))

    def _close(self, tag: str, end: int) -> Iterator[Event]:
        now = self._statement
        if now is None:
            return
        if tag in _STATEMENTS:
            if self._open:
                raise FileRefused(
                    Message(
                        "file-line",
                        line=str(self._line_of(end)),
                        what=Message("ofx-not-closed", element=self._open[-1].tag),
                    )
                )
            yield from self._give_head(now)
            yield StatementEnd(balances=tuple(self._balances(now)))
            self._statement = None
        elif self._open and self._open[-1].tag == tag:
            group = self._open.pop()
            if tag in _TRANSACTIONS:
                yield self._entry(now, group, self._text[group.begin : end])
                now.position += 1
            elif self._open:
                self._open[-1].values |= {f"{tag}.{key}": value for key, value in group.values.items()}
            elif tag in {"LEDGERBAL", "AVAILBAL"}:
                now.balances.append(group.values | {"": tag})

    def _give_head(self, now: _Statement) -> Iterator[StatementHead]:
        if now.head_given:
            return
        now.head_given = self._found = True
        currency = now.values.get("CURDEF", "").upper()
        yield StatementHead(
            format="OFX",
            version="",
            account=re.sub(r"\s", "", now.values.get("ACCTID", "")),
            currency=currency if known_currency(currency) else "",
            bank_code=now.values.get("BANKID", ""),
            from_date=_date(now.values.get("DTSTART", "")),
            to_date=_date(now.values.get("DTEND", "")),
        )

    def _currency(self, now: _Statement, of_entry: str = "") -> str:
        code = now.values.get("CURDEF", "").upper() or of_entry.upper() or self._default
        if not known_currency(code):
            raise AmountUnreadable(Message("amount-currency", currency=repr(code[:10])))
        return code

    def _entry(self, now: _Statement, group: _Group, raw: str) -> Entry | UnreadableEntry:
        said = group.values
        booking = _date(said.get("DTPOSTED") or said.get("DTTRAN") or "")
        try:
            currency = self._currency(now, said.get("CURRENCY.CURSYM", ""))
            minor = _amount(said.get("TRNAMT", ""), currency)
            self._check_sign(said, minor)
            _check_currency(said, currency)
        except AmountUnreadable as error:
            return UnreadableEntry(
                now.position, group.line, Message("file-line", line=str(group.line), what=error.message), raw[:_RAW]
            )
        if booking is None:
            none = Message("day-none", text=repr(said.get("DTPOSTED", "")[:20]))
            reason = Message("file-line", line=str(group.line), what=none)
            return UnreadableEntry(now.position, group.line, reason, raw[:_RAW])
        party = Party(
            name=said.get("NAME") or said.get("PAYEE.NAME") or "",
            account=BankWord(re.sub(r"\s", "", said.get("BANKACCTTO.ACCTID") or said.get("CCACCTTO.ACCTID") or "")),
            bic=said.get("BANKACCTTO.BANKID", ""),
        )
        memo = said.get("MEMO", "")
        reference = said.get("FITID", "")
        return Entry(
            amount_minor=minor,
            currency=currency,
            status=EntryStatus.PENDING if group.tag == "STMTTRNP" else EntryStatus.BOOKED,
            booking_date=booking,
            value_date=_date(said.get("DTAVAIL", "")),
            position=now.position,
            line=group.line,
            bank_reference=reference,
            customer_reference=said.get("CHECKNUM") or said.get("REFNUM") or "",
            booking_text=said.get("TRNTYPE", ""),
            details=(
                Detail(
                    amount_minor=minor,
                    currency=currency,
                    bank_reference=reference,
                    remittance_lines=(memo,) if memo else (),
                    debtor=party if minor >= 0 else Party(),
                    creditor=Party() if minor >= 0 else party,
                ),
            ),
        )

    def _check_sign(self, said: dict[str, str], minor: int) -> None:
        """The sign is that of the amount (OFX 11.4.3.1), but in a file without any minus the type may be meant."""
        if self._unsigned and minor > 0 and said.get("TRNTYPE", "").upper() == "DEBIT":
            raise AmountUnreadable(Message("amount-no-minus", amount=repr(said["TRNAMT"])))

    def _balances(self, now: _Statement) -> Iterator[Balance]:
        """LEDGERBAL closes the statement only if it is of its last day; AVAILBAL is what may be spent."""
        last = _date(now.values.get("DTEND", ""))
        for values in now.balances:
            day = _date(values.get("DTASOF", ""))
            try:
                currency = self._currency(now)
                minor = _amount(values.get("BALAMT", ""), currency)
            except AmountUnreadable:
                continue
            closing = "CLBD" if day is not None and day == last else "ITBD"
            yield Balance("CLAV" if values[""] == "AVAILBAL" else closing, minor, currency, day)


def _value(text: str) -> str:
    return _CHARACTER.sub(_character, text.strip())


def _character(found: re.Match[str]) -> str:
    return html.unescape(found[0]).replace("\xa0", " ")


def _date(text: str) -> date | None:
    if not re.match(r"\d{8}", text):
        return None
    try:
        found = date(int(text[:4]), int(text[4:6]), int(text[6:8]))
    except ValueError:
        return None
    return found if 1980 <= found.year <= 2099 else None


def _check_currency(said: dict[str, str], currency: str) -> None:
    """With CURRENCY an amount is in another currency than the statement; with ORIGCURRENCY it was converted (5.2)."""
    code = said.get("CURRENCY.CURSYM", "").upper()
    if code not in {"", currency}:
        raise AmountUnreadable(Message("amount-other-currency", currency=code[:10], other=currency))


def _amount(text: str, currency: str) -> int:
    """Minor units. A point or a comma is the decimal mark: OFX amounts have no marks between groups (3.2.9.2)."""
    mark = "," if text.rfind(",") > text.rfind(".") else "."
    return printed_amount(text, mark, currency)
