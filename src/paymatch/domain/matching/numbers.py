"""Numbers: the forms in which an order's number may be written, and the numbers that a posting's texts hold."""

from __future__ import annotations

import re
from datetime import date
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from paymatch.domain.matching.context import FILLERS, JOINERS, Context, context_of

MIN_DIGITS: Final = 3
MAX_LENGTH: Final = 40
MAX_NUMBERS: Final = 400
MIN_USER_NAME: Final = 4
MAX_USER_NAME: Final = 24


class Form(IntEnum):
    """How completely a number was written; a larger value is less."""

    FULL = 0  # as the shop has it, separators aside
    DIGITS = 1  # without its letters
    ZEROS = 2  # leading zeros of a part lost
    TAIL = 3  # only its last part


_SEGMENT: Final = re.compile("[A-Z]+|[0-9]+")


@lru_cache(maxsize=262144)
def forms_of(flat_number: str) -> dict[str, Form]:
    """The compact texts by which a number may appear, with how complete each is. `flat_number` is in flat capitals."""
    if flat_number.isdigit() and flat_number[0] != "0":
        return {flat_number: Form.FULL}
    segments = _SEGMENT.findall(flat_number)
    if len(segments) == 1:
        only = segments[0]
        stripped = only.lstrip("0")
        return {only: Form.FULL} if stripped == only or not stripped else {only: Form.FULL, stripped: Form.ZEROS}
    forms: dict[str, Form] = {}
    digits = [segment for segment in segments if segment.isdigit()]
    bare = [segment.lstrip("0") or "0" for segment in digits]
    if digits:
        if len(digits[-1]) >= MIN_DIGITS:
            tail = bare[-1]
            if len(tail) >= 2:
                forms[tail] = Form.TAIL
            forms[digits[-1]] = Form.TAIL
        forms["".join(segment.lstrip("0") if segment.isdigit() else segment for segment in segments)] = Form.ZEROS
        forms["".join(bare)] = Form.ZEROS
        forms["".join(digits)] = Form.DIGITS
    forms["".join(segments)] = Form.FULL
    return {text: form for text, form in forms.items() if len(text) >= 2}


class Number(NamedTuple):
    """A number found in a posting."""

    compact: str  # letters and digits only
    start: int  # place in the posting's text; -1 outside of it
    end: int
    digits: int
    context: Context
    source: str  # text, end-to-end, reference, document
    joined: bool  # put together over blanks
    completed: bool  # a short suffix completed from the number before it
    base: int  # of a completed one: the start of the number it was completed from


_DATES: Final = re.compile(
    r"(?<![0-9])(?:[0-3]?[0-9]\.[01]?[0-9]\.(?:20[0-9]{2}|[0-9]{2}(?![0-9]))?|20[0-9]{2}-[01][0-9]-[0-3][0-9]|"
    r"[0-3]?[0-9]/[01]?[0-9]/20[0-9]{2})(?![0-9])"
)
_RF: Final = re.compile(r"(?<![A-Z0-9])R ?F[ .-]?[0-9][ .-]?[0-9](?:[ .-]?[0-9A-Z]){1,21}")
_IBAN: Final = re.compile(r"(?<![A-Z0-9])(?!RF)[A-Z]{2}[0-9]{2}(?: ?[0-9A-Z]{4}){3,7}(?: ?[0-9A-Z]{1,3})?(?![A-Z0-9])")
_DIGIT: Final = re.compile("[0-9]")
_MIXED: Final = re.compile("[0-9][-./_@]?[A-Z]|(?<![A-Z0-9])[A-Z][0-9]|[A-Z][-./_@][A-Z]+[-./_@]?[0-9]")
_TIGHT: Final = re.compile(r"[A-Z0-9]+(?:[-./_@][A-Z0-9]+)*")
_LETTER_FOR_DIGIT: Final = re.compile(r"(?<=[0-9])[OQILSBZ]+(?=[0-9]|$)|(?<![A-Z])[OIL](?=[0-9])")
_DIGIT_OF: Final = str.maketrans("OQILSBZ", "0011582")
_GAPS: Final = frozenset((" ", "-", ".", "/", "_", ". ", "- ", " -", "/ ", " /", " - ", "  "))
_PREFIX_GAPS: Final = frozenset(("", "-", ".", "/", "_", " ", "#", "- "))
_LIST_GAPS: Final = frozenset(
    ("/", ",", "+", "-", ", ", "/ ", " / ", " + ", " ,", "; ", ";", " & ", "&", " ", "U", "UND")
)


def is_calendar_date(digits: str, near: date) -> bool:
    """True if eight digits read as a date (year first or last) about two years around `near`."""
    if len(digits) != 8 or not digits.isdigit():
        return False
    for year, month, day in ((digits[:4], digits[4:6], digits[6:]), (digits[4:], digits[2:4], digits[:2])):
        if abs(int(year) - near.year) > 2 or not ("01" <= month <= "12" and "01" <= day <= "31"):
            continue
        return True
    return False


def valid_rf(reference: str) -> bool:
    """True if `reference` (compact capitals) is an ISO 11649 creditor reference with a right checksum."""
    if not (5 <= len(reference) <= 25 and reference.startswith("RF") and reference.isalnum() and reference.isascii()):
        return False
    moved = reference[4:] + reference[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


def valid_iban(text: str) -> bool:
    """True if `text` (compact capitals) has the checksum of an IBAN (ISO 13616)."""
    return (
        15 <= len(text) <= 34
        and text.isalnum()
        and int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1
    )


_CARRY: Final = (0, 9, 4, 6, 8, 2, 7, 1, 3, 5)


def valid_qrr(digits: str) -> bool:
    """True if 27 or 16 digits carry a right check digit, modulo 10 recursive (Swiss QRR and ISR references)."""
    if len(digits) not in (16, 27) or not digits.isdigit() or not digits.strip("0"):
        return False
    carry = 0
    for digit in digits[:-1]:
        carry = _CARRY[(carry + int(digit)) % 10]
    return (10 - carry) % 10 == int(digits[-1])


def _count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def numbers_in(text: str, booked: date, source: str = "text", offset: int = 0) -> list[Number]:
    """All numbers in `text` (flat capitals) with every sensible way to read them together."""
    if not _DIGIT.search(text):
        return []
    reader = _Reader(text, booked, source, offset)
    reader.read()
    return reader.found


class _Reader:
    """Reads one text from left to right."""

    __slots__ = ("booked", "found", "offset", "seen", "segments", "source", "spans", "text")

    def __init__(self, text: str, booked: date, source: str, offset: int) -> None:
        self.text = text
        self.booked = booked
        self.source = source
        self.offset = offset
        self.found: list[Number] = []
        self.seen: set[tuple[str, int]] = set()
        self.segments: list[tuple[int, int, str]] = []
        self.spans: list[tuple[int, int]] = []

    def read(self) -> None:
        text = self.text
        self.segments = [(m.start(), m.end(), m.group()) for m in _SEGMENT.finditer(text)]
        if "." in text or "-" in text or "/" in text:
            self.spans = [m.span() for m in _DATES.finditer(text)]
        if len(text) > 20:
            self.spans += [m.span() for m in _IBAN.finditer(text) if valid_iban(m.group().replace(" ", ""))]
        if "RF" in text or "R F" in text:
            self._creditor_references()
        run: list[int] = []
        context = before_date = Context.NONE
        base: tuple[int, int, str] | None = None
        for index, (start, end, segment) in enumerate(self.segments):
            if segment[0] > "9":
                if segment in FILLERS or segment in JOINERS or self._is_prefix(index):
                    continue
                word_context = context_of(segment)
                if word_context is Context.DATE:
                    before_date = context
                context = word_context
                base = None
                continue
            if self.spans and self._in_span(start):
                self._flush(run, context)
                run, base = [], None
                if context is Context.DATE:
                    context = before_date
                continue
            if run and not self._joins(run[-1], index):
                self._flush(run, context)
                run = []
            if base is not None:
                self._complete(base, index, context)
            run.append(index)
            if end - start >= 4 and (base is None or end - start >= len(base[2])):
                base = self.segments[index]
            if index + 1 == len(self.segments) or self.segments[index + 1][2][0] > "9":
                self._flush(run, context)
                run = []
                if context is Context.DATE and is_calendar_date(segment, self.booked):
                    context = before_date
        self._tight_tokens()

    def _is_prefix(self, index: int) -> bool:
        """True if the letters at `index` are written as part of the number after them (`SW-10840`)."""
        if index + 1 >= len(self.segments):
            return False
        _, end, word = self.segments[index]
        start, _, following = self.segments[index + 1]
        return (
            following[0] <= "9"
            and len(word) <= 4
            and self.text[end:start] in ("", "-", "_", "/")
            and (context_of(word) is Context.NONE or self.text[end:start] != "")
        )

    def _in_span(self, start: int) -> bool:
        return any(low <= start < high for low, high in self.spans)

    def _joins(self, previous: int, index: int) -> bool:
        return index == previous + 1 and self.text[self.segments[previous][1] : self.segments[index][0]] in _GAPS

    def _flush(self, run: list[int], context: Context) -> None:
        if not run:
            return
        count = len(run)
        if count == 1:
            self._window(run, context)
            return
        digits = sum(len(self.segments[i][2]) for i in run)
        spaced = digits <= 3 * count + 6
        longest = count if count <= 5 or (spaced and count <= 14) else 3
        for first in range(count):
            for last in range(first, min(count, first + longest)):
                self._window(run[first : last + 1], context)
        if longest < count:
            self._window(run, context)

    def _window(self, run: list[int], context: Context) -> None:
        first = self.segments[run[0]]
        start, end = first[0], self.segments[run[-1]][1]
        pieces = [self.segments[i][2] for i in run]
        raw = first[2] if len(run) == 1 else "".join(pieces)
        if len(raw) > MAX_LENGTH or len(self.found) > MAX_NUMBERS:
            return
        if len(raw) < MIN_DIGITS and context not in (Context.ORDER, Context.INVOICE):
            if run[0] and start == self.segments[run[0] - 1][1] and len(self.segments[run[0] - 1][2]) >= MIN_USER_NAME:
                self._with_letters(run[0] - 1, run, raw, None, context, False)
            return
        joined = len(run) > 1 and " " in self.text[start:end]
        if len(raw) == 8 and len(run) == 1 and is_calendar_date(raw, self.booked):
            context = Context.DATE
        self._add(raw, start, end, len(raw), context, joined)
        stripped = None
        if any(piece[0] == "0" for piece in pieces):
            stripped = "".join(piece.lstrip("0") for piece in pieces)
            if len(stripped) >= 2:
                self._add(stripped, start, end, len(stripped), context, joined)
        before = run[0] - 1
        if before >= 0:
            self._with_letters(before, run, raw, stripped, context, joined)
        if 16 <= len(raw) <= 27 and valid_qrr(raw.zfill(27)):
            self._inside_qrr(raw.zfill(27), start, end)

    def _with_letters(
        self, before: int, run: list[int], raw: str, stripped: str | None, context: Context, joined: bool
    ) -> None:
        at, until, letters = self.segments[before]
        if letters[0] <= "9" or len(letters) > MAX_USER_NAME:
            return
        gap = self.text[until : self.segments[run[0]][0]]
        if gap not in _PREFIX_GAPS or (gap and len(letters) > 6):
            return
        if gap == " " and (len(letters) > 4 or letters in FILLERS):
            return
        end = self.segments[run[-1]][1]
        if letters == "F" and before and self.segments[before - 1][2] == "R":
            at, letters = self.segments[before - 1][0], "RF"
        joined = joined or gap == " "
        self._add(letters + raw, at, end, len(raw), context, joined)
        if stripped:
            self._add(letters + stripped, at, end, len(stripped), context, joined)

    def _inside_qrr(self, raw: str, start: int, end: int) -> None:
        """The numbers with which such a reference may end, before its check digit; zeros fill what is before them."""
        body = raw[:-1]
        self._add(raw, start, end, 27, Context.NONE, False)
        for at in range(len(body) - 12, len(body) - MIN_DIGITS + 1):
            if body[at - 1] == "0" and body[at] != "0":
                self._add(body[at:], start, end, len(body) - at, Context.NONE, True)

    def _complete(self, base: tuple[int, int, str], index: int, context: Context) -> None:
        start, end, suffix = self.segments[index]
        if len(suffix) >= len(base[2]) or base[0] == start:
            return
        gap = self.text[self.segments[index - 1][1] : start] if index else ""
        if gap not in _LIST_GAPS and gap.strip(" .,") not in ("", "U", "UND", "+", "&", "/"):
            return
        compact = base[2][: -len(suffix)] + suffix
        self._add(compact, start, end, len(compact), context, False, completed=True, base=base[0])

    def _creditor_references(self) -> None:
        for match in _RF.finditer(self.text):
            compact = re.sub("[^A-Z0-9]", "", match.group())
            for length in range(len(compact), 8, -1):
                if valid_rf(compact[:length]):
                    found = compact[:length]
                    self._add(found, match.start(), match.end(), _count_digits(found), Context.NONE, False)
                    break

    def _tight_tokens(self) -> None:
        """Tokens whose letters stand between or after their digits, and those with the letter O for a zero."""
        if not _MIXED.search(self.text):
            return
        for match in _TIGHT.finditer(self.text):
            token = match.group()
            if token.isdigit() or token.isalpha():
                continue
            parts = _SEGMENT.findall(token)
            letters = sum(part[0] > "9" for part in parts)
            if not letters or letters == len(parts):
                continue
            inner = letters > 1 or parts[0][0] <= "9"
            if inner and sum(map(len, parts)) <= MAX_LENGTH:
                self._add("".join(parts), match.start(), match.end(), _count_digits(token), Context.NONE, False)
            if inner or len(parts[0]) == 1:
                self._letter_for_digit(token, match.start(), match.end())

    def _letter_for_digit(self, token: str, start: int, end: int) -> None:
        repaired = _LETTER_FOR_DIGIT.sub(lambda match: match.group().translate(_DIGIT_OF), token)
        if repaired != token:
            for text in forms_of(repaired):
                if len(text) >= MIN_DIGITS:
                    self._add(text, start, end, _count_digits(text), Context.NONE, True)

    def _add(
        self,
        compact: str,
        start: int,
        end: int,
        digits: int,
        context: Context,
        joined: bool,
        completed: bool = False,
        base: int = -1,
    ) -> None:
        key = (compact, start)
        if key in self.seen:
            return
        self.seen.add(key)
        if self.source != "text":
            start = end = -1
        else:
            start += self.offset
            end += self.offset
        self.found.append(Number(compact, start, end, digits, context, self.source, joined, completed, base))
