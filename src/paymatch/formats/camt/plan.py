"""Plans: where in a shape of entry or detail the fields stand (ISO 20022 camt.052/053/054, versions .01 to .13)."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from paymatch.formats.camt.shape import Node
from paymatch.formats.camt.values import TextPicker

# In the order in which camt_entry unpacks them.
_ENTRY_TEXTS: Final[tuple[tuple[str, ...], ...]] = (
    ("Amt",),
    ("CdtDbtInd",),
    ("Sts", "Sts/Cd", "Sts/Prtry"),
    ("RvslInd",),
    ("BookgDt/Dt", "BookgDt/DtTm", "BookgDt"),
    ("ValDt/Dt", "ValDt/DtTm", "ValDt"),
    ("NtryRef",),
    ("AcctSvcrRef",),
    ("BkTxCd/Domn/Cd",),
    ("BkTxCd/Domn/Fmly/Cd",),
    ("BkTxCd/Domn/Fmly/SubFmlyCd", "BkTxCd/Domn/Fmly/SubFmly/Cd"),
    ("BkTxCd/Prtry/Cd",),
    ("BkTxCd/Prtry/Issr",),
    ("AddtlNtryInf",),
)
_DETAIL_TEXTS: Final[tuple[tuple[str, ...], ...]] = (
    ("CdtDbtInd",),
    ("Refs/EndToEndId",),
    ("Refs/InstrId",),
    ("Refs/TxId",),
    ("Refs/UETR",),
    ("Refs/MndtId",),
    ("Refs/MsgId",),
    ("Refs/PmtInfId",),
    ("Refs/AcctSvcrRef", "Refs/AcctSvcrTxId"),
    ("Refs/ClrSysRef",),
    ("Refs/ChqNb",),
    ("BkTxCd/Domn/Cd",),
    ("BkTxCd/Domn/Fmly/Cd",),
    ("BkTxCd/Domn/Fmly/SubFmlyCd", "BkTxCd/Domn/Fmly/SubFmly/Cd"),
    ("BkTxCd/Prtry/Cd",),
    ("BkTxCd/Prtry/Issr",),
    ("Purp/Cd",),
    ("Purp/Prtry",),
    ("AddtlTxInf",),
)
_OTHER_REFERENCES: Final = ("AcctOwnrTxId", "MktInfrstrctrTxId", "PrcgId")


def _party(role: str, agent: str) -> tuple[tuple[str, ...], ...]:
    """Paths of name, account, BIC and ultimate name of a role (`Dbtr`); .01 to .07 without Pty, .08 on with it."""
    parties, account, bank = "RltdPties", f"RltdPties/{role}Acct/Id", f"RltdAgts/{agent}/FinInstnId"
    own_bank = f"{parties}/{role}/Agt/FinInstnId"
    return (
        (f"{parties}/{role}/Nm", f"{parties}/{role}/Pty/Nm", f"{own_bank}/Nm", f"{parties}/{role}Acct/Nm"),
        (f"{account}/IBAN", f"{account}/Othr/Id", f"{account}/BBAN", f"{account}/UPIC", f"{account}/PrtryAcct/Id"),
        (f"{bank}/BICFI", f"{bank}/BIC", f"{bank}/CmbndId/BIC", f"{own_bank}/BICFI", f"{own_bank}/BIC"),
        (f"{parties}/Ultmt{role}/Nm", f"{parties}/Ultmt{role}/Pty/Nm", f"{parties}/Ultmt{role}/Agt/FinInstnId/Nm"),
    )


_PARTY_TEXTS: Final = (
    *_party("Dbtr", "DbtrAgt"),
    *_party("Cdtr", "CdtrAgt"),
    ("RltdPties/TradgPty/Nm", "RltdPties/TradgPty/Pty/Nm"),
    ("RltdPties/InitgPty/Nm", "RltdPties/InitgPty/Pty/Nm"),
)
_RETURN_REASON: Final = ("RtrInf/Rsn/Cd", "RtrInf/Rsn/Prtry", "RtrInf/RtrRsn/Cd", "RtrInf/RtrRsn/Prtry")
_ORIGINAL_CODE: Final = (
    ("RtrInf/OrgnlBkTxCd/Domn/Cd",),
    ("RtrInf/OrgnlBkTxCd/Domn/Fmly/Cd",),
    ("RtrInf/OrgnlBkTxCd/Domn/Fmly/SubFmlyCd",),
    ("RtrInf/OrgnlBkTxCd/Prtry/Cd",),
)


def _picker(root: Node, fields: tuple[tuple[str, ...], ...]) -> TextPicker:
    return itemgetter(*(root.at(*paths) for paths in fields))


class AmountPlace:
    """Where an amount and its exchange stand."""

    __slots__ = ("currency", "place")

    def __init__(self, node: Node | None) -> None:
        self.place = node.place if node else -1
        self.currency = node.currency if node else ""


class AmountsPlan:
    """Instructed amount, counter value, rate: the AmtDtls of an entry or a detail."""

    __slots__ = ("counter", "instructed", "rate")

    def __init__(self, root: Node) -> None:
        self.instructed = AmountPlace(root.first("AmtDtls/InstdAmt/Amt"))
        self.counter = AmountPlace(root.first("AmtDtls/CntrValAmt/Amt"))
        kinds = ("TxAmt", "CntrValAmt", "InstdAmt", "AnncdPstngAmt", "PrtryAmt")
        self.rate = root.at(*(f"AmtDtls/{kind}/CcyXchg/XchgRate" for kind in kinds))


class ChargePlan:
    """One charge: a Chrgs of .01 and .02, a Rcrd since .03, or the total where that is all the bank gave."""

    __slots__ = ("amount", "bearer", "direction", "included")

    def __init__(self, node: Node, amount: Node) -> None:
        self.amount = AmountPlace(amount)
        self.direction = node.at("CdtDbtInd")
        self.included = node.at("ChrgInclInd")
        self.bearer = node.at("Br", "ChrgBr")


def _charges(root: Node) -> list[ChargePlan]:
    plans: list[ChargePlan] = []
    for group in root.all("Chrgs"):
        records = [*group.all("Rcrd")] or [group]
        found = [ChargePlan(node, amount) for node in records if (amount := node.first("Amt"))]
        total = group.first("TtlChrgsAndTaxAmt")
        plans.extend(found or ([ChargePlan(group, total)] if total else []))
    return plans


class EntryPlan:
    """Where the fields of an entry of one shape stand; the details are cut out before."""

    __slots__ = ("amounts", "batches", "charges", "currency", "has_rare", "pick")

    def __init__(self, root: Node) -> None:
        amount = root.first("Amt")
        self.currency = amount.currency if amount else ""
        self.pick = _picker(root, _ENTRY_TEXTS)
        self.amounts = AmountsPlan(root) if root.first("AmtDtls") else None
        self.charges = _charges(root)
        self.batches = [
            (node.at("MsgId"), node.at("PmtInfId"), node.at("NbOfTxs"), AmountPlace(node.first("TtlAmt")))
            for node in (*root.all("NtryDtls/Btch"), *root.all("Btch"))  # the latter in version .01
        ]
        self.has_rare = bool(self.amounts or self.charges or self.batches)


class RemittancePlan:
    """Where the structured remittance information of a detail stands."""

    __slots__ = ("additional", "documents", "references")

    def __init__(self, root: Node) -> None:
        self.documents = root.places("RmtInf/Strd/RfrdDocInf/Nb", "RmtInf/Strd/RfrdDocInf/RfrdDocNb")
        self.additional = root.places("RmtInf/Strd/AddtlRmtInf")
        kinds = ("Tp/CdOrPrtry/Cd", "Tp/CdOrPrtry/Prtry", "Tp/Cd", "Tp/Prtry", "CdtrRefTp/Cd", "CdtrRefTp/Prtry")
        self.references = [
            (node.at(*kinds), place)
            for node in root.all("RmtInf/Strd/CdtrRefInf")
            if (place := node.at("Ref", "CdtrRef")) >= 0
        ]


class ReturnPlan:
    """Where the return information of a detail stands."""

    __slots__ = ("code", "reason", "texts")

    def __init__(self, root: Node) -> None:
        self.reason = root.at(*_RETURN_REASON)
        self.texts = root.places("RtrInf/AddtlInf", "RtrInf/AddtlRtrRsnInf")
        self.code = _picker(root, _ORIGINAL_CODE)


class DetailPlan:
    """Where the fields of a detail (TxDtls) of one shape stand."""

    __slots__ = (
        "amount_places",
        "amounts",
        "charges",
        "has_parties",
        "has_rare",
        "other_references",
        "pick",
        "pick_parties",
        "remittance",
        "return_info",
        "unstructured",
    )

    def __init__(self, root: Node) -> None:
        self.pick = _picker(root, _DETAIL_TEXTS)
        self.pick_parties = _picker(root, _PARTY_TEXTS)
        self.has_parties = root.first("RltdPties", "RltdAgts") is not None
        amounts = (root.first("Amt"), root.first("AmtDtls/TxAmt/Amt"))
        self.amount_places = [AmountPlace(node) for node in amounts if node]
        self.amounts = AmountsPlan(root) if root.first("AmtDtls") else None
        self.charges = _charges(root)
        self.unstructured = root.places("RmtInf/Ustrd")
        self.remittance = RemittancePlan(root) if root.first("RmtInf/Strd") else None
        self.return_info = ReturnPlan(root) if root.first("RtrInf") else None
        self.other_references = _other_references(root)
        self.has_rare = bool(
            self.amounts or self.charges or self.remittance or self.return_info or self.other_references
        )


def _other_references(root: Node) -> list[tuple[str | int, int]]:
    """Kind (a name, or the place of the bank's own name for it) and place of every further reference."""
    found: list[tuple[str | int, int]] = []
    for name in _OTHER_REFERENCES:
        found.extend((name, place) for place in root.places(f"Refs/{name}"))
    found.extend((node.at("Tp"), node.at("Ref")) for node in root.all("Refs/Prtry"))
    return found
