"""Details of a camt entry: TxDtls (ISO 20022 camt.052/053/054, versions .01 to .13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from lxml import etree

from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import reference_kind
from paymatch.formats.camt.amounts import AMOUNT_DETAILS, amounts_of, charges_of
from paymatch.formats.camt.plan import BankField, ElementPlan, Groups, Paths, Texts, bank_word, local_name
from paymatch.formats.camt.values import CODES, SIGNS, ValueUnreadable, amount_of, gvc_of, joined_code
from paymatch.formats.statement import Detail, Party

_NOBODY: Final = Party()
_ACCOUNTS: Final[Mapping[Literal["Dbtr", "Cdtr"], BankField]] = {"Dbtr": "Dbtr account", "Cdtr": "Cdtr account"}


def _party(role: str) -> dict[str, Paths]:
    """Fields of a role (`Dbtr`); .01 to .07 name it without Pty, .08 on with it."""
    own, account, bank = f"RltdPties/{role}", f"RltdPties/{role}Acct", f"RltdAgts/{role}Agt/FinInstnId"
    ultimate = f"RltdPties/Ultmt{role}"
    numbers = ("IBAN", "Othr/Id", "BBAN", "UPIC", "PrtryAcct/Id")
    own_bank = f"{own}/Agt/FinInstnId"
    return {
        role: (f"{own}/Nm", f"{own}/Pty/Nm", f"{own_bank}/Nm", f"{account}/Nm"),
        f"{role} account": tuple(f"{account}/Id/{number}" for number in numbers),
        f"{role} BIC": (
            f"{bank}/BICFI", f"{bank}/BIC", f"{bank}/CmbndId/BIC", f"{own_bank}/BICFI", f"{own_bank}/BIC",
        ),
        f"ultimate {role}": (f"{ultimate}/Nm", f"{ultimate}/Pty/Nm", f"{ultimate}/Agt/FinInstnId/Nm"),
    }  # fmt: skip


_DETAIL: Final = ElementPlan(
    {
        "amount": "Amt",
        "currency": "Amt/@Ccy",
        "booked": "AmtDtls/TxAmt/Amt",
        "booked currency": "AmtDtls/TxAmt/Amt/@Ccy",
        "direction": "CdtDbtInd",
        "end to end": "Refs/EndToEndId",
        "instruction": "Refs/InstrId",
        "transaction": "Refs/TxId",
        "UETR": "Refs/UETR",
        "mandate": "Refs/MndtId",
        "message": "Refs/MsgId",
        "payment information": "Refs/PmtInfId",
        "bank reference": ("Refs/AcctSvcrRef", "Refs/AcctSvcrTxId"),
        "clearing": "Refs/ClrSysRef",
        "cheque": "Refs/ChqNb",
        **_party("Dbtr"),
        **_party("Cdtr"),
        "trading": ("RltdPties/TradgPty/Nm", "RltdPties/TradgPty/Pty/Nm"),
        "initiating": ("RltdPties/InitgPty/Nm", "RltdPties/InitgPty/Pty/Nm"),
        "purpose": "Purp/Cd",
        "info": "AddtlTxInf",
        "return reason": ("RtrInf/Rsn/Cd", "RtrInf/Rsn/Prtry", "RtrInf/RtrRsn/Cd", "RtrInf/RtrRsn/Prtry"),
        "original domain": "RtrInf/OrgnlBkTxCd/Domn/Cd",
        "original family": "RtrInf/OrgnlBkTxCd/Domn/Fmly/Cd",
        "original sub-family": "RtrInf/OrgnlBkTxCd/Domn/Fmly/SubFmlyCd",
        "original proprietary": "RtrInf/OrgnlBkTxCd/Prtry/Cd",
        **CODES,
        **AMOUNT_DETAILS,
    },
    {
        "parties": ("RltdPties", "RltdAgts"),
        "other amounts": "AmtDtls",
        "charges": "Chrgs",
        "unstructured": "RmtInf/Ustrd",
        "structured": "RmtInf/Strd",
        "return": "RtrInf",
        "return texts": ("RtrInf/AddtlInf", "RtrInf/AddtlRtrRsnInf"),
        "other references": ("Refs/AcctOwnrTxId", "Refs/MktInfrstrctrTxId", "Refs/PrcgId", "Refs/Prtry"),
    },
)
_STRUCTURED: Final = ElementPlan(
    {},
    {
        "references": "CdtrRefInf",
        "documents": ("RfrdDocInf/Nb", "RfrdDocInf/RfrdDocNb"),
        "additional": "AddtlRmtInf",
    },
)
_REFERENCE: Final = ElementPlan(
    {
        "kind": (
            "Tp/CdOrPrtry/Cd", "Tp/CdOrPrtry/Prtry", "Tp/Cd", "Tp/Prtry", "CdtrRefTp/Cd", "CdtrRefTp/Prtry",
        ),
        "reference": ("Ref", "CdtrRef"),
    }
)  # fmt: skip
_OWN_REFERENCE: Final = ElementPlan({"kind": "Tp", "reference": "Ref"})


def read_detail(element: etree._Element, sign: int, currency: str) -> Detail:
    """The detail of an entry of that sign and currency; ValueUnreadable if its own amount or sign is not certain."""
    texts, groups = _DETAIL.read(element)
    if direction := texts["direction"]:
        if direction not in SIGNS:
            raise ValueUnreadable(Message("camt-direction", element="TxDtls/CdtDbtInd", text=repr(direction)))
        sign = SIGNS[direction]
    minor, currency = _amount(texts, sign, currency)
    debtor, creditor = (_role("Dbtr", texts), _role("Cdtr", texts)) if "parties" in groups else (_NOBODY, _NOBODY)
    rare = amounts_of(texts) if "other amounts" in groups else {}
    if "charges" in groups:
        rare["charges"] = charges_of(groups["charges"])
    if "structured" in groups:
        rare |= _structured_fields(groups["structured"])
    if "return" in groups:
        rare |= _return_info(texts, groups)
    if "other references" in groups:
        rare["other_references"] = tuple(map(_other_reference, groups["other references"]))
    return Detail(
        minor,
        currency,
        texts["end to end"],
        texts["instruction"],
        texts["transaction"],
        texts["UETR"],
        texts["mandate"],
        texts["message"],
        bank_word(texts, "payment information"),
        texts["bank reference"],
        texts["clearing"],
        debtor=debtor,
        creditor=creditor,
        remittance_lines=tuple([line for each in groups.get("unstructured", ()) for line in _lines_of(each)]),
        purpose=texts["purpose"],
        additional_info=texts["info"],
        bank_code=joined_code(texts["domain"], texts["family"], texts["sub-family"]),
        proprietary_code=texts["proprietary"],
        gvc=gvc_of(bank_word(texts, "proprietary"), texts["issuer"]),
        cheque_number=texts["cheque"],
        trading_party=texts["trading"],
        initiating_party=texts["initiating"],
        **rare,
    )


def _amount(texts: Texts, sign: int, currency: str) -> tuple[int | None, str]:
    """Signed amount and currency: the first amount in the entry's currency, else the first of all."""
    given = (texts["amount"], texts["currency"]), (texts["booked"], texts["booked currency"])
    said = [(amount, its_currency) for amount, its_currency in given if amount and its_currency]
    if not said:
        return None, currency
    amount, currency = next((each for each in said if each[1] == currency), said[0])
    return sign * amount_of(amount, currency, "TxDtls/Amt"), currency


def _role(role: Literal["Dbtr", "Cdtr"], texts: Texts) -> Party:
    account = BankWord(bank_word(texts, _ACCOUNTS[role]).replace(" ", ""))
    return Party(texts[role], account, texts[f"{role} BIC"], texts[f"ultimate {role}"])


def _lines_of(element: etree._Element) -> tuple[str, ...]:
    """An unstructured remittance text as sent; a line break in it, with the indentation of a file, is one blank.

    Blanks at the ends are kept, as a bank may cut a text into lines of 35 or 140 characters at a blank.
    """
    text = element.text or ""
    if "\n" in text or "\r" in text:
        text = " ".join(line for part in text.splitlines() if (line := part.strip()))
    return (text,) if text and not text.isspace() else ()


def _structured_fields(elements: Iterable[etree._Element]) -> dict[str, Any]:
    references, documents, additional = [], [], []
    for element in elements:
        _, groups = _STRUCTURED.read(element)
        for each in groups.get("references", ()):
            said = _REFERENCE.read(each)[0]
            if reference := said["reference"]:
                references.append((reference_kind(said["kind"], reference), reference))
        documents += _texts(groups.get("documents", ()))
        additional += _texts(groups.get("additional", ()))
    return {
        "structured_references": tuple(references),
        "referred_documents": tuple(documents),
        "additional_remittance": tuple(additional),
    }


def _return_info(texts: Texts, groups: Groups) -> dict[str, Any]:
    code = joined_code(texts["original domain"], texts["original family"], texts["original sub-family"])
    return {
        "returned": True,
        "return_reason": bank_word(texts, "return reason"),
        "return_text": " ".join(_texts(groups.get("return texts", ()))),
        "original_bank_code": code or texts["original proprietary"],
    }


def _other_reference(element: etree._Element) -> tuple[str, str]:
    kind = local_name(element.tag)
    if kind != "Prtry":
        return kind, (element.text or "").strip()
    said = _OWN_REFERENCE.read(element)[0]
    return said["kind"], said["reference"]


def _texts(elements: Iterable[etree._Element]) -> list[str]:
    return [text for each in elements if (text := (each.text or "").strip())]
