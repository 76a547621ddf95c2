"""Reasons why a posting is left to a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "sum-fits-unnamed": "the sum of several open orders fits, but the payment text names none of them",
    "cancelled-unnamed": "the order was cancelled, and the payment text does not name it",
    "no-rate-advice": (
        "{why}: submit the order again with exchangeRate, or set the order as paid and set the posting aside"
    ),
    "rate-not-asked": (
        "order {order} has an exchange rate, but its customer is asked for {asked}, and the posting is in {posting}"
    ),
    "alias-unknown": "The shop has learnt nothing under {alias}",
    "rate-inverted": (
        "the order is in {currency}, and the amount fits only if its exchange rate is read the other way round"
    ),
    "instructed-far-from-rate": (
        "the order is in {currency}, and what arrived is far less "
        "than its exchange rate asks for, in spite of the instructed amount"
    ),
    "charges-too-high": (
        "charges of {charges} are stated, {share} % of what was sent: more than is accepted without a person"
    ),
    "kept-other-kind": "{share} % kept, but the payer does not usually collect for orders of this kind",
    "instructed-not-open": "the order is in {currency}, and the amount instructed in {currency} is not what is open",
    "several-do-not-add-up": "the payment text names several orders, but their amounts do not add up",
    "swappable": "order {order} is another customer's, and the payer has one of the same amount",
    "different-customers": "the payment text names orders of different customers, and the payer is none of them",
    "also-names": "the payment text also names order {order}",
    "contested-twin": (
        "another payment may already be for this order, and its customer has a second order of this amount"
    ),
    "another-kind-of-number": "the number may be another kind of number",
    "nothing-matches-named": "neither the name nor the amount matches the order that the payment text names",
    "no-payment": "the payment text is about something other than a payment",
    "no-purchase": "the payment text is about something other than a purchase",
    "collective-short-number": "a collective payer, and the number is too short to be sure",
    "unknown-order": "{number} is not an order of this shop",
    "unknown-orders": ("{count} number is not an order of this shop", "{count} numbers are not orders of this shop"),
    "payers-own": "the payer has an open order of their own for this amount: {order}",
    "relative": "the name in the text points to order {order}, which is open for this amount",
    "number-of-name": "the number is part of the payer's name, and the payer is not the customer",
    "number-of-longer": "the number is part of a longer one, and the payer is not the customer",
    "far-too-much": "the amount is far more than what is open",
    "too-much-unknown-name": (
        "the amount is too large, and what else the customer has open could not be looked up by this name"
    ),
    "excess-for-other": "the excess may be for order {order}",
    "may-be-unknown-order": "{number} may be an unknown order",
    "returned-unknown": "returned money whose transfer is not in the books",
    "advice-no-order": "row {row} of the advice names {reference}, which is not an order of this shop",
    "advice-sum-alone": "nothing but the amount ties the advice to this posting",
    "advices-alike": "another advice or payment has the same sum: which of them belong together?",
    "advice-unconfirmed": "the sender of the advice is not confirmed",
    "advice-other-currency": "order {order} of the advice is in {currency}",
    "advice-credit-note": "the advice deducts {amount} for order {order}",
    "advice-closed": "order {order} of the advice is closed",
    "advice-too-much": "the advice pays more for order {order} than the {open} that are open",
    "advice-deduction": "the advice deducts {amount} from order {order}, which is more than the shop grants",
    "may-bring-back": (
        "the reference is that of a refund of order {order}, but the bank does not say that the whole transfer was "
        "returned: did it bring the refund back?"
    ),
    "may-be-return": (
        "the bank marks it as a return, and it may be that of a refund of order {order}: did it bring the refund back?"
    ),
    "may-be-refund": (
        "the reference is that of a refund of order {order}, but the money went to another account: was it the refund?"
    ),
    "collected-debit": "the payee collected the money, so text and name are the payee's words: was it a refund?",
    "statement-does-not-add-up": "the balances of its statement do not agree with the postings in it",
    "return-of-nothing": (
        "the bank returns a payment, but nothing was paid out for the order that the payment text names"
    ),
    "named-paid-not-total": "the order that the payment text names is already paid, and the amount is not its total",
    "named-paid-other-payer": "the order that the payment text names is already paid, and the payer is someone else",
    "lapsed-order": "order {order} was cancelled because it was not paid in time",
    "unnamed-not-exact": "the payment text names no order, and the amount is not exact",
    "unnamed-paid": "the payment text names no order, and this one is already paid",
    "account-of-namesake": "the payer's account has paid for another customer of this name",
    "named-younger": "the order that the payment text names is younger than the payment, and the payer is someone else",
    "unnamed-younger": "the payment text names no order, and this one is younger than the payment",
    "unnamed-chosen-name": (
        "the payer is called like an office, an insurer or a bank, and the payment text speaks of no purchase"
    ),
    "unnamed-no-purchase": (
        "the payment text names no order, and text or payer point to something other than a purchase"
    ),
    "unnamed-crowd": "the payment text names no order, and too many have this amount to look at all of them",
    "unnamed-other-name": "the payment text names no order, and the name is not the customer's",
    "unknown-document": (
        "the name is not clearly the customer's, and {number} is not an order or invoice number of this shop"
    ),
    "another-shop": (
        "the payment text names {number}, which is not an order here, and someone else's customer number or firm"
    ),
    "names-order": "the payment text names order {order}",
    "later-order": "{number} may be a later order that has not been submitted yet",
    "fits-as-well": "order {order} fits as well",
    "has-number": "the payment text contains order number {order}",
    "may-have-number": "the payment text may mean order {order}",
    "too-many": "too many orders have this name and amount to look at them all",
    "too-much-work": "its text or name points to more orders than can be compared",
    "not-certain": "it is not certain enough for an automatic match",
    "reverses-unpaid": "it reverses the payment of {day}, which pays no order",
    "returned-twice": "it reverses a payment that was returned before",
    "no-refund-said": "neither text nor amount shows that the money is a refund of the order that the text names",
    "names-none": "the payment text names no order",
    "names-several": "the payment text names several orders",
    "charged-back": "it is not paid out to the customer of the order: confirm that it is a chargeback",
    "not-paid-that-much": "the order has not been paid that much",
    "payout-of-settled": "the payout also lists order {order}, which awaits no money",
    "payout-too-much": "the payout is more than the orders that it names",
    "payout-left": "{why}: {left} stays open",
    "kept-other-stated": "{share} % kept, but another fee is stated",
    "kept-unlike-before": "{share} % kept, not what this payer has kept so far: confirm this payer's fee",
    "kept-confirm": "{share} % kept: confirm this payer's fee",
    "undone-before": "a person undid the match of this posting, so a person makes the next decision too",
    "failed": "an internal error occurred with it; see the log",
    "runner-up": "next was {orders} with {share}%",
    "runner-up-against": "next was {orders} with {share}%: {why}",
}
