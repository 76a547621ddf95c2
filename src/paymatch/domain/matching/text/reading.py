"""Reading: the numbers in a posting's texts, in every sensible combination of their digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from paymatch.domain.bank_accounts import (
    QRR_LENGTH,
    is_belgian_communication,
    is_creditor_reference,
    is_iban,
    is_swiss_reference,
)
from paymatch.domain.matching.text.context import FILLERS, JOINERS, Context, context_of, may_be_name
from paymatch.domain.matching.text.numbers import (
    CREDITOR_ID,
    DATES,
    MIN_DIGITS,
    SEGMENT,
    Spans,
    codes_between_signs,
    forms_of,
    is_calendar_date,
    ordinal_of,
    with_digits_for_letters,
)

MAX_LENGTH: Final = 40
MAX_NUMBERS: Final = 400
MAX_LETTER_NUMBERS: Final = 5
MIN_USER_NAME: Final = 4
PREFIX_LETTERS: Final = 4
MAX_USER_NAME: Final = 24
Segment = tuple[int, int, str]  # start, end, letters only or digits only


class Number(NamedTuple):
    """A number found in a posting."""

    compact: str  # letters and digits only
    start: int  # place in the posting's text; -1 outside of it
    end: int
    digits: int
    context: Context
    source: str  # text, end-to-end, reference, document, detail, name
    joined: bool  # put together over blanks
    completed: bool  # a short suffix completed from the number before it
    attached: str = ""  # short letters written right before its digits, which are part of some number's form


_RF: Final = re.compile(r"(?<![A-Z0-9])R ?F[ .-]?[0-9][ .-]?[0-9](?:[ .-]?[0-9A-Z]){1,21}")
_IBAN: Final = re.compile(r"(?<![A-Z0-9])(?!RF)[A-Z]{2}[0-9]{2}(?: ?[0-9A-Z]{4}){3,7}(?: ?[0-9A-Z]{1,3})?(?![A-Z0-9])")
_COMMUNICATION: Final = re.compile(r"(?:\+{3}|\*{3}) ?([0-9]{3}) ?/ ?([0-9]{4}) ?/ ?([0-9]{5}) ?(?:\+{3}|\*{3})")
"""Belgium's structured communication: ten digits and two that check them."""
_MONEY: Final = re.compile(r"(?<![^ ])(?:[0-9]{1,3}(?:[.'][0-9]{3})+|[0-9]{1,6})[.,][0-9]{2}(?![0-9]|[-.,/][0-9])")
"""An amount as people write it, separate from what precedes it: `T51633 49.80`."""
_MORE_BEFORE: Final = re.compile("[0-9][-./]")
_MORE_AFTER: Final = re.compile(r"[-./](?![0-3]?[0-9]\.[01]?[0-9]\.)[0-9]")
_TIED_BEFORE: Final = re.compile(r"[0-9][-./_ ]?\Z")
_TIED_AFTER: Final = re.compile("[-./_]?[A-Z]|[-./_ ]?[0-9]")
_LETTERS: Final = re.compile(r"(?<![A-Z0-9])[A-Z]{5,12}(?![A-Z0-9])")
_DIGIT: Final = re.compile("[0-9]")
_MIXED: Final = re.compile("[0-9][-./_@]?[A-Z]|(?<![A-Z0-9])[A-Z][0-9]|[A-Z][-./_@][A-Z]+[-./_@]?[0-9]")
_PLAIN: Final = re.compile("[#.]?((?!RF)(?:[A-Z]{2,4})?)-?([1-9][0-9]{2,14})")
_SHORT: Final = re.compile("[#.]?([1-9][0-9]?)")
_TIGHT: Final = re.compile(r"[A-Z0-9]+(?:[-./_@][A-Z0-9]+)*")
_UNSAYING: Final = FILLERS | JOINERS
_GAPS: Final = frozenset((" ", "-", ".", "/", "_", ". ", "- ", " -", "/ ", " /", " - ", "  "))
_PREFIX_GAPS: Final = frozenset(("", "-", ".", "/", "_", " ", "#", "- "))
_USER_NAME_GAPS: Final = frozenset(("", "_"))
_SIGNS: Final = frozenset("-./_")
_LIST_WORDS: Final = frozenset(("", "U", "UND", "+", "&", "/"))
_LIST_GAPS: Final = frozenset(
    ("/", ",", "+", "-", ", ", "/ ", " / ", " + ", " ,", "; ", ";", " & ", "&", " ", "U", "UND")
)


def read_text(text: str, booked: date) -> tuple[list[Number], frozenset[int]]:
    """(all numbers in a posting's text in flat capitals, the dates in it as ordinals)."""
    if not _DIGIT.search(text):
        return [], frozenset()
    single = _single(text, booked, "text")
    if single is not None:
        return single, frozenset()
    reader = _Reader(text, booked, "text", 0)
    reader.read()
    if not reader.spans:
        return reader.found, frozenset()
    return reader.found, frozenset(ordinal_of(text[start:end], booked) for start, end in reader.spans) - {0}


def is_inner(text: str, number: Number) -> bool:
    """True if the number is a part of a longer one that is written with signs (`1045.22.104`), a date aside."""
    if number.start < 0:
        return False
    before = _MORE_BEFORE.fullmatch(text, max(0, number.start - 2), number.start)
    return before is not None or _MORE_AFTER.match(text, number.end) is not None


def letter_numbers(text: str) -> list[Number]:
    """The words of a text in flat capitals that may be an order's number without any digit (`XKTRQP`)."""
    found = [match for match in _LETTERS.finditer(text) if may_be_name(match.group())]
    if len(found) > MAX_LETTER_NUMBERS:
        return []
    return [Number(m.group(), m.start(), m.end(), 0, Context.NONE, "text", False, False) for m in found]


def numbers_in(text: str, booked: date, source: str = "text", offset: int = 0) -> list[Number]:
    """All numbers in `text` (flat capitals) and their sensible combinations."""
    if not _DIGIT.search(text):
        return []
    single = _single(text, booked, source) if not offset else None
    if single is not None:
        return single
    reader = _Reader(text, booked, source, offset)
    reader.read()
    return reader.found


def _single(text: str, booked: date, source: str) -> list[Number] | None:
    """The readings of a text that is just one plain number, the most common kind; None if it is not.

    Dates, references with a check digit and letters with a meaning of their own are left to the reader.
    """
    short = _SHORT.fullmatch(text) if source == "text" else None
    if short is not None:  # the number is alone: that announces it as a word would
        return [Number(short[1], *short.span(1), len(short[1]), Context.ORDER, source, False, False)]
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    letters, digits = match.groups()
    if letters in FILLERS or context_of(letters) is not Context.NONE or is_calendar_date(digits, booked):
        return None
    start, end = match.span(2) if source == "text" else (-1, -1)
    count = len(digits)
    if not letters:
        return [Number(digits, start, end, count, Context.NONE, source, False, False)]
    first = match.start(1) if source == "text" else -1
    return [
        Number(digits, start, end, count, Context.NONE, source, False, False, letters),
        Number(letters + digits, first, end, count, Context.NONE, source, False, False),
    ]


class _Reader:
    """Reads one text from left to right."""

    __slots__ = (
        "base",
        "before_date",
        "booked",
        "context",
        "found",
        "group",
        "last_part",
        "money",
        "offset",
        "run",
        "seen",
        "segments",
        "source",
        "spans",
        "text",
    )

    def __init__(self, text: str, booked: date, source: str, offset: int) -> None:
        self.text = text
        self.booked = booked
        self.source = source
        self.offset = offset
        self.found: list[Number] = []
        self.seen: set[tuple[str, int]] = set()
        self.segments: list[Segment] = []
        self.spans: list[tuple[int, int]] = []  # dates and IBANs, which are never order numbers
        self.money: list[tuple[int, int]] = []  # amounts, which are never suffixes of the number before them
        self.context = self.before_date = Context.NONE
        self.base: Segment | None = None  # the long number that completes short ones after it
        self.group: Segment | None = None  # digits joined by signs; later digits may replace the last part
        self.last_part = 0  # how many digits that last part has
        self.run = range(0)  # the segments of digits that may belong together

    def read(self) -> None:
        """Fills `found`."""
        text = self.text
        self.segments = [(*m.span(), m.group()) for m in SEGMENT.finditer(text)]
        self.spans = [*(m.span() for m in DATES.finditer(text)), *(m.span() for m in CREDITOR_ID.finditer(text))]
        self.spans += [m.span() for m in _IBAN.finditer(text) if is_iban(m.group().replace(" ", ""))]
        self.money = [m.span() for m in _MONEY.finditer(text)]
        self._creditor_references()
        self._communications()
        spans = Spans(self.spans)
        for index, segment in enumerate(self.segments):
            if segment[2][0] > "9":
                self._letters(index, segment[2])
            elif spans.hold(segment[0]):
                self._end_run()
                self.base = self.group = None
                self._after_date()
            else:
                self._digits(index, segment)
        if _MIXED.search(text):
            self._tight_tokens()

    def _letters(self, index: int, word: str) -> None:
        if word in _UNSAYING or (len(word) <= PREFIX_LETTERS and self._is_prefix(index)):
            return
        context = context_of(word)
        if context is Context.DATE:
            self.before_date = self.context
        self.context = context
        self.base = self.group = None

    def _digits(self, index: int, segment: Segment) -> None:
        start, end, digits = segment
        run = self.run
        if run and (index != run.stop or self.text[self.segments[index - 1][1] : start] not in _GAPS):
            self._end_run()
        if self.base is not None:
            self._complete(self.base, index)
        self._in_group(index, segment)
        self.run = range(self.run.start, index + 1) if self.run else range(index, index + 1)
        if 4 <= end - start <= MAX_LENGTH and (self.base is None or end - start >= len(self.base[2])):
            self.base = segment
        if index + 1 == len(self.segments) or self.segments[index + 1][2][0] > "9":
            self._end_run()
            if is_calendar_date(digits, self.booked):
                self._after_date()

    def _in_group(self, index: int, segment: Segment) -> None:
        """Completes a last part from the number before (`2026-0413, 0422`), or begins and continues such a number."""
        start, end, digits = segment
        if not index:
            return
        _, until, before = self.segments[index - 1]
        gap, group = self.text[until:start], self.group
        if gap in _SIGNS and before[0] <= "9":
            at, text = self.segments[index - 1][0], before
            if group is not None and group[1] == until:
                at, text = group[0], group[2]
            self.group = (at, end, text + digits) if len(text + digits) <= MAX_LENGTH else None
            self.last_part = len(digits)
        elif group is None or self._is_money(start):
            return
        elif len(digits) <= self.last_part and gap.strip(" .,") in _LIST_WORDS:
            completed = group[2][: -len(digits)] + digits
            if completed != group[2]:
                self._add(completed, start, end, self.context, completed=True)

    def _after_date(self) -> None:
        """The word before a date applies to the date only; the earlier context continues (`Best. vom 3.4. Nr 7`)."""
        if self.context is Context.DATE:
            self.context = self.before_date

    def _is_prefix(self, index: int) -> bool:
        """True if the letters at `index` are written as part of the number after them (`SW-10840`)."""
        if index + 1 >= len(self.segments):
            return False
        _, end, word = self.segments[index]
        start, _, following = self.segments[index + 1]
        return (
            following[0] <= "9"
            and self.text[end:start] in ("", "-", "_", "/")
            and (context_of(word) is Context.NONE or self.text[end:start] != "")
        )

    def _end_run(self) -> None:
        """Adds the numbers that the collected digits may be, read separately and together."""
        run, self.run = self.run, range(0)
        count = len(run)
        if count < 2:
            if run:
                self._window(run)
            return
        digits = sum(len(self.segments[i][2]) for i in run)
        spaced = digits <= 3 * count + 6
        longest = count if count <= 5 or (spaced and count <= 14) else 3
        for first in run:
            for end in range(first + 1, min(run.stop, first + longest) + 1):
                self._window(range(first, end))
        self._window(run)

    def _window(self, run: range) -> None:
        """Adds the number that these segments of digits are when read together."""
        start, end, raw = self.segments[run.start]
        joined = False
        if len(run) == 1:
            bare = raw.lstrip("0") if raw[0] == "0" else raw
        else:
            pieces = [self.segments[i][2] for i in run]
            end = self.segments[run[-1]][1]
            joined = " " in self.text[start:end]
            raw = "".join(pieces)
            bare = "".join([piece.lstrip("0") for piece in pieces])
        length = len(raw)
        if length > MAX_LENGTH or len(self.found) > MAX_NUMBERS:
            return
        texts = (raw,) if bare == raw else (raw, bare)
        before = self._letters_before(run.start)
        announced = self.context in (Context.ORDER, Context.INVOICE)
        if length >= MIN_DIGITS or announced:
            context = self.context
            if len(run) == 1 and length in (4, 8) and self._is_calendar(raw, start, before):
                context = Context.DATE
            attached = "" if before is None else _attached_letters(before[2], self.text[before[1] : start])
            for text in texts:
                if len(text) > 1 or (text and announced and self._stands_alone(start, end)):
                    self._add(text, start, end, context, joined=joined, attached=attached)
            if before is not None:
                self._with_letters(before, run.start, texts, end, joined)
        elif before is not None and (self._is_user_name(before, run.start) or self._is_short_whole(before, run.start)):
            self._with_letters(before, run.start, texts, end, joined)
        if 16 <= length <= QRR_LENGTH and is_swiss_reference(raw.zfill(QRR_LENGTH)):
            self._inside_qrr(raw.zfill(QRR_LENGTH), start, end)

    def _stands_alone(self, start: int, end: int) -> bool:
        """True if short digits have no neighbour that makes them longer (not `3` of `3/2026`, `R24` of `R-24-117`)."""
        if _TIED_BEFORE.search(self.text, max(0, start - 2), start) is not None:
            return False
        return _TIED_AFTER.match(self.text, end) is None

    def _is_short_whole(self, before: Segment, index: int) -> bool:
        """True if the few digits at `index` and the letters before them are a number of their own (`SW-7`)."""
        if len(before[2]) > PREFIX_LETTERS or before[2] in FILLERS or not self._is_prefix(index - 1):
            return False
        return self._stands_alone(before[0], self.segments[index][1])

    def _is_user_name(self, before: Segment, index: int) -> bool:
        """True if the few digits at `index` and the letters before them may be a user's name (`mia_12`)."""
        return len(before[2]) >= MIN_USER_NAME and self.text[before[1] : self.segments[index][0]] in _USER_NAME_GAPS

    def _is_calendar(self, digits: str, start: int, before: Segment | None) -> bool:
        """True for eight digits that are a date, and for this or last year, unless a word or sign marks a number."""
        if len(digits) == 8:
            return is_calendar_date(digits, self.booked)
        announced = self.context is not Context.NONE or (before is not None and before[2] in FILLERS)
        return not announced and self.text[start - 1 : start] != "#" and 0 <= self.booked.year - int(digits) <= 1

    def _letters_before(self, index: int) -> Segment | None:
        """The segment before this one, if it is of letters."""
        before = self.segments[index - 1] if index else None
        return before if before is not None and before[2][0] > "9" else None

    def _with_letters(self, before: Segment, index: int, texts: Sequence[str], end: int, joined: bool) -> None:
        """The number from segment `index` on together with the letters before it, if they may be part of it."""
        at, until, letters = before
        if len(letters) > MAX_USER_NAME:
            return
        gap = self.text[until : self.segments[index][0]]
        if gap not in _PREFIX_GAPS or (gap not in _USER_NAME_GAPS and len(letters) > 6):
            return
        if gap == " " and (len(letters) > 4 or letters in FILLERS):
            return
        if letters == "F" and index > 1 and self.segments[index - 2][2] == "R":
            at, letters = self.segments[index - 2][0], "RF"
        for text in texts:
            if text:
                self._add(letters + text, at, end, self.context, joined=joined or gap == " ")

    def _inside_qrr(self, raw: str, start: int, end: int) -> None:
        """The numbers with which such a reference may end, before its check digit; zeros fill what is before them."""
        body = raw[:-1]
        self._add(raw, start, end)
        for at in range(len(body) - 12, len(body) - MIN_DIGITS + 1):
            if body[at - 1] == "0" and body[at] != "0":
                self._add(body[at:], start, end, joined=True)

    def _complete(self, base: Segment, index: int) -> None:
        """A short number after a long one, with the long one's beginning before it (`1833/34`)."""
        start, end, suffix = self.segments[index]
        if len(suffix) >= len(base[2]) or base[0] == start or self._is_money(start):
            return
        gap = self.text[self.segments[index - 1][1] : start] if index else ""
        if gap in _LIST_GAPS or gap.strip(" .,") in _LIST_WORDS:
            self._add(base[2][: -len(suffix)] + suffix, start, end, self.context, completed=True)

    def _is_money(self, place: int) -> bool:
        return any(at <= place < to for at, to in self.money)

    def _creditor_references(self) -> None:
        for match in _RF.finditer(self.text):
            compact = re.sub("[^A-Z0-9]", "", match.group())
            for length in range(len(compact), 8, -1):
                if is_creditor_reference(compact[:length]):
                    self._add(compact[:length], match.start(), match.end())
                    if len(own := compact[4:length].lstrip("0")) > MIN_DIGITS:  # the shop's number
                        self._add(own, match.start(), match.end(), joined=True)
                    break

    def _communications(self) -> None:
        for match in _COMMUNICATION.finditer(self.text):
            whole = "".join(match.groups())
            if not is_belgian_communication(whole):
                continue
            self.spans.append(match.span())
            for text in (whole, whole[:10], whole[:10].lstrip("0")):
                if len(text) >= MIN_DIGITS:
                    self._add(text, *match.span())

    def _tight_tokens(self) -> None:
        """Tokens with letters between or after their digits, and those with the letter O for a zero."""
        for match in _TIGHT.finditer(self.text):
            token = match.group()
            parts = SEGMENT.findall(token)
            letters = sum(part[0] > "9" for part in parts)
            if letters in (0, len(parts)):
                continue
            inner = letters > 1 or parts[0][0] <= "9"
            if inner and sum(map(len, parts)) <= MAX_LENGTH:
                self._add("".join(parts), match.start(), match.end())
                for code, start, end in codes_between_signs(match, self.text):
                    self._add(code, start, end)
            if inner or len(parts[0]) == 1:
                self._letter_for_digit(token, match.start(), match.end())

    def _letter_for_digit(self, token: str, start: int, end: int) -> None:
        repaired = with_digits_for_letters(token)
        for text in forms_of(repaired) if repaired != token else ():
            if len(text) >= MIN_DIGITS:
                self._add(text, start, end, joined=True)

    def _add(
        self,
        compact: str,
        start: int,
        end: int,
        context: Context = Context.NONE,
        *,
        joined: bool = False,
        completed: bool = False,
        attached: str = "",
    ) -> None:
        """Adds a number at this place of the text, unless it is already known there."""
        place = (compact, start)
        if place in self.seen:
            return
        self.seen.add(place)
        digits = len(compact) if compact.isdigit() else sum(map(str.isdigit, compact))
        if self.source == "text":
            start, end = start + self.offset, end + self.offset
        else:
            start = end = -1
        self.found.append(Number(compact, start, end, digits, context, self.source, joined, completed, attached))


def _attached_letters(letters: str, gap: str) -> str:
    """A few letters right before digits that are not a separate word."""
    return letters if len(letters) <= PREFIX_LETTERS and gap in ("", "-", "_") and letters not in FILLERS else ""
