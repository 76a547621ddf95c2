"""Enumerations of the API. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from paymatch_client.values import Enumeration


class AdviceState(Enumeration):
    """State of its payment: matched, has a suggestion, or not known yet."""

    MATCHED = "matched"
    SUGGESTED = "suggested"
    WAITING = "waiting"
    UNREADABLE = "unreadable"


class CallbackStatus(Enumeration):
    """Current state."""

    PENDING = "PENDING"
    WAITING = "WAITING"
    PAUSED = "PAUSED"
    DELIVERED = "DELIVERED"
    GIVEN_UP = "GIVEN_UP"
    OFF = "OFF"
    WITHDRAWN = "WITHDRAWN"


class CollectionReportStatus(Enumeration):
    """New state of the case."""

    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"
    PRELEGAL = "PRELEGAL"
    INSTALMENT = "INSTALMENT"
    LEGAL = "LEGAL"
    PAID = "PAID"
    PAID_PARTIAL = "PAID_PARTIAL"
    UNCOLLECTIBLE = "UNCOLLECTIBLE"


class CollectionStatus(Enumeration):
    """What the agency says; only while collection is active."""

    SUBMITTED = "SUBMITTED"
    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"
    PRELEGAL = "PRELEGAL"
    INSTALMENT = "INSTALMENT"
    LEGAL = "LEGAL"
    PAID = "PAID"
    PAID_PARTIAL = "PAID_PARTIAL"
    WITHDRAWN = "WITHDRAWN"
    UNCOLLECTIBLE = "UNCOLLECTIBLE"


class ExportFormat(Enumeration):
    """Of tables; all else is one file."""

    CSV = "csv"
    XLSX = "xlsx"


class FeeKind(Enumeration):
    """Kind of the fee; only with `fee`."""

    COMMISSION = "COMMISSION"
    DELIVERY_FEE = "DELIVERY_FEE"
    PAYMENT_FEE = "PAYMENT_FEE"
    BANK_CHARGE = "BANK_CHARGE"
    CASH_DISCOUNT = "CASH_DISCOUNT"
    REMINDER_FEE = "REMINDER_FEE"


class Gender(Enumeration):
    """Who is addressed."""

    COMPANY = "company"
    FEMALE = "female"
    MALE = "male"
    UNKNOWN = "unknown"


class ImageType(Enumeration):
    """Values of ImageType."""

    QRCODE = "QRCODE"
    NATIONAL = "NATIONAL"
    PAYMENTSLIP = "PAYMENTSLIP"
    PAYMENTSLIPPRINT = "PAYMENTSLIPPRINT"


class ImportBalance(Enumeration):
    """Whether opening and booked amounts add up."""

    OK = "ok"
    MISMATCH = "mismatch"
    UNKNOWN = "unknown"


class ImportState(Enumeration):
    """How far it is; missing where it ended while the upload waited."""

    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    UNDONE = "undone"


class OrderType(Enumeration):
    """How the order is paid."""

    COD = "COD"
    INVOICE = "INVOICE"
    OTHER = "OTHER"
    PREPAYMENT = "PREPAYMENT"


class PaymentStatus(Enumeration):
    """The order's payment status."""

    UNPAID = "UNPAID"
    PAID = "PAID"
    PAID_PARTIAL = "PAID_PARTIAL"
    CANCELLED = "CANCELLED"
    REFUNDED = "REFUNDED"
    REFUNDED_PARTIAL = "REFUNDED_PARTIAL"
    LEGACY = "LEGACY"
    DISAPPEARED = "DISAPPEARED"
    COLLECTION = "COLLECTION"


class PostingState(Enumeration):
    """What it was."""

    MATCHED = "matched"
    OPEN = "open"
    SET_ASIDE = "set-aside"
    IGNORED = "ignored"


class PostingStatus(Enumeration):
    """Current state."""

    MATCHED = "matched"
    SUGGESTED = "suggested"
    UNMATCHED = "unmatched"
    IGNORED = "ignored"


class RefundStatus(Enumeration):
    """The refund's status."""

    NEW = "NEW"
    BANKDETAILS_MISSING = "BANKDETAILS_MISSING"
    IN_PROCESS = "IN_PROCESS"
    PROCESSED = "PROCESSED"
    RETURNED = "RETURNED"
    ERROR = "ERROR"
    CANCELLED = "CANCELLED"
    LEGACY = "LEGACY"


class ReportBy(Enumeration):
    """The option of a report: the step of `cash-in`, or the basis of receivables."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    KNOWN = "known"
    BOOKED = "booked"


class ReportName(Enumeration):
    """Names for `report`."""

    CASH = "cash"
    POSTINGS = "postings"
    UNEXPLAINED = "unexplained"
    OPEN = "open"
    CUSTOMERS = "customers"
    RECONCILIATION = "reconciliation"
    AGEING = "ageing"
    OVERPAID = "overpaid"
    FEES = "fees"
    CASH_IN = "cash-in"
    MATCHED = "matched"
    SET_PAID = "set-paid"
    DSO = "dso"
    REMINDERS = "reminders"
    CLOSE = "close"


class SandboxMailStatus(Enumeration):
    """KEPT once it is out."""

    PENDING = "PENDING"
    SENT = "SENT"
    KEPT = "KEPT"
    REFUSED = "REFUSED"
    BOUNCED = "BOUNCED"
    WITHDRAWN = "WITHDRAWN"


class SandboxPaymentReference(Enumeration):
    """How well the customer copies the number."""

    EXACT = "exact"
    SPACED = "spaced"
    TYPO = "typo"
    MISSING = "missing"
    WRONG = "wrong"
    NAME_ONLY = "name-only"
    STRUCTURED = "structured"


class SandboxRefundOutcome(Enumeration):
    """Outcome."""

    BOOKED = "booked"
    REJECTED = "rejected"
    RETURNED = "returned"


class Witness(Enumeration):
    """Who states it."""

    BANK = "bank"
    PROVIDER = "provider"
    PERSON = "person"
    MERCHANT = "merchant"
    PAYER = "payer"
    CUSTOMER = "customer"
