"""Sentences of the commands only, in English like all their output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "backup-key-encrypted-with-passphrase-recipient": (
        "A backup is encrypted with a passphrase or for a recipient, not both"
    ),
    "backup-key-holds-no-x25519-private": (
        "{path} holds no X25519 private key in PEM (openssl genpkey -algorithm X25519)"
    ),
    "backup-key-holds-no-x25519-public": "{path} holds no X25519 public key in PEM (openssl pkey -pubout)",
    "backup-key-passphrase-needs-least-characters": "The passphrase of a backup needs at least {most} characters",
    "collection-not-key-value": "{pair} is not KEY=VALUE",
    "collection-overlap-0-hours": "--overlap is 0 to {most} hours",
    "export-unknown-of": "There is no export {name}: {names}",
    "job-ended": "Job {kind} {state}: {words}",
    "sandbox-bounces-no-mail-about": "bounces: no mail about {number} went out",
    "sandbox-callbacks-resume-expected": "callbacks: resume is expected",
    "sandbox-day-2-day-2": "{name}: `day 2` or `day 2 19:00` is expected, or one of {heads}",
    "sandbox-expect-mapping-expected-such": "expect: a mapping is expected, such as expect: {A-1: PAID}",
    "sandbox-holds-no-scenario": "{given} holds no scenario",
    "sandbox-import-again-expected": "import: again is expected",
    "sandbox-list-steps-expected": "{name}: a list of steps is expected",
    "sandbox-mapping-expected": "{verb}: a mapping is expected",
    "sandbox-mapping-expected-such-order": "{verb}: a mapping is expected, such as {verb2}: {{order: A-1}}",
    "sandbox-match-no-posting-waits": "match: no posting waits for a decision",
    "sandbox-missing-not-expected-form": "{verb}: {error} is missing or not of the expected form",
    "sandbox-no-such-time-day": "{name}: there is no such time of day",
    "sandbox-not-step-steps-expect": "{verb} is not a step; steps are expect, {steps}",
    "sandbox-nothing-happens-day-0": "nothing happens: `day 0:` is missing",
    "sandbox-receiver-up-down-http": "receiver: up, down or an HTTP status is expected",
    "sandbox-says-paid-wrong-person": "says: paid or wrong-person is expected",
    "sandbox-scenario-mapping-title-start": "a scenario is a mapping of title, start, shop and days",
    "sandbox-shop-settings-such-timezone": "shop: settings such as {timezone: Europe/Berlin} are expected",
    "sandbox-start-not-moment-such": "start: {start} is not a moment such as {example}",
    "sandbox-step-such-order-number": "{name}: a step such as `- order: {{number: A-1, amount: 49.90}}` is expected",
    "setting-beginning-several-ids-such": "{text} is the beginning of several ids, such as {found}: give more of it",
    "setting-by-steps": "--by is {steps}",
    "setting-cannot-undone-add-yes": "{question} This cannot be undone: add --yes if that is what you want",
    "setting-caution-cautious-normal-bold": "--caution is cautious, normal or bold",
    "setting-customer-or-order": "Name the customer by --customer or by --order",
    "setting-mail-alone": "--mail sends the statement of today: leave out --as-of and --output",
    "setting-csv-xlsx-json-only": "--csv, --xlsx or --json, only one of them",
    "setting-database-bundled-one-already": "The database is the bundled one already",
    "setting-datev-documents-zip-use": "datev-documents is a ZIP: use --output",
    "setting-entry-amount-booking-date": "An entry has an amount and a booking date",
    "setting-file-own-use-output": "{name} is a file of its own: use --output",
    "setting-give-callback-id-failed": "Give a callback id or --failed-since",
    "setting-give-code-on-standard": (
        "Give the code on standard input, with --callback-access-code-stdin: others see arguments"
    ),
    "setting-head-seq-hash-paymatch": "--head is SEQ:HASH, as `paymatch audit verify` prints it",
    "setting-invalid-date-format-should": "Invalid date: {text}, format should be {day}",
    "setting-invalid-month-format-should": "Invalid month: {text}, format should be {month}",
    "setting-json-csv-not-both": "--json or --csv, not both",
    "setting-key-secret-expected-on": "Key and secret are expected on standard input, a line each",
    "setting-letter-no-pages-not": "Letter {letter} has no pages: it is not written yet, or has been deleted",
    "setting-message-mail-been-deleted": "The message of mail {mail} has been deleted (keep-mail-days)",
    "setting-name-folder-with-paymatch": "Name the folder with PAYMATCH_DROP_DIR",
    "setting-name-new-database-url": "Name the new database by its URL (postgresql://...), or: bundled",
    "setting-name-orders-add-yes": "Name the orders, or add --yes to confirm the first suggestion",
    "setting-name-orders-fee-was": "Name the orders that the fee was withheld from",
    "setting-name-shop-give-installation": "Name a shop, or give --installation, not both",
    "setting-no-column-columns": "There is no column {column}; columns are {columns}",
    "setting-no-fee-kind": "There is no fee kind {kind}: {kinds}",
    "setting-no-worker-sent-test": "no worker has sent the test within {wait} seconds: is the service running?",
    "setting-not-file": "{path} is not a file",
    "setting-not-form-column-field": "{pair} is not of the form COLUMN=FIELD",
    "setting-not-form-key-value": "{pair} is not of the form KEY=VALUE",
    "setting-not-form-name-value": "{condition} is not of the form NAME=VALUE",
    "setting-receiver-did-not-take": "the receiver did not take the test: {why}",
    "setting-speed-of-refund": "A speed is instant, normal or shop",
    "setting-refund-more-than-0": "A refund is more than 0.00",
    "setting-set-paymatch-secret-key": (
        "Set PAYMATCH_SECRET_KEY to the new key and PAYMATCH_SECRET_KEYS_OLD to the one until now, then try again"
    ),
    "setting-shop-id-missing-command": (
        "{text} is the shop; the id of the {noun} is missing (the command list shows them)"
    ),
    "setting-shop-sends-no-mail": (
        "The shop sends no mail: paymatch shop set SHOP reminders=on (or payment-information, payment-thanks)"
    ),
    "setting-subject-body-belong-together": "--subject and --body belong together",
    "setting-tls-cert-tls-key": "--tls-cert and --tls-key belong together",
    "setting-unknown-paid-account": "There is no account {account}: {names}",
    "setting-unknown-status": "There is no status {status}: {states}",
    "setting-unknown-suggestion": "There is no suggestion {place}",
    "job-not-done": "The job was not done: {words}",
    "review-no-terminal": (
        "paymatch review asks at a terminal, and there is none: use paymatch postings --status suggested and paymatch"
        " match"
    ),
    "amount-with-comma": "{amount} is not an amount: write {written}",
}
