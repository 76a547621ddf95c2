"""The Dutch :86: with words between slashes (`/EREF/.../REMI/...`), and what is certain in free texts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from paymatch.domain.bank_accounts import has_iban_form, is_account_number, is_bic
from paymatch.formats.remittance.subfields import spaced_lines

_WORDS: Final = (
    "TRTP IBAN BIC NAME REMI EREF MARF CSID CNTP PURP RTRN ORDP BENM ISDT ULTD ULTB ULTC INIT ADDR PREF IREF KREF "
    "SVCL CDTRREFTP CDTRREF EXCH OCMT CHGS TRCD SUM BREF RREF UDTR UCRD CREDITOR DEBTOR"
)
_WORD: Final = re.compile(rf"/({_WORDS.replace(' ', '|')})(?=/)")  # one slash may close a word and open the next
_OF_BANK: Final = {"IBAN": "IBAN", "BIC": "BIC", "NAAM": "NAME"}
_ALONE: Final = frozenset({"BENM", "ORDP"})
_INSIDE: Final = frozenset({"ISDT", "CDTRREFTP", "CDTRREF"})

_AFTER_TWO_SLASHES: Final = frozenset(["RTRN", "CNTP", "IBAN", "BIC", "NAME", "OCMT", "CHGS", "EXCH", "SUM", "TRTP"])
_NEVER_ALONE: Final = _AFTER_TWO_SLASHES - {"TRTP"}
_DEBIT_TAIL: Final = re.compile(r"/IBAN/(?P<iban>[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30})/BIC/(?P<bic>[A-Z0-9]{8,11})$")
_DAY_TAIL: Final = re.compile(r"/ISDT/[0-9]{4}-[0-9]{2}-[0-9]{2}/*$")
_REFERENCE: Final = re.compile(
    r"(?P<text>[^/]*)/CDTRREFTP/(?P<kind>[^\n]{0,60}?)/CDTRREF/(?P<reference>[^/]{1,35})(?:/ISDT/[0-9-]{10})?/*$"
)

_LABEL: Final = re.compile(
    r"(?:^|(?<=\s))(IBAN|BIC|NAAM|OMSCHRIJVING|KENMERK|MACHTIGING|INCASSANT|BETALINGSKENM\.?)\s?:\s?", re.IGNORECASE
)
_LABEL_END: Final = re.compile(r"\n|\s{2}")
_OF_ABN: Final = "SEPA "
_OF_KNAB: Final = re.compile(r"REK: ?(?P<account>[A-Z0-9 ]{5,40})/NAAM: ?(?P<name>.*)")
_POLISH: Final = re.compile(r"(?:^|;)\s*(OD|DLA|Z RACH\.|NA RACH\.|TYT\.|TNR|ID IPH):\s")
_POLISH_TITLE: Final = re.compile(r";\s*TYT\.:\s")
_POLISH_HEAD: Final = re.compile(r"[0-9]{3} ")
_CLASSIC_REFERENCE: Final = re.compile(r"(P?[0-9]{9,10}|NONREF)\s{2,}(\S.*)")


@dataclass(frozen=True, slots=True)
class SlashFields:
    """What a :86: of slash words or of free text says with certainty; "" where it does not."""

    remittance: tuple[str, ...]
    values: dict[str, str] = field(default_factory=dict)  # EREF KREF MARF CSID PURP RTRN TRTP IBAN BIC NAME ULTIMATE
    structured: tuple[tuple[str, str], ...] = ()


def parse_slash_words(text: str) -> SlashFields | None:
    """The slash words of a :86: whose lines are already joined; None if it is not written with them."""
    text = text.lstrip()
    found = list(_WORD.finditer(text))
    if not found or found[0].start() > 0:
        return None
    if found[0][1] == "SUM" or (found[0][1] in _ALONE and not text[found[0].end() :].lstrip("/").startswith("NAME/")):
        return None  # a bank's own form: the words after it may be typed
    remi = next((match for match in found if match[1] == "REMI"), None)
    if remi is None and found[0][1] in _NEVER_ALONE:
        return None  # a bank ends its words with the text; without it these may be typed
    before = [match for match in found if remi is None or match.start() < remi.start()]
    values = _values([match for at, match in enumerate(before) if not _in_reference(text, before, at)], text, remi)
    if remi is not None:
        said, behind = _without_tail(text[remi.end() + 1 :].strip(), values)
        values |= behind
        values["REMI"] = said
    remittance, structured = _remittance(values)
    return SlashFields(remittance, _party(values), structured)


def _values(found: list[re.Match[str]], text: str, remi: re.Match[str] | None) -> dict[str, str]:
    """The first value of each word in front of the text."""
    values: dict[str, str] = {}
    for position, match in enumerate(found):
        following = found[position + 1] if position + 1 < len(found) else remi
        end = following.start() if following else len(text)
        values.setdefault(match[1], text[match.end() + 1 : end].strip())
    return values


def _in_reference(text: str, found: list[re.Match[str]], at: int) -> bool:
    """Whether the word belongs to the value of EREF, which the payer chose: one slash does not end that value.

    Banks that put money or accounts after EREF end it with two slashes, which no EndToEndId may hold (SEPA rulebook).
    """
    match = found[at]
    return (
        at > 0
        and found[at - 1][1] == "EREF"
        and match[1] in _AFTER_TWO_SLASHES
        and not text[: match.start()].endswith("/")
    )


def _without_tail(said: str, values: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The text after /REMI/ without what the bank writes at its very end, and the values of that.

    ABN AMRO (/TRTP/) ends with EREF, for direct debits (/CSID/) with IBAN and BIC in front of it; Rabobank with ISDT.
    """
    if "TRTP" in values and "EREF" not in values:
        at = said.rfind("/EREF/")
        if at < 0:
            return said, {}
        said, behind = said[:at], {"EREF": said[at + len("/EREF/") :].strip()}
        debit = _DEBIT_TAIL.search(said) if "CSID" in values and "IBAN" not in values else None
        if debit:
            return said[: debit.start()], behind | {"IBAN": debit["iban"], "BIC": debit["bic"]}
        return said, behind
    day = _DAY_TAIL.search(said)
    if day and "CDTRREF" not in said:
        return said[: day.start()], {}
    reference = _REFERENCE.match(said)
    if reference:
        return reference["text"], {"CDTRREFTP": reference["kind"], "CDTRREF": reference["reference"]}
    return said, {}


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
        # The name itself may have a slash (`JANSEN EN/OF PUK`); it is followed by the city and the last slash.
        name = "/".join(rest[: max(1, len(rest) - 4)])
        party |= {"IBAN": account, "BIC": bic, "NAME": name}
    for word in ("ULTD", "ULTC", "ULTB", "UDTR", "UCRD"):
        if party.get(word):
            party.setdefault("ULTIMATE", party[word].removeprefix("NAME/"))
    return {word: value for word, value in party.items() if value}


def _bare(value: str) -> str:
    return value.strip("/ ")


def parse_slash_fields(lines: tuple[str, ...], *, knab: bool = False) -> SlashFields:
    """What the physical lines of a :86: without subfields say: slash words if it is written with them, else free text.

    `knab`: the account is one of Knab, whose last line names the other side.

    ASN writes account and name in the first line and slash words below; ABN AMRO pads its lines.
    """
    joined = "".join(lines)
    found = parse_slash_words(joined) or parse_slash_words("".join(line.strip() for line in lines))
    if found is None and len(lines) > 1 and (first := _leading_account(lines[0])):
        below = parse_slash_words("".join(lines[1:]).strip())
        found = SlashFields(below.remittance, first | below.values, below.structured) if below else None
    return found or parse_free_text(lines, knab=knab)


def parse_free_text(lines: tuple[str, ...], *, knab: bool = False) -> SlashFields:
    """The lines as remittance, and account, BIC and name where the bank's own form in front of it leaves no doubt."""
    lines = tuple(line for line in lines if line.strip())
    if not lines:
        return SlashFields(())
    kept = tuple(line.rstrip() for line in lines)
    values = (_of_knab(kept) if knab else {}) or _polish(lines) or _labelled_parts(kept) or _leading_account(kept[0])
    return SlashFields(spaced_lines(lines), values)


def _labelled_parts(lines: tuple[str, ...]) -> dict[str, str]:
    """ABN AMRO `SEPA ...  IBAN: ...  BIC: ...  NAAM: ...` in columns of 32, in front of what the payer wrote."""
    text = "\n".join(lines)
    if not text.startswith(_OF_ABN):
        return {}
    values: dict[str, str] = {}
    for match in _LABEL.finditer(text):
        word = match[1].upper()
        if word not in _OF_BANK:
            break
        end = _LABEL_END.search(text, match.end())
        values.setdefault(_OF_BANK[word], text[match.end() : end.start() if end else len(text)].strip())
    account = values.get("IBAN", "").replace(" ", "")
    return {
        word: value
        for word, value in (("IBAN", account), ("BIC", values.get("BIC", "")), ("NAME", values.get("NAME", "")))
        if value and (word != "BIC" or is_bic(value)) and (word != "IBAN" or has_iban_form(value) or value.isdigit())
    }


def _of_knab(lines: tuple[str, ...]) -> dict[str, str]:
    """Knab writes `REK: .../NAAM: ...` as the last line, below what the payer wrote."""
    found = _OF_KNAB.fullmatch(lines[-1])
    account = found["account"].replace(" ", "") if found else ""
    return {"IBAN": account, "NAME": found["name"].strip()} if found and is_account_number(account) else {}


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
    found = list(_POLISH.finditer(text)) if _POLISH_HEAD.match(text) else []
    if len(found) < 3:
        return {}
    title = _POLISH_TITLE.search(text)
    found = [match for match in found if title is None or match.start() <= title.start()]
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
