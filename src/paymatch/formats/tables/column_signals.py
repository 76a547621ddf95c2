"""Tags and labels in the text columns of a row: names, accounts and references within a text.

For money in, only the part in front of the payer's text counts; anything the payer may have typed is text (D-80).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from paymatch.domain.bank_accounts import polish_iban
from paymatch.formats.remittance.slash_fields import parse_slash_fields
from paymatch.formats.remittance.subfields import parse_sepa_text

_COMDIRECT_PARTY: Final = re.compile(r"\s*(?:Auftraggeber|Empfänger): ?")
_COMDIRECT_TEXT: Final = "Buchungstext:"
_COMDIRECT_ACCOUNT: Final = re.compile(
    r"(?:Kto/IBAN: ?(?P<iban>[^\s:]{1,40})\s*+)?(?:BLZ/BIC: ?(?P<bic>[^\s:]{1,40})\s*+)?"
)
_COMDIRECT_REFERENCE: Final = re.compile(r"Ref\. ?(\S{1,64})$")
_DUTCH: Final = re.compile(
    r"(Naam|Name|Omschrijving|Description|IBAN|Kenmerk|Reference|Machtiging ID|Mandate ID|Incassant ID|Creditor ID|"
    r"Datum/Tijd|Date/time|Valutadatum|Value date|Pasvolgnr|Transactie|Term|Doorlopende incasso|Andere partij): "
)
_POLISH: Final = re.compile(
    r"(Rachunek (?:nadawcy|odbiorcy)|Nazwa (?:nadawcy|odbiorcy)|Adres (?:nadawcy|odbiorcy)|Tytuł|Lokalizacja|"
    r"Referencje własne zleceniodawcy|Data i czas operacji|Oryginalna kwota operacji|Numer karty|Numer telefonu) ?: ?"
)
_LABELLED_REFERENCE: Final = re.compile(r"\bEnd-to-End-Ref\.: ?(\S{1,35})")
_FULL: Final = frozenset({27, 35, 140})  # subfields of MT940, lines of payment orders, remittance texts of SEPA
_MAX_LABELLED: Final = 2000


@dataclass(frozen=True, slots=True)
class ColumnSignals:
    """What text columns say in tags and labels."""

    lines: tuple[str, ...]
    name: str = ""
    account: str = ""
    bic: str = ""
    end_to_end_id: str = ""
    mandate_id: str = ""
    ultimate_name: str = ""
    bank_reference: str = ""


def said_in(lines: tuple[str, ...], *, paid_in: bool) -> ColumnSignals:
    """What the lines of all text columns say: by SEPA tags or slash words, by the labels of a bank, or as free text.

    `paid_in`: a payer wrote the text. That of money out is the shop's own, or that of who collected it.
    """
    return (
        _parse_tags(lines, paid_in=paid_in)
        or _said_by_labels(lines, paid_in=paid_in)
        or _free(tuple(dict.fromkeys(lines)), paid_in=paid_in)
    )


def _free(lines: tuple[str, ...], *, paid_in: bool) -> ColumnSignals:
    """Lines and columns are words apart, but where one is as full as banks make them, or breaks off."""
    spaced = (line if len(line) in _FULL or line[-1] in "-/" else f"{line} " for line in lines[:-1])
    reference = None if paid_in else _LABELLED_REFERENCE.search(" ".join(lines))
    return ColumnSignals((*spaced, *lines[-1:]), end_to_end_id=reference[1] if reference else "")


def _parse_tags(lines: tuple[str, ...], *, paid_in: bool) -> ColumnSignals | None:
    """Text with SEPA tags (`EREF+... SVWZ+...`) or slash words, which some exports leave in."""
    text = "\n".join(lines)
    if text.startswith("/") and "/REMI/" in text:
        said = parse_slash_fields(lines)
        return ColumnSignals(
            said.remittance,
            name=said.values.get("NAME", ""),
            account=said.values.get("IBAN", ""),
            bic=said.values.get("BIC", ""),
            end_to_end_id=said.values.get("EREF", ""),
            mandate_id=said.values.get("MARF", ""),
        )
    if re.search(r"\b(?:SVWZ|EREF|KREF|MREF)(?:\+|: )", text):
        sepa = parse_sepa_text(lines, without_text=not paid_in)
        tags = sepa.tags
        if not tags:
            return ColumnSignals(sepa.remittance) if text.startswith("SVWZ+") else None
        return ColumnSignals(
            sepa.remittance,
            end_to_end_id=tags.get("EREF", ""),
            mandate_id=tags.get("MREF", ""),
            ultimate_name=tags.get("ABWA") or tags.get("ABWE") or "",
        )
    return None


def _said_by_labels(lines: tuple[str, ...], *, paid_in: bool) -> ColumnSignals | None:
    """comdirect `Auftraggeber: ... Buchungstext: ... Ref. ...`; ING NL `Naam: ... Omschrijving: ... Kenmerk: ...`;
    PKO `Nazwa nadawcy : ... Tytuł : ...`."""
    text = " ".join(lines)
    if len(text) > _MAX_LABELLED:
        return None
    if comdirect := _said_by_comdirect(text):
        return comdirect
    polish = _labelled_parts(_POLISH, text, at_least=1, ends="Tytuł" if paid_in else "")
    if polish and ("Tytuł" in polish or not paid_in):  # without the bank's own title the labels may be typed
        title = polish.get("Tytuł", "")
        account = re.sub(r"\s", "", polish.get("Rachunek nadawcy") or polish.get("Rachunek odbiorcy") or "")
        name = polish.get("Nazwa nadawcy") or polish.get("Nazwa odbiorcy") or ""
        return ColumnSignals((title,) if title else (text,), name, polish_iban(account) or account)
    whole = _labelled_parts(_DUTCH, text, at_least=2)
    if not whole:
        return None
    remittance = whole.get("Omschrijving") or whole.get("Description") or ""
    values = _labelled_parts(_DUTCH, text, at_least=2, ends="Omschrijving|Description") if paid_in else whole
    behind = (whole.get("Kenmerk") or whole.get("Reference") or "") if paid_in else ""
    said = (f"{remittance} ", behind) if remittance and behind else (remittance or behind,)
    return ColumnSignals(
        said if any(said) else (),
        values.get("Naam") or values.get("Name") or "",
        values.get("IBAN", "").replace(" ", ""),
        end_to_end_id=values.get("Kenmerk") or values.get("Reference") or "",
        mandate_id=values.get("Machtiging ID") or values.get("Mandate ID") or "",
    )


def _said_by_comdirect(text: str) -> ColumnSignals | None:
    """`Auftraggeber: <name> Kto/IBAN: ... BLZ/BIC: ... Buchungstext: <text> Ref. <reference>`; None if it is none."""
    party = _COMDIRECT_PARTY.match(text)
    at = text.find(_COMDIRECT_TEXT, party.end()) if party else -1
    if party is None or at < 0:
        return None
    who, said = text[party.end() : at], text[at + len(_COMDIRECT_TEXT) :].strip()
    begins = min((found for label in ("Kto/IBAN:", "BLZ/BIC:") if (found := who.find(label)) >= 0), default=len(who))
    account = _COMDIRECT_ACCOUNT.fullmatch(who, begins)
    name = who[:begins] if account else who
    reference = _COMDIRECT_REFERENCE.search(said)
    said = said[: reference.start()].rstrip() if reference else said
    return ColumnSignals(
        (said,) if said else (),
        name.strip(),
        (account and account["iban"]) or "",
        (account and account["bic"]) or "",
        bank_reference=reference[1] if reference else "",
    )


def _labelled_parts(labels: re.Pattern[str], text: str, *, at_least: int, ends: str = "") -> dict[str, str]:
    """The first value behind each label of a text that begins with one; empty if there are fewer than `at_least`.

    `ends`: the labels, joined by `|`, of the payer's text, behind which none counts.
    """
    found = list(labels.finditer(text))
    if len(found) < at_least or found[0].start() > 0:
        return {}
    values: dict[str, str] = {}
    for position, match in enumerate(found):
        end = found[position + 1].start() if position + 1 < len(found) else len(text)
        values.setdefault(match[1], text[match.end() : end].strip())
        if match[1] in ends.split("|"):
            break
    return values
