"""Why the installation's work on a shop is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.words.template import Template

SENTENCES: Final[Mapping[str, Template]] = {
    "alert-unknown": "There is no open alert {alert_id}",
    "bank-fints-needs-extra-pip": "FinTS needs the extra: pip install 'paymatch[fints]'",
    "bank-fints-server-must-https": "The FinTS server must be an https:// URL, not {url}",
    "bank-hands-out-neither-camt": "The bank hands out neither camt (HKCAZ) nor MT940 (HKKAZ)",
    "bank-name-registered-fints-product": "Name the registered FinTS product with PAYMATCH_FINTS_PRODUCT_ID",
    "bank-offers-no-tan-mechanism": "The bank offers no TAN mechanism {wanted}, but: {names}",
    "bank-refuses-pin-was-not": "The bank refuses the PIN; it was not tried again",
    "bank-shows-image-tan-choose": "The bank shows an image for the TAN: choose another way with --tan-mechanism",
    "bank-shows-user-no-account": "The bank shows this user no account {account}",
    "bank-still-waits-confirmation": "The bank still waits for the confirmation",
    "body-missing": "Missing body",
    "callback-not-found": "Callback '{callback_id}' not found",
    "callback-status-does-not-take": "Callback in status {status} does not take: {event}",
    "callbacks-off": "Callbacks are off: register a callback URL and switch them on",
    "import-not-found": "Import '{import_id}' not found",
    "invalid-json-request": "Invalid request: {expected}",
    "job-exports-cannot-delivered-folder": (
        "exports cannot be delivered to {to}: the folder, the bucket, or mail and mail-from are missing"
    ),
    "job-installation-no-folder-print": "this installation has no folder for print runs",
    "job-no-mail-server-configured": "no mail server is configured",
    "job-shop-being-done-just": "The job {name} of this shop is being done just now",
    "job-unknown": "There is no job {name}; jobs are: {names}",
    "letter-status-does-not-take": "A letter in status {status} does not take: {event}",
    "mail-status-does-not-take": "Mail in status {status} does not take: {event}",
    "print-run-already": "Print run {run_id} is {status} already",
    "print-run-letters-deleted": "Letters of print run {run_id} have been deleted (keep-mail-days)",
    "print-run-unknown": "There is no print run {run_id}",
    "bank-answered-otherwise": "The bank did not answer as hoped: {why}",
    "bank-order-refused": "the order was refused",
    "lock-not-acquired": "Could not acquire lock",
}
