"""A customer's whole name taken apart: first name and surname, or a company."""

from __future__ import annotations

import re
from typing import Final

_FORMS: Final = frozenset(
    (
        "gmbh",
        "mbh",
        "ag",
        "kg",
        "ohg",
        "gbr",
        "ug",
        "ev",
        "eg",
        "se",
        "sarl",
        "sa",
        "sas",
        "srl",
        "spa",
        "bv",
        "nv",
        "ltd",
    )
) | {"llc", "plc", "inc", "oy", "ab", "aps", "kft", "sro"}
_BUSINESSES: Final = frozenset((
    "hotel", "pension", "gasthof", "gasthaus", "restaurant", "café", "cafe", "praxis", "firma", "stadt", "gemeinde",
    "schule", "verein", "stiftung", "bank", "verlag", "apotheke", "bäckerei", "kiosk", "laden", "shop", "store",
    "büro", "agentur", "studio", "kanzlei", "institut", "universität", "company", "restaurante", "familie",
    "family", "eheleute",
))  # fmt: skip
_PARTICLES: Final = frozenset(
    ["von", "van", "vom", "zu", "zur", "zum", "de", "der", "den", "di", "da", "dos", "la", "le", "el", "al", "ter"]
)
_NAME: Final = re.compile(r"[^\W\d_]+(?:[-'’.][^\W\d_]*)*")


def split_name(text: str) -> dict[str, str]:
    """The parts of an address that the name fills: firstName and lastName, or one of company and lastName.

    A name that is not certainly a person's with two parts stays whole: a wrong first name is worse than none.
    """
    whole = " ".join(text.split())
    if not whole:
        return {}
    words = whole.split(" ")
    plain = {re.sub(r"[\W_]", "", word).casefold() for word in words}
    if plain & _FORMS or "&" in words:
        return {"company": whole}
    surname, comma, first = (part.strip() for part in whole.partition(","))
    if comma and _are_names(first.split()) and _are_names(surname.split()) and not plain & _BUSINESSES:
        return {"firstName": first, "lastName": surname}
    if len(words) not in (2, 3, 4) or not _are_names(words) or plain & _BUSINESSES:
        return {"lastName": whole}
    begins = next((at for at, word in enumerate(words) if at and word.casefold() in _PARTICLES), len(words) - 1)
    return {"firstName": " ".join(words[:begins]), "lastName": " ".join(words[begins:])}


def _are_names(words: list[str]) -> bool:
    """Whether each could be part of a person's name."""
    return bool(words) and all(_NAME.fullmatch(word) for word in words)
