"""Audit entries: changes by a person, a key, an operator or the worker, in a chain that reveals tampering (D-45)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, Protocol
from uuid import UUID


class ActorKind(StrEnum):
    """What acts."""

    KEY = "key"  # an API key, by its id
    COMMAND = "command"  # the account that ran a command
    PERSON = "person"  # a user signed in to the merchant area, by e-mail address
    STRANGER = "stranger"  # someone who failed to sign in
    CUSTOMER = "customer"  # a holder of the link to an order's own page, by the order's number
    WORKER = "worker"
    PROGRAM = "program"  # code that opened the database directly: tests, tools


@dataclass(frozen=True, slots=True)
class Actor:
    """The actor, with address and request; set once where the call enters."""

    kind: ActorKind
    name: str
    address: str = ""
    request_id: str = ""


UNNAMED: Final = Actor(ActorKind.PROGRAM, "paymatch")


class AuditAction(StrEnum):
    """The recorded actions. Submitting an order is not one: orders are the shop's own data, and many."""

    ORDER_ADJUSTED = "order-adjusted"  # credit kept, used or returned; income, loss (D-87)
    ORDER_MARKED = "order-marked"
    ORDER_AMOUNT_CHANGED = "order-amount-changed"  # by a new submission of a known order
    REMINDERS_STOPPED = "reminders-stopped"
    REMINDERS_RESUMED = "reminders-resumed"
    LETTERS_PRINTED = "letters-printed"
    LETTERS_UNDONE = "letters-undone"
    LETTER_DISCARDED = "letter-discarded"
    ACCOUNT_STATEMENT_SENT = "account-statement-sent"
    ORDERS_SYNCHRONISED = "orders-synchronised"
    SYNCHRONISATION_UNDONE = "synchronisation-undone"
    ORDERS_IMPORTED = "orders-imported"
    ORDERS_IMPORT_UNDONE = "orders-import-undone"
    REPLAY_BEGUN = "replay-begun"
    REPLAY_ERASED = "replay-erased"
    POSTING_MATCHED = "posting-matched"
    POSTING_UNMATCHED = "posting-unmatched"
    POSTING_DECIDED = "posting-decided"
    RULES_ACCEPTED = "rules-accepted"
    LEARNING_RESET = "learning-reset"
    ALIAS_TAKEN_BACK = "alias-taken-back"
    RULE_MADE = "rule-made"
    RULE_SWITCHED = "rule-switched"
    RULE_DELETED = "rule-deleted"
    STATEMENT_IMPORTED = "statement-imported"
    IMPORT_UNDONE = "import-undone"
    ADVICE_IMPORTED = "advice-imported"
    ADVICE_UNDONE = "advice-undone"
    ADVICE_SENDER_CONFIRMED = "advice-sender-confirmed"
    ADVICE_SENDER_REVOKED = "advice-sender-revoked"
    REFUND_FILED = "refund-filed"
    REFUND_CANCELLED = "refund-cancelled"
    REFUND_ACCOUNT_SET = "refund-account-set"
    REFUND_NAME_TAKEN = "refund-name-taken"
    REFUND_SPEED_SET = "refund-speed-set"
    CUSTOMER_SAYS_PAID = "customer-says-paid"
    CUSTOMER_SAYS_NOT_PAID = "customer-says-not-paid"
    WRONG_PERSON = "wrong-person"
    WRONG_PERSON_LIFTED = "wrong-person-lifted"
    LINK_REVOKED = "link-revoked"
    REFUND_TAKEN_OVER = "refund-taken-over"
    REFUND_RELEASED = "refund-released"
    COLLECTION_AGENCY_SET = "collection-agency-set"
    ORDER_HANDED_OVER = "order-handed-over"
    ORDER_WITHDRAWN = "order-withdrawn"
    BASE_RATE_ADDED = "base-rate-added"
    COLLECTION_REPORTED = "collection-reported"
    TRANSFER_FILE_DISCARDED = "transfer-file-discarded"
    TRANSFER_FILE_DOWNLOADED = "transfer-file-downloaded"
    TRANSFER_FILE_MADE = "transfer-file-made"
    BANK_REPORT_IMPORTED = "bank-report-imported"
    ACCOUNT_ADDED = "account-added"
    ACCOUNT_CONFIRMED = "account-confirmed"
    ACCOUNT_REMOVED = "account-removed"
    BANK_CONNECTION_ADDED = "bank-connection-added"
    BANK_CONNECTION_CHANGED = "bank-connection-changed"
    BANK_CONNECTION_REMOVED = "bank-connection-removed"
    FINTS_BEGUN = "fints-begun"
    FINTS_ANSWERED = "fints-answered"
    FINTS_ENDED = "fints-ended"
    FINTS_DECIDED = "fints-decided"
    ACCOUNT_INFORMATION_KEY_SET = "account-information-key-set"
    CONSENT_BEGUN = "consent-begun"
    CONSENT_GIVEN = "consent-given"
    CONSENT_CHANGED = "consent-changed"
    CONSENT_LOST = "consent-lost"
    CONSENT_REMOVED = "consent-removed"
    EBICS_BEGUN = "ebics-begun"
    EBICS_KEYS_SENT = "ebics-keys-sent"
    EBICS_BANK_KEYS_FETCHED = "ebics-bank-keys-fetched"
    EBICS_BANK_KEYS_CONFIRMED = "ebics-bank-keys-confirmed"
    EBICS_CHANGED = "ebics-changed"
    EBICS_KEYS_REPLACED = "ebics-keys-replaced"
    EBICS_SUSPENDED = "ebics-suspended"
    EBICS_REMOVED = "ebics-removed"
    EBICS_UPLOADED = "ebics-uploaded"
    EBICS_SENT_AGAIN = "ebics-sent-again"
    CONNECTOR_ADDED = "connector-added"
    CONNECTOR_CHANGED = "connector-changed"
    CONNECTOR_REMOVED = "connector-removed"
    SHOP_CREATED = "shop-created"
    SETTINGS_CHANGED = "settings-changed"
    KEY_CREATED = "key-created"
    KEY_ROLLED = "key-rolled"
    KEY_REVOKED = "key-revoked"
    PERSON_INVITED = "person-invited"
    PERSON_REMOVED = "person-removed"
    ROLE_CHANGED = "role-changed"
    ALERT_RESOLVED = "alert-resolved"
    MONTH_CLOSED = "month-closed"
    CALLBACKS_PAUSED = "callbacks-paused"
    CALLBACKS_RESUMED = "callbacks-resumed"
    CREDENTIALS_SHOWN = "credentials-shown"
    CREDENTIALS_ROTATED = "credentials-rotated"
    SIGNED_IN = "signed-in"
    SIGN_IN_FAILED = "sign-in-failed"
    SIGNED_OUT = "signed-out"
    SESSIONS_ENDED = "sessions-ended"
    SIGN_IN_CHANGED = "sign-in-changed"
    SIGN_IN_LINK_MADE = "sign-in-link-made"
    PERSON_CREATED = "person-created"
    PERSON_CHANGED = "person-changed"
    PERSON_DISABLED = "person-disabled"
    PERSON_RESET = "person-reset"
    PERSON_ERASED = "person-erased"
    PERSON_EXPORTED = "person-exported"
    SHOP_PURGED = "shop-purged"
    BACKUP_MADE = "backup-made"
    BACKUP_RESTORED = "backup-restored"
    DATABASE_MOVED = "database-moved"
    SECRET_KEY_ROTATED = "secret-key-rotated"  # noqa: S105  an entry


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One audit entry. `before` and `after` are JSON, "" if there is none; never with a secret in them.

    `shop_at` is the time of the shop's own clock, None if it showed `at`; not part of the chain.
    """

    kind: str
    subject: str
    at: datetime
    actor: Actor
    before: str = ""
    after: str = ""
    shop_at: datetime | None = None


class HasChain(Protocol):
    """The owner of an audit chain: a shop, or the installation."""

    @property
    def id(self) -> UUID: ...


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain by its id alone."""

    id: UUID


INSTALLATION: Final = Chain(UUID(int=0))
"""The chain of audit entries without a shop: sign-ins, people, secret keys (D-46). No shop has this id."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An audit entry in its place in its chain.

    `digest` is the salted hash of its values, so the chain stays valid once they are erased; entries of older versions
    have none.
    """

    seq: int
    entry: AuditEntry
    hash: bytes
    salt: bytes = b""
    digest: bytes = b""
    is_erased: bool = False


START: Final = b""
"""The predecessor hash of a chain's first entry."""


def chain_hash(previous: bytes, seq: int, entry: AuditEntry, digest: bytes = b"") -> bytes:
    """The hash of an entry: SHA-256 of the hash before it, its number and its fields, each with its length.

    A row that is changed, removed, moved or inserted no longer fits its hash or the next one. `digest` replaces what
    can be erased; without one the values themselves are in the hash, as in older versions.
    """
    actor = entry.actor
    at = entry.at.astimezone(UTC).isoformat(timespec="microseconds")
    if digest:
        return _hash(previous, str(seq), at, entry.kind, entry.subject, actor.kind, actor.name, actor.request_id,
                     digest.hex())  # fmt: skip
    return _hash(previous, str(seq), at, entry.kind, entry.subject, actor.kind, actor.name, actor.address,
                 actor.request_id, entry.before, entry.after)  # fmt: skip


def digest_of(salt: bytes, entry: AuditEntry) -> bytes:
    """Represents in the chain the erasable parts of an entry: its values and its address.

    The salt is erased with the values: without it no one can guess them by trial.
    """
    return _hash(salt, entry.actor.address, entry.before, entry.after)


def _hash(start: bytes, *fields: str) -> bytes:
    digest = hashlib.sha256(start)
    for field in fields:
        raw = field.encode()
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.digest()


def link(previous: bytes, seq: int, entries: Iterable[tuple[AuditEntry, bytes]]) -> list[Recorded]:
    """The entries, each with its salt, after the one with the number `seq` and the hash `previous`."""
    found: list[Recorded] = []
    for entry, salt in entries:
        seq += 1
        digest = digest_of(salt, entry)
        previous = chain_hash(previous, seq, entry, digest)
        found.append(Recorded(seq, entry, previous, salt, digest))
    return found


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of walking a chain: the number of valid entries, the last hash, the first fault or "".

    `erased` entries have no values any more. `links_only` among them were recorded by older versions: only their place
    in the chain can be verified.
    """

    entries: int
    hash: bytes
    fault: str
    erased: int = 0
    links_only: int = 0


def verify(recorded: Iterable[Recorded], end: tuple[int, bytes], noted: tuple[int, bytes] | None = None) -> Verified:
    """Walks a chain up to its `end` (number, hash).

    `noted` is an end that was written down elsewhere before: it must be in the chain, which reveals a chain that was
    recomputed as a whole.
    """
    walk = _Walk()
    not_met = noted if noted is not None and noted[0] > 0 else None
    for row in recorded:
        if fault := walk.fault_of(row):
            return walk.verdict(fault)
        if not_met is not None and row.seq == not_met[0]:
            if row.hash != not_met[1]:
                return walk.verdict(f"entry {row.seq} is not the one that was recorded elsewhere")
            not_met = None
    if (walk.place, walk.hash) != end:
        return walk.verdict(f"the last entries are missing: {walk.place} of {end[0]} stand")
    if not_met is not None:
        return walk.verdict(f"entry {not_met[0]}, which was recorded elsewhere, is missing")
    return walk.verdict("")


@dataclass(slots=True)
class _Walk:
    """The position of a walk along a chain."""

    place: int = 0
    hash: bytes = START
    erased: int = 0
    links_only: int = 0
    has_digests: bool = False

    def fault_of(self, row: Recorded) -> str:
        """The fault of the next entry; "" if there is none, and the walk has passed it."""
        if row.seq != self.place + 1:
            return f"entry {self.place + 1} is missing"
        # Once entries have digests, one without has lost it; for an erased one without, the next hash covers this
        # one's.
        is_link_only = row.is_erased and not row.digest and not self.has_digests
        if not is_link_only and chain_hash(self.hash, row.seq, row.entry, row.digest) != row.hash:
            return f"entry {row.seq} or the one before it was changed"
        if row.digest and not row.is_erased and digest_of(row.salt, row.entry) != row.digest:
            return f"the values of entry {row.seq} were changed"
        if row.is_erased and (row.entry.before or row.entry.after or row.entry.actor.address):
            return f"entry {row.seq} was erased, and has values"
        self.place, self.hash = row.seq, row.hash
        self.erased += row.is_erased
        self.links_only += is_link_only
        self.has_digests |= bool(row.digest)
        return ""

    def verdict(self, fault: str) -> Verified:
        return Verified(self.place, self.hash, fault, self.erased, self.links_only)
