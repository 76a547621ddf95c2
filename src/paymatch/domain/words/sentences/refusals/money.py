"""Why a refund, a credit, an assignment or a step of collection is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "advice-unknown": "No advice {advice_id}",
    "advice-sender-unproved": "The sender of advice {advice} is not proved by DKIM or SPF",
    "advice-explains-no-payer": "Advice {advice} does not explain a payment {posting} of a known payer",
    "sender-unknown": "No sender {sender_id}",
    "assignment-decided-hand-first": "{decided} decided by hand, first {by_hand}",
    "assignment-orders-come-posting-with": (
        "The orders come to {due} {currency}, the posting with the fee to {given} {currency2}"
    ),
    "case-collection-order-does-not": "The collection of order '{number}' is {status} and does not take: {event}",
    "case-unknown": "No order in collection has the number or file number {what}",
    "collection-agency-cannot-reached-installation": (
        "The agency cannot be reached by {channel}: this installation has no such channel"
    ),
    "collection-agency-cannot-reached-mail": "The agency cannot be reached by mail: the shop's mail-from is not set",
    "collection-could-not-hand-over": "Could not hand over order (type {type})",
    "collection-could-not-hand-over-order": "Could not hand over order (status {status})",
    "collection-could-not-hand-over-order-posting": (
        "Could not hand over order (posting {suggested_posting} waits for a decision and may be its payment)"
    ),
    "collection-could-not-withdraw-order": "Could not withdraw order '{number}' (it is not in collection)",
    "collection-report-more-than-characters": (
        "Report {place}: {name} has more than {most} characters, or some that do not print"
    ),
    "collection-report-more-than-mb": "The report {name} has more than {most} MB",
    "collection-report-more-than-rows": "The report has more than {most} rows",
    "collection-report-names-neither-ordernumber": "Report {place} names neither orderNumber nor file",
    "collection-report-needs-first-line": "The report needs a first line that names its columns: {names}",
    "collection-report-not-array-most": "The report is not an array of at most {most} reports",
    "collection-report-not-object": "Report {place} is not an object",
    "collection-report-not-text": "Report {place}: {name} is not a text",
    "collection-file-is-order": "File number {file} is the number of another order",
    "collection-report-not-utf-8": "The report is not in UTF-8",
    "collection-report-not-valid-csv": "The report is not valid CSV: {error}",
    "collection-report-not-valid-json": "The report is not valid JSON",
    "collection-report-says-nothing-status": "Report {place} is empty: status, file or description is needed",
    "collection-report-status-one": "Report {place}: status is one of {allowed}",
    "collection-shop-no-agency-set": "The shop has no collection agency: set one first",
    "credit-customer-no-order-needs": "The customer has no credit that this order needs",
    "credit-no-more-gone-out": "No more was paid out for this order than came in",
    "credit-no-order-left": "No credit of this order is left",
    "credit-no-pays-order": "No credit pays this order",
    "credit-nothing-order-overpaid-no": "Nothing of this order is overpaid that no planned refund returns",
    "movement-other-amounts": "row {row}: the transaction {transaction} has other amounts than in another row",
    "order-posting-changed-since-you": "An order of posting {posting_id} has changed since you looked at it",
    "posting-changed-since-you-looked": "Posting {posting_id} has changed since you looked at it",
    "posting-status-does-not-take": "Posting in status {status} does not take: {event}",
    "refund-already-exists": "Refund already exists: {external_reference}",
    "refund-amount-left": "Between {least} and {left_minor} is left to refund",
    "refund-could-not-cancel-refund": "Could not cancel refund (status {status})",
    "refund-could-not-change-speed": "Could not change the speed of the refund (status {status})",
    "refund-instant-only-euro": "Instant transfers are possible in euro only",
    "refund-could-not-change-account": "Could not change the account of the refund (status {status})",
    "refund-could-not-release-details": "Could not release refund {id}: {no_details}",
    "refund-could-not-release-refund": "Could not release refund {id} (status {status})",
    "refund-currency-order": "Refund {external_reference}: the currency of the order is {currency}",
    "refund-customer-being-asked-already": "The customer is being asked already",
    "refund-customer-was-asked-within": "The customer was asked within the last day",
    "refund-file-lacks-columns": "The file lacks the columns: {missing}",
    "refund-line": "Line {line}: {error}",
    "refund-name-account-holder-too": "The name of the account holder is too long (max 140)",
    "refund-needs-no-bank-details": "The refund needs no bank details",
    "refund-no-transfer-file": "There is no transfer file {name}",
    "refund-no-transfer-file-could": "There is no transfer file {name} that could be sent",
    "refund-not-found": "Refund '{refund_id}' not found",
    "refund-planned-date-must-future": "Planned date must be in the future",
    "refund-reason-1-characters-needed": "A reason of 1 to {most} characters is needed",
    "refund-shop-not-active-no": "Shop not active: no refunds are sent while it is {status}",
    "refund-status-does-not-take": "Refund in status {status} does not take: {event}",
    "refund-transfer-file-reached-bank": "Transfer file {message_id} has reached the bank and cannot be discarded",
    "refund-transfer-file-was-already": "Transfer file {message_id} was already discarded",
    "transfer-status-does-not-take": "Transfer in status {status} does not take: {event}",
}
