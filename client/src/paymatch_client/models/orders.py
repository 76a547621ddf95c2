"""Orders: what is sent and what is answered. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from decimal import Decimal

from paymatch_client.models.enumerations import (
    CollectionStatus,
    FeeKind,
    Gender,
    OrderType,
    PaymentStatus,
    RefundStatus,
)
from paymatch_client.values import Day, Moment, Value


class Order(Value, kw_only=True):
    """An order with what the service knows of it."""

    number: str
    """Order number, unique per shop."""
    date: Day
    """Day of the order. A new order cannot be dated later than today."""
    due_date: Day | None = None
    """Day on which the payment is due, at most six months ahead."""
    type: OrderType
    """How the order is paid."""
    amount: Decimal
    """What the customer is to pay, taxes and shipping included."""
    currency: str
    """ISO 4217 code."""
    exchange_rate: Decimal | None = None
    """Only needed for a currency in which the shop has no account: how many units of it one unit of the shop's
    currency costs. The customer is then asked for the amount divided by this rate.
    """
    customer_email: str | None = None
    """Address for payment information and reminders; without it none are sent."""
    customer_number: str | None = None
    """Customer number; joined with `/` to a marketplace user name if there is one. One of more than 128 characters
    is kept, but not used for matching.
    """
    marketplace_number: str | None = None
    """Additional order number of a marketplace."""
    payment_method: str | None = None
    """The shop's technical payment method id; informational, cut at 255 characters."""
    payment_method_description: str | None = None
    """Readable payment method; informational, cut at 255 characters."""
    status_description: str | None = None
    """Order status in the shop; informational, cut at 255 characters."""
    language: str | None = None
    """The customer's language, for e-mails to the customer."""
    item_numbers: list[str] | None = None
    """Use `items`."""
    items: list[Item] | None = None
    """Item numbers are used for matching."""
    invoice_numbers: list[str] | None = None
    """Used for matching."""
    shipping_numbers: list[str] | None = None
    """Used for matching; highly recommended for COD."""
    proforma_numbers: list[str] | None = None
    """Used for matching."""
    billing: Address
    """An address."""
    shipping: Address | None = None
    """An address."""
    initial_dunning_level: int | None = None
    """Honoured only when the order is created; on later submissions omitted, 0 or the same."""
    stop_reminder: bool | None = None
    """`true`: the customer is not reminded."""
    payment_status: PaymentStatus
    """The order's payment status."""
    reference_number: str | None = None
    """Payment reference; present where the service sends payment information."""
    bank_account: BankAccount | None = None
    """The account to pay to."""
    amount_to_pay: Decimal | None = None
    """Our addition, where the customer is asked for another currency: what is open, divided by `exchangeRate`;
    reminder fees come on top.
    """
    currency_to_pay: str | None = None
    """Our addition: the currency of `amountToPay`."""
    dunning_level: int
    """Number of payment reminders sent."""
    amount_paid: Decimal | None = None
    """Payments booked, with paid reminder fees, less refunds executed; left out while the order is UNPAID."""
    postings: list[Posting] | None = None
    """Only with `includePostings=true`."""
    collection_partner: str | None = None
    """Collection agency; only while collection is active."""
    collection_file: str | None = None
    """File number at the agency; only while collection is active."""
    collection_status: CollectionStatus | None = None
    """What the agency says; only while collection is active."""
    collection_history: list[CollectionEvent] | None = None
    """Only with `includeCollectionHistory=true`."""
    payment_reminders: list[Reminder] | None = None
    """Only with `includePaymentReminders=true`."""
    refunds: list[Refund] | None = None
    """Only with `includeRefunds=true`."""
    mail_problem: str | None = None
    """Our addition: why no mail can be sent to `customerEmail`, or why mail to it did not arrive."""
    has_bank_details_for_refund: bool | None = None
    """Whether an account for a refund is known; only with `includePostings=true`."""


class Item(Value, kw_only=True):
    """An item."""

    number: str
    """Item number."""
    name: str | None = None
    """Item name."""


class Address(Value, kw_only=True):
    """An address."""

    gender: Gender | None = None
    """Who is addressed."""
    first_name: str | None = None
    """Given name."""
    last_name: str | None = None
    """Surname; required unless `company` is set."""
    company: str | None = None
    """Company; required unless `lastName` is set."""
    street: str | None = None
    """Street address."""
    post_code: str | None = None
    """Post code."""
    city: str | None = None
    """City."""
    country_code: str
    """2-letter ISO country code."""
    phone: str | None = None
    """Phone number."""


class BankAccount(Value, kw_only=True):
    """The account to pay to."""

    account_number: str | None = None
    """Outside SEPA only."""
    bank_code: str | None = None
    """Outside SEPA only."""
    iban: str | None = None
    """IBAN."""
    bic: str | None = None
    """BIC."""
    bank_name: str | None = None
    """Name of the bank."""
    remittee: str | None = None
    """Name of the payee."""


class Posting(Value, kw_only=True):
    """A payment as it is credited to the order; negative if it was returned."""

    id: str | None = None
    """Assigned by the service."""
    amount: Decimal | None = None
    """What the customer paid for the order, paid reminder fees included."""
    currency: str | None = None
    """ISO 4217 code."""
    posting_date: Day | None = None
    """Booking date."""
    valuation_date: Day | None = None
    """Value date."""
    originator: str | None = None
    """Name of the counterparty."""
    reference: str | None = None
    """The bank's own reference of the booking."""
    text: str | None = None
    """Remittance information."""
    fee: Decimal | None = None
    """Amount that the payer kept, if any: the posting is smaller by it. Negative for a paid reminder fee, which is
    within the amount.
    """
    fee_kind: FeeKind | None = None
    """Kind of the fee; only with `fee`."""


class CollectionEvent(Value, kw_only=True):
    """A step of the collection."""

    timestamp: Moment | None = None
    """When."""
    description: str | None = None
    """What."""


class Reminder(Value, kw_only=True):
    """A payment reminder."""

    date: Day | None = None
    """When it was sent."""
    dunning_level: int | None = None
    """Its level."""
    reminder_fee: Decimal | None = None
    """Its fee, not cumulated."""
    email: bool | None = None
    """Sent by e-mail."""
    letter: bool | None = None
    """Sent by letter."""


class Refund(Value, kw_only=True):
    """A refund."""

    external_reference: str
    """The merchant's own reference, unique per shop."""
    amount: Decimal
    """Refund amount, above 0."""
    currency: str
    """The currency of the order."""
    planned_date: Day
    """When the transfer should be initiated; in the future on creation."""
    id: str
    """Assigned by the service."""
    execution_date: Day | None
    """Date of the transfer; null until it was executed."""
    reference_number: str
    """Reference assigned by the service; the EndToEndId of the transfer."""
    status: RefundStatus
    """The refund's status."""
    reason: str | None = None
    """Why it is not transferred, in words; only while something holds it back."""


class OrderSubmission(Value, kw_only=True):
    """An order as the shop submits it. Read-only and unknown fields are ignored."""

    number: str
    """Order number, unique per shop."""
    date: Day
    """Day of the order. A new order cannot be dated later than today."""
    due_date: Day | None = None
    """Day on which the payment is due, at most six months ahead."""
    type: OrderType
    """How the order is paid."""
    amount: Decimal
    """What the customer is to pay, taxes and shipping included. Two decimals; true further ones are refused, never
    rounded.
    """
    currency: str
    """ISO 4217 code."""
    exchange_rate: Decimal | None = None
    """Only needed for a currency in which the shop has no account: how many units of it one unit of the shop's
    currency costs. The customer is then asked for the amount divided by this rate.
    """
    customer_email: str | None = None
    """Address for payment information and reminders; without it none are sent."""
    customer_number: str | None = None
    """Customer number; joined with `/` to a marketplace user name if there is one. One of more than 128 characters
    is kept, but not used for matching.
    """
    marketplace_number: str | None = None
    """Additional order number of a marketplace."""
    payment_method: str | None = None
    """The shop's technical payment method id; informational, cut at 255 characters."""
    payment_method_description: str | None = None
    """Readable payment method; informational, cut at 255 characters."""
    status_description: str | None = None
    """Order status in the shop; informational, cut at 255 characters."""
    language: str | None = None
    """The customer's language, for e-mails to the customer."""
    item_numbers: list[str] | None = None
    """Use `items`."""
    items: list[Item] | None = None
    """Item numbers are used for matching."""
    invoice_numbers: list[str] | None = None
    """Used for matching."""
    shipping_numbers: list[str] | None = None
    """Used for matching; highly recommended for COD."""
    proforma_numbers: list[str] | None = None
    """Used for matching."""
    billing: Address
    """An address."""
    shipping: Address | None = None
    """An address."""
    initial_dunning_level: int | None = None
    """Honoured only when the order is created; on later submissions omitted, 0 or the same."""
    stop_reminder: bool | None = None
    """`true`: the customer is not reminded."""


class SyncResult(Value, kw_only=True):
    """Result of a synchronisation, or of its rehearsal with `dryRun=true`."""

    legacy: int
    """Number of orders set to LEGACY."""
    legacy_orders: list[str]
    """Order number."""
    revived_orders: list[str]
    """LEGACY and DISAPPEARED orders that came back."""
    unknown_orders: list[str]
    """Listed numbers that the service does not know."""
    open_before: int
    """Open orders before the call."""
    dry_run: bool
    """Nothing was changed."""
    id: str | None = None
    """To undo it; missing if nothing was changed."""


class Synchronisation(Value, kw_only=True):
    """A call of POST /ordersync that changed something."""

    id: str | None = None
    """To undo it."""
    at: Moment | None = None
    """When it was made."""
    listed: int | None = None
    """Elements of its list."""
    open_before: int | None = None
    """Open orders before it."""
    legacy: int | None = None
    """Orders that it set to LEGACY."""
    revived: int | None = None
    """Orders that it brought back."""
    undone: bool | None = None
    """It was undone."""


class UndoResult(Value, kw_only=True):
    """Result of undoing a synchronisation."""

    id: str | None = None
    """The synchronisation."""
    restored: int | None = None
    """Number of orders whose status was restored."""
    restored_orders: list[str] | None = None
    """Order number."""
    changed_since: list[str] | None = None
    """Orders that were changed since and stay as they are."""
