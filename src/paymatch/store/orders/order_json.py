"""The API's view of an order, assembled inside PostgreSQL: the stored document, followed by read-only fields.

Splicing text is five times cheaper than decoding and encoding the documents again (D-27).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from paymatch.domain.money import CURRENCIES
from paymatch.domain.orders.fees import FeeKind
from paymatch.store.orders.account_parts import ACCOUNT_NUMBER, BANK_CODE


@dataclass(frozen=True, slots=True)
class Include:
    """The four include flags (docs/api.md, Orders)."""

    postings: bool = False
    collection_history: bool = False
    payment_reminders: bool = False
    refunds: bool = False


_DIGITS: Final = "CASE currency {} ELSE 2 END".format(
    " ".join(f"WHEN '{code}' THEN {digits}" for code, digits in sorted(CURRENCIES.items()) if digits != 2)
)
ACCOUNTS: Final = f"""accounts AS MATERIALIZED (
    SELECT DISTINCT ON (currency) currency, ({_DIGITS})::smallint AS digits, json_strip_nulls(json_build_object(
        'accountNumber', {ACCOUNT_NUMBER}, 'bankCode', {BANK_CODE},
        'iban', CASE WHEN account ~ '^[A-Z]{{2}}[0-9]{{2}}' THEN account END,
        'bic', nullif(bic, ''), 'bankName', nullif(bank_name, ''),
        'remittee', nullif(holder, '')))::text AS account_json
    FROM bank_accounts WHERE shop_id = $1 AND confirmed ORDER BY currency, created_at, account)"""
"""CTE: per currency the account for customers' payments, which a person has confirmed (D-24). $1 is the shop."""

JOIN_ACCOUNT: Final = """LEFT JOIN accounts
    ON accounts.currency = CASE
        WHEN o.exchange_rate IS NULL OR EXISTS (SELECT FROM accounts own WHERE own.currency = o.currency)
        THEN o.currency ELSE (SELECT s.currency FROM shops s WHERE s.shop_id = $1) END"""
"""An order with an exchange rate and without an account of its currency is paid in the shop's currency (D-41)."""

FROM_ORDERS: Final = f"orders o {JOIN_ACCOUNT}"

_OPEN: Final = "o.amount_minor - o.postings_minor + o.refunded_minor"
_ASKED: Final = f"""
    || CASE WHEN accounts.currency <> o.currency AND o.status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION')
                 AND {_OPEN} > 0
            THEN coalesce(',"amountToPay":' || amount_text(minor_at_rate({_OPEN}, o.digits, o.exchange_rate,
                     accounts.digits), accounts.digits) || ',"currencyToPay":"' || accounts.currency || '"', '')
            ELSE '' END"""
"""Our addition if the customer pays in another currency: the open amount at the order's rate (D-85)."""

_REMINDER_FEES: Final = f"""(CASE WHEN o.dunning_level = 0 THEN 0 ELSE coalesce((
    SELECT -sum(a.withheld_minor) FROM allocations a WHERE a.shop_id = $1 AND a.order_number = o.number
      AND a.fee_kind = '{FeeKind.REMINDER_FEE}'), 0) END)::bigint"""
"""The customer's payments of reminder fees: a part of the postings, and so of amountPaid (D-97)."""

_BASE: Final = f"""left(o.doc, -1)
    || CASE WHEN o.initial_dunning_level > 0 THEN ',"initialDunningLevel":' || o.initial_dunning_level ELSE '' END
    || ',"paymentStatus":"' || o.status || '"'
    || CASE WHEN o.payment_info_at IS NULL AND NOT o.reference_given THEN ''
            ELSE ',"referenceNumber":"' || o.reference || '"' END
    || coalesce(',"bankAccount":' || account_json, ''){_ASKED}
    || ',"dunningLevel":' || o.dunning_level
    || CASE WHEN o.status = 'UNPAID' THEN ''
            ELSE ',"amountPaid":' || amount_text(o.postings_minor + {_REMINDER_FEES} - o.refunded_minor, o.digits) END
    || CASE WHEN o.mail_problem = '' AND o.mail_refusal = '' THEN ''
            ELSE ',"mailProblem":' || to_json(coalesce(nullif(o.mail_problem, ''), o.mail_refusal))::text END"""

POSTING_TAIL: Final = """ || ',"currency":"' || p.currency
    || '","postingDate":"' || date_text(p.booking_date) || '"'
    || coalesce(',"valuationDate":"' || date_text(p.value_date) || '"', '')
    || CASE WHEN p.counterparty_name = '' THEN '' ELSE ',"originator":' || to_json(p.counterparty_name)::text END
    || CASE WHEN p.bank_reference = '' THEN '' ELSE ',"reference":' || to_json(p.bank_reference)::text END
    || CASE WHEN p.remittance = '' THEN '' ELSE ',"text":' || to_json(p.remittance)::text END"""
"""The fields of a Posting after its id and amount (docs/api.md, Posting; D-8)."""

CREDITED: Final = f"""amount_text(a.amount_minor + CASE WHEN a.fee_kind = '{FeeKind.REMINDER_FEE}' THEN 0
        ELSE a.withheld_minor END, p.digits)
    || CASE WHEN a.fee_kind IS NULL THEN ''
            ELSE ',"fee":' || amount_text(a.withheld_minor, p.digits) || ',"feeKind":"' || a.fee_kind || '"' END"""
"""An allocation's credit to its order, including the withheld amount (D-36).

Paid reminder fees are within the amount, as the customer has paid them: amountPaid is the sum of postings (D-97)."""

IS_OF_CUSTOMER: Final = """(NOT p.collective AND p.counterparty_has_iban AND NOT EXISTS (
    SELECT FROM postings x WHERE x.shop_id = p.shop_id AND x.counterparty_iban = p.counterparty_iban AND x.collective
      AND x.status = 'matched' AND x.amount_minor > 0))"""
"""Whether the account of a payment is its customer's: not if it has passed on money of others, now or ever (D-5)."""

_POSTINGS: Final = f"""
    || ',"postings":[' || coalesce((SELECT string_agg('{{"id":' || to_json(p.id)::text || ',"amount":'
        || {CREDITED} {POSTING_TAIL} || '}}', ',' ORDER BY p.booking_date, p.id)
        FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id
        WHERE a.shop_id = $1 AND a.order_number = o.number
          AND a.kind NOT IN ('refund', 'refund-return')), '') || ']'
    || ',"hasBankDetailsForRefund":' || (EXISTS (SELECT FROM allocations a
        JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id
        WHERE a.shop_id = $1 AND a.order_number = o.number AND a.amount_minor > 0 AND a.kind = 'payment'
          AND {IS_OF_CUSTOMER}))::text"""
"""Payments. Debits of refunds are only in `refunds`: amountPaid is the sum of one minus the other (D-8)."""

_REFUND_FIELDS: Final = """'{"externalReference":' || to_json(r.external_reference)::text
        || ',"amount":' || amount_text(r.amount_minor, r.digits) || ',"currency":"' || r.currency
        || '","plannedDate":"' || date_text(r.planned_date) || '","id":' || to_json(r.id)::text
        || ',"executionDate":' || coalesce('"' || date_text(r.execution_date) || '"', 'null')
        || ',"referenceNumber":"' || r.reference || '","status":"' || r.status || '"'
        || CASE WHEN r.held_reason = '' THEN '' ELSE ',"reason":' || to_json(r.held_reason)::text END || '}'"""
REFUND: Final = _REFUND_FIELDS
"""A Refund of the alias r (docs/api.md, Refund; D-10: executionDate is null until executed).

Our addition `reason` says why it is not transferred."""

_REFUNDS: Final = f"""
    || ',"refunds":[' || coalesce((SELECT string_agg({_REFUND_FIELDS}, ',' ORDER BY r.filed)
        FROM refunds r WHERE r.shop_id = $1 AND r.order_number = o.number), '') || ']'"""

_REMINDERS: Final = """
    || ',"paymentReminders":[' || coalesce((SELECT string_agg('{"date":"' || date_text(m.sent_date)
        || '","dunningLevel":' || m.dunning_level || ',"reminderFee":' || amount_text(m.fee_minor, o.digits)
        || ',"email":' || m.email::text || ',"letter":' || m.letter::text || '}', ',' ORDER BY m.dunning_level)
        FROM reminders m WHERE m.shop_id = $1 AND m.order_number = o.number), '') || ']'"""

_COLLECTION: Final = """
    || CASE WHEN o.mark = 'COLLECTION' THEN coalesce((SELECT ',"collectionPartner":' || to_json(c.partner)::text
        || CASE WHEN c.file = '' THEN '' ELSE ',"collectionFile":' || to_json(c.file)::text END
        || ',"collectionStatus":"' || c.status || '"'
        FROM collections c WHERE c.shop_id = $1 AND c.order_number = o.number AND c.active), '') ELSE '' END"""

_COLLECTION_HISTORY: Final = """
    || CASE WHEN o.mark = 'COLLECTION' THEN ',"collectionHistory":[' || coalesce((SELECT string_agg('{"timestamp":"'
        || to_char(e.at AT TIME ZONE (SELECT timezone FROM shops WHERE shop_id = $1), 'DD-MM-YYYY HH24:MI:SS')
        || '","description":' || to_json(e.description)::text || '}', ',' ORDER BY e.position)
        FROM collection_events e WHERE e.shop_id = $1 AND e.order_number = o.number), '') || ']' ELSE '' END"""


@lru_cache(maxsize=16)
def order_json(include: Include) -> str:
    """SQL expression over `o` (orders) and `account_json`: the order's JSON with the wanted parts. $1 is the shop."""
    return (
        _BASE
        + (_POSTINGS if include.postings else "")
        + _COLLECTION
        + (_COLLECTION_HISTORY if include.collection_history else "")
        + (_REMINDERS if include.payment_reminders else "")
        + (_REFUNDS if include.refunds else "")
        + " || '}'"
    )
