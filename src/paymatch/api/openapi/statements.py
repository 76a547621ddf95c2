"""Imports of bank statements and remittance advices in the description of the API."""

from __future__ import annotations

from typing import Final

from paymatch.formats.contract.json_schema import Schema, array, flag, text, thing, whole

SCHEMAS: Final[dict[str, Schema]] = {
    "Import": thing(
        "An import of a bank statement: the content of the file and the result.",
        {
            "importId": text("To ask for it; empty after a rehearsal."),
            "state": text(
                "How far it is; missing where it ended while the upload waited.",
                enum=["running", "done", "refused", "undone"],
                title="ImportState",
            ),
            "error": text("Why it was refused; nothing of the file is booked."),
            "file": text("Name of the file."),
            "format": text("Format of the file, found by its content."),
            "version": text("Version of the format."),
            "statements": whole("Statements in the file."),
            "entries": whole("Entries in them."),
            "sumCredit": text("Sum of what came in."),
            "sumDebit": text("Sum of outgoing money."),
            "currency": text("Currencies of the file, separated by blanks."),
            "new": whole("Postings that were not known before."),
            "known": whole("Postings that an earlier file had brought."),
            "errors": whole("Entries that could not be read; a person sees them."),
            "matched": whole("Postings that were matched to orders."),
            "suggested": whole("Postings that have suggestions."),
            "balance": text("Whether opening and booked amounts add up.", enum=["ok", "mismatch", "unknown"]),
            "dryRun": flag("A rehearsal: nothing was booked."),
        },
        ("importId",),
    ),
    "Advice": thing(
        "A remittance advice: what a payer says a sum is for. It is evidence, never a payment.",
        {
            "id": text("Id of the advice."),
            "file": text("Name of the file."),
            "format": text("Format of the file, found by its content; empty where it could not be read."),
            "channel": text("The channel of the first delivery, or the channel of a person's confirmation."),
            "sender": text("Name of the payer as the advice states it."),
            "number": text("Number of the advice, or of its payment."),
            "date": text("Day of the advice, or on which it came."),
            "amount": text("The sum after all deductions; empty where it could not be read."),
            "currency": text("Currency of the sum."),
            "orders": whole("Lines of the advice."),
            "state": text(
                "State of its payment: matched, has a suggestion, or not known yet.",
                enum=["matched", "suggested", "waiting", "unreadable"],
                title="AdviceState",
            ),
            "postings": array(text("Id of a posting."), "The postings that it explains."),
            "problem": text("Why it could not be read."),
        },
        ("id", "state"),
    ),
}
