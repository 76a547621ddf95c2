"""Lines of erased people: keyed fingerprints replace what distinguished their payments (D-63).

A fingerprint is a token of the whole value and tokens of parts of it, so that a payment is recognised in another
format too, which cuts or surrounds texts. Tokens are keyed: without the key no one can test a name against them. The
parts are as few and as long as comparing needs, so no one can reconstruct a text from them either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from paymatch.domain.postings import Posting

Fingerprint = Callable[[str], str]
"""The keyed digest of a text in more than eight hexadecimal digits, under the shop's own key."""

MARK: Final = "~"
"""The prefix of a fingerprint; no squashed value begins with it."""

DIGITS: Final = re.compile(r"[0-9]{4,}")
"""Numbers in a text that may distinguish payments."""

_NUMBER: Final = "n"
_SHORTEST_BEGIN: Final = 8
_LONGEST_BEGIN: Final = 35
_ENDS: Final = range(7, 13)
_BEGINS_OF_NAMES: Final = (10, 16)
_BEGINS_OF_TEXTS: Final = (12, 20)
_END_OF_TEXT: Final = 12
_PART: Final = 8  # hexadecimal digits of a token


class ForgottenText(NamedTuple):
    """A line's texts about the other side and the purpose, squashed; a forgotten line has fingerprints instead."""

    end_to_end_id: str
    mandate_id: str
    iban: str
    name: str
    text: str


def fingerprints(said: ForgottenText, fingerprint: Fingerprint) -> ForgottenText:
    """The same, value by value, as fingerprints; "" stays ""."""
    text = _pieces(said.text, _BEGINS_OF_TEXTS)
    if len(said.text) >= _END_OF_TEXT:
        text.append(f"end {said.text[-_END_OF_TEXT:]}")
    return ForgottenText(
        _fingerprint(_parts_of_id(said.end_to_end_id), fingerprint),
        _fingerprint(_parts_of_id(said.mandate_id), fingerprint),
        _fingerprint(_parts_of_id(said.iban), fingerprint),
        _fingerprint(_pieces(said.name, _BEGINS_OF_NAMES), fingerprint),
        _fingerprint(text, fingerprint, DIGITS.findall(said.text)),
    )


def _parts_of_id(value: str) -> list[str]:
    """The whole and the number without zeros before it, then all that another format may have cut it to."""
    if not value:
        return []
    begins = [value[:length] for length in range(_SHORTEST_BEGIN, min(len(value), _LONGEST_BEGIN))]
    ends = [value[-length:] for length in _ENDS if length < len(value)]
    return [value, value.lstrip("0"), *begins, *(end.lstrip("0") for end in ends if end.isdigit())]


def _pieces(value: str, begins: Sequence[int]) -> list[str]:
    return [value, *(f"begin {value[:length]}" for length in begins if len(value) >= length)] if value else []


def _fingerprint(parts: Sequence[str], fingerprint: Fingerprint, numbers: Sequence[str] = ()) -> str:
    if not parts:
        return ""
    own = [fingerprint(parts[0]), *(fingerprint(part)[:_PART] for part in parts)]
    return MARK + ".".join([*own, *dict.fromkeys(_NUMBER + fingerprint(number)[:_PART] for number in numbers)])


def forget(posting: Posting, said: ForgottenText, fingerprint: Fingerprint) -> Posting:
    """The posting without anything that identifies the other side; `said` is that content, squashed.

    Days, amounts, the bank's references and codes stay, and the ids of payments that the shop itself has sent.
    """
    if posting.forgotten:
        return posting
    own_id = posting.end_to_end_id if posting.amount_minor < 0 else ""
    kept = fingerprints(said._replace(end_to_end_id="") if own_id else said, fingerprint)
    return replace(
        posting, forgotten=tuple(kept), end_to_end_id=own_id, mandate_id="", counterparty_name="", counterparty_iban="",
        counterparty_bic="", ultimate_name="", remittance_lines=(), structured_references=(), referred_documents=(),
        booking_text="", return_text="", extra_texts=(),
    )  # fmt: skip


def tokens(value: str) -> list[str]:
    """The tokens that two fingerprints of one payment may share; nothing of a plain value."""
    return value[1:].split(".") if value[:1] == MARK else []


def begin_or_end_alike(a: str, b: str) -> bool:
    """Fingerprints of numbers: one of them is the beginning or the end of the other."""
    mine, yours = tokens(a)[1:], tokens(b)[1:]
    return not (set(mine[:2]).isdisjoint(yours) and set(yours[:2]).isdisjoint(mine))


def share_words(a: str, b: str) -> bool:
    """Fingerprints of texts: they begin or end alike, and no numbers contradict."""
    shared = set(tokens(a)) & set(tokens(b))
    return any(token[0] != _NUMBER for token in shared) and not numbers_contradict(a, b)


def numbers_contradict(a: str, b: str) -> bool:
    """Fingerprints of texts: both have numbers, and none is in both."""
    mine, yours = ({token for token in tokens(each) if token[0] == _NUMBER} for each in (a, b))
    return bool(mine and yours) and mine.isdisjoint(yours)
