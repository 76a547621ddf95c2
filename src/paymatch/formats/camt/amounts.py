"""Amounts that inform, and charges: shared by entries and details."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from lxml import etree

from paymatch.formats.camt.plan import ElementPlan, Paths, Texts, bank_word
from paymatch.formats.camt.values import amount_if_readable
from paymatch.formats.statement import Charge

_RATED: Final = ("TxAmt", "CntrValAmt", "InstdAmt", "AnncdPstngAmt", "PrtryAmt")

AMOUNT_DETAILS: Final[dict[str, Paths]] = {
    "instructed": "AmtDtls/InstdAmt/Amt",
    "instructed currency": "AmtDtls/InstdAmt/Amt/@Ccy",
    "counter value": "AmtDtls/CntrValAmt/Amt",
    "counter currency": "AmtDtls/CntrValAmt/Amt/@Ccy",
    "rate": tuple(f"AmtDtls/{kind}/CcyXchg/XchgRate" for kind in _RATED),
}
"""Fields of `amounts_of`, for the plan of an entry or a detail."""

_CHARGES: Final = ElementPlan({"total": "TtlChrgsAndTaxAmt", "currency": "TtlChrgsAndTaxAmt/@Ccy"}, {"records": "Rcrd"})
_CHARGE: Final = ElementPlan(
    {
        "amount": "Amt",
        "currency": "Amt/@Ccy",
        "direction": "CdtDbtInd",
        "included": "ChrgInclInd",
        "bearer": ("Br", "ChrgBr"),
    }
)


def amounts_of(texts: Texts) -> dict[str, Any]:
    """Instructed amount, counter value and rate, by the fields of an entry or a detail; what cannot be read is left
    out."""
    found: dict[str, Any] = {"exchange_rate": bank_word(texts, "rate")} if texts["rate"] else {}
    minor = amount_if_readable(texts["instructed"], texts["instructed currency"])
    if minor is not None:
        found |= {"instructed_amount_minor": minor, "instructed_currency": bank_word(texts, "instructed currency")}
    minor = amount_if_readable(texts["counter value"], texts["counter currency"])
    if minor is not None:
        found |= {"counter_value_minor": minor, "counter_value_currency": texts["counter currency"]}
    return found


def charges_of(elements: Iterable[etree._Element]) -> tuple[Charge, ...]:
    """Each Chrgs of .01 and .02, or its Rcrd since .03, or the total where that is all the bank gave.

    Without those of 0 and those that cannot be read; a refunded one is negative.
    """
    charges: list[Charge] = []
    for element in elements:
        total, groups = _CHARGES.read(element)
        said = [_CHARGE.read(record)[0] for record in groups.get("records", (element,))]
        found = [texts for texts in said if texts["amount"]]
        if not found:
            found = [_CHARGE.read(element)[0] | {"amount": total["total"], "currency": total["currency"]}]
        for texts in found:
            minor = amount_if_readable(texts["amount"], texts["currency"])
            if minor:
                sign = -1 if texts["direction"] == "CRDT" else 1
                charges.append(
                    Charge(sign * minor, texts["currency"], texts["included"] in {"true", "1"}, texts["bearer"])
                )
    return tuple(charges)
