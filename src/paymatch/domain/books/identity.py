"""Which payments of a file are already booked: identity of postings and the multiset rule (DESIGN.md section 5).

Content alone is never identity: two customers do pay 19.90 on one day with the same text. Equal payments within one
statement are different payments; an overlapping statement adds max(0, new - known) of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Protocol

from paymatch.domain.postings import Posting, PostingSource

PROVISIONAL_DAYS: Final = 3
"""A final statement may book a payment up to this many days off the day that its announcement named."""

RANK: Final = {PostingSource.FINAL: 2, PostingSource.NOTIFICATION: 1, PostingSource.INTRADAY: 0}
"""How binding a source is; the most binding one first."""

_FORMAT_RANK: Final = {"camt": 3, "MT940": 2, "OFX": 1, "CSV": 0}
_RANKED: Final = {
    source_rank * 10 + rank: (source, name)
    for source, source_rank in RANK.items()
    for name, rank in _FORMAT_RANK.items()
}
_SHORTEST_PART: Final = 6
DIGITS: Final = re.compile(r"[0-9]{4,}")
"""Numbers in a text that may tell payments apart."""


@dataclass(frozen=True, slots=True)
class IdentityKey:
    """What identifies a posting; texts are squashed to letters and digits, so that wraps and charsets do not count."""

    booking_date: date
    amount_minor: int
    reference: str  # of the bank, for the posting or else its entry
    detail_index: int
    end_to_end_id: str
    transaction_id: str
    mandate_id: str
    iban: str
    name: str
    text: str
    source: PostingSource
    format: str  # camt, MT940, CSV, OFX
    is_part: bool = False  # of an entry with several payments
    lent_day: bool = False  # by another format than the rest, which may have meant another payment

    @property
    def is_bare(self) -> bool:
        """True if nothing is said but day, amount and a reference: the sum of a batch, a fee."""
        return not (self.end_to_end_id or self.mandate_id or self.iban or self.name or self.text)

    def content(self) -> tuple[Any, ...]:
        """Everything but the source: equal contents are the same payment or its twin."""
        return (
            self.booking_date, self.amount_minor, self.reference, self.detail_index, self.end_to_end_id,
            self.transaction_id, self.mandate_id, self.iban, self.name, self.text, self.format,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """A booked posting as the store knows it."""

    id: str
    identity: IdentityKey


def identity_key_of(
    posting: Posting, source: PostingSource, file_format: str, *, lent_day: bool = False
) -> IdentityKey:
    """The identity key of a posting that was read from a file of this format."""
    return IdentityKey(
        posting.booking_date,
        posting.amount_minor,
        posting.bank_reference or posting.entry_reference,
        posting.detail_index,
        squash(posting.end_to_end_id),
        posting.transaction_id,
        squash(posting.mandate_id),
        posting.counterparty_iban,
        squash(posting.counterparty_name),
        squash(posting.text),
        source,
        file_format,
        posting.batch_size > 1,
        lent_day,
    )


def date_rank(source: PostingSource, file_format: str) -> int:
    """How much a line is to be believed for the days of a posting: what is final comes first."""
    return RANK[source] * 10 + _FORMAT_RANK[file_format]


def dated_by(rank: int) -> tuple[PostingSource, str]:
    """Source and format of the line whose `date_rank` this is."""
    return _RANKED[rank]


def facts_rank(source: PostingSource, file_format: str) -> int:
    """How much a line is to be believed for the other facts: the format that says most comes first; above 0."""
    return _FORMAT_RANK[file_format] * 10 + RANK[source] + 1


def better(one: PostingSource, other: PostingSource) -> PostingSource:
    """The more binding of two sources."""
    return one if RANK[one] >= RANK[other] else other


def closeness(a: IdentityKey, b: IdentityKey) -> int:
    """How alike two lines of one amount are: 0 if they are different payments, else more for all they share."""
    same_format = a.format == b.format
    same_reference = bool(a.reference and b.reference) and _references_agree(a, b)
    if same_format and a.reference and b.reference and not same_reference:
        return 0
    if not same_reference and (_is_part_of_sum(a, b) or _is_part_of_sum(b, a)):
        return 0
    if a.transaction_id and b.transaction_id and a.transaction_id != b.transaction_id and not same_reference:
        return 0
    ids = _ids_agree(a, b, same_format=same_format)
    if ids is None:
        return 0
    words = _words_agree(a, b, same_format=same_format, anchored=same_reference or ids > 0)
    if words is None or not _days_agree(a, b, certain=same_reference, shared=ids + words):
        return 0
    same_place = same_reference and a.detail_index == b.detail_index
    same_source = 3 if a.source is b.source else 0
    return 1 + ids + words + (20 if same_reference else 0) + (5 if same_place else 0) + same_source


def _is_part_of_sum(part: IdentityKey, whole: IdentityKey) -> bool:
    """A mere sum is a batch of its own, not one of the payments of another batch that happens to have its amount."""
    return part.is_part and whole.is_bare and not whole.is_part


def _ids_agree(a: IdentityKey, b: IdentityKey, *, same_format: bool) -> int | None:
    """How much the numbers of both sides agree; None if one contradicts."""
    shared = 0
    for mine, yours in ((a.end_to_end_id, b.end_to_end_id), (a.mandate_id, b.mandate_id), (a.iban, b.iban)):
        if mine and yours:
            if mine == yours:
                shared += 2
            elif not same_format and (_begins_alike(mine, yours) or _same_number(mine, yours)):
                shared += 1
            else:
                return None
    return shared


def _words_agree(a: IdentityKey, b: IdentityKey, *, same_format: bool, anchored: bool) -> int | None:
    """How much the texts agree. Formats write them differently: where a number agrees, only other digits contradict."""
    both = [(mine, yours) for mine, yours in ((a.text, b.text), (a.name, b.name)) if mine and yours]
    differing = [(mine, yours) for mine, yours in both if mine != yours]
    if same_format:
        return None if differing else 2 * len(both)
    held = sum(_holds(mine, yours) for mine, yours in differing)
    shared = 2 * (len(both) - len(differing)) + held
    if len(differing) > held:
        if not anchored and not shared:
            return None
        if any(not _holds(mine, yours) and _digits_contradict(mine, yours) for mine, yours in differing):
            return None
    return shared


def _days_agree(a: IdentityKey, b: IdentityKey, *, certain: bool, shared: int) -> bool:
    """The same day; an announcement and the message that follows it may differ by a few, if they agree otherwise."""
    gap = abs((a.booking_date - b.booking_date).days)
    if gap == 0:
        return True
    if gap > PROVISIONAL_DAYS:
        return False
    if a.source is b.source:
        return certain and (a.lent_day or b.lent_day)
    if PostingSource.FINAL not in (a.source, b.source):
        return certain or shared >= 6
    # A table or MT940 may show nothing but the sum of a batch, where camt shows who paid.
    poorer = min(a, b, key=lambda identity: _FORMAT_RANK[identity.format])
    bare = a.format != b.format and poorer.is_bare and not (a.reference and b.reference)
    return certain or shared >= 4 or (bare and announced_before(a, b))


class Dated(Protocol):
    """What is said of a payment or a batch, by whom, for which day."""

    @property
    def booking_date(self) -> date: ...
    @property
    def source(self) -> PostingSource: ...


def announced_before(a: Dated, b: Dated) -> bool:
    """False if a final message books on an earlier day what the other one announces: banks announce, then book."""
    if (a.source is PostingSource.FINAL) == (b.source is PostingSource.FINAL):
        return True
    final, other = (a, b) if a.source is PostingSource.FINAL else (b, a)
    return other.booking_date <= final.booking_date


def _references_agree(a: IdentityKey, b: IdentityKey) -> bool:
    """Equal; MT940 has room for 16 characters, so there a beginning counts."""
    if a.reference == b.reference:
        return True
    return a.format != b.format and _begins_alike(a.reference, b.reference)


def _begins_alike(a: str, b: str) -> bool:
    """One is the beginning of the other: the shorter was cut by its format."""
    short, long = sorted((a, b), key=len)
    return len(short) >= 8 and long.startswith(short)


def _same_number(a: str, b: str) -> bool:
    """A national account number within an IBAN."""
    short, long = sorted((a.lstrip("0"), b), key=len)
    return len(short) >= 7 and short.isdigit() and long.endswith(short)


def _holds(a: str, b: str) -> bool:
    """One text contains the other: cut, or with more around it."""
    short, long = sorted((a, b), key=len)
    return len(short) >= _SHORTEST_PART and short in long


def _digits_contradict(a: str, b: str) -> bool:
    """Both texts hold numbers, and none of one stands in the other."""
    mine, yours = DIGITS.findall(a), DIGITS.findall(b)
    if not mine or not yours:
        return False
    return not (any(number in b for number in mine) or any(number in a for number in yours))


_SPELLINGS: Final[Mapping[str, str]] = {
    "ae": "a",
    "oe": "o",
    "ue": "u",
    "ß": "ss",
    "ł": "l",
    "ø": "o",
    "æ": "a",
    "đ": "d",
}
_SPELLED: Final = re.compile("ae|oe|ue|ß|ł|ø|æ|đ")
_NEITHER: Final = re.compile(r"[^a-z0-9]+")


def squash(text: str) -> str:
    """Letters and digits in one spelling, whatever the character set of the file: ä, a and ae become one."""
    if not text:
        return ""
    lower = text.lower()
    if not lower.isascii():
        lower = unicodedata.normalize("NFKD", lower)
    return _NEITHER.sub("", _SPELLED.sub(lambda found: _SPELLINGS[found[0]], lower))
