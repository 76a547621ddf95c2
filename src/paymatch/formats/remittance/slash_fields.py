"""The Dutch :86: with words between slashes (`/EREF/.../REMI/...`), and what is certain in free texts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from paymatch.domain.bank_accounts import has_iban_form, is_account_number, is_bic
from paymatch.formats.remittance.wrapped_lines import spaced_lines

_WORDS: Final = (
    "TRTP IBAN BIC NAME REMI EREF MARF CSID CNTP PURP RTRN ORDP BENM ISDT ULTD ULTB ULTC INIT ADDR PREF IREF KREF "
    "SVCL CDTRREFTP CDTRREF EXCH OCMT CHGS TRCD SUM BREF RREF UDTR UCRD CREDITOR DEBTOR"
)
_WORD: Final = re.compile(rf"/({_WORDS.replace(' ', '|')})(?=/)")  # one slash may close a word and open the next
_INSIDE: Final = frozenset({"ISDT", "CDTRREFTP", "CDTRREF"})

_LABEL: Final = re.compile(
    r"(?:^|(?<=\s)|(?<=/))(IBAN|BIC|NAAM|REK|OMSCHRIJVING|KENMERK|MACHTIGING|INCASSANT|BETALINGSKENM\.?)\s?:\s?",
    re.IGNORECASE,
)
_LABEL_END: Final = re.compile(r"\n|\s{2}|/(?=NAAM)")
_POLISH: Final = re.compile(r"(?:^|;)\s*(OD|DLA|Z RACH\.|NA RACH\.|TYT\.|TNR|ID IPH):\s")
_CLASSIC_REFERENCE: Final = re.compile(r"(P?[0-9]{9,10}|NONREF)\s{2,}(\S.*)")


@dataclass(frozen=True, slots=True)
class SlashFields:
    """What a :86: of slash words or of free text says with certainty; "" where it does not."""

    remittance: tuple[str, ...]
    values: dict[str, str] = field(default_factory=dict)  # EREF KREF MARF CSID PURP RTRN TRTP IBAN BIC NAME ULTIMATE
    structured: tuple[tuple[str, str], ...] = ()


def parse_slash_words(text: str) -> SlashFields | None:
    """The slash words of a :86: whose lines are already joined; None if it is not written with them."""
    found = list(_WORD.finditer(text))
    if not found or not (text.lstrip().startswith("/") and found[0].start() <= 1):
        return None
    if len({match[1] for match in found}) < 2 and found[0][1] in {"BENM", "ORDP", "SUM"}:
        return None
    values: dict[str, str] = {}
    for position, match in enumerate(found):
        end = found[position + 1].start() if position + 1 < len(found) else len(text)
        values.setdefault(match[1], text[match.end() + 1 : end].strip())
    remittance, structured = _remittance(values)
    return SlashFields(remittance, _party(values), structured)


def _remittance(values: dict[str, str]) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    text = values.get("REMI", "")
    if "CDTRREF" in values:  # Rabobank: /REMI//CDTRREFTP//CD/SCOR/ISSR/CUR/CDTRREF/<reference>
        issuer = re.search(r"/ISSR/([A-Z]+)", values.get("CDTRREFTP", ""))
        reference = values["CDTRREF"].strip("/ ")
        return ((text.strip("/ "),) if text.strip("/ ") else ()), ((issuer[1] if issuer else "SCOR", reference),)
    structured = re.fullmatch(r"STRD/([A-Z]{3,4})/(.*)", text.rstrip("/"), re.DOTALL)
    if structured:  # ING
        return (), ((structured[1], structured[2].strip("/ ")),)
    if text.startswith("USTD//"):
        text = text.removeprefix("USTD//").removesuffix("/")
    text = text.rstrip("/") if text.endswith("//") else text
    return ((text.strip(),) if text.strip("/ ") else ()), ()


def _party(values: dict[str, str]) -> dict[str, str]:
    party = {word: _bare(value) for word, value in values.items() if word not in _INSIDE and word != "REMI"}
    if "CNTP" in values:  # ING: account, BIC, name, city
        account, bic, *rest = [*(part.strip() for part in values["CNTP"].split("/")), "", ""]
        # The name itself may have a slash (`JANSEN EN/OF PUK`); behind it stand the city and the last slash.
        name = "/".join(rest[: max(1, len(rest) - 4)])
        party |= {"IBAN": account, "BIC": bic, "NAME": name}
    for word in ("ULTD", "ULTC", "ULTB", "UDTR", "UCRD"):
        if party.get(word):
            party.setdefault("ULTIMATE", party[word].removeprefix("NAME/"))
    return {word: value for word, value in party.items() if value}


def _bare(value: str) -> str:
    return value.strip("/ ")


def parse_slash_fields(lines: tuple[str, ...]) -> SlashFields:
    """What the physical lines of a :86: without subfields say: slash words if it is written with them, else free text.

    ASN writes account and name in the first line and slash words below; ABN AMRO pads its lines.
    """
    joined = "".join(lines)
    found = parse_slash_words(joined) or parse_slash_words("".join(line.strip() for line in lines))
    if found is None and len(lines) > 1 and (first := _leading_account(lines[0])):
        below = parse_slash_words("".join(lines[1:]).strip())
        found = SlashFields(below.remittance, first | below.values, below.structured) if below else None
    return found or parse_free_text(lines)


def parse_free_text(lines: tuple[str, ...]) -> SlashFields:
    """The lines as remittance, and account, BIC and name where a label or a valid IBAN leaves no doubt."""
    lines = tuple(line for line in lines if line.strip())
    if not lines:
        return SlashFields(())
    kept = tuple(line.rstrip() for line in lines)
    values = _polish(lines) or _labelled("\n".join(kept)) or _leading_account(kept[0])
    return SlashFields(spaced_lines(lines), values)


def _labelled(text: str) -> dict[str, str]:
    """Knab `REK: .../NAAM: ...`, ABN AMRO `IBAN: ...  BIC: ...  NAAM: ...` in columns of 32."""
    names = {"REK": "IBAN", "NAAM": "NAME"}
    values: dict[str, str] = {}
    for match in _LABEL.finditer(text):
        word = names.get(match[1].upper(), match[1].upper())
        if word not in values:
            end = _LABEL_END.search(text, match.end())
            values[word] = text[match.end() : end.start() if end else len(text)].strip()
    account = values.get("IBAN", "").replace(" ", "")
    return {
        word: value
        for word, value in (("IBAN", account), ("BIC", values.get("BIC", "")), ("NAME", values.get("NAME", "")))
        if value and (word != "BIC" or is_bic(value)) and (word != "IBAN" or has_iban_form(value) or value.isdigit())
    }


def _leading_account(line: str) -> dict[str, str]:
    """ING and ASN: the text begins with IBAN, then a BIC or, where nothing else follows in the line, the name."""
    first, _, rest = line.strip().partition(" ")
    if not is_account_number(first):
        return {}
    second = rest.split(" ", 1)[0]
    if is_bic(second):
        return {"IBAN": first, "BIC": second}
    return {"IBAN": first, "NAME": rest.strip()} if rest.strip() and len(line.rstrip()) < 60 else {"IBAN": first}


def _polish(lines: tuple[str, ...]) -> dict[str, str]:
    """mBank: `...; Z RACH.: <account>; OD: <name and address>; TYT.: <title>; TNR: ...`."""
    text = "".join(lines)
    found = list(_POLISH.finditer(text))
    if len(found) < 3:
        return {}
    parts: dict[str, str] = {}
    for position, match in enumerate(found):
        end = found[position + 1].start() if position + 1 < len(found) else len(text)
        parts.setdefault(match[1], text[match.end() : end].strip(" ;"))
    account = (parts.get("Z RACH.") or parts.get("NA RACH.") or "").replace(" ", "")
    name = re.split(r"\s{2,}", parts.get("OD") or parts.get("DLA") or "", maxsplit=1)[0]
    return {word: value for word, value in (("IBAN", account), ("NAME", name)) if value}


def parse_classic_reference(reference: str) -> tuple[str, str] | None:
    """Account ("" if none) and name of Rabobank's classic :61:, whose reference holds both: `0121470966      W. J.`."""
    found = _CLASSIC_REFERENCE.fullmatch(reference)
    return (found[1].replace("NONREF", ""), found[2].strip()) if found else None
