"""Messages of alerts, and of gaps between statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    # statements
    "alert-gap": "Account {account}: {gap}",
    "account-not-named": "(not named)",
    "gap-unreadable": "parts of {statement} could not be read",
    "gap-mismatch": "the opening balance and bookings of {statement} do not give its closing balance",
    "gap-balance": "between {one} and {other} a statement is missing: the balances do not meet",
    "gap-sum": "between the balances of {one} and {other} the postings do not add up: {amount} differ",
    "gap-ambiguous": "{one} and {other} lead from the same balance to the same one: they count once, but may be two",
    "gap-number": "between {one} and {other} number {number} is missing",
    "gap-numbers": "between {one} and {other} the numbers {first} to {last} are missing",
    "alert-unreadable": (
        "File {file}: {count} entry could not be read, first: {reason}",
        "File {file}: {count} entries could not be read, first: {reason}",
    ),
    "alert-silent-feed": "Account {account}: no statement since {day}, which is longer than usual",
    "alert-export-waiting": (
        "The exports of {first} to {last} wait for statements, until {until} at the latest."
        " Accounts that end early: {accounts}"
    ),
    "alert-table-question": "File {file} waits in the drop folder: {what}",
    "alert-exchange-rate": (
        "Order {order} came with exchangeRate {rate}, more than 10 % away from the last rate of {pair}:"
        " its customer may be asked for a wrong amount. Its refunds wait for a release"
    ),
    "alert-never-confirmed": "Account {account}: {amount} from {who}, announced for {day}, is in no final statement",
    "nobody-named": "no one named",
    "alert-account-unconfirmed": (
        "Account {account} {currency} came with a statement and is not among the shop's accounts:"
        " confirm it, or undo the import"
    ),
    "alert-provider-unconfirmed": (
        "Account {name} {currency} at {provider} came with a settlement file: confirm it, or undo the import"
    ),
    "alert-consent-ends": (
        "Account {account}: the bank's consent to fetch statements ends "
        "on {day}: the operator must fetch once with a TAN"
    ),
    "alert-consent-ended": (
        "Account {account}: the bank's consent to fetch statements ended "
        "on {day}: the operator must fetch once with a TAN"
    ),
    # what is unfinished before a month is closed
    "unfinished-postings": (
        "{count} posting is not explained: {amount}",
        "{count} postings are not explained: {amount} together",
    ),
    "unfinished-suggestions": (
        "{count} suggestion waits for a decision",
        "{count} suggestions wait for a decision",
    ),
    "unfinished-account": "Account {account}: its statements end on {day}",
    "unfinished-export": "The exports of {first} to {last} wait for statements, until {until} at the latest",
    # callbacks
    "alert-callbacks-given-up": (
        "{count} callback was given up on {day}, first of order {order}: {error}."
        " Send it again once the receiver works",
        "{count} callbacks were given up on {day}, first of order {order}: {error}."
        " Send them again once the receiver works",
    ),
    "alert-receiver-gone": "The receiver answered 410, so callbacks are paused until you resume them",
    "alert-callbacks-paused": "The callbacks were paused by a person: they wait until you resume them",
    "alert-callbacks-failing": (
        "{count} callback has been failing since {day} {time} UTC: {error}",
        "{count} callbacks have been failing since {day} {time} UTC: {error}",
    ),
    # orders and mail
    "alert-orders-vanished": (
        "ordersync of {day} {time}: {count} open order was not in the list and became LEGACY: {orders}."
        " If this was a mistake, undo the synchronisation {sync}",
        "ordersync of {day} {time}: {count} open orders were not in the list and became LEGACY: {orders}."
        " If this was a mistake, undo the synchronisation {sync}",
    ),
    "names-and-more": "{names} and {more} more",
    "alert-wrong-person": (
        "Order {order}: the recipient at {email} says that the order is not theirs. No more mail is sent to "
        "this address: submit the order with the right one, or, if it is right, allow mail to it again"
    ),
    "alert-mail-refused": "Order {order}: mail to {recipient} was refused: {error}",
    "alert-mail-came-back": "Order {order}: mail to {recipient} came back: {error}",
    "alert-mail-reported": (
        "Order {order}: a report that nothing proves says that mail to {recipient} came back; it names {named}: {error}"
    ),
    "alert-mail-delayed": (
        "Order {order}: mail to {recipient} failed {count} time: {error}",
        "Order {order}: mail to {recipient} failed {count} times: {error}",
    ),
    "alert-mail-address": (
        "{count} open order has a customerEmail that mail cannot be sent to, the latest is {order}",
        "{count} open orders have a customerEmail that mail cannot be sent to, the latest is {order}",
    ),
    "mail-given-back": "a refund in progress covers the open amount: the customer is not asked for it",
    "mail-amount-again": "the amount is again the one that the mail named",
    "mail-open-again": "the order is open again",
    "alert-mail-kept": (
        "Mail to customers is only kept in files: the operator must set a mail server (PAYMATCH_EMAIL_URL)"
    ),
    "alert-letter-refused": "Order {order}: the letter was not sent: {error}",
    "alert-letter-returned": "Order {order}: the letter was not delivered: {error}",
    "alert-letters-waiting": (
        "{count} letter has not been printed or sent for {days}, the oldest is about order {order}",
        "{count} letters have not been printed or sent for {days}, the oldest is about order {order}",
    ),
    "days-long": ("{count} day", "{count} days"),
    "no-reason-given": "no reason given",
    "alert-case-rejected": "{partner} has rejected order {order}: withdraw it from collection, or cancel the order",
    "alert-case-given-up": "{partner} has given up order {order}: withdraw it from collection, or cancel the order",
    "alert-case-unpaid": (
        "{partner} reported order {order} as paid on {day}, and {amount} has not arrived. Ask the agency for it"
    ),
    "alert-base-rate": (
        "The base rate of {day} is not known: interest is claimed up to {last} only."
        " An owner of the shop enters it in the settings of collection"
    ),
    "alert-consumer-credit": (
        "Order {order} is due {days} days after its date. In its country ({country}) that is a consumer credit after"
        " {free} days. Is it intended? Close this, or set an earlier due date"
    ),
    # refunds
    "alert-refund-waits": "Refund {refund} of {amount} (order {order}) waits for a release: {reason}",
    "alert-refund-deadline": (
        "Refund {refund} of {amount} (order {order}) is not with the bank yet. It should be by {day}"
    ),
    "alert-refund-held": "Refund {refund} of {amount} (order {order}) is not sent: {reason}",
    "alert-money-out": "Money out is not proved by money in for {subject}: {details}",
    "alert-given-back-twice": (
        "Order {order} was refunded, and its payment was reversed as well: {amount} "
        "more was paid out than came in. Ask the customer for it"
    ),
    "alert-rest-reversed": (
        "Order {order} was refunded in part, and its payment was reversed as well: {amount} is missing, and the"
        " customer is not asked for it. Ask the customer, or cancel the order"
    ),
    "alert-payout-overdue": (
        "Payout {payout} of {provider}, {amount} sent on {day}, has not arrived on any account of the shop"
    ),
    "alert-payout-short": "Payout {payout} of {provider} is {amount} in its file, and {short} less arrived",
    "alert-payout-without-file": (
        "{name} has paid {amount} on {day}, and no settlement file explains it: import the file"
    ),
    "alert-charged-back": (
        "The payment of order {order} was charged back: {amount} is open again. Answer the dispute, or ask the customer"
    ),
    "alert-refund-unpaid": (
        "Order {order} is not paid ({amount} is open), and refunds in progress cover that: the customer is "
        "no longer asked for it. Cancel the refund if the customer owes it, otherwise cancel the order"
    ),
    "alert-bank-details": "Refund {refund} of order {order} has no usable bank details: {why}",
    "customer-not-asked": "the customer was not asked",
    "alert-rejected-late": "Refund {refund} (order {order}) was booked, and is now reported as rejected: {reason}",
    "alert-settled-late": (
        "Refund {refund} (order {order}) was reported as rejected, and is now reported as settled."
        " Look at the account before it is transferred again"
    ),
    "alert-report-doubt": "A status report says {status} of refund {refund} (order {order}) and does not count: {why}",
    "report-contradicts": "it says both that the transfer was executed and that it was not",
    "report-differs": "its amount or its payee's account is not that of the transfer",
    "report-inherited": (
        "it is said of the whole file, and the report lists transfers or batches that are not in the file"
    ),
    "alert-report-unknown": (
        "A status report on transfer file {file} lists transfers or batches that are not in it:"
        " {references}. Ask the bank"
    ),
    "alert-no-debit": (
        "The bank has reported {count} refund in transfer file {file}, to be executed on {day}, as settled, and no"
        " statement shows the debit. Ask the bank",
        "The bank has reported {count} refunds in transfer file {file}, to be executed on {day}, as settled, and no"
        " statement shows the debits. Ask the bank",
    ),
    "alert-bank-silent": (
        "The bank has not reported on {count} refund in transfer file {file}, to be executed on {day}."
        " Ask the bank; nothing is sent again automatically.",
        "The bank has not reported on {count} refunds in transfer file {file}, to be executed on {day}."
        " Ask the bank; nothing is sent again automatically.",
    ),
    "alert-debit-differs": "The posting {posting} names transfer file {file}, but its amount is not that of the file",
    "alert-unexpected-posting": (
        "The posting {posting} of {day} carries the reference of refund {refund} (order {order}), whose"
        " status is {status}"
    ),
    # the service
    "alert-job-failing": (
        "Job {kind} has failed {count} time since {day} {time} UTC, most recently with: {error}",
        "Job {kind} has failed {count} times since {day} {time} UTC, most recently with: {error}",
    ),
    "alert-item-failed": "An internal error stopped {item}, which now needs your attention: {error}",
    "item-posting": "posting {posting}",
    "item-file": "file {file}",
    "item-callback": "callback {callback}",
    "item-connection": "the connection of account {account}",
    "item-connector-order": "order {order} of the connector {name}",
    "item-mail": "the mail of order {order}",
    "item-letter": "letter {letter} about order {order}",
    "item-refunds": "the refunds of order {order}",
    "item-refund-mail": "the mail about refund {refund}",
    "item-collection": "the collection of order {order}",
    "item-handover": "the handover of order {order}",
    "item-lapse": "the lapse of order {order}",
}
