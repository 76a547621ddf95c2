"""What people, keys and the service did, as the audit log and the timeline of an order call it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from paymatch.domain.shops.audit import ActorKind, DeedKind

_WORDS: Final[Mapping[str, str | Promise]] = {
    DeedKind.ORDER_MARKED: gettext_lazy("Order marked"),
    DeedKind.REMINDERS_STOPPED: gettext_lazy("Reminders stopped"),
    DeedKind.REMINDERS_RESUMED: gettext_lazy("Reminders resumed"),
    DeedKind.LETTERS_PRINTED: gettext_lazy("Letters printed"),
    DeedKind.LETTERS_UNDONE: gettext_lazy("Print run undone"),
    DeedKind.LETTER_DISCARDED: gettext_lazy("Letter discarded"),
    DeedKind.ORDERS_SYNCHRONISED: gettext_lazy("Orders synchronised"),
    DeedKind.SYNCHRONISATION_UNDONE: gettext_lazy("Synchronisation undone"),
    DeedKind.POSTING_MATCHED: gettext_lazy("Posting matched"),
    DeedKind.POSTING_UNMATCHED: gettext_lazy("Match undone"),
    DeedKind.POSTING_DECIDED: gettext_lazy("Posting decided"),
    DeedKind.RULES_ACCEPTED: gettext_lazy("Rules accepted"),
    DeedKind.LEARNING_RESET: gettext_lazy("Learning reset"),
    DeedKind.RULE_MADE: gettext_lazy("Rule made"),
    DeedKind.RULE_SWITCHED: gettext_lazy("Rule switched"),
    DeedKind.RULE_DELETED: gettext_lazy("Rule deleted"),
    DeedKind.STATEMENT_IMPORTED: gettext_lazy("Statement imported"),
    DeedKind.IMPORT_UNDONE: gettext_lazy("Import undone"),
    DeedKind.REFUND_FILED: gettext_lazy("Refund filed"),
    DeedKind.REFUND_CANCELLED: gettext_lazy("Refund cancelled"),
    DeedKind.REFUND_ACCOUNT_SET: gettext_lazy("Account of a refund changed"),
    DeedKind.CUSTOMER_SAYS_PAID: gettext_lazy("Customer says it is paid"),
    DeedKind.WRONG_PERSON: gettext_lazy("Wrong person reached"),
    DeedKind.WRONG_PERSON_LIFTED: gettext_lazy("Address used again"),
    DeedKind.COLLECTION_AGENCY_SET: gettext_lazy("Collection agency changed"),
    DeedKind.LINK_REVOKED: gettext_lazy("Links revoked"),
    DeedKind.REFUND_TAKEN_OVER: gettext_lazy("Refund taken over from another system"),
    DeedKind.REFUND_RELEASED: gettext_lazy("Refund released"),
    DeedKind.COLLECTION_AGENCY_SET: gettext_lazy("Collection agency changed"),
    DeedKind.ORDER_HANDED_OVER: gettext_lazy("Handed over to collection"),
    DeedKind.ORDER_WITHDRAWN: gettext_lazy("Withdrawn from collection"),
    DeedKind.COLLECTION_REPORTED: gettext_lazy("Report of the collection agency"),
    DeedKind.BASE_RATE_ADDED: gettext_lazy("Base rate added"),
    DeedKind.TRANSFER_FILE_DISCARDED: gettext_lazy("Transfer file discarded"),
    DeedKind.TRANSFER_FILE_DOWNLOADED: gettext_lazy("Transfer file downloaded"),
    DeedKind.TRANSFER_FILE_MADE: gettext_lazy("Transfer file made"),
    DeedKind.BANK_REPORT_IMPORTED: gettext_lazy("Report of the bank imported"),
    DeedKind.ACCOUNT_ADDED: gettext_lazy("Bank account added"),
    DeedKind.ACCOUNT_CONFIRMED: gettext_lazy("Bank account confirmed"),
    DeedKind.ACCOUNT_REMOVED: gettext_lazy("Bank account removed"),
    DeedKind.BANK_CONNECTION_ADDED: gettext_lazy("Bank connection added"),
    DeedKind.BANK_CONNECTION_REMOVED: gettext_lazy("Bank connection removed"),
    DeedKind.CONNECTOR_ADDED: gettext_lazy("Connector added"),
    DeedKind.CONNECTOR_CHANGED: gettext_lazy("Connector changed"),
    DeedKind.CONNECTOR_REMOVED: gettext_lazy("Connector removed"),
    DeedKind.SHOP_CREATED: gettext_lazy("Shop created"),
    DeedKind.SETTINGS_CHANGED: gettext_lazy("Settings changed"),
    DeedKind.KEY_CREATED: gettext_lazy("API key created"),
    DeedKind.KEY_ROLLED: gettext_lazy("API key replaced"),
    DeedKind.KEY_REVOKED: gettext_lazy("API key revoked"),
    DeedKind.PERSON_INVITED: gettext_lazy("Person invited"),
    DeedKind.PERSON_REMOVED: gettext_lazy("Person removed"),
    DeedKind.ROLE_CHANGED: gettext_lazy("Role changed"),
    DeedKind.ALERT_RESOLVED: gettext_lazy("Alert closed"),
    DeedKind.MONTH_CLOSED: gettext_lazy("Month closed"),
    DeedKind.CALLBACKS_PAUSED: gettext_lazy("Callbacks paused"),
    DeedKind.CALLBACKS_RESUMED: gettext_lazy("Callbacks resumed"),
    DeedKind.CREDENTIALS_SHOWN: gettext_lazy("Credentials shown"),
    DeedKind.CREDENTIALS_ROTATED: gettext_lazy("Credentials replaced"),
    DeedKind.SIGNED_IN: gettext_lazy("Signed in"),
    DeedKind.SIGN_IN_FAILED: gettext_lazy("Sign-in failed"),
    DeedKind.SIGNED_OUT: gettext_lazy("Signed out"),
    DeedKind.SESSIONS_ENDED: gettext_lazy("Sessions ended"),
    DeedKind.SIGN_IN_CHANGED: gettext_lazy("Sign-in changed"),
    DeedKind.SIGN_IN_LINK_MADE: gettext_lazy("Sign-in link made"),
    DeedKind.PERSON_CREATED: gettext_lazy("Person created"),
    DeedKind.PERSON_CHANGED: gettext_lazy("Person changed"),
    DeedKind.PERSON_DISABLED: gettext_lazy("Person disabled"),
    DeedKind.PERSON_RESET: gettext_lazy("Person reset"),
    DeedKind.PERSON_ERASED: gettext_lazy("Personal data erased"),
    DeedKind.PERSON_EXPORTED: gettext_lazy("Personal data exported"),
    DeedKind.SHOP_PURGED: gettext_lazy("Data of the shop deleted"),
    DeedKind.BACKUP_MADE: gettext_lazy("Backup made"),
    DeedKind.BACKUP_RESTORED: gettext_lazy("Backup restored"),
    DeedKind.DATABASE_MOVED: gettext_lazy("Database moved"),
    DeedKind.SECRET_KEY_ROTATED: gettext_lazy("Secret key replaced"),
}


def deed_words(deed: str) -> str:
    """The deed in words; its name where it has none."""
    return str(_WORDS.get(deed, deed))


_NAMELESS: Final[Mapping[str, Promise]] = {
    ActorKind.WORKER: gettext_lazy("the service itself"),
    ActorKind.PROGRAM: gettext_lazy("a program"),
    ActorKind.STRANGER: gettext_lazy("somebody unknown"),
    ActorKind.CUSTOMER: gettext_lazy("a customer"),
    ActorKind.COMMAND: gettext_lazy("a command"),
    ActorKind.KEY: gettext_lazy("an API key"),
}


def who_words(kind: str, name: str) -> str | Promise:
    """Who did it: the name, or what acts where it has none."""
    return name or _NAMELESS.get(kind, kind)
