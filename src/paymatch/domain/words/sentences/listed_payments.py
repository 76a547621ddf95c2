"""Messages about remittance advices, settlement files and order files: refused, contradictory, or not proved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "pdf-unreadable": "the PDF cannot be read: {error}",
    "pdf-pages": "the PDF has more than {count} pages",
    "pdf-picture": "the PDF has no text: it is a picture, which paymatch cannot read",
    "attachment-large": "{name} is larger than {megabytes} MB",
    "attachment-broken": "{name} cannot be unpacked",
    "xml-damaged": "the XML is damaged",
    "xml-deep": "the XML is nested too deeply",
    "advice-none": "{element} is not a remittance advice",
    "advice-amount-currency": "the amount is in {currency}, not in {other}",
    "advice-currency": "the currency {currency} is unknown",
    "advice-line-no-amount": "the line has no amount",
    "advice-no-amount": "the document has no amount",
    "advice-currencies": "the file has amounts in {currencies}: send an advice per currency",
    "advice-text-currencies": "the text names several currencies: {currencies}",
    "advice-no-sum": "no stated sum proves what is paid for which order",
    "advice-no-headings": "no headings name the orders and what is paid for them",
    "advice-two-amounts": "{names} may both be the amount",
    "advice-names-none": "the advice names no order",
    "advice-no-number": "no number names the order",
    "advice-zero": "the amount is 0",
    "advice-unfit-deduction": "the deduction does not fit the amount",
    "advice-no-payment": "the advice announces no payment: its lines add up to nothing",
    "advice-sum": "the rows add up to {added}, but the advice states {stated}",
    "advice-credit-notes": "credit notes and a deduction from the whole sum cannot be distinguished",
    "advice-net": "the amount less its deduction is not what is paid",
    "invoice-none": "{element} is not an invoice in UBL or CII",
    "invoice-missing": "{what} is missing",
    "invoice-currency": "{what} is unknown: {text}",
    "invoice-no-amount": "{what} is not an amount: {text}",
    "invoice-other-currency": "{what} is in {currency}, the invoice in {other}",
    "invoice-no-date": "{what} is not a date: {text}",
    "edifact-ends": "the interchange ends before its message does",
    "edifact-unreadable": "it is not readable as {tag}",
    "edifact-message": "the message is {message}, not REMADV",
    "settlement-empty": "the settlement file has no rows",
    "settlement-recognised": ("{provider}, {report}, {count} payout", "{provider}, {report}, {count} payouts"),
    "settlement-balance": "the balance does not follow from the row before: a row is missing or an amount is wrong",
    "settlement-net": "the net amount is not the gross amount less the fee",
    "settlement-total": "{what} is {stated}, but its rows add up to {added}",
    "settlement-fee-sign": "the fee is below zero, and no gross amount proves it",
    "settlement-twin-headings": "two columns are called {heading}: delete the one that does not count",
    "settlement-days-ahead": "the day {day} is more than a year ahead",
    "settlement-of-another": "the file is a settlement of {provider}: it does not belong to the account {account}",
    "settlement-unknown-kind": (
        "the kind {kind} (first in row {row}) is unknown: its rows move no order, only the account at the provider"
    ),
    "settlement-no-kind": (
        "nothing says of what kind rows are (first row {row}): they move no order, only the account at the provider"
    ),
    "settlement-amounts-of-row": "row {row}: the transaction {transaction} has other amounts than in row {other}",
    "settlement-amounts-of-file": (
        "row {row}: the transaction {transaction} has other amounts than in {file}, which was imported before: "
        "undo the import of the wrong file"
    ),
    "settlement-unsigned": "no sign, kind or balance of the file says that this is money from a customer",
    "settlement-unsigned-kind": (
        "the kind {kind} is unknown, and no sign says whether it brings money or takes it: say once what it means"
    ),
    "settlement-no-total": "the settlement's row with its total is missing",
    "settlement-no-totals": "the totals of the payout are missing",
    "settlement-no-headings": "the headings type and amount of the payout's rows are missing",
    "settlement-no-amounts": "the heading has neither a gross nor a net amount",
    "settlement-no-status": "no column says which payments were made: export the file with its status column",
    "settlement-which-account": (
        "the shop has several accounts at {provider}: name one of them with --account: {accounts}"
    ),
    "settlement-no-row": "the file has no row with these headings",
    "paypal-no-heading": "the heading {heading} is missing",
    "paypal-no-id": "the transaction ID is missing",
    "paypal-cut": "the count of the section (SC) is missing: the file is cut",
    "paypal-no-headings": "the headings (CH) are missing",
    "paypal-side": "{text} is neither CR nor DR",
    "paypal-count": "the section has {rows} rows, its count says {counted}",
    "row-columns": "{count} columns are too many",
    "row-too-wide": "the row has {cells} cells, but there are {headings} headings: a cell is too much",
    "row-lacks-cells": "the row ends after {cells} of {headings} columns: a cell is missing, or the file is cut",
    "row-quotes": "a quotation mark is not closed, or is within a cell",
    "row-cell-long": "a cell has more than {most} characters",
    "row-zero": "the row has a zero byte: the file is damaged",
    "report-of-others": "the report is about {names}: not one of our transfer files",
    "report-of-nothing": "the report is about nothing: not one of our transfer files",
}
