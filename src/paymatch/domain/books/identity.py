"""Which payments of a file are already booked: identity of postings and the multiset rule (D-40).

Content alone is never identity: two customers do pay 19.90 on one day with the same text. Equal payments within one
statement are different payments; an overlapping statement adds max(0, new - known) of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, Final, NamedTuple

from paymatch.domain.books import forgotten
from paymatch.domain.books.forgotten import DIGITS, Fingerprint, ForgottenText, fingerprints, tokens
from paymatch.domain.postings import Posting, PostingSource

PROVISIONAL_DAYS: Final = 3
"""A final statement may book a payment up to this many days off the day that its announcement named."""

RANK: Final = {PostingSource.FINAL: 2, PostingSource.NOTIFICATION: 1, PostingSource.INTRADAY: 0}
"""How binding a source is; the most binding one first."""

_SAID: Final = 10
"""The number of a key's fields before the source."""

_OF_REFERENCES: Final = (slice(8), slice(16))
_OF_NUMBERS: Final = (slice(None), slice(8), slice(-7, None))
_OF_NAMES: Final = (slice(None), slice(6), slice(10), slice(16), slice(-6, None))
_OF_TEXTS: Final = (slice(None), slice(6), slice(12), slice(20), slice(30), slice(-12, None))
"""The pieces of a text that survive the cutting and wrapping of formats."""

BARE: Final = "says nothing"
"""Marks a line that may be any payment of its sum."""

_SHORTEST_PART: Final = 6
_SHORTEST_ACCOUNT: Final = 7
_COUNTRY_AND_CHECK: Final = 4  # characters of an IBAN before the national number
_ACCOUNT_MARKS: Final = re.compile(r"[-./ ]")
_CZECH: Final = re.compile(r"(?:(?P<prefix>[0-9]{1,6})-)?(?P<account>[0-9]{2,10})(?:/(?P<bank>[0-9]{4}))?")
_TRIES: Final = 50


class SourceFormat(NamedTuple):
    """A format of bank files as the books know it; the one of higher rank has more detail of a payment."""

    name: str  # camt, MT940, CSV, OFX
    rank: int


class IdentityKey(NamedTuple):
    """What identifies a posting; texts are squashed to letters and digits, so wraps and charsets do not matter."""

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
    format: SourceFormat
    names: tuple[str, ...] = ()  # of the entry and of its batch
    parts: tuple[IdentityKey, ...] = ()  # the payments of a batch that is shown divided
    prints: ForgottenText | None = None  # fingerprints of its content, where lines of forgotten people are near

    @property
    def is_bare(self) -> bool:
        """True if it has only day, amount and a reference: the sum of a batch, or a fee."""
        return not (self.end_to_end_id or self.mandate_id or self.iban or self.name or self.text)

    def content(self) -> tuple[Any, ...]:
        """Everything but the source: equal contents are the same payment or its twin."""
        parts = tuple([part.content() for part in self.parts]) if self.parts else ()
        return *self[:_SAID], self.format.name, self.names, parts


def identity_key_of(
    postings: Sequence[Posting],
    source: PostingSource,
    file_format: SourceFormat,
    fingerprint: Fingerprint | None = None,
) -> IdentityKey:
    """The identity key of an entry with these postings.

    `fingerprint` is needed where it may be compared with lines of forgotten people.
    """
    first = postings[0]
    if len(postings) == 1:
        return _key_of_payment(first, source, file_format, fingerprint)
    keys = (_key_of_payment(part, source, file_format, fingerprint) for part in postings)
    parts = sorted(keys, key=IdentityKey.content)
    total = sum(posting.amount_minor for posting in postings)
    return IdentityKey(
        first.booking_date, total, first.entry_reference, 0, "", "", "", "", "", "", source, file_format,
        _reference_fields(first.entry_reference, first.batch_id), tuple(parts),
    )  # fmt: skip


def _key_of_payment(
    posting: Posting, source: PostingSource, file_format: SourceFormat, fingerprint: Fingerprint | None
) -> IdentityKey:
    said = said_by(posting)
    return IdentityKey(
        posting.booking_date,
        posting.amount_minor,
        posting.bank_reference or posting.entry_reference,
        posting.detail_index,
        said.end_to_end_id,
        posting.transaction_id,
        said.mandate_id,
        said.iban,
        said.name,
        said.text,
        source,
        file_format,
        _reference_fields(posting.bank_reference, posting.batch_id),
        prints=None if fingerprint is None else _prints(posting, said, fingerprint),
    )


def said_by(posting: Posting) -> ForgottenText:
    """The posting's texts about the other side and the purpose, in the form that is compared."""
    said = ForgottenText(
        squash(posting.end_to_end_id),
        squash(posting.mandate_id),
        posting.counterparty_iban,
        squash(posting.counterparty_name),
        squash(posting.text),
    )
    if not posting.forgotten:
        return said
    return ForgottenText(*(plain or kept for plain, kept in zip(said, posting.forgotten, strict=True)))


def _prints(posting: Posting, said: ForgottenText, fingerprint: Fingerprint) -> ForgottenText:
    if not posting.forgotten:
        return fingerprints(said, fingerprint)
    made = fingerprints(said, fingerprint)
    return ForgottenText(*(kept or own for kept, own in zip(posting.forgotten, made, strict=True)))


def _reference_fields(*names: str) -> tuple[str, ...]:
    return tuple([name for name in names if name])


def closeness(a: IdentityKey, b: IdentityKey) -> int:
    """The similarity of two lines of one amount: 0 if they are different payments, else higher the more they share."""
    if a.parts or b.parts:
        return _closeness_of_batches(a, b)
    same_format = a.format == b.format
    same_reference = bool(a.reference and b.reference) and _references_agree(a, b)
    if same_format and a.reference and b.reference and not same_reference:
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


def _closeness_of_batches(a: IdentityKey, b: IdentityKey) -> int:
    """The same for batches: one statement may show the sum and another the payments.

    References that differ contradict in one format, and in two formats on different days. Without a common one a sum
    and its payments are of one day, unless an announcement is met by a format that does not write references.
    """
    gap = abs((a.booking_date - b.booking_date).days)
    if gap > PROVISIONAL_DAYS or (gap and a.source is b.source):
        return 0
    named, same_format = name_the_same(a, b), a.format == b.format
    if not named and a.names and b.names and (gap or same_format):
        return 0
    if a.parts and b.parts:
        return 21 if named else 3 * _parts_agree(a.parts, b.parts)
    whole = b if a.parts else a
    if whole.iban or whole.end_to_end_id:
        return 0
    if named:
        return 21
    if gap and (same_format or not announced_before(a, b)):
        return 0
    return 2 if whole.is_bare else 1


def _parts_agree(mine: Sequence[IdentityKey], yours: Sequence[IdentityKey]) -> bool:
    """True if each payment of one batch may be one of the other."""
    if sorted(part.amount_minor for part in mine) != sorted(part.amount_minor for part in yours):
        return False
    left = defaultdict(list)
    for part in yours:
        left[part.amount_minor].append(part)
    for part in mine:
        candidates = left[part.amount_minor]
        place = next((n for n, other in enumerate(candidates[:_TRIES]) if closeness(part, other)), None)
        if place is None:
            return False
        candidates.pop(place)
    return True


def name_the_same(a: IdentityKey, b: IdentityKey) -> bool:
    """True if they share a reference; across formats its beginning is enough."""
    if a.names and b.names and not set(a.names).isdisjoint(b.names):
        return True
    return a.format != b.format and any(_begins_alike(one, two) for one in a.names for two in b.names)


@lru_cache(maxsize=4096)  # a fold asks for each line once per statement of its day
def search_keys(key: IdentityKey) -> frozenset[str]:
    """Keys that find another line of the same payment, even if its texts are cut or longer.

    Lines of two days share at least one key if they are the same payment, or one of them is `BARE`.
    """
    found = {
        value[piece]
        for pieces, values in (
            (_OF_REFERENCES, (key.reference, *key.names)),
            (_OF_NUMBERS, (key.end_to_end_id, key.mandate_id, key.iban)),
            (_OF_NAMES, (key.name,)),
            (_OF_TEXTS, (key.text,)),
        )
        for value in values
        for piece in pieces
    }
    found.discard("")
    found.update(DIGITS.findall(key.text), *map(tokens, key.prints or ()), *map(search_keys, key.parts))
    if key.parts or not (key.iban or key.end_to_end_id):
        found.add("may be a batch")
    if key.is_bare and not key.parts:
        found.add(BARE)
    return frozenset(found)


def _both(a: IdentityKey, b: IdentityKey, field: str) -> tuple[str, str]:
    """Both texts; as fingerprints if one of them is forgotten, nothing where that cannot be compared."""
    mine, yours = getattr(a, field), getattr(b, field)
    if mine[:1] == forgotten.MARK or yours[:1] == forgotten.MARK:
        return (getattr(a.prints, field), getattr(b.prints, field)) if a.prints and b.prints else ("", "")
    return mine, yours


def _ids_agree(a: IdentityKey, b: IdentityKey, *, same_format: bool) -> int | None:
    """How much the numbers of both sides agree; None if one contradicts."""
    shared = 0
    for field in ("end_to_end_id", "mandate_id", "iban"):
        mine, yours = _both(a, b, field)
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
    both = [(mine, yours) for mine, yours in (_both(a, b, "text"), _both(a, b, "name")) if mine and yours]
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
        return False
    if PostingSource.FINAL not in (a.source, b.source):
        return certain or shared >= 6
    # A table or MT940 may show nothing but the sum of a batch, where camt shows who paid.
    poorer = min(a, b, key=lambda identity: identity.format.rank)
    bare = a.format != b.format and poorer.is_bare and not (a.reference and b.reference)
    return certain or shared >= 4 or (bare and announced_before(a, b))


def announced_before(a: IdentityKey, b: IdentityKey) -> bool:
    """False if the final message books on an earlier day than the announcement: banks announce, then book."""
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
    if a[0] == forgotten.MARK:
        return forgotten.begin_or_end_alike(a, b)
    short, long = sorted((a, b), key=len)
    return len(short) >= 8 and long.startswith(short)


def _same_number(a: str, b: str) -> bool:
    """A national account number within an IBAN, or within a longer one."""
    short, long = sorted((_digits_of_account(a), _digits_of_account(b)), key=len)
    if len(short) < _SHORTEST_ACCOUNT or not short.isdigit():
        return False
    return long.endswith(short) or (long.startswith("HU") and long[_COUNTRY_AND_CHECK:].startswith(short))


def _digits_of_account(text: str) -> str:
    """The number as it appears in its IBAN: without marks, the Czech and Slovak `19-2000145399/0800` with the bank code
    in front and all its zeros. A Hungarian IBAN may have eight zeros after it.
    """
    if czech := _CZECH.fullmatch(text):
        text = f"{czech['bank'] or ''}{czech['prefix'] or '':0>6}{czech['account']:0>10}"
    return _ACCOUNT_MARKS.sub("", text).lstrip("0")


def _holds(a: str, b: str) -> bool:
    """One text contains the other: cut, or with more around it."""
    if a[0] == forgotten.MARK:
        return forgotten.share_words(a, b)
    short, long = sorted((a, b), key=len)
    return len(short) >= _SHORTEST_PART and short in long


def _digits_contradict(a: str, b: str) -> bool:
    """Both texts have numbers, and no number is in both."""
    if a[0] == forgotten.MARK:
        return forgotten.numbers_contradict(a, b)
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


@lru_cache(maxsize=1 << 12)  # a payment's texts come with every line of it
def squash(text: str) -> str:
    """Letters and digits in one spelling for all character sets of files: ä, a and ae become one."""
    if not text:
        return ""
    lower = text.lower()
    if not lower.isascii():
        lower = unicodedata.normalize("NFKD", lower)
    return _NEITHER.sub("", _SPELLED.sub(lambda found: _SPELLINGS[found[0]], lower))
