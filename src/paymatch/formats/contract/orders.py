"""Orders in the merchant API: every field in the contract's order, each declared once."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from paymatch.domain.privacy.person import ERASED
from paymatch.formats.contract import json_schema as of
from paymatch.formats.contract.declaration import (
    amount,
    choice,
    country,
    currency,
    day,
    email,
    flag,
    key,
    keys,
    language,
    name_part,
    rate,
    read_only,
    thing,
    things,
    whole,
    words,
)
from paymatch.formats.contract.values import MAX_KEY, MAX_NUMBER, order_number

ORDER_TYPES: Final = frozenset({"INVOICE", "PREPAYMENT", "COD", "OTHER"})
GENDERS: Final = frozenset({"male", "female", "company", "unknown"})
MAX_DUNNING_LEVEL: Final = 9
_LONG: Final = f"One of more than {MAX_KEY} characters is kept, but not used for matching."


class Item(msgspec.Struct):
    """An item."""

    number: Annotated[str, key("Item number.", required=True, impersonal=True)]
    name: Annotated[str, words("Item name.", 255)] = ""


class Address(msgspec.Struct):
    """An address."""

    gender: Annotated[str, choice("Who is addressed.", GENDERS, "Gender")] = ""
    firstName: Annotated[str, name_part("Given name.", 255)] = ""  # noqa: N815  the contract's spelling, here and below
    lastName: Annotated[  # noqa: N815
        str, name_part("Surname; required unless `company` is set.", 255, required_unless="company", erased_as=ERASED)
    ] = ""
    company: Annotated[str, name_part("Company; required unless `lastName` is set.", 255)] = ""
    street: Annotated[str, name_part("Street address.", 255)] = ""
    postCode: Annotated[str, name_part("Post code.", 32)] = ""  # noqa: N815
    city: Annotated[str, name_part("City.", 128)] = ""
    countryCode: Annotated[  # noqa: N815
        str, country("2-letter ISO country code.", required=True, impersonal=True)
    ] = ""
    phone: Annotated[str, words("Phone number.", 64)] = ""


_ITEMS: Final = "an array of objects with number and name"
_ADDRESS: Final = "an object with lastName or company, and countryCode"


class Order(msgspec.Struct):
    """An order with what the service knows of it."""

    number: Annotated[
        str,
        key("Order number, unique per shop.", MAX_NUMBER, check=order_number, required=True, impersonal=True),
    ]
    date: Annotated[
        str,
        day(
            "Day of the order. A new order cannot be dated later than today.",
            required=True, impersonal=True,
        ),
    ]  # fmt: skip
    dueDate: Annotated[  # noqa: N815
        str, day("Day on which the payment is due, at most six months ahead.", impersonal=True)
    ]
    type: Annotated[str, choice("How the order is paid.", ORDER_TYPES, "OrderType", required=True, impersonal=True)]
    amount: Annotated[
        Decimal,
        amount("What the customer is to pay, taxes and shipping included.", required=True, impersonal=True),
    ]
    currency: Annotated[str, currency("ISO 4217 code.", required=True, impersonal=True)]
    exchangeRate: Annotated[  # noqa: N815
        Decimal,
        rate(
            "Only needed for a currency in which the shop has no account: how many units of it one unit"
            " of the shop's currency costs. The customer is then asked for the amount divided by this rate.",
            impersonal=True,
        ),
    ]
    customerEmail: Annotated[  # noqa: N815
        str, email("Address for payment information and reminders; without it none are sent.")
    ]
    customerNumber: Annotated[  # noqa: N815
        str, key(f"Customer number; joined with `/` to a marketplace user name if there is one. {_LONG}")
    ]
    marketplaceNumber: Annotated[str, key("Additional order number of a marketplace.")]  # noqa: N815
    paymentMethod: Annotated[  # noqa: N815
        str,
        words("The shop's technical payment method id; informational, cut at 255 characters.", 255, impersonal=True),
    ]
    paymentMethodDescription: Annotated[  # noqa: N815
        str, words("Readable payment method; informational, cut at 255 characters.", 255)
    ]
    statusDescription: Annotated[  # noqa: N815
        str, words("Order status in the shop; informational, cut at 255 characters.", 255)
    ]
    language: Annotated[str, language("The customer's language, for e-mails to the customer.", impersonal=True)]
    itemNumbers: Annotated[  # noqa: N815
        list[str], keys("Use `items`.", "Item number.", deprecated=True, impersonal=True)
    ]
    items: Annotated[list[Item], things(Item, "Item numbers are used for matching.", _ITEMS, impersonal=True)]
    invoiceNumbers: Annotated[  # noqa: N815
        list[str], keys("Used for matching.", "Invoice number.", impersonal=True)
    ]
    shippingNumbers: Annotated[  # noqa: N815
        list[str], keys("Used for matching; highly recommended for COD.", "Tracking number.")
    ]
    proformaNumbers: Annotated[  # noqa: N815
        list[str], keys("Used for matching.", "Proposal or confirmation number.", impersonal=True)
    ]
    billing: Annotated[Address, thing(Address, _ADDRESS, required=True, impersonal=True)]
    shipping: Annotated[Address, thing(Address, _ADDRESS)]
    initialDunningLevel: Annotated[  # noqa: N815
        int,
        whole(
            "Honoured only when the order is created; on later submissions omitted, 0 or the same.",
            MAX_DUNNING_LEVEL,
            impersonal=True,
        ),
    ]
    stopReminder: Annotated[bool, flag("`true`: the customer is not reminded.", impersonal=True)]  # noqa: N815

    paymentStatus: Annotated[str, read_only(of.ref("PaymentStatus"), always=True)]  # noqa: N815
    referenceNumber: Annotated[  # noqa: N815
        str, read_only(of.text("Payment reference; present where the service sends payment information."))
    ]
    bankAccount: Annotated[dict[str, str], read_only(of.ref("BankAccount"))]  # noqa: N815
    amountToPay: Annotated[  # noqa: N815
        Decimal,
        read_only(
            of.amount(
                "Our addition, where the customer is asked for another currency: what is open, divided by"
                " `exchangeRate`; reminder fees come on top."
            )
        ),
    ]
    currencyToPay: Annotated[str, read_only(of.text("Our addition: the currency of `amountToPay`."))]  # noqa: N815
    dunningLevel: Annotated[  # noqa: N815
        int, read_only(of.whole("Number of payment reminders sent.", minimum=0), always=True)
    ]
    amountPaid: Annotated[  # noqa: N815
        Decimal,
        read_only(
            of.amount(
                "Payments booked, with paid reminder fees, less refunds executed; left out while the order is UNPAID."
            )
        ),
    ]
    postings: Annotated[list[object], read_only(of.array(of.ref("Posting"), "Only with `includePostings=true`."))]
    collectionPartner: Annotated[  # noqa: N815
        str, read_only(of.text("Collection agency; only while collection is active."))
    ]
    collectionFile: Annotated[  # noqa: N815
        str, read_only(of.text("File number at the agency; only while collection is active."))
    ]
    collectionStatus: Annotated[str, read_only(of.ref("CollectionStatus"))]  # noqa: N815
    collectionHistory: Annotated[  # noqa: N815
        list[object], read_only(of.array(of.ref("CollectionEvent"), "Only with `includeCollectionHistory=true`."))
    ]
    paymentReminders: Annotated[  # noqa: N815
        list[object], read_only(of.array(of.ref("Reminder"), "Only with `includePaymentReminders=true`."))
    ]
    refunds: Annotated[list[object], read_only(of.array(of.ref("Refund"), "Only with `includeRefunds=true`."))]
    mailProblem: Annotated[  # noqa: N815
        str,
        read_only(
            of.text("Our addition: why no mail can be sent to `customerEmail`, or why mail to it did not arrive.")
        ),
    ]
    hasBankDetailsForRefund: Annotated[  # noqa: N815
        bool, read_only(of.flag("Whether an account for a refund is known; only with `includePostings=true`."))
    ]
