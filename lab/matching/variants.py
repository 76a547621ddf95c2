"""Names as they come from other hands: swapped, cut, initials, married, abbreviated; and numbers with one mistake."""

from __future__ import annotations

import re
from random import Random
from typing import Final

from lab.matching.phrases import plain_letters
from lab.matching.values import Customer

_SHORT: Final = [
    ("Aktiengesellschaft", "AG"),
    ("AG", "Aktiengesellschaft"),
    ("GmbH & Co. KG", "GmbH u. Co KG"),
    ("GmbH & Co. KG", "GmbH & Co"),
    ("GmbH", "Gesellschaft mbH"),
    ("GmbH", "G.m.b.H."),
    ("GmbH", ""),
    ("Ges.m.b.H.", "GmbH"),
    ("e.K.", ""),
    (" KG", " Kommanditgesellschaft"),
    ("OHG", "oHG"),
    ("B.V.", "BV"),
    ("BV", "B.V."),
    ("SARL", "S.A.R.L."),
    ("SAS", ""),
    ("Sp. z o.o.", "Spółka z o.o."),
    ("Sp. z o.o.", "sp zoo"),
    ("S.A.", "SA"),
    ("Sàrl", "Sarl"),
    (" & ", " und "),
    (" & ", "+"),
    ("UG (haftungsbeschränkt)", "UG"),
    ("V.O.F.", "VOF"),
    ("e.V.", "eV"),
]
_LETTERS: Final = {"0": "O", "1": "l", "5": "S", "8": "B"}


def name_variant(rng: Random, c: Customer, second: str) -> str:
    """The customer's name as a clerk still recognises it; `second` is a surname for double names."""
    if c.company:
        return _company_variant(rng, c.company)
    ways = [
        f"{c.last} {c.first}",
        f"{c.last}, {c.first}",
        f"{c.first[0]}. {c.last}",
        f"{plain_letters(c.last)} {c.first[0]}.",
        plain_letters(c.name).upper(),
        plain_letters(c.name, german=False),
        f"{c.first} {c.last}-{second}",
        f"{c.first} {second}-{c.last}",
        f"{c.first} {rng.choice('ABEFHKMR')}. {c.last}",
        f"{c.first} u. {c.spouse} {c.last}",
        f"{c.last} {c.first} und {c.spouse}",
        "".join(x if x.isascii() else "?" for x in c.name),
        c.name.encode().decode("cp1252", errors="replace").replace("\ufffd", "?"),
        f"Dr. {c.first} {c.last}",
        f"{c.first} {c.last}"[:27].upper(),
        f"{c.first} {c.last}"[: max(9, len(c.first) + 5)],
        f"{c.first}{c.last}",
    ]
    return rng.choice(ways)


def _company_variant(rng: Random, company: str) -> str:
    fitting = [company.replace(a, b).strip() for a, b in _SHORT if a in company]
    words = company.split()
    ways = [
        *fitting,
        *fitting,
        company[:27],
        company.upper(),
        plain_letters(company).upper(),
        f"Fa. {' '.join(words[:-1]) or company}",
        plain_letters(company, german=False),
    ]
    if len(words) > 2 and words[1] not in ("&", "und"):
        ways.append(" ".join(words[:2]))
    return rng.choice(ways)


def misspelt(rng: Random, number: str, way: str) -> str:
    """`number` with one mistake in its digits; the number itself if it has no room for that mistake.

    `way`: wrong, swap, missing, double, letter, zeros (leading ones lost), prefix (letters lost).
    """
    spots = [i for i, c in enumerate(number) if c.isdigit()]
    i = rng.choice(spots)
    if way == "wrong":
        return number[:i] + rng.choice([d for d in "0123456789" if d != number[i]]) + number[i + 1 :]
    if way == "swap":
        pairs = [a for a in spots[:-1] if number[a + 1].isdigit() and number[a] != number[a + 1]]
        if not pairs:
            return number
        a = rng.choice(pairs)
        return number[:a] + number[a + 1] + number[a] + number[a + 2 :]
    if way == "missing":
        return number[:i] + number[i + 1 :]
    if way == "double":
        return number[:i] + number[i] + number[i:]
    if way == "letter":
        spots = [i for i in spots if number[i] in _LETTERS]
        return _put(number, rng.choice(spots), _LETTERS) if spots else number
    if way == "zeros":
        return re.sub(r"(?<=\D)0+(?=\d)|^0+(?=\d)", "", number)
    return re.sub(r"^[^\d]+", "", number)


def _put(text: str, i: int, table: dict[str, str]) -> str:
    return text[:i] + table[text[i]] + text[i + 1 :]


def amount_swapped(rng: Random, amount: int) -> int:
    """The amount with two neighbouring digits exchanged (47.90 as 74.90); itself if all are equal."""
    text = str(amount)
    pairs = [i for i in range(len(text) - 1) if text[i] != text[i + 1] and not (i == 0 and text[1] == "0")]
    if not pairs:
        return amount
    i = rng.choice(pairs)
    return int(text[:i] + text[i + 1] + text[i] + text[i + 2 :])


def suffixes(numbers: list[str]) -> str:
    """`1833/34/35` for neighbours that share their beginning; the full numbers joined by `/` when they do not."""
    first = numbers[0]
    parts = [first.lstrip("#")]
    for number in numbers[1:]:
        if len(number) != len(first) or number[:-3] != first[:-3]:
            return " ".join(numbers)
        keep = 2 if number[:-2] == first[:-2] else 3
        parts.append(number[-keep:])
    return "/".join(parts)
