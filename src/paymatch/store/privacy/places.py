"""All places of personal data: the one list behind export, erasure, retention and docs/privacy.md (D-63).

Every column of text, JSON or bytes is named here, as a place or as impersonal; a test walks the schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final


class DataClass(StrEnum):
    """The class of data, which decides retention and reasons."""

    ORDERS = "orders"
    POSTINGS = "postings"
    REFUNDS = "refunds and transfers"
    MESSAGES = "mails and letters"
    PAGES = "customers' pages"
    INVOICES = "invoices"
    COLLECTION = "collection"
    MATCHING = "what matching has learnt"
    REQUESTS = "requests and callbacks"
    IMPORTS = "imports of statements"
    NOTES = "notes of people"
    WORK = "due work and alerts"
    AUDIT = "audit log"
    SANDBOX = "sandbox"
    AREA = "merchant area"


class Owner(Enum):
    """The owner of a row: which of the person's ids it has, and the condition in which they are $2."""

    ORDER = "orders", "order_number = ANY($2)"
    THE_ORDER = "orders", "number = ANY($2)"
    CALLBACK = (
        "orders",
        "callback_id IN (SELECT c.id FROM callbacks c WHERE c.shop_id = $1 AND c.order_number = ANY($2))",
    )
    POSTING = "postings", "posting_id = ANY($2)"
    THE_POSTING = "postings", "id = ANY($2)"
    REFUND = "refunds", "refund_id = ANY($2)"
    THE_REFUND = "refunds", "id = ANY($2)"
    FILE = "refunds", "id IN (SELECT t.file_id FROM transfers t WHERE t.shop_id = $1 AND t.refund_id = ANY($2))"
    NOBODY = "", ""

    @property
    def ids(self) -> str:
        """The kind of the person's ids: orders, postings or refunds; "" if rows have no owner."""
        return self.value[0]

    @property
    def condition(self) -> str:
        return self.value[1]


class ErasureMethod(StrEnum):
    """The effect of an erasure. In rows of others, texts that name the person lose the name."""

    REPLACE = "numbers, days and amounts stay"
    FINGERPRINT = "keyed fingerprints take its place"
    EMPTY = "emptied"
    DELETE = "deleted with its row"
    REDACT = "loses what names the person"
    OPENED = "opened; emptied where it names the person"
    PASSING = "is deleted automatically within an hour"
    SALTED = "emptied; its salted hash stays in the chain"


@dataclass(frozen=True, slots=True)
class PersonalColumns:
    """Columns of a table that may hold personal data."""

    table: str
    columns: tuple[str, ...]
    data: DataClass
    how: ErasureMethod
    owner: Owner = Owner.NOBODY


def _place(
    table: str, columns: str, data: DataClass, how: ErasureMethod, owner: Owner = Owner.NOBODY
) -> PersonalColumns:
    return PersonalColumns(table, tuple(columns.split()), data, how, owner)


_D, _H, _O = DataClass, ErasureMethod, Owner

PLACES: Final = (
    _place("orders", "doc billed_to", _D.ORDERS, _H.REPLACE, _O.THE_ORDER),
    _place("orders", "mail_problem mail_refusal", _D.ORDERS, _H.EMPTY, _O.THE_ORDER),
    _place("order_changes", "fields", _D.ORDERS, _H.DELETE, _O.ORDER),
    _place("order_comments", "said", _D.NOTES, _H.DELETE, _O.ORDER),
    _place("posting_comments", "said", _D.NOTES, _H.DELETE, _O.POSTING),
    _place("postings", "facts", _D.POSTINGS, _H.FINGERPRINT, _O.THE_POSTING),
    _place(
        "postings",
        "end_to_end_id counterparty_name counterparty_iban counterparty_account_end remittance decision",
        _D.POSTINGS,
        _H.EMPTY,
        _O.THE_POSTING,
    ),
    _place("postings", "aside_reason bank_reference entry_reference batch_id", _D.POSTINGS, _H.REDACT, _O.THE_POSTING),
    _place("posting_past", "aside_reason", _D.POSTINGS, _H.REDACT, _O.POSTING),
    _place("set_paid_amounts", "reason", _D.ORDERS, _H.REDACT, _O.ORDER),
    _place("booked_entries", "text", _D.POSTINGS, _H.REDACT, _O.POSTING),
    _place("closed_postings", "explained", _D.POSTINGS, _H.REDACT, _O.POSTING),
    _place("statement_lines", "facts", _D.POSTINGS, _H.FINGERPRINT, _O.POSTING),
    _place("settlement_lines", "facts", _D.POSTINGS, _H.REDACT),
    _place("advices", "facts shown problem problem_message file_name number payer sender", _D.POSTINGS, _H.REDACT),
    _place("advices", "payer_account", _D.POSTINGS, _H.OPENED),
    _place("advice_senders", "address payer payer_name", _D.POSTINGS, _H.OPENED),
    _place("refunds", "iban bic holder ask_note ask_note_message", _D.REFUNDS, _H.EMPTY, _O.THE_REFUND),
    _place("refunds", "note held_reason external_reference", _D.REFUNDS, _H.REDACT, _O.THE_REFUND),
    _place("transfers", "iban holder bank_name", _D.REFUNDS, _H.EMPTY, _O.REFUND),
    _place("transfer_files", "content", _D.REFUNDS, _H.OPENED, _O.FILE),
    _place("mails", "recipient subject content error error_message", _D.MESSAGES, _H.EMPTY, _O.ORDER),
    _place("early_bounces", "recipient reason", _D.MESSAGES, _H.PASSING),
    _place("letters", "recipient content error error_message", _D.MESSAGES, _H.EMPTY, _O.ORDER),
    _place("reminder_dues", "recipient held", _D.MESSAGES, _H.EMPTY, _O.ORDER),
    _place("reminder_reasons", "looked_for", _D.MESSAGES, _H.DELETE, _O.ORDER),
    _place("customer_notices", "email", _D.PAGES, _H.DELETE, _O.ORDER),
    _place("order_links", "token token_hash", _D.PAGES, _H.DELETE, _O.ORDER),
    _place("refund_requests", "recipient subject content error", _D.PAGES, _H.EMPTY, _O.ORDER),
    _place("invoices", "file_key sha256 invoice_number terms", _D.INVOICES, _H.DELETE, _O.ORDER),
    _place("collection_events", "description", _D.COLLECTION, _H.EMPTY, _O.ORDER),
    _place("collection_reports", "name", _D.COLLECTION, _H.REDACT),
    _place("match_keys", "number", _D.MATCHING, _H.DELETE, _O.THE_ORDER),
    _place("posting_keys", "posting_id", _D.MATCHING, _H.DELETE, _O.POSTING),
    _place("suggested_orders", "order_number", _D.MATCHING, _H.DELETE, _O.ORDER),
    _place("order_search", "customer words long_words", _D.ORDERS, _H.DELETE, _O.ORDER),
    _place("posting_search", "account words long_words", _D.POSTINGS, _H.DELETE, _O.POSTING),
    _place("payer_rules", "iban name words reason customer_number customer_name", _D.MATCHING, _H.OPENED),
    _place("shops", "learnt", _D.MATCHING, _H.OPENED),
    _place("payer_accounts", "account", _D.IMPORTS, _H.OPENED),
    _place("import_errors", "raw", _D.IMPORTS, _H.OPENED),
    _place("import_errors", "reason reason_message", _D.IMPORTS, _H.REDACT),
    _place("import_runs", "file_name report error error_message", _D.IMPORTS, _H.REDACT),
    _place("imports", "file_name result", _D.IMPORTS, _H.REDACT),
    _place("api_requests", "sent answered", _D.REQUESTS, _H.OPENED, _O.ORDER),
    _place("api_requests", "path query", _D.REQUESTS, _H.REDACT, _O.ORDER),
    _place("callback_attempts", "request answer", _D.REQUESTS, _H.EMPTY, _O.CALLBACK),
    _place("callback_attempts", "error error_message", _D.REQUESTS, _H.REDACT, _O.CALLBACK),
    _place("callbacks", "last_error last_error_message", _D.REQUESTS, _H.REDACT, _O.ORDER),
    _place("connector_orders", "problem write_problem", _D.WORK, _H.REDACT, _O.ORDER),
    _place("connectors", "last_error", _D.WORK, _H.REDACT),
    _place("bank_consents", "last_error lost_why", _D.WORK, _H.REDACT),
    _place("consent_accounts", "problem", _D.WORK, _H.REDACT),
    _place("ebics_connections", "last_error", _D.WORK, _H.REDACT),
    _place("ebics_orders", "answer", _D.WORK, _H.REDACT),
    _place("ebics_uploads", "last_error", _D.WORK, _H.REDACT),
    _place("ebics_files", "content", _D.IMPORTS, _H.OPENED),
    _place("ebics_files", "name error", _D.IMPORTS, _H.REDACT),
    _place("fints_dialogues", "question answer", _D.WORK, _H.PASSING),
    _place("fints_dialogues", "outcome error", _D.WORK, _H.REDACT),
    _place("fints_uploads", "said", _D.WORK, _H.REDACT),
    _place("alerts", "text named subject", _D.WORK, _H.REDACT),
    _place("shop_jobs", "last_error last_result", _D.WORK, _H.REDACT),
    _place("audit_log", "before after address", _D.AUDIT, _H.SALTED),
    _place("audit_log", "salt digest", _D.AUDIT, _H.SALTED),
    _place("sandbox_bookings", "facts", _D.SANDBOX, _H.REDACT),
    _place("sandbox_files", "name content", _D.SANDBOX, _H.OPENED),
    _place("replay_parts", "name content", _D.SANDBOX, _H.OPENED),
    _place("replays", "notes error", _D.SANDBOX, _H.REDACT),
)
"""In the database of the shops."""

IMPERSONAL: Final[dict[str, str]] = {
    "heartbeats": "name",
    "write_probes": "filler",
    "adjustments": "id order_number customer currency kind by_name",
    "alerts": "id kind code",
    "allocations": "posting_id order_number kind fee_kind",
    "api_keys": "id hash hint label scope",
    "api_requests": "request_id key_id method order_number",
    "audit_heads": "hash",
    "audit_log": "deed subject actor_kind actor request_id hash",
    "bank_accounts": "account currency bic bank_name holder csv_profile",
    "bank_connections": "account bank_code server_url user_name tan_mechanism tan_medium system_id",
    "booked_entries": "source debit_role debit credit_role credit currency document posting_id invoice",
    "booked_headers": "name header",
    "export_deliveries": "ends_early",
    "exported_postings": "posting_id",
    "set_paid_amounts": "order_number account currency set_by",
    "callback_attempts": "callback_id address",
    "callbacks": "id order_number status",
    "closed_months": "closed_by summary hash",
    "closed_postings": "posting_id",
    "collection_agencies": "name channel address customer_number token token_hash token_before_hash",
    "collection_events": "order_number",
    "collection_messages": "case_id order_number kind",
    "collection_reports": "hash",
    "collections": "order_number partner file status id",
    "connector_orders": "connector external_id order_number state state_before our_states written_status",
    "connectors": "name system status url access_key access_secret methods paid_status prefix run_place",
    "account_information_keys": "provider application_id private_key",
    "bank_consents": "id provider bank_name country status session fetch_times",
    "consent_accounts": "consent_id account currency owner_name",
    "consent_requests": "state_hash consent_id person",
    "ebics_connections": (
        "id bank_name url host_id partner_id user_id country status keys new_keys bank_keys offered_bank_keys offer"
        " accounts fetches fetch_times"
    ),
    "ebics_files": "id connection_id subject digest",
    "ebics_orders": "id connection_id order_type subject file_id number outcome",
    "ebics_uploads": "file_id connection_id status phase transaction_key transaction_id order_number",
    "fints_dialogues": "id accounts file_id person status",
    "fints_uploads": "file_id dialogue_id status phase decided_by",
    "customer_notices": "order_number kind",
    "early_bounces": "message_id provider_id",
    "events": "order_number from_status to_status cause",
    "first_suggestions": "order_number posting_id",
    "import_errors": "import_id statement_id resolved_by",
    "import_runs": "id state",
    "imports": "id sha256 format version status channel",
    "invoices": "order_number media_type",
    "leaving_files": "file_key",
    "letter_runs": "id",
    "letters": "id order_number kind invoice_number status country run_id provider_id refund_id",
    "mail_texts": "kind language subject body",
    "mails": "id order_number status message_id provider_id",
    "migrations": "name",
    "order_changes": "order_number actor_kind actor",
    "order_comments": "order_number author",
    "order_import_orders": "import_id order_number digest",
    "order_imports": "id",
    "order_layouts": "layout columns",
    "order_links": "order_number",
    "order_past": "order_number status type currency",
    "order_search": "order_number",
    "order_sync_marks": "sync_id order_number mark_before mark_after",
    "order_syncs": "id",
    "orders": "number type currency status mark reference invoice_terms",
    "payer_accounts": "import_id",
    "payer_rules": "id action author",
    "posting_comments": "posting_id author",
    "advices": "id digest format channel currency posting_id sender_proof",
    "advice_senders": "id",
    "advised_postings": "posting_id advice_ids",
    "payout_decisions": "posting_id account currency payout_id",
    "payouts": "account currency payout_id trace_id posting_id reason",
    "posting_past": "posting_id account currency status held_back held_back_message parts",
    "posting_search": "posting_id",
    "posting_viewers": "person posting_id",
    "postings": "id import_id statement_id account currency source format status taken_back by_rule matched_by",
    "last_exchange_rates": "base quoted",
    "provider_accounts": "account currency provider name layout",
    "new_powers": "kind subject given_by value",
    "search_segments": "searched signature",
    "refund_releases": "refund_id released_by",
    "refund_requests": "id refund_id order_number status message_id provider_id",
    "refunds": "id order_number reference currency status bank_code transfer_file_id posting_id speed",
    "reminder_dues": "order_number",
    "reminder_reasons": "order_number of_amount",
    "reminders": "order_number",
    "replay_outcomes": "posting_id outcome ours theirs verdict our_facts their_facts",
    "replay_parts": "kind",
    "replays": "status result",
    "sandbox_bookings": "id account currency formats order_numbers",
    "sandbox_files": "id format",
    "sandbox_refund_outcomes": "external_reference outcome reason",
    "sandbox_transfer_files": "file_id",
    "sealing_keys": "id",
    "settlement_lines": "import_id statement_id account currency event kind provider_id payment_id payment_alias"
    " payout_id paid_by",
    "shop_jobs": "kind claim",
    "shop_logos": "png",
    "shops": """setup_skipped name status access currency country timezone language holder street house_number postcode
        city caution callback_url callback_access_code callback_success webhook_secret webhook_secret_old
        transfer_version transfer_characters transfer_speed instant_refused payee_check
        mail_from mail_name reply_to dunning_plan request_log second_factor
        ledger_chart ledger_bank ledger_debtors ledger_revenue ledger_fees ledger_clearing ledger_credits
        ledger_income ledger_losses datev_consultant datev_client datev_tax_keys datev_rates ledger_reminder_fees
        ledger_transit ledger_set_paid ledger_currency datev_links accent contact_email contact_phone website
        legal_footer imprint_url privacy_url letter_paper letters_by invoice_letters print_key exports export_every
        export_to""",
    "stated_payouts": "import_id account currency payout_id facts",
    "statement_lines": "statement_id import_id account currency source format series posting_id",
    "statement_past": "id account currency sequence",
    "statements": "id import_id account currency format source statement_id sequence flags course",
    "suggested_orders": "posting_id",
    "tallies": "name",
    "transfer_files": "id account currency message_id payment_information_id version ebics_connection",
    "transfers": "end_to_end_id refund_id file_id status bank_status bank_code debit_posting_id return_posting_id",
}
"""Columns without customer data: ids, numbers, codes, days, the shop's own data and its people's names."""


OTHER_DATA: Final = "other data"


def by_class(rows: Mapping[str, int]) -> dict[str, int]:
    """Class of data -> rows, of rows counted by table, by class or by both; `OTHER_DATA` is in no class."""
    classes = {place.table: place.data for place in reversed(PLACES)} | {each.value: each for each in DataClass}
    counts: Counter[str] = Counter()
    for name, count in rows.items():
        counts[classes[name].value if name in classes else OTHER_DATA] += count
    return dict(sorted(counts.items()))


def swept() -> dict[str, tuple[str, ...]]:
    """Table -> its columns of plain text in which a name of the person is replaced, whosever row it is."""
    found: dict[str, tuple[str, ...]] = {}
    for place in PLACES:
        if place.how is ErasureMethod.REDACT or (place.table, place.how) in _ALSO_SWEPT:
            found[place.table] = (*found.get(place.table, ()), *place.columns)
    return found


_ALSO_SWEPT: Final = frozenset(
    {
        ("order_comments", ErasureMethod.DELETE),
        ("posting_comments", ErasureMethod.DELETE),
        ("order_changes", ErasureMethod.DELETE),
        ("collection_events", ErasureMethod.EMPTY),
        ("callback_attempts", ErasureMethod.EMPTY),
    }
)
"""Also in rows of others: people write about one customer at another's order, or the shop answers with both."""
