"""Erasing a person in PostgreSQL, place by place of the list; amounts, days and numbers stay (D-63)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import unquote_plus

import msgspec

from paymatch.domain.books.forgotten import Fingerprint, forget
from paymatch.domain.books.identity import said_by
from paymatch.domain.matching import learn
from paymatch.domain.postings import Posting
from paymatch.domain.privacy.person import ERASED
from paymatch.domain.words.message import as_text
from paymatch.formats.contract.erasure import erase_person
from paymatch.formats.contract.orders import Order
from paymatch.store import sealing
from paymatch.store.area_schema import SCHEMA
from paymatch.store.connection import text_array
from paymatch.store.orders.orders import billed_to
from paymatch.store.privacy.places import PLACES, ErasureMethod, Owner, PersonalColumns, swept
from paymatch.store.row_security import AREA
from paymatch.store.statements import statement_lines
from paymatch.store.statements.posting_documents import opened_facts, sealed_facts
from paymatch.store.statements.statement_lines import LineKey
from paymatch.store.transactions import ShopId, ShopTx, Tx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_DECODE: Final = msgspec.json.decode


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """The person to erase: their rows, their accounts, and the pattern of what names only them."""

    orders: tuple[str, ...]
    postings: tuple[str, ...]
    refunds: tuple[str, ...]
    ibans: tuple[str, ...]
    pattern: str

    def of(self, owner: Owner) -> str:
        """The ids that the owner's condition takes."""
        return text_array({"orders": self.orders, "postings": self.postings, "refunds": self.refunds}[owner.ids])

    def names(self, text: str) -> bool:
        """Whether a text names the person."""
        return re.search(self.pattern, text) is not None


def erase(tx: ShopTx, target: ErasureTarget, fingerprint: Fingerprint, now: datetime) -> dict[str, int]:
    """Erases the person everywhere but in the audit log; how many rows of which table were touched."""
    counts = Counter(erase_rows(tx, target, fingerprint, now))
    for opening in (
        _transfer_files,
        _requests,
        _error_rows,
        _sandbox_files,
        _ebics_files,
        _advices,
        _advice_senders,
        _rules,
        _learnt,
        _payer_accounts,
    ):
        table, rows = opening(tx, target)
        counts[table] += rows
    for table, columns in swept().items():
        counts[table] += _redact(tx, target, table, columns)
    counts["postings"] += _suggestions(tx, target, now)
    return {table: rows for table, rows in sorted(counts.items()) if rows}


def erase_rows(tx: ShopTx, target: ErasureTarget, fingerprint: Fingerprint, now: datetime) -> dict[str, int]:
    """Erases the person in the rows that are theirs; how many rows of which table were touched."""
    stop_messages(tx, target, now)
    counts = Counter({"api_requests": _bodies(tx, target)})
    for erasing in (_orders, _postings, _lines):
        table, rows = erasing(tx, target, fingerprint)
        counts[table] += rows
    for place in PLACES:
        if place.how is ErasureMethod.EMPTY and place.owner.ids and place.table != "postings":
            counts[place.table] += _empty(tx, target, place)
    for place in PLACES:
        if place.how is ErasureMethod.DELETE:
            counts[place.table] += _delete(tx, target, place)
    return dict(counts)


def _conditions(place: PersonalColumns) -> str:
    return f"shop_id = $1 AND {place.owner.condition}"


def _bodies(tx: ShopTx, target: ErasureTarget) -> int:
    """Bodies of requests about the orders; the sealed ones of other requests are opened one by one."""
    statement = "UPDATE api_requests SET sent = '', answered = '' WHERE shop_id = $1 AND order_number = ANY($2)"
    return tx.run(f"{statement} AND sent || answered <> ''", tx.shop_id, target.of(Owner.ORDER))


def _orders(tx: ShopTx, target: ErasureTarget, _fingerprint: Fingerprint) -> tuple[str, int]:
    rows = tx.rows("SELECT number, doc FROM orders WHERE shop_id = $1 AND number = ANY($2)", tx.shop_id,
                   target.of(Owner.THE_ORDER))  # fmt: skip
    documents = [_ENCODE(erase_person(Order, _DECODE(row.doc))).decode() for row in rows]
    tx.run(
        "UPDATE orders SET doc = d.doc, billed_to = d.billed_to"
        " FROM unnest($2::text[], $3::text[], $4::text[]) d(number, doc, billed_to)"
        " WHERE orders.shop_id = $1 AND orders.number = d.number",
        tx.shop_id, [row.number for row in rows], documents, [billed_to(each) for each in documents],
    )  # fmt: skip
    return "orders", len(rows)


_FORGET_POSTINGS: Final = """
UPDATE postings p SET facts = f.facts, end_to_end_id = f.end_to_end_id, counterparty_name = '', counterparty_iban = '',
    counterparty_account_end = '', counterparty_has_iban = false, remittance = '', decision = ''
FROM json_to_recordset($2::json) AS f(id text, facts text, end_to_end_id text)
WHERE p.shop_id = $1 AND p.id = f.id"""


def _postings(tx: ShopTx, target: ErasureTarget, fingerprint: Fingerprint) -> tuple[str, int]:
    rows = tx.rows("SELECT id, facts FROM postings WHERE shop_id = $1 AND id = ANY($2)", tx.shop_id,
                   target.of(Owner.THE_POSTING))  # fmt: skip
    vault, wire = tx.vault(), []
    for row in rows:
        if row.facts:  # otherwise it is of an old version, and has everything in its columns
            gone = _forget_posting(opened_facts(row.facts, vault), fingerprint)
            wire.append({"id": row.id, "facts": sealed_facts(gone, vault), "end_to_end_id": gone.end_to_end_id})
        else:
            wire.append({"id": row.id, "facts": "", "end_to_end_id": ""})
    tx.run(_FORGET_POSTINGS, tx.shop_id, _ENCODE(wire).decode())
    return "postings", len(rows)


def _lines(tx: ShopTx, target: ErasureTarget, fingerprint: Fingerprint) -> tuple[str, int]:
    rows = tx.rows(
        "SELECT statement_id, position, detail, facts FROM statement_lines WHERE shop_id = $1 AND posting_id = ANY($2)",
        tx.shop_id, target.of(Owner.POSTING),
    )  # fmt: skip
    vault = tx.vault()
    gone = {LineKey(*row[:3]): _forget_posting(opened_facts(row.facts, vault), fingerprint) for row in rows}
    statement_lines.write_facts(tx, gone)
    return "statement_lines", len(rows)


def _forget_posting(posting: Posting, fingerprint: Fingerprint) -> Posting:
    return forget(posting, said_by(posting), fingerprint)


def stop_messages(tx: ShopTx, target: ErasureTarget, now: datetime) -> None:
    """Withdraws everything that waits to be sent to the person."""
    orders = target.of(Owner.ORDER)
    for table in ("mails", "refund_requests"):
        tx.run(
            f"UPDATE {table} SET status = 'WITHDRAWN', finished_at = $3 WHERE shop_id = $1 AND order_number = ANY($2)"
            " AND status = 'PENDING'", tx.shop_id, orders, now,
        )  # fmt: skip
    tx.run(
        "UPDATE letters SET status = 'WITHDRAWN', finished_at = $3, due_at = NULL WHERE shop_id = $1"
        " AND order_number = ANY($2) AND finished_at IS NULL", tx.shop_id, orders, now,
    )  # fmt: skip
    tx.run("UPDATE orders SET stop_reminder = true WHERE shop_id = $1 AND number = ANY($2)", tx.shop_id, orders)
    tx.run("UPDATE refunds SET ask_at = NULL WHERE shop_id = $1 AND order_number = ANY($2)", tx.shop_id, orders)


_MARKED: Final = {"mails": ", forgotten = true", "letters": ", forgotten = true, due_at = NULL"}


def _empty(tx: ShopTx, target: ErasureTarget, place: PersonalColumns) -> int:
    """Empties the columns of the person's rows."""
    emptied = ", ".join(f"{column} = ''" for column in place.columns)
    filled = " OR ".join(f"{column} <> ''" for column in place.columns)
    return tx.run(
        f"UPDATE {place.table} SET {emptied}{_MARKED.get(place.table, '')} WHERE {_conditions(place)} AND ({filled})",
        tx.shop_id,
        target.of(place.owner),
    )


def _delete(tx: ShopTx, target: ErasureTarget, place: PersonalColumns) -> int:
    return tx.run(f"DELETE FROM {place.table} WHERE {_conditions(place)}", tx.shop_id, target.of(place.owner))


_APART: Final = {("alerts", "subject"): " || ' ' || id", ("refunds", "external_reference"): " || ' ' || id"}
"""Unique columns: two erased names leave two different texts."""


def _redact(tx: ShopTx, target: ErasureTarget, table: str, columns: Sequence[str]) -> int:
    """Replaces what names the person in plain texts, in anyone's rows."""
    kinds = {"named": "jsonb"}
    changed = ", ".join(
        f"{column} = regexp_replace({column}::text, $2, $3{_APART.get((table, column), '')}, 'g')"
        f"{'::' + kinds[column] if column in kinds else ''}"
        for column in columns
    )
    naming = " OR ".join(f"{column}::text ~ $2" for column in columns)
    return tx.run(f"UPDATE {table} SET {changed} WHERE shop_id = $1 AND ({naming})", tx.shop_id, target.pattern, ERASED)


def _transfer_files(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Transfer files pay others too: they lose what names the person."""
    return "transfer_files", _redact_files(tx, target, "transfer_files", sealing.TRANSFER_FILE)


def _sandbox_files(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Statement files of the simulated bank, of all its customers."""
    return "sandbox_files", _redact_files(tx, target, "sandbox_files", "")


def _ebics_files(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Statements of a bank that could not be imported, of all its customers."""
    return "ebics_files", _redact_files(tx, target, "ebics_files", sealing.EBICS_FILE)


def _redact_files(tx: ShopTx, target: ErasureTarget, table: str, column: str) -> int:
    vault, count = tx.vault(), 0
    for row in tx.rows(f"SELECT id, content FROM {table} WHERE shop_id = $1 AND content <> ''", tx.shop_id):
        stored = bytes(row.content)
        content = vault.open_bytes(column, stored) if column else stored
        redacted = redacted_bytes(content, target.pattern)
        if redacted != content:
            kept = vault.seal_bytes(column, redacted) if column else redacted
            count += tx.run(f"UPDATE {table} SET content = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, row.id, kept)
    return count


def redacted_bytes(content: bytes, pattern: str) -> bytes:
    """A file of text without what the pattern finds, in the encoding that it is in."""
    for encoding in ("utf-8", "latin-1"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return re.sub(pattern, ERASED, text).encode(encoding)
    return content


def _requests(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Refused requests about several orders at once name no order, lists are asked for by name: they are opened."""
    vault, gone = tx.vault(), []
    for row in tx.rows(
        "SELECT at, request_id, path, query, sent, answered FROM api_requests WHERE shop_id = $1"
        " AND sent || answered || query <> ''",
        tx.shop_id,
    ):
        said = [vault.open(sealing.REQUEST_BODY, row.sent), vault.open(sealing.REQUEST_BODY, row.answered)]
        if any(map(target.names, [*said, unquote_plus(row.query), unquote_plus(row.path)])):
            gone.append((row.at, row.request_id))
    for at, request in gone:
        tx.run(
            "UPDATE api_requests SET sent = '', answered = '', query = '' WHERE shop_id = $1 AND at = $2"
            " AND request_id = $3", tx.shop_id, at, request,
        )  # fmt: skip
    return "api_requests", len(gone)


def _error_rows(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Entries of statements that could not be read."""
    vault, count = tx.vault(), 0
    for row in tx.rows(
        "SELECT import_id, position, raw FROM import_errors WHERE shop_id = $1 AND raw <> ''", tx.shop_id
    ):
        if target.names(vault.open(sealing.ERROR_ROW, row.raw)):
            count += tx.run(
                "UPDATE import_errors SET raw = '' WHERE shop_id = $1 AND import_id = $2 AND position = $3",
                tx.shop_id, row.import_id, row.position,
            )  # fmt: skip
    return "import_errors", count


def _advices(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Advices that name the person's account as their payer's."""
    vault = tx.vault()
    rows = tx.rows("SELECT id, payer_account FROM advices WHERE shop_id = $1 AND payer_account <> ''", tx.shop_id)
    gone = [row.id for row in rows if vault.open(sealing.ADVICE_PAYER, row.payer_account) in target.ibans]
    statement = "UPDATE advices SET payer_account = '' WHERE shop_id = $1 AND id = ANY($2)"
    return "advices", tx.run(statement, tx.shop_id, text_array(gone))


def _advice_senders(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Senders of advices who are the person, or are confirmed for them as payer."""
    vault, gone = tx.vault(), []
    for row in tx.rows("SELECT id, address, payer, payer_name FROM advice_senders WHERE shop_id = $1", tx.shop_id):
        payer = vault.open(sealing.ADVICE_SENDER_PAYER, row.payer)
        if payer in target.ibans or target.names(f"{row.address} {row.payer_name}"):
            gone.append(row.id)
    statement = "DELETE FROM advice_senders WHERE shop_id = $1 AND id = ANY($2)"
    return "advice_senders", tx.run(statement, tx.shop_id, text_array(gone))


def _rules(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Rules that name the person, or their account."""
    vault, gone = tx.vault(), []
    columns = "id, iban, name, words, reason, customer_number, customer_name"
    for row in tx.rows(f"SELECT {columns} FROM payer_rules WHERE shop_id = $1", tx.shop_id):
        said = " ".join([row.name, row.reason, row.customer_name, *row.words])
        if vault.open(sealing.RULE_PAYER, row.iban) in target.ibans or target.names(said):
            gone.append(row.id)
    return "payer_rules", tx.run(
        "DELETE FROM payer_rules WHERE shop_id = $1 AND id = ANY($2)", tx.shop_id, text_array(gone)
    )


def forget_accounts(tx: ShopTx, target: ErasureTarget) -> None:
    """Deletes everything known about the person's accounts as payers."""
    _learnt(tx, target)
    _payer_accounts(tx, target)


def _learnt(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    """Deletes learnt facts about the person's accounts and name; shifted weights stay."""
    vault = tx.vault()
    stored = str(tx.value("SELECT learnt FROM shops WHERE shop_id = $1 FOR NO KEY UPDATE", tx.shop_id))
    if not stored:
        return "shops", 0
    state = learn.from_json(_DECODE(vault.open(sealing.LEARNT, stored)))
    left = learn.without(state, frozenset(target.ibans), target.names)
    if left == state:
        return "shops", 0
    kept = vault.seal_once(sealing.LEARNT, _ENCODE(learn.to_json(left)).decode())
    return "shops", tx.run("UPDATE shops SET learnt = $2 WHERE shop_id = $1", tx.shop_id, kept)


def _payer_accounts(tx: ShopTx, target: ErasureTarget) -> tuple[str, int]:
    vault = tx.vault()
    sealed = [text for iban in target.ibans for text in vault.lookups(sealing.PAYER_ACCOUNT, iban)]
    deleted = tx.run(
        "DELETE FROM payer_accounts WHERE shop_id = $1 AND account = ANY($2)", tx.shop_id, text_array(sealed)
    )
    return "payer_accounts", deleted


def _suggestions(tx: ShopTx, target: ErasureTarget, now: datetime) -> int:
    """Decisions on other payments that may have been for the person's orders; open ones are decided again."""
    named = [_ENCODE(number).decode() for number in target.orders]
    return tx.run(
        "UPDATE postings SET decision = '', rematch_at = CASE WHEN status IN ('suggested', 'unmatched') AND NOT by_hand"
        " THEN $3 ELSE rematch_at END WHERE shop_id = $1 AND decision <> ''"
        " AND EXISTS (SELECT FROM unnest($2::text[]) number WHERE strpos(decision, '\"orderNumber\":' || number) > 0)",
        tx.shop_id, text_array(named), now,
    )  # fmt: skip


def audit_numbers(tx: ShopTx, target: ErasureTarget) -> list[int]:
    """Numbers of audit entries whose values name the person, or by a customer at one of their orders."""
    rows = tx.rows(
        "SELECT seq FROM audit_log WHERE shop_id = $1 AND erased_at IS NULL AND before || after || address <> ''"
        " AND (before ~ $2 OR after ~ $2 OR subject ~ $2 OR actor_kind = 'customer' AND actor = ANY($3))",
        tx.shop_id, target.pattern, target.of(Owner.ORDER),
    )  # fmt: skip
    return [int(row[0]) for row in rows]


def erase_in_area(tx: Tx, shop: ShopId, target: ErasureTarget) -> int:
    """Data of the merchant area: saved views and last pages that name the person, and files of the shop that wait for
    import. Returns the number of rows. The transaction switches to the area's role.
    """
    tx.run("SELECT set_config('role', $1, true)", AREA)  # a SET would go to the nodes too (D-79)
    if tx.value("SELECT to_regclass($1)", f"{SCHEMA}.people_savedview") is None:  # a database without people
        return 0
    found = tx.rows(f"SELECT id, name, query FROM {SCHEMA}.people_savedview WHERE shop_id = $1", shop)
    views = [row.id for row in found if target.names(row.name) or target.names(unquote_plus(row.query))]
    found = tx.rows(f"SELECT id, last_page FROM {SCHEMA}.people_user WHERE last_page <> ''")
    pages = [row.id for row in found if target.names(unquote_plus(row.last_page))]
    return (
        tx.run(f"DELETE FROM {SCHEMA}.people_savedview WHERE id = ANY($1)", views)
        + tx.run(f"UPDATE {SCHEMA}.people_user SET last_page = '' WHERE id = ANY($1)", pages)
        + tx.run(f"DELETE FROM {SCHEMA}.people_offeredfile WHERE shop_id = $1", shop)
    )


def invoice_files(tx: ShopTx, target: ErasureTarget) -> list[str]:
    """Keys of the files of the person's invoices."""
    orders = target.of(Owner.ORDER)
    rows = tx.rows("SELECT file_key FROM invoices WHERE shop_id = $1 AND order_number = ANY($2)", tx.shop_id, orders)
    return [str(row[0]) for row in rows]
