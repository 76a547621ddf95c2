"""Names of audit actions by people, keys and the service, for the audit log and an order's timeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from paymatch.domain.shops.audit import ActorKind, AuditAction

_WORDS: Final[Mapping[str, str | Promise]] = {
    AuditAction.ORDER_MARKED: gettext_lazy("Order marked"),
    AuditAction.ORDER_AMOUNT_CHANGED: gettext_lazy("Amount of an order changed"),
    AuditAction.REMINDERS_STOPPED: gettext_lazy("Reminders stopped"),
    AuditAction.REMINDERS_RESUMED: gettext_lazy("Reminders resumed"),
    AuditAction.LETTERS_PRINTED: gettext_lazy("Letters printed"),
    AuditAction.LETTERS_UNDONE: gettext_lazy("Print run undone"),
    AuditAction.LETTER_DISCARDED: gettext_lazy("Letter discarded"),
    AuditAction.ACCOUNT_STATEMENT_SENT: gettext_lazy("Statement of account sent"),
    AuditAction.ORDERS_SYNCHRONISED: gettext_lazy("Orders synchronised"),
    AuditAction.SYNCHRONISATION_UNDONE: gettext_lazy("Synchronisation undone"),
    AuditAction.ORDERS_IMPORTED: gettext_lazy("Orders imported"),
    AuditAction.ORDERS_IMPORT_UNDONE: gettext_lazy("Import of orders undone"),
    AuditAction.REPLAY_BEGUN: gettext_lazy("Replay begun"),
    AuditAction.REPLAY_ERASED: gettext_lazy("Replay erased"),
    AuditAction.POSTING_MATCHED: gettext_lazy("Posting matched"),
    AuditAction.POSTING_UNMATCHED: gettext_lazy("Match undone"),
    AuditAction.POSTING_DECIDED: gettext_lazy("Posting decided"),
    AuditAction.RULES_ACCEPTED: gettext_lazy("Rules accepted"),
    AuditAction.LEARNING_RESET: gettext_lazy("Learning reset"),
    AuditAction.ALIAS_TAKEN_BACK: gettext_lazy("Learnt payer removed"),
    AuditAction.RULE_MADE: gettext_lazy("Rule made"),
    AuditAction.RULE_SWITCHED: gettext_lazy("Rule switched"),
    AuditAction.RULE_DELETED: gettext_lazy("Rule deleted"),
    AuditAction.STATEMENT_IMPORTED: gettext_lazy("Statement imported"),
    AuditAction.ADVICE_IMPORTED: gettext_lazy("Remittance advice imported"),
    AuditAction.ADVICE_SENDER_CONFIRMED: gettext_lazy("Sender of advices confirmed"),
    AuditAction.ADVICE_SENDER_REVOKED: gettext_lazy("Sender of advices no longer confirmed"),
    AuditAction.ADVICE_UNDONE: gettext_lazy("Remittance advice undone"),
    AuditAction.IMPORT_UNDONE: gettext_lazy("Import undone"),
    AuditAction.REFUND_FILED: gettext_lazy("Refund filed"),
    AuditAction.REFUND_CANCELLED: gettext_lazy("Refund cancelled"),
    AuditAction.REFUND_ACCOUNT_SET: gettext_lazy("Account of a refund changed"),
    AuditAction.REFUND_NAME_TAKEN: gettext_lazy("Name of a payee taken from the bank"),
    AuditAction.REFUND_SPEED_SET: gettext_lazy("Speed of a refund set"),
    AuditAction.ORDER_ADJUSTED: gettext_lazy("Credit, income or loss of an order"),
    AuditAction.CUSTOMER_SAYS_PAID: gettext_lazy("Customer says it is paid"),
    AuditAction.CUSTOMER_SAYS_NOT_PAID: gettext_lazy("Customer says it is not paid after all"),
    AuditAction.WRONG_PERSON: gettext_lazy("Wrong person reached"),
    AuditAction.WRONG_PERSON_LIFTED: gettext_lazy("Address used again"),
    AuditAction.COLLECTION_AGENCY_SET: gettext_lazy("Collection agency changed"),
    AuditAction.LINK_REVOKED: gettext_lazy("Links revoked"),
    AuditAction.REFUND_TAKEN_OVER: gettext_lazy("Refund taken over from another system"),
    AuditAction.REFUND_RELEASED: gettext_lazy("Refund released"),
    AuditAction.COLLECTION_AGENCY_SET: gettext_lazy("Collection agency changed"),
    AuditAction.ORDER_HANDED_OVER: gettext_lazy("Handed over to collection"),
    AuditAction.ORDER_WITHDRAWN: gettext_lazy("Withdrawn from collection"),
    AuditAction.COLLECTION_REPORTED: gettext_lazy("Report of the collection agency"),
    AuditAction.BASE_RATE_ADDED: gettext_lazy("Base rate added"),
    AuditAction.TRANSFER_FILE_DISCARDED: gettext_lazy("Transfer file discarded"),
    AuditAction.TRANSFER_FILE_DOWNLOADED: gettext_lazy("Transfer file downloaded"),
    AuditAction.TRANSFER_FILE_MADE: gettext_lazy("Transfer file made"),
    AuditAction.BANK_REPORT_IMPORTED: gettext_lazy("Report of the bank imported"),
    AuditAction.ACCOUNT_ADDED: gettext_lazy("Bank account added"),
    AuditAction.ACCOUNT_CONFIRMED: gettext_lazy("Bank account confirmed"),
    AuditAction.ACCOUNT_REMOVED: gettext_lazy("Bank account removed"),
    AuditAction.BANK_CONNECTION_ADDED: gettext_lazy("Bank connection added"),
    AuditAction.BANK_CONNECTION_REMOVED: gettext_lazy("Bank connection removed"),
    AuditAction.ACCOUNT_INFORMATION_KEY_SET: gettext_lazy("Application for account information set"),
    AuditAction.CONSENT_BEGUN: gettext_lazy("Consent at a bank begun"),
    AuditAction.CONSENT_GIVEN: gettext_lazy("Consent given at a bank"),
    AuditAction.CONSENT_CHANGED: gettext_lazy("Accounts of a consent changed"),
    AuditAction.CONSENT_LOST: gettext_lazy("Consent lost"),
    AuditAction.CONSENT_REMOVED: gettext_lazy("Consent removed"),
    AuditAction.EBICS_BEGUN: gettext_lazy("EBICS connection begun"),
    AuditAction.EBICS_KEYS_SENT: gettext_lazy("EBICS keys sent to the bank"),
    AuditAction.EBICS_BANK_KEYS_FETCHED: gettext_lazy("Keys of the bank fetched"),
    AuditAction.EBICS_BANK_KEYS_CONFIRMED: gettext_lazy("Keys of the bank confirmed"),
    AuditAction.EBICS_CHANGED: gettext_lazy("EBICS connection changed"),
    AuditAction.EBICS_KEYS_REPLACED: gettext_lazy("EBICS keys replaced"),
    AuditAction.EBICS_SUSPENDED: gettext_lazy("EBICS user suspended"),
    AuditAction.EBICS_REMOVED: gettext_lazy("EBICS connection removed"),
    AuditAction.EBICS_UPLOADED: gettext_lazy("Transfer file sent by EBICS"),
    AuditAction.EBICS_SENT_AGAIN: gettext_lazy("Transfer file sent again"),
    AuditAction.CONNECTOR_ADDED: gettext_lazy("Connector added"),
    AuditAction.CONNECTOR_CHANGED: gettext_lazy("Connector changed"),
    AuditAction.CONNECTOR_REMOVED: gettext_lazy("Connector removed"),
    AuditAction.SHOP_CREATED: gettext_lazy("Shop created"),
    AuditAction.SETTINGS_CHANGED: gettext_lazy("Settings changed"),
    AuditAction.KEY_CREATED: gettext_lazy("API key created"),
    AuditAction.KEY_ROLLED: gettext_lazy("API key replaced"),
    AuditAction.KEY_REVOKED: gettext_lazy("API key revoked"),
    AuditAction.PERSON_INVITED: gettext_lazy("Person invited"),
    AuditAction.PERSON_REMOVED: gettext_lazy("Person removed"),
    AuditAction.ROLE_CHANGED: gettext_lazy("Role changed"),
    AuditAction.ALERT_RESOLVED: gettext_lazy("Alert closed"),
    AuditAction.MONTH_CLOSED: gettext_lazy("Month closed"),
    AuditAction.CALLBACKS_PAUSED: gettext_lazy("Callbacks paused"),
    AuditAction.CALLBACKS_RESUMED: gettext_lazy("Callbacks resumed"),
    AuditAction.CREDENTIALS_SHOWN: gettext_lazy("Credentials shown"),
    AuditAction.CREDENTIALS_ROTATED: gettext_lazy("Credentials replaced"),
    AuditAction.SIGNED_IN: gettext_lazy("Signed in"),
    AuditAction.SIGN_IN_FAILED: gettext_lazy("Sign-in failed"),
    AuditAction.SIGNED_OUT: gettext_lazy("Signed out"),
    AuditAction.SESSIONS_ENDED: gettext_lazy("Sessions ended"),
    AuditAction.SIGN_IN_CHANGED: gettext_lazy("Sign-in changed"),
    AuditAction.SIGN_IN_LINK_MADE: gettext_lazy("Sign-in link made"),
    AuditAction.PERSON_CREATED: gettext_lazy("Person created"),
    AuditAction.PERSON_CHANGED: gettext_lazy("Person changed"),
    AuditAction.PERSON_DISABLED: gettext_lazy("Person disabled"),
    AuditAction.PERSON_RESET: gettext_lazy("Person reset"),
    AuditAction.PERSON_ERASED: gettext_lazy("Personal data erased"),
    AuditAction.PERSON_EXPORTED: gettext_lazy("Personal data exported"),
    AuditAction.SHOP_PURGED: gettext_lazy("Data of the shop deleted"),
    AuditAction.BACKUP_MADE: gettext_lazy("Backup made"),
    AuditAction.BACKUP_RESTORED: gettext_lazy("Backup restored"),
    AuditAction.DATABASE_MOVED: gettext_lazy("Database moved"),
    AuditAction.SECRET_KEY_ROTATED: gettext_lazy("Secret key replaced"),
}


def deed_words(deed: str) -> str:
    """The deed in words; its name where it has none."""
    return str(_WORDS.get(deed, deed))


_NAMELESS: Final[Mapping[str, Promise]] = {
    ActorKind.WORKER: gettext_lazy("the service itself"),
    ActorKind.PROGRAM: gettext_lazy("a program"),
    ActorKind.STRANGER: gettext_lazy("an unknown person"),
    ActorKind.CUSTOMER: gettext_lazy("a customer"),
    ActorKind.COMMAND: gettext_lazy("a command"),
    ActorKind.KEY: gettext_lazy("an API key"),
}


def who_words(kind: str, name: str) -> str | Promise:
    """Who did it: the name, or what acts where it has none."""
    return name or _NAMELESS.get(kind, kind)
