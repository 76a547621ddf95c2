"""Where each syntax of an electronic invoice states what: the syntax bindings of EN 16931 (CEN/TS 16931-3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_CBC: Final = "{urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2}"
_CAC: Final = "{urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2}"
_CII: Final = "{urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100}"
_RAM: Final = "{urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100}"
_UDT: Final = "{urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100}"
_FERD: Final = "{urn:ferd:CrossIndustryDocument:invoice:1p0}"
_RAM12: Final = "{urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:12}"
_UDT15: Final = "{urn:un:unece:uncefact:data:standard:UnqualifiedDataType:15}"


@dataclass(frozen=True, slots=True)
class Binding:
    """Paths from the root element, as ElementPath reads them; the first that is there counts."""

    syntax: str
    number: str
    issue_date: str
    type_code: tuple[str, ...]
    currency: str
    total: str
    amount_due: str
    due_date: tuple[str, ...]
    payment_terms: str
    remittance: str
    discounts: str = ""  # elements that state a discount by themselves
    discount_base_date: str = ""  # from here on paths from such an element
    discount_days: str = ""
    discount_base: str = ""
    discount_percent: str = ""


def _ubl(type_code: str) -> Binding:
    return Binding(
        syntax="UBL",
        number=f"{_CBC}ID",
        issue_date=f"{_CBC}IssueDate",
        type_code=(f"{_CBC}{type_code}",),
        currency=f"{_CBC}DocumentCurrencyCode",
        total=f"{_CAC}LegalMonetaryTotal/{_CBC}TaxInclusiveAmount",
        amount_due=f"{_CAC}LegalMonetaryTotal/{_CBC}PayableAmount",
        due_date=(f"{_CBC}DueDate", f"{_CAC}PaymentMeans/{_CBC}PaymentDueDate"),
        payment_terms=f"{_CAC}PaymentTerms/{_CBC}Note",
        remittance=f"{_CAC}PaymentMeans/{_CBC}PaymentID",
    )


def _cii(head: str, trade: str, sums: str, ram: str, udt: str, syntax: str) -> Binding:
    terms = f"{trade}/{ram}SpecifiedTradePaymentTerms"
    return Binding(
        syntax=syntax,
        number=f"{head}/{ram}ID",
        issue_date=f"{head}/{ram}IssueDateTime/{udt}DateTimeString",
        type_code=(f"{head}/{ram}TypeCode",),
        currency=f"{trade}/{ram}InvoiceCurrencyCode",
        total=f"{trade}/{ram}{sums}/{ram}GrandTotalAmount",
        amount_due=f"{trade}/{ram}{sums}/{ram}DuePayableAmount",
        due_date=(f"{terms}/{ram}DueDateDateTime/{udt}DateTimeString",),
        payment_terms=f"{terms}/{ram}Description",
        remittance=f"{trade}/{ram}PaymentReference",
        discounts=f"{terms}/{ram}ApplicableTradePaymentDiscountTerms",
        discount_base_date=f"{ram}BasisDateTime/{udt}DateTimeString",
        discount_days=f"{ram}BasisPeriodMeasure",
        discount_base=f"{ram}BasisAmount",
        discount_percent=f"{ram}CalculationPercent",
    )


_UBL_INVOICE: Final = "{urn:oasis:names:specification:ubl:schema:xsd:Invoice-2}Invoice"
_UBL_CREDIT_NOTE: Final = "{urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2}CreditNote"

BINDINGS: Final[Mapping[str, Binding]] = {
    _UBL_INVOICE: _ubl("InvoiceTypeCode"),
    _UBL_CREDIT_NOTE: _ubl("CreditNoteTypeCode"),
    f"{_CII}CrossIndustryInvoice": _cii(
        f"{_CII}ExchangedDocument",
        f"{_CII}SupplyChainTradeTransaction/{_RAM}ApplicableHeaderTradeSettlement",
        "SpecifiedTradeSettlementHeaderMonetarySummation",
        _RAM,
        _UDT,
        "CII",
    ),
    f"{_FERD}CrossIndustryDocument": _cii(
        f"{_FERD}HeaderExchangedDocument",
        f"{_FERD}SpecifiedSupplyChainTradeTransaction/{_RAM12}ApplicableSupplyChainTradeSettlement",
        "SpecifiedTradeSettlementMonetarySummation",
        _RAM12,
        _UDT15,
        "ZUGFeRD 1.0",
    ),
}
"""By the name of the root element."""

ROOTS: Final = tuple(sorted({root.rpartition("}")[2] for root in BINDINGS}))
CREDIT_NOTES: Final = frozenset({"381", "261", "262", "296", "308", "396", "420", "458", "532"})
"""Type codes (UNTDID 1001) of documents that owe money to the customer."""
