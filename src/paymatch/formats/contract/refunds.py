"""Refunds in the merchant API, each field declared once."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

import msgspec

from paymatch.formats.contract import json_schema as of
from paymatch.formats.contract.declaration import Field, amount, answer_only, day, read_only, words
from paymatch.formats.contract.values import MAX_ACCOUNT, MAX_KEY, currency, reference


class Refund(msgspec.Struct):
    """A refund."""

    externalReference: Annotated[  # noqa: N815  the contract's spelling, here and below
        str,
        Field(
            of.text("The merchant's own reference, unique per shop.", maxLength=MAX_KEY),
            reference,
            {"type": ["string", "integer"], "description": "The merchant's own reference."},
            required=True,
        ),
    ]
    amount: Annotated[Decimal, amount("Refund amount, above 0.", "Above 0.", required=True)]
    currency: Annotated[str, Field(of.text("The currency of the order."), currency, required=True)]
    plannedDate: Annotated[  # noqa: N815
        str, day("When the transfer should be initiated; in the future on creation.", required=True)
    ]

    id: Annotated[str, read_only(of.text("Assigned by the service."), always=True)]
    executionDate: Annotated[  # noqa: N815
        str | None,
        read_only(
            {**of.day("Date of the transfer; null until it was executed."), "type": ["string", "null"]}, always=True
        ),
    ]
    referenceNumber: Annotated[  # noqa: N815
        str, read_only(of.text("Reference assigned by the service; the EndToEndId of the transfer."), always=True)
    ]
    status: Annotated[str, read_only(of.ref("RefundStatus"), always=True)]
    reason: Annotated[
        str,
        answer_only(of.text("Why it is not transferred, in words; only while something holds it back.")),
    ]


class RefundOfOrder(Refund):
    """A refund with its order."""

    orderNumber: Annotated[str, answer_only(of.text("Order number."), always=True)]  # noqa: N815
    waitsForRelease: Annotated[  # noqa: N815
        bool, answer_only(of.flag("A person of the shop must release it before it is transferred."))
    ]
    arrivedAmount: Annotated[  # noqa: N815
        Decimal,
        answer_only(
            of.amount(
                "What arrived for the order and has not gone out again, in the order's currency; only while a person"
                " must release the refund."
            )
        ),
    ]
    arrivedFromAccount: Annotated[  # noqa: N815
        Decimal,
        answer_only(of.amount("The part of it that arrived from the account that the refund goes to.")),
    ]
    bankCode: Annotated[str, answer_only(of.text("The bank's message."))]  # noqa: N815


class RefundAccount(msgspec.Struct):
    """The account that a customer named for a refund."""

    iban: Annotated[str, words("IBAN; spaces are ignored.", MAX_ACCOUNT, required=True)]
    accountHolder: Annotated[  # noqa: N815
        str, words("Its holder, as the bank knows it.", 255, required=True)
    ]
