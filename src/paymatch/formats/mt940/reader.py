"""MT940 and MT942 files: statements and entries in the bank's words, read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import BinaryIO, Final

from paymatch.domain.words.message import Message
from paymatch.formats.balances.doubtful import DoubtfulEntries
from paymatch.formats.balances.proof import Proof, booked_minor
from paymatch.formats.bank_values import account_of, known_currency
from paymatch.formats.mt940.details import describe
from paymatch.formats.mt940.fields import (
    LineUnreadable,
    SwiftLine,
    parse_balance,
    parse_floor_currency,
    parse_sequence,
    parse_statement_line,
    parse_sum,
    parse_typeless_line,
)
from paymatch.formats.mt940.lines import EndOfFile, Mt940Field, fields
from paymatch.formats.mt940.typed_tags import as_text, is_typed, with_following
from paymatch.formats.statement import (
    Balance,
    Entry,
    EntryStatus,
    FileRefused,
    StatementEnd,
    StatementHead,
    UnreadableEntry,
)

Event = StatementHead | Entry | UnreadableEntry | StatementEnd

_OPENING: Final = frozenset({"60", "60F", "60M"})
_CLOSING: Final = frozenset({"62", "62F", "62M"})
_FURTHER: Final = frozenset({"64", "64F", "65", "65F"})
_RAW: Final = 4000
_MAX_DESCRIPTION: Final = 65_536  # characters of all :86: of one :61:
_INTERIM: Final = re.compile(r"\{2:[IO]942")


@dataclass(slots=True)
class _Statement:
    """The statement that is being read."""

    line: int
    interim: bool = False
    reference: str = ""
    account: str = ""
    currency: str = ""
    number: str = ""
    page: int | None = None
    servicer: str = ""
    opening: Balance | None = None
    from_date: date | None = None
    head_given: bool = False
    closed: bool = False
    position: int = 0
    balances: list[Balance] = field(default_factory=list)
    sums: dict[str, tuple[int, int]] = field(default_factory=dict)
    assumed_currency: str = ""  # of the entries, as long as the statement names none
    entry: Mt940Field | None = None
    description: list[str] = field(default_factory=list)
    described: int = 0  # characters of the description
    guesses: list[Message] = field(default_factory=list)
    proof: Proof = field(default_factory=Proof)
    typed: DoubtfulEntries = field(default_factory=DoubtfulEntries)
    doubtful_sums: set[str] = field(default_factory=set)

    @property
    def day(self) -> date | None:
        """The day near which its entries were booked: that of the opening balance; None if it has none."""
        return self.from_date


def read_mt940(
    stream: BinaryIO, *, default_currency: str = "EUR", encoding: str | None = None
) -> Iterator[StatementHead | Entry | UnreadableEntry | StatementEnd]:
    """The statements of an MT940 or MT942 file: per statement its head, its entries, its end.

    Entries come in their order; those that may be text of a payer (D-80) come last, once the balances are known.

    Amounts are signed by their effect on the account: RC (reversal of a credit) is negative, RD positive. Memory does
    not grow with the file. `default_currency` is the account's currency for statements that do not name one (the head
    then says ""). `encoding` overrules detection (UTF-8, else code page 850 if its umlauts show, else windows-1252).
    FileRefused: no statement in it, entries outside of one, NUL bytes, overlong lines, or the file breaks off.
    """
    return _Reader(default_currency).read(fields(stream, encoding))


class _Reader:
    def __init__(self, default_currency: str) -> None:
        assert known_currency(default_currency)
        self._default = default_currency
        self._now: _Statement | None = None
        self._interim_message = False
        self._found = False

    def read(self, source: Iterator[Mt940Field | EndOfFile]) -> Iterator[Event]:
        last = ""
        for item, following in with_following(source):
            if isinstance(item, EndOfFile):
                self._check_end(item, last)
                yield from self._close()
            elif item.tag == "":
                yield from self._close()
                if _INTERIM.search(item.lines[0]):
                    self._interim_message = True
                elif item.lines[0].startswith("{"):
                    self._interim_message = False
                last = "-"
            elif self._in_text(item, following):
                assert self._now is not None, "text of an entry"
                self._describe(self._now, as_text(item))
            else:
                yield from self._take(item)
                last = item.tag
        if not self._found:
            raise FileRefused(Message("file-line", line="1", what=Message("mt940-none")))

    def _in_text(self, item: Mt940Field, following: Mt940Field | EndOfFile | None) -> bool:
        """Whether what looks like a field goes on with the text of the present entry, as a payer typed it."""
        now = self._now
        if now is None or now.entry is None or now.closed or not item.may_be_typed:
            return False
        return is_typed(item, following)

    def _check_end(self, end: EndOfFile, last: str) -> None:
        """Refuses a file that stops inside a statement: what is missing could be the rest of the last entry."""
        now = self._now
        if now is None or now.closed or now.sums:
            return
        # A lone :20: says nothing yet; balances of the days ahead (:65:) or an empty line mark an end of some kind.
        if end.unended or not (end.blank_after or last == "20" or last in _FURTHER):
            raise FileRefused(Message("file-line", line=str(end.line), what=Message("mt940-ends")))

    def _take(self, item: Mt940Field) -> Iterator[Event]:
        if item.tag in {"940", "942"}:
            yield from self._close()
            self._interim_message = item.tag == "942"
            return
        if self._starts_statement(item):
            previous = self._now
            yield from self._close()
            self._now = _Statement(item.line, interim=self._interim_message)
            if item.tag != "20" and previous is not None:
                self._now.account, self._now.reference = previous.account, previous.reference
        now = self._now
        if now is None:
            if item.tag in {"86", "NS", "13", "13D", "21"}:
                return
            raise FileRefused(Message("file-line", line=str(item.line), what=Message("mt940-outside", tag=item.tag)))
        yield from self._put(now, item)

    def _starts_statement(self, item: Mt940Field) -> bool:
        now = self._now
        if item.tag == "20":
            return True
        if now is None:
            return item.tag in {"25", "25P"}
        return now.closed and item.tag in {"25", "25P", "28", "28C", *_OPENING}

    def _put(self, now: _Statement, item: Mt940Field) -> Iterator[Event]:
        if item.tag == "86":
            if now.entry is not None and not now.closed:
                self._describe(now, item)
            return
        if item.tag == "NS":
            return
        yield from self._finish_entry(now)
        if item.tag == "61":
            yield from self._give_head(now)
            now.entry = item
        elif item.tag in _CLOSING:
            self._note_balance(now, item)
            yield from self._give_head(now)
            now.closed = True
        elif item.tag in _FURTHER:
            self._note_balance(now, item)
        else:
            self._note(now, item)

    def _describe(self, now: _Statement, item: Mt940Field) -> None:
        """Keeps what is said of the entry, up to a length that no bank reaches."""
        for line in item.lines:
            if now.described > _MAX_DESCRIPTION:
                return
            now.described += len(line)
            if now.described > _MAX_DESCRIPTION:
                cut = Message("mt940-cut", most=f"{_MAX_DESCRIPTION:,}")
                now.guesses.append(Message("file-line", line=str(item.line), what=cut))
                return
            now.description.append(line)

    def _note(self, now: _Statement, item: Mt940Field) -> None:
        text = item.text.strip()
        if item.tag == "20":
            now.reference = text[:35]
        elif item.tag in {"25", "25P"}:
            now.account, currency = account_of(item.lines[0])
            now.currency = now.currency or currency
            now.servicer = item.lines[1].strip() if item.tag == "25P" and len(item.lines) > 1 else ""
        elif item.tag in {"28", "28C"}:
            now.number, now.page = parse_sequence(item.lines[0])
        elif item.tag in _OPENING:
            self._note_balance(now, item)
        elif item.tag == "34F":
            now.currency = now.currency or parse_floor_currency(text)
            now.interim = now.interim or now.opening is None
        elif item.tag in {"13", "13D"}:
            now.interim = now.interim or now.opening is None
        elif item.tag in {"90C", "90D"} and (found := parse_sum(text)) is not None:
            now.sums[item.tag] = found
            (now.doubtful_sums.add if item.may_be_typed else now.doubtful_sums.discard)(item.tag)

    def _note_balance(self, now: _Statement, item: Mt940Field) -> None:
        # Remarks may follow the last balance.
        read = parse_balance(item.tag, item.text) or parse_balance(item.tag, item.lines[0])
        if read is None:
            return
        if now.assumed_currency not in {"", read.currency}:
            raise FileRefused(
                Message(
                    "file-line",
                    line=str(item.line),
                    what=Message("mt940-currency", tag=item.tag, currency=read.currency, assumed=now.assumed_currency),
                )
            )
        if item.tag in _OPENING:
            now.opening, now.from_date, now.interim = read, read.date, False
        now.currency = read.currency if item.tag in _OPENING else now.currency or read.currency
        now.balances.append(read)

    def _give_head(self, now: _Statement) -> Iterator[Event]:
        if now.head_given:
            return
        now.head_given = True
        self._found = True
        yield StatementHead(
            format="MT942" if now.interim else "MT940",
            version="",
            account=now.account,
            currency=now.currency,
            message_id=now.reference,
            statement_id=now.reference,
            legal_sequence=now.number,
            page=now.page,
            from_date=now.from_date,
            servicer_bic=now.servicer,
        )

    def _finish_entry(self, now: _Statement) -> Iterator[Event]:
        if now.entry is None:
            return
        item, lines = now.entry, tuple(now.description)
        now.entry, now.description, now.described = None, [], 0
        if not now.currency:
            now.assumed_currency = self._default
        usual, habit = _readings(item, lines, now, now.currency or self._default)
        now.position += 1
        if item.may_be_typed:
            now.typed.hold(usual)
        elif now.proof.waits or habit is not None:
            now.proof.hold(usual, habit)
        else:
            now.proof.count(usual)
            yield usual

    def _close(self) -> Iterator[Event]:
        now = self._now
        self._now = None
        if now is None:
            return
        yield from self._finish_entry(now)
        if not now.head_given and not (now.account or now.balances):
            return
        yield from self._give_head(now)
        entries, notes = _settle_doubts(now)
        yield from entries
        credit, debit = now.sums.get("90C"), now.sums.get("90D")
        yield StatementEnd(
            balances=tuple(now.balances),
            summary_count=credit[0] + debit[0] if credit and debit else None,
            summary_credit_minor=credit[1] if credit else None,
            summary_debit_minor=debit[1] if debit else None,
            guesses=(*now.guesses, *notes),
        )


def _settle_doubts(now: _Statement) -> tuple[list[Entry | UnreadableEntry], list[Message]]:
    """The entries that were held until the end of the statement, and notes on what its balances prove."""
    for each in now.typed.readable:
        now.proof.count(each)
    entries, notes = now.proof.settle(now.balances)
    return [*entries, *now.typed.settle(_excess_minor(now, entries), provisional=now.interim)], notes


def _excess_minor(now: _Statement, held: list[Entry | UnreadableEntry]) -> int | None:
    """By how much the entries exceed balances, or the bank's own sums of them; None if it gives neither."""
    if not now.interim:
        return now.proof.excess_minor(held, now.balances)
    if not now.sums or now.doubtful_sums:
        return None
    credit, debit = (now.sums.get(tag, (0, 0))[1] for tag in ("90C", "90D"))
    return now.proof.booked_minor + sum(booked_minor(each) or 0 for each in held) - credit + debit


def _readings(
    item: Mt940Field, lines: tuple[str, ...], now: _Statement, currency: str
) -> tuple[Entry | UnreadableEntry, Entry | None]:
    """What the standard makes of a :61: with its :86:, and what the habit of some banks would mean; None where it
    would mean the same."""
    day, position = now.day, now.position
    try:
        line = parse_statement_line(item.lines, currency, day)
    except LineUnreadable as error:
        raw = "\n".join((f":61:{item.lines[0]}", *item.lines[1:], *lines))
        usual = UnreadableEntry(
            position, item.line, Message("file-line", line=str(item.line), what=error.message), raw[:_RAW]
        )
        typeless = parse_typeless_line(item.lines, currency, day)
        return usual, _entry(typeless, item.line, lines, currency, now) if typeless else None
    turned = replace(line, amount_minor=-line.amount_minor) if line.reversal else None
    return _entry(line, item.line, lines, currency, now), (
        _entry(turned, item.line, lines, currency, now) if turned else None
    )


def _entry(line: SwiftLine, number: int, lines: tuple[str, ...], currency: str, now: _Statement) -> Entry:
    said = describe(line, lines, currency, now.account)
    codes = (line.transaction_type, said.gvc, said.prima_nota)
    return Entry(
        amount_minor=line.amount_minor,
        currency=currency,
        status=EntryStatus.PENDING if line.expected else EntryStatus.BOOKED,
        booking_date=line.booking_date,
        value_date=line.value_date,
        position=now.position,
        line=number,
        reversal=line.reversal,
        bank_reference=line.bank_reference,
        customer_reference=line.customer_reference,
        proprietary_code="+".join(codes).rstrip("+"),
        gvc=said.gvc,
        booking_text=said.booking_text,
        charges=said.charges,
        additional_info=line.supplement,
        details=(said.detail,),
    )
