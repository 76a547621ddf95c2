"""Names of the fields that entries of the audit log mention."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy
from django.utils.translation import pgettext_lazy

from paymatch.area.views.develop.developers import CALLBACK
from paymatch.area.views.manage.agency import FIELDS as AGENCY
from paymatch.area.views.manage.setting_table import EXPORTS, LOOK, REFUNDS, SIGN_IN, SUBJECTS
from paymatch.area.views.reminders.plan import SPANS
from paymatch.domain.payer_rules import RuleAction
from paymatch.usecases.shops.settings import column_of

_FIELDS: Final[Mapping[str, str | Promise]] = {
    "account": lazy("Account"),
    "accounts": lazy("Accounts"),
    "action": lazy("What it does"),
    "active": lazy("Active"),
    "agency": lazy("Agency"),
    "alert": lazy("Alert"),
    "amount": lazy("Amount"),
    "amountMinor": lazy("Amount"),
    "bank": lazy("Bank"),
    "bankCode": lazy("Bank code"),
    "host": lazy("Host ID"),
    "partner": lazy("Partner ID"),
    "provider": lazy("Service"),
    "user": lazy("User ID"),
    "fetches": lazy("What is fetched"),
    "times": lazy("Times of day"),
    "sendsFrom": lazy("Transfer files are sent from"),
    "X002": lazy("Fingerprint of the bank's key X002"),
    "E002": lazy("Fingerprint of the bank's key E002"),
    "answer": lazy("Answer of the bank"),
    "way": lazy("Sent by"),
    "attempt": lazy("Attempt"),
    "speed": lazy("Speed"),
    "methods": lazy("Payment methods"),
    "minutes": lazy("Minutes between fetches"),
    "paidStatus": lazy("Status of paid orders"),
    "prefix": lazy("Before the order number"),
    "live_at": lazy("Live since"),
    "setup_skipped": lazy("Skipped setup steps"),
    "trial_mail_at": lazy("Test mail sent"),
    "system": lazy("Shop system"),
    "takeFrom": lazy("Orders from"),
    "writeBack": lazy("Write payments back"),
    "body": lazy("Text"),
    "by": pgettext_lazy("means", "By"),
    "case": lazy("Case"),
    "columns": lazy("Columns"),
    "currency": lazy("Currency"),
    "customer_name": lazy("Customer"),
    "customer_number": lazy("Customer number"),
    "databaseBytes": lazy("Size of the database in bytes"),
    "deleted_at": lazy("Deleted"),
    "deletedAt": lazy("Deleted"),
    "erasure": lazy("Erasure"),
    "expiresAt": lazy("Valid until"),
    "externalReference": lazy("Refund"),
    "file": lazy("File"),
    "files": lazy("Files"),
    "hash": lazy("Seal"),
    "height": lazy("Height"),
    "hint": lazy("Key"),
    "iban": lazy("Account"),
    "invoice_quota_mb": lazy("Megabytes of invoices"),
    "keys": lazy("Secret keys"),
    "label": lazy("What it is for"),
    "legacy": lazy("No longer open in the shop"),
    "letter": lazy("Letter"),
    "letters": lazy("Letters"),
    "levels": lazy("Reminders"),
    "madeAt": lazy("Created"),
    "mark": lazy("Mark"),
    "name": lazy("Name"),
    "note": lazy("Note"),
    "oldValidUntil": lazy("The old one is valid until"),
    "open": lazy("Open amount"),
    "open again": lazy("Open again"),
    "order": lazy("Order"),
    "orders": lazy("Orders"),
    "password": lazy("Password"),
    "paymatch": lazy("Version of paymatch"),
    "percent": lazy("Percent"),
    "postgresql": lazy("Version of PostgreSQL"),
    "postings": lazy("Postings"),
    "purgedAt": lazy("Data deleted"),
    "reason": lazy("Reason"),
    "refund_requests": lazy("Ask customers for bank details"),
    "refunds": lazy("Refunds"),
    "request_log": lazy("Requests that are kept"),
    "resealed": lazy("Months sealed again"),
    "restored": lazy("Restored"),
    "role": lazy("Role"),
    "rows": lazy("Data"),
    "rules": lazy("Rules"),
    "scope": lazy("Scopes"),
    "sealed": lazy("Sealed values"),
    "sessions": lazy("Sessions"),
    "sha256": lazy("SHA-256"),
    "sharedWithOthers": lazy("Kept, because other customers have it too"),
    "shop": lazy("Shop"),
    "staff": lazy("Operator"),
    "status": lazy("State"),
    "subject": lazy("Subject"),
    "token": lazy("Token"),
    "totalMinor": lazy("Sum"),
    "url": lazy("Address of the bank"),
    "validUntil": lazy("Valid until"),
    "width": lazy("Width"),
    "words": lazy("Words of the text"),
}


_CODES: Final[Mapping[str, Mapping[str, str | Promise]]] = {
    "by": {
        "link": lazy("sign-in link"),
        "password": pgettext_lazy("means", "password"),
        "password_reset": lazy("new password"),
        "mfa": lazy("second factor"),
        "socialaccount": lazy("the company's sign-in"),
    },
    "scope": {"read": lazy("read"), "read-write": lazy("read and write")},
    "action": {
        RuleAction.SET_ASIDE: lazy("set the posting aside"),
        RuleAction.PAYS_FOR: lazy("count as a customer's name"),
    },
}
"""Fields whose values are recorded as codes."""


def code_words(name: str, value: str) -> str | Promise | None:
    """A field's value in words; None if it is not a code."""
    return _CODES.get(name, {}).get(value)


def field_words(name: str) -> str | Promise | None:
    """The field in words: ours, or those of its setting. None if it has none, as ids have."""
    return _FIELDS.get(name) or _setting_labels().get(name.replace("_", "-"))


@cache
def _setting_labels() -> dict[str, str | Promise]:
    """Name of a setting, as commands and as the database have it -> its label; of mail and of the agency too."""
    fields = [each for _label, settings in SUBJECTS.values() for each in settings]
    own = {each.name: each.label for each in (*fields, *LOOK, *CALLBACK, *EXPORTS, *REFUNDS, *SIGN_IN)}
    stored = {column_of(name).replace("_", "-"): label for name, label in own.items()}
    return {each.name: each.label for each in AGENCY} | dict(SPANS) | stored | own
