"""Small electronic invoices of our own, one per syntax; what varies is handed in."""

from __future__ import annotations

from io import BytesIO

import pikepdf

UBL_NAMES = (
    'xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"'
    ' xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"'
    ' xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"'
)


def ubl(
    number: str = "RE-17", due: str = "119.00", terms: str = "", due_date: str = "2026-04-30", currency: str = "EUR"
) -> bytes:
    """An XRechnung in UBL of 2 March 2026."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Invoice {UBL_NAMES}>\n<cbc:ID>{number}</cbc:ID>\n'
        "<cbc:IssueDate>2026-03-02</cbc:IssueDate>\n"
        + (f"<cbc:DueDate>{due_date}</cbc:DueDate>\n" if due_date else "")
        + f"<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>\n<cbc:DocumentCurrencyCode>{currency}"
        "</cbc:DocumentCurrencyCode>\n<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode>"
        "<cbc:PaymentID>KD4711-17</cbc:PaymentID></cac:PaymentMeans>\n"
        f"<cac:PaymentTerms><cbc:Note>{terms}</cbc:Note></cac:PaymentTerms>\n"
        f'<cac:LegalMonetaryTotal><cbc:TaxInclusiveAmount currencyID="{currency}">{due}</cbc:TaxInclusiveAmount>'
        f'<cbc:PayableAmount currencyID="{currency}">{due}</cbc:PayableAmount></cac:LegalMonetaryTotal>\n</Invoice>\n'
    ).encode()


def cii(number: str = "RE-17", due: str = "119.00", terms: str = "", more: str = "", code: str = "380") -> bytes:
    """An XRechnung in CII of 2 March 2026; the same XML is what a ZUGFeRD PDF holds."""
    base = "urn:un:unece:uncefact:data:standard"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rsm:CrossIndustryInvoice xmlns:rsm="{base}:CrossIndustryInvoice:100"'
        f' xmlns:ram="{base}:ReusableAggregateBusinessInformationEntity:100"'
        f' xmlns:udt="{base}:UnqualifiedDataType:100">'
        f"\n<rsm:ExchangedDocument><ram:ID>{number}</ram:ID><ram:TypeCode>{code}</ram:TypeCode><ram:IssueDateTime>"
        '<udt:DateTimeString format="102">20260302</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>\n'
        "<rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeSettlement>"
        "<ram:PaymentReference>KD4711-17</ram:PaymentReference><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>\n"
        f"<ram:SpecifiedTradePaymentTerms><ram:Description>{terms}</ram:Description><ram:DueDateDateTime>"
        '<udt:DateTimeString format="102">20260430</udt:DateTimeString></ram:DueDateDateTime>'
        f"{more}</ram:SpecifiedTradePaymentTerms>\n<ram:SpecifiedTradeSettlementHeaderMonetarySummation>"
        f"<ram:GrandTotalAmount>{due}</ram:GrandTotalAmount><ram:DuePayableAmount>{due}</ram:DuePayableAmount>"
        "</ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement>"
        "</rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>\n"
    ).encode()


def pdf_with(xml: bytes | None, name: str = "factur-x.xml") -> bytes:
    """A PDF of one page, as ZUGFeRD and Factur-X attach their XML to it."""
    pdf = pikepdf.new()
    pdf.add_blank_page()
    if xml is not None:
        pdf.attachments[name] = xml
    out = BytesIO()
    pdf.save(out)
    return out.getvalue()
