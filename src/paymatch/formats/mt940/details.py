"""Detail of a payment, from its :61: and its :86:."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from paymatch.domain.bank_accounts import has_iban_form, is_account_number, is_bic, is_iban, polish_iban
from paymatch.domain.bank_codes import COLLECTED_GVC
from paymatch.domain.money import AmountUnreadable
from paymatch.domain.witnesses import BankWord
from paymatch.formats.bank_values import known_currency, swift_amount
from paymatch.formats.german_codes import RETURN_GVC, return_reason
from paymatch.formats.mt940.fields import SwiftLine
from paymatch.formats.remittance.slash_fields import SlashFields, parse_classic_reference, parse_slash_fields
from paymatch.formats.remittance.subfields import (
    SepaText,
    Subfields,
    parse_sepa_text,
    parse_subfields,
    parse_tagged_lines,
)
from paymatch.formats.statement import Charge, Detail, Party

_ORIGINAL: Final = re.compile(r"/(OCMT|CHGS)/([A-Z]{3})([0-9.,]+)")
_UNPLACED: Final = frozenset({"34", "35", "36", "37", "38"})
_KNAB: Final = "KNAB"
_TRIODOS: Final = "000"
_NOTHING: Final = BankWord("")
_UNNAMED_RETURN: Final = BankWord("RETURN")
"""Marks a return whose reason and booking text are not given."""
_REASON: Final = re.compile(r"[A-Z]{2}[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Described:
    """Detail of an entry, and what of its :86: belongs to the entry itself."""

    detail: Detail
    gvc: BankWord = _NOTHING
    booking_text: str = ""
    prima_nota: str = ""
    charges: tuple[Charge, ...] = ()


def describe(line: SwiftLine, lines: tuple[str, ...], currency: str, account: str = "") -> Described:
    """The detail of the statement line `line` with the physical `lines` of its :86:, if any, on the shop's `account`.

    What the bank states comes from places that payers cannot write to; everything else there is text (D-80).
    """
    text = "".join(lines)
    parts = parse_subfields(text) or parse_tagged_lines(lines)
    original, charges = _original_and_charges(line.supplement)
    if parts is not None:
        return _structured_details(line, parts, currency, original, charges)
    said = parse_slash_fields(lines, knab=_KNAB in account)
    return Described(_from_slash_fields(line, said, currency, original), charges=charges)


def _structured_details(
    line: SwiftLine, parts: Subfields, currency: str, original: tuple[int, str], charges: tuple[Charge, ...]
) -> Described:
    texts, gvc = parts.text_lines, BankWord("") if parts.gvc == _TRIODOS else parts.gvc
    account, bic = parts.join("31").strip(), parts.join("30").strip()
    whole = parts.join("38").strip()
    if is_iban(whole) or (whole := polish_iban(whole)):  # Polish banks: 30 and 31 are pieces of the IBAN in 38
        account = whole
    if parts.gvc == _TRIODOS:  # >31 is the shop's own account; BIC, IBAN and text in >20, >21, >22
        account = ""
        if len(texts) > 2 and is_bic(texts[0]) and has_iban_form(texts[1]):
            bic, account, texts = texts[0], texts[1], texts[2:]
    by_gvc = gvc in RETURN_GVC
    ordered_by_us = line.amount_minor < 0 and gvc not in COLLECTED_GVC
    sepa = parse_sepa_text(texts, without_text=by_gvc or line.reversal or ordered_by_us)
    tags = sepa.tags
    party = Party(name=parts.name, account=BankWord(account), bic=bic)
    original = original if original[1] else _tag_amount(sepa.bank_tags.get("OAMT", BankWord("")), currency)
    booking_text = BankWord(parts.join("00").strip())
    returned = by_gvc or "RTRN" in sepa.bank_tags
    end_to_end_id = tags.get("EREF", "")
    detail = _detail(
        line,
        currency,
        party,
        original,
        end_to_end_id=end_to_end_id,
        instruction_id=tags.get("KREF", ""),
        mandate_id=tags.get("MREF", ""),
        remittance_lines=sepa.remittance,
        additional_remittance=sepa.other,
        purpose=tags.get("PURP", ""),
        return_reason=_reason(sepa, parts) if returned else "",
        return_text=(booking_text or _UNNAMED_RETURN) if returned else "",
        original_end_to_end_id=end_to_end_id if returned else "",
        additional_info=_remaining_text(parts, sepa),
        ultimate=(tags.get("ABWA", ""), tags.get("ABWE", "")),
        returned=returned,
        creditor_id=tags.get("CRED", ""),
    )
    return Described(detail, gvc, booking_text, parts.join("10").strip().lstrip("0"), charges)


def _from_slash_fields(line: SwiftLine, said: SlashFields, currency: str, original: tuple[int, str]) -> Detail:
    values = said.values
    name = values.get("NAME") or values.get("ORDP" if line.amount_minor > 0 else "BENM", "")
    account = values.get("IBAN", "")
    reference, supplement = line.customer_reference, line.supplement.strip()
    classic = parse_classic_reference(reference)
    if classic and not account:
        account, name = classic[0], name or classic[1]
    for certain in (reference, supplement.partition("\n")[0]):
        account = account or (certain if is_account_number(certain) else "")
    return _detail(
        line,
        currency,
        Party(name=name, account=BankWord(account.replace(" ", "")), bic=values.get("BIC", "")),
        original,
        end_to_end_id=values.get("EREF", ""),
        instruction_id=values.get("KREF") or values.get("PREF") or "",
        mandate_id=values.get("MARF", ""),
        remittance_lines=said.remittance,
        structured_references=said.structured,
        purpose=values.get("PURP", ""),
        return_reason=values.get("RTRN", ""),
        return_text=values.get("TRTP", "") if "RTRN" in values else "",
        original_end_to_end_id=values.get("EREF", "") if "RTRN" in values else "",
        ultimate=(values.get("ULTIMATE", ""), values.get("ULTIMATE", "")),
        returned="RTRN" in values,
        creditor_id=values.get("CSID", ""),
        additional_info=values.get("TRTP", ""),
    )


def _detail(
    line: SwiftLine,
    currency: str,
    party: Party,
    original: tuple[int, str],
    *,
    ultimate: tuple[str, str],
    creditor_id: str,
    additional_info: str,
    returned: bool,
    **said: object,
) -> Detail:
    """The Detail: `party` is the payer of money in and the payee of money out; what comes back keeps its roles."""
    incoming = (line.amount_minor > 0) != (line.reversal or returned)
    party = Party(party.name, party.account, party.bic, ultimate[0 if incoming else 1])
    own = Party(ultimate_name=ultimate[1 if incoming else 0] if ultimate[0] != ultimate[1] else "")
    info = "\n".join(text for text in (additional_info, f"CRED {creditor_id}" if creditor_id else "") if text)
    return Detail(
        amount_minor=line.amount_minor,
        currency=currency,
        bank_reference=line.bank_reference,
        debtor=party if incoming else own,
        creditor=own if incoming else party,
        instructed_amount_minor=original[0] if original[1] else None,
        instructed_currency=BankWord(original[1]),
        returned=returned,
        original_amount_minor=original[0] if returned and original[1] == currency else None,
        additional_info=info,
        **said,  # type: ignore[arg-type]  # the keywords above are fields of Detail
    )


def _reason(sepa: SepaText, parts: Subfields) -> str:
    """The reason of a return: of the bank's tag, or of the text key extension (?34)."""
    tag, extension = sepa.bank_tags.get("RTRN", ""), parts.join("34").strip()
    return tag or return_reason(extension) or (extension if _REASON.fullmatch(extension) else "")


def _remaining_text(parts: Subfields, sepa: SepaText) -> str:
    """Subfields that have no place of their own, kept as text: ?34 and ?35 to ?38, ?70 and up, further tags."""
    kept = [f"?{code}{text}" for code, text in parts.parts if code[0] == "7" or (code in _UNPLACED and text != "000")]
    kept += [f"{tag}+{sepa.bank_tags[tag]}" for tag in ("COAM", "OAMT", "RREF", "BREF") if tag in sepa.bank_tags]
    kept += [f"{tag}+{sepa.tags[tag]}" for tag in ("DEBT", "MDAT", "SQTP") if tag in sepa.tags]
    return "\n".join(text.strip() for text in kept)


def _tag_amount(text: BankWord, currency: str) -> tuple[int, str]:
    """Amount and currency of OAMT+ (`11,85`, `EUR 11,85`); (0, "") if there is none or it cannot be read."""
    found = re.fullmatch(r"([A-Z]{3})?\s*([0-9.,]+)\s*([A-Z]{3})?", text.strip())
    return _amount(found[2], found[1] or found[3] or currency) if found else (0, "")


def _amount(text: str, code: str) -> tuple[int, str]:
    try:
        return (swift_amount(text, code), code) if known_currency(code) else (0, "")
    except AmountUnreadable:
        return 0, ""


def _original_and_charges(supplement: str) -> tuple[tuple[int, str], tuple[Charge, ...]]:
    """/OCMT/ (original amount) and /CHGS/ (charges within the amount) of the supplementary line of :61:."""
    original = (0, "")
    charges: list[Charge] = []
    for word, code, text in _ORIGINAL.findall(supplement):
        amount = _amount(text, code)
        if not amount[1]:
            continue
        if word == "OCMT":
            original = amount
        else:
            charges.append(Charge(amount[0], code, included=True))
    return original, tuple(charges)
