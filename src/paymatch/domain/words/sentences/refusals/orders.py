"""Why an order, an invoice or a payment code is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "invoice-file-not-allowed": "File not allowed: {why_not}",
    "invoice-not-found": "Invoice '{number}' not found",
    "invoice-quota": "Invoices of this shop take too much room (max {most} MB)",
    "order-already-paymentstatus-paid": "Order already in paymentStatus PAID",
    "order-number-taken": "There is an order with this number already",
    "order-changed-shop-system-came": "Order {number} is changed by the shop system that it came from",
    "order-could-not-update-order": "Could not update order (number '{number}' is given twice)",
    "order-could-not-update-order-currency": "Could not update order (currency of an order with payments)",
    "order-could-not-update-order-status": "Could not update order (status {status})",
    "order-empty-list-orders-use": "Empty list of orders, use force=true if no order is open",
    "order-image-not-possible": "Image not possible: {error}",
    "order-image-not-possible-no": "Image not possible: no payment code for {currency} on accounts in {country}",
    "order-image-not-possible-shop": "Image not possible: the shop has no bank account in {currency}",
    "order-image-not-possible-shop-settings": (
        "Image not possible: the shop's settings postcode and city are needed for payment slips"
    ),
    "order-import-unknown": "No import of orders {import_id}",
    "order-missing-parameter-number": "Missing parameter number",
    "order-must-have-manual-paymentstatus": "Order must have manual paymentStatus",
    "order-must-have-paymentstatus-paid": "Order must have paymentStatus PAID",
    "order-not-found": "Order '{number}' not found",
    "order-nothing-payable-status": "Nothing payable (status {status})",
    "order-open-orders-not-list": (
        "{vanished} of {open_before} open orders are not in the list, use force=true if this is right"
    ),
    "order-parameter-currency-must-currency": "Parameter currency must be {currency}, the currency of the order",
    "order-parameter-date-must-not": "Parameter date must not be in the future",
    "order-parameter-duedate-must-not": "Parameter dueDate must not be more than 6 months in the future",
    "order-parameter-initialdunninglevel-can-only": (
        "Parameter initialDunningLevel can only be given when creating a new order"
    ),
    "order-parameter-missing": "Missing parameter {name}",
    "order-parameter-number-number-object": "Parameter number and number in object do not match",
    "order-parameter-too-long-max": "Parameter {name} too long (max {most})",
    "payment-code-account-shop-not-valid": "the account of the shop is not a valid IBAN: {error}",
    "payment-code-bic-shop-bank-unknown": "the BIC of the shop's bank is unknown, and accounts in {iban} need it",
    "payment-code-code-accounts-not": "the code is for accounts in {country}, not in {iban}",
    "payment-code-code-knows-only-not": "the code knows {currency} only, not {currency2}",
    "payment-code-code-takes-0-01": "the code takes 0.01 to {most}",
    "payment-code-name-reference-take-too": "name and reference take too much room: {size} bytes, at most {most}",
    "payment-code-reference-characters-most-fit": "the reference has {length} characters, at most {text_max} fit",
    "payment-code-sepa-code-knows-eur": "the SEPA payment code knows EUR only, not {currency}",
    "payment-code-sepa-code-takes-0": "the SEPA payment code takes 0.01 to 999999999.99, not {amount}",
    "payment-code-shop-no-account-holder": "the shop has no account holder",
    "payment-code-swiss-qr-bill-knows": "the Swiss QR-bill knows CHF and EUR only, not {currency}",
    "payment-code-swiss-qr-bill-takes": "the Swiss QR-bill takes 0.01 to 999999999.99, not {amount}",
    "synchronisation-already-undone": "Synchronisation '{sync_id}' was already undone",
    "synchronisation-not-found": "Synchronisation '{sync_id}' not found",
    "synchronisation-too-old": "Synchronisation '{sync_id}' is older than 30 days and can no longer be undone",
    "invoice-file-missing": "File missing",
    "invoice-file-empty": "File size 0",
    "invoice-file-too-large": "File too large",
    "invoice-file-type": "File type not allowed",
}
