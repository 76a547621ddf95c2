"""The objects of the merchant API as JSON Schemas: fields in their documented order."""

from __future__ import annotations

from typing import Final

from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds.refunds import RefundStatus
from paymatch.domain.witnesses import Witness
from paymatch.formats.contract.components import answer, request
from paymatch.formats.contract.json_schema import Schema, amount, array, day, flag, moment, ref, text, thing, whole
from paymatch.formats.contract.orders import Address, Item, Order
from paymatch.formats.contract.refunds import Refund, RefundAccount, RefundOfOrder
from paymatch.usecases.orders.images import ImageType

_COLLECTION: Final = [
    "SUBMITTED", "ACCEPTED", "REJECTED", "PRELEGAL", "INSTALMENT", "LEGAL", "PAID", "PAID_PARTIAL", "WITHDRAWN",
    "UNCOLLECTIBLE",
]  # fmt: skip
"""D-20."""
_POSTING: Final[dict[str, Schema]] = {
    "id": text("Assigned by the service."),
    "amount": amount("Booked amount; negative for money out."),
    "currency": text("ISO 4217 code."),
    "postingDate": day("Booking date."),
    "valuationDate": day("Value date."),
    "originator": text("Name of the counterparty."),
    "reference": text("The bank's own reference of the booking."),
    "text": text("Remittance information."),
}


def schemas() -> dict[str, Schema]:
    """All objects by their name."""
    return {
        **_orders(),
        **_histories(),
        **_refunds(),
        "Image": _image(),
        **_synchronisations(),
        "Event": _event(),
        "Callback": _callback(),
        "Error": _error(),
    }


def _orders() -> dict[str, Schema]:
    """Orders as they are submitted and as they are answered, and what they consist of."""
    return {
        "Order": answer(Order),
        "OrderSubmission": request(
            Order, "An order as the shop submits it. Read-only and unknown fields are ignored.", suffix="Submission"
        ),
        "Item": answer(Item),
        "ItemSubmission": request(Item),
        "Address": answer(Address),
        "AddressSubmission": request(Address),
        "PaymentStatus": text("The order's payment status.", enum=[str(each) for each in PaymentStatus]),
        "RefundStatus": text("The refund's status.", enum=[str(each) for each in RefundStatus]),
        "CollectionStatus": text("What the agency says; only while collection is active.", enum=_COLLECTION),
        "BankAccount": thing(
            "The account to pay to.",
            {
                "accountNumber": text("Outside SEPA only."),
                "bankCode": text("Outside SEPA only."),
                "iban": text("IBAN."),
                "bic": text("BIC."),
                "bankName": text("Name of the bank."),
                "remittee": text("Name of the payee."),
            },
        ),
    }


def _histories() -> dict[str, Schema]:
    """What has come of an order: payments, reminders, collection."""
    return {
        "Posting": thing(
            "A payment as it is credited to the order; negative if it was returned.",
            _POSTING
            | {"amount": amount("What the customer paid for the order, paid reminder fees included.")}
            | _fee(),
        ),
        "PostingWithOrders": _posting_with_orders(),
        "CollectionEvent": thing(
            "A step of the collection.", {"timestamp": moment("When."), "description": text("What.")}
        ),
        "Reminder": thing(
            "A payment reminder.",
            {
                "date": day("When it was sent."),
                "dunningLevel": whole("Its level."),
                "reminderFee": amount("Its fee, not cumulated."),
                "email": flag("Sent by e-mail."),
                "letter": flag("Sent by letter."),
            },
        ),
    }


def _refunds() -> dict[str, Schema]:
    """Refunds as they are asked for and as they are answered."""
    return {
        "RefundCreation": request(Refund, "A refund as the shop asks for it."),
        "RefundAccount": request(RefundAccount),
        "Refund": answer(Refund),
        "RefundOfOrder": answer(RefundOfOrder),
    }


def _synchronisations() -> dict[str, Schema]:
    """Calls of POST /ordersync: what they did, and what undoing one did."""
    return {
        "Synchronisation": thing(
            "A call of POST /ordersync that changed something.",
            {
                "id": text("To undo it."),
                "at": moment("When it was made."),
                "listed": whole("Elements of its list."),
                "openBefore": whole("Open orders before it."),
                "legacy": whole("Orders that it set to LEGACY."),
                "revived": whole("Orders that it brought back."),
                "undone": flag("It was undone."),
            },
        ),
        "UndoResult": thing(
            "Result of undoing a synchronisation.",
            {
                "id": text("The synchronisation."),
                "restored": whole("Number of orders whose status was restored."),
                "restoredOrders": array(text("Order number.")),
                "changedSince": array(text("Order number."), "Orders that were changed since and stay as they are."),
            },
        ),
        "SyncResult": thing(
            "Result of a synchronisation, or of its rehearsal with `dryRun=true`.",
            {
                "legacy": whole("Number of orders set to LEGACY."),
                "legacyOrders": array(text("Order number.")),
                "revivedOrders": array(text("Order number."), "LEGACY and DISAPPEARED orders that came back."),
                "unknownOrders": array(text("Order number."), "Listed numbers that the service does not know."),
                "openBefore": whole("Open orders before the call."),
                "dryRun": flag("Nothing was changed."),
                "id": text("To undo it; missing if nothing was changed."),
            },
            ("legacy", "legacyOrders", "revivedOrders", "unknownOrders", "openBefore", "dryRun"),
        ),
    }


def _posting_with_orders() -> Schema:
    fields = _POSTING | {
        "status": text("Current state.", enum=["matched", "suggested", "unmatched", "ignored"], title="PostingStatus"),
        "bookedOn": text("The shop's account."),
        "provisional": flag("Not yet confirmed by the statement of the day."),
        "reason": text("Why it was set aside."),
        "allocations": array(
            thing(
                "The part of the posting that pays one order.",
                {
                    "orderNumber": text("Order number."),
                    "amount": amount(
                        "What the order is credited: the part, and what was withheld of it; with paid reminder fees."
                    ),
                    **_fee(),
                    "byHand": flag("Assigned by a person."),
                },
                title="Allocation",
            )
        ),
        "decision": _decision(),
        "orders": array(ref("Order"), "The orders that it pays; left out with `includeOrders=false`."),
    }
    return thing("A payment, the orders that it pays and why.", fields, ("id", "amount", "currency", "allocations"))


def _fee() -> dict[str, Schema]:
    """What a payer kept, beside an allocation (D-36)."""
    return {
        "fee": amount(
            "Amount that the payer kept, if any: the posting is smaller by it."
            " Negative for a paid reminder fee, which is within the amount."
        ),
        "feeKind": text("Kind of the fee; only with `fee`.", enum=[str(each) for each in FeeKind], title="FeeKind"),
    }


_NUMBER: Final[Schema] = {"type": "number"}
_PROBABILITY: Final = _NUMBER | {"description": "How likely it is, from 0 to 1."}


def _decision() -> Schema:
    evidence = _evidence()
    reason = {"code": text("Stable name of the sentence."), "values": thing("What the sentence names.", {})}
    return thing(
        "Result of the matching, in words and weights.",
        {
            "flags": array(text("What is special about a match: overpayment, cash-discount, by-hand and the like.")),
            "heldBack": text("Why a person has to decide, or why the second-best proposal lost."),
            "heldBackReason": thing("The same for programs.", reason, title="HeldBackReason"),
            "probability": _PROBABILITY,
            "evidence": array(evidence, "Of the match."),
            "suggestions": array(_suggestion(evidence), "The likeliest first."),
        },
        title="Decision",
    )


def _evidence() -> Schema:
    return thing(
        "A fact that speaks for or against.",
        {
            "code": text("Stable name of the kind of fact."),
            "weight": _NUMBER | {"description": "Its weight: log-likelihood ratio, negative if it speaks against."},
            "words": text("The fact in words."),
            "witness": text("Who states it.", enum=list(map(str, Witness)), title="Witness"),
            "says": text("Stable name of the sentence, if it is not the code."),
            "values": thing("What the sentence names.", {}),
            "highlight": array(array(whole("Place in the text.")), "Where it was seen: from, up to."),
        },
        title="Evidence",
    )


def _suggestion(evidence: Schema) -> Schema:
    allocation = thing(
        "The part of the posting for one order.",
        {
            "orderNumber": text("Order number."),
            "amount": amount("What the order would be credited, in the posting's currency."),
            **_fee(),
            "orderAmount": amount("The same in the order's currency, if that is another; null: no rate is known.")
            | {"type": ["number", "null"]},
            "orderCurrency": text("The order's currency, if it is another."),
        },
        title="SuggestedAllocation",
    )
    return thing(
        "A complete proposal: all orders that the posting would pay.",
        {"allocations": array(allocation), "probability": _PROBABILITY, "evidence": array(evidence)},
        title="Suggestion",
    )


def _event() -> Schema:
    return thing(
        "A change of an order's payment status.",
        {
            "id": whole("Counts the shop's events from 1 without gaps."),
            "orderNumber": text("Order number."),
            "previousPaymentStatus": ref("PaymentStatus"),
            "paymentStatus": ref("PaymentStatus"),
            "cause": text("Cause of the change."),
            "timestamp": moment("When."),
        },
        ("id", "orderNumber", "paymentStatus"),
    )


def _callback() -> Schema:
    return thing(
        "A callback and its result.",
        {
            "id": text("The `webhook-id`."),
            "eventId": whole("The event that it reports."),
            "orderNumber": text("Order number."),
            "previousPaymentStatus": ref("PaymentStatus"),
            "paymentStatus": ref("PaymentStatus"),
            "status": text("Current state.", enum=[str(each) for each in CallbackStatus]),
            "attempts": whole("How often it was sent."),
            "created": moment("When it was queued."),
            "nextAttempt": moment("When it is sent next."),
            "finished": moment("When it was delivered or given up."),
            "lastError": text("Error of the last attempt."),
            "attemptLog": array({"type": "object"}, "Each attempt, newest first; only when one callback is read."),
        },
        ("id", "status", "attempts", "created"),
    )


def _image() -> Schema:
    return thing(
        "An image for payment.",
        {
            "type": text("What it is.", enum=[str(each) for each in ImageType]),
            "format": text("Its form.", const="png"),
            "data": text("The file.", contentEncoding="base64", contentMediaType="image/png"),
        },
        ("type", "format", "data"),
    )


def _error() -> Schema:
    return thing(
        "A refusal. `error` is the message; the other fields say where a list or a body was wrong.",
        {
            "error": text("The message."),
            "orderNumber": text("Number of the order that was refused."),
            "index": whole("Its place in the list, counted from 0.", minimum=0),
            "parameter": text("The field or parameter."),
        },
        ("error",),
    )
