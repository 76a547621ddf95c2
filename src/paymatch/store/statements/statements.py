"""Imports and statements in PostgreSQL: files, balances, unreadable entries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import msgspec

from paymatch.domain.books.overlap import Balances, Extent, number_of
from paymatch.domain.postings import PostingSource
from paymatch.domain.statement_channels import TRUSTED, StatementChannel
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row, build, text_array
from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_moment, by_number, by_text
from paymatch.store.sealing import PAYER_ACCOUNT
from paymatch.store.statements import import_errors, posting_snapshots
from paymatch.store.transactions import ShopTx


def add_payer_accounts(tx: ShopTx, import_id: str, accounts: Collection[str]) -> None:
    """Remembers the accounts that a file shows money from."""
    if accounts:
        tx.run(
            "INSERT INTO payer_accounts (shop_id, account, import_id) SELECT $1, a.account, $2"
            " FROM unnest($3::text[]) a(account) RETURNING 1",
            tx.shop_id,
            import_id,
            sorted(tx.vault().seal(PAYER_ACCOUNT, account) for account in accounts),
        )


def forget_payer_accounts(tx: ShopTx, import_id: str) -> None:
    """After an undo: the import's file no longer vouches for accounts."""
    tx.run("DELETE FROM payer_accounts WHERE shop_id = $1 AND import_id = $2", tx.shop_id, import_id)


def trusted_accounts(tx: ShopTx, accounts: Collection[str]) -> frozenset[str]:
    """Those of the accounts that sent money according to a file from a trusted channel."""
    vault = tx.vault()
    stored = {text: account for account in accounts for text in vault.lookups(PAYER_ACCOUNT, account)}
    rows = tx.rows(
        "SELECT DISTINCT a.account FROM payer_accounts a JOIN imports i ON i.shop_id = a.shop_id AND i.id = a.import_id"
        " WHERE a.shop_id = $1 AND a.account = ANY($2) AND i.channel = ANY($3)",
        tx.shop_id,
        list(stored),
        sorted(TRUSTED),
    )
    return frozenset(stored[row[0]] for row in rows)


_IMPORT_LOCK: Final = 2048
_MATCH_LOCK: Final = 2049


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A stored statement; amounts in minor units, None where the file does not say."""

    id: str
    import_id: str
    account: str
    currency: str
    format: str
    source: str
    statement_id: str
    sequence: str
    first_date: date | None
    last_date: date | None
    opening_minor: int | None
    closing_minor: int | None
    booked_minor: int
    flags: list[str]
    page: int | None = None
    balances: Balances | None = None  # what its balances prove; None if they prove nothing

    @property
    def extent(self) -> Extent | None:
        """Its place among the final statements of its account; None if it is not final, or without days."""
        if self.source != PostingSource.FINAL or self.first_date is None or self.last_date is None:
            return None
        number, days = number_of(self.sequence), self.balances.day_sums if self.balances is not None else ()
        first, last = (days[0][0], days[-1][0]) if days else (self.first_date, self.last_date)
        label = str(number) if number is not None else self.sequence or self.statement_id
        return Extent(self.format, label, number, self.page, first, last, self.balances)


@dataclass(frozen=True, slots=True)
class _Course:
    """Data of balances besides their amounts."""

    opening_date: date
    closing_date: date
    low_minor: int | None
    high_minor: int | None
    day_sums: tuple[tuple[date, int], ...]


_COURSE: Final = msgspec.json.Decoder(_Course)


def _statement(row: Row) -> StatementRow:
    said = row._asdict()
    course = said.pop("course")
    balances = None
    if course is not None and row.opening_minor is not None and row.closing_minor is not None:
        kept = _COURSE.decode(course)
        balances = Balances(
            row.opening_minor, row.closing_minor, kept.opening_date, kept.closing_date,
            kept.low_minor, kept.high_minor, kept.day_sums,
        )  # fmt: skip
    return StatementRow(**said, balances=balances)


def _course_of(balances: Balances | None) -> str | None:
    if balances is None:
        return None
    course = _Course(
        balances.opening_date, balances.closing_date, balances.low_minor, balances.high_minor, balances.day_sums
    )  # fmt: skip
    return msgspec.json.encode(course, enc_hook=as_text).decode()


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A file that was imported."""

    id: str
    file_name: str
    format: str
    version: str
    status: str
    result: str
    created_at: datetime
    channel: StatementChannel


def _import(row: Row) -> ImportRow:
    return build(ImportRow, row, channel=StatementChannel(row.channel))


def lock_imports(tx: ShopTx) -> None:
    """One import of a shop at a time, so that no two find the same payment new."""
    tx.rows(
        "SELECT pg_advisory_xact_lock($1, $2)", int.from_bytes(tx.shop_id.bytes[:4], "big", signed=True), _IMPORT_LOCK
    )


def is_importing(tx: ShopTx) -> bool:
    """Whether a statement of the shop is being imported; earlier imports are visible to the next query."""
    found: bool = tx.value(
        "SELECT CASE WHEN pg_try_advisory_lock_shared($1, $2) THEN NOT pg_advisory_unlock_shared($1, $2) ELSE true END",
        int.from_bytes(tx.shop_id.bytes[:4], "big", signed=True),
        _IMPORT_LOCK,
    )
    return found


def lock_matching(tx: ShopTx) -> None:
    """One matching batch of a shop at a time, so that no two give the same order to different postings."""
    tx.rows(
        "SELECT pg_advisory_xact_lock($1, $2)", int.from_bytes(tx.shop_id.bytes[:4], "big", signed=True), _MATCH_LOCK
    )


def import_of(tx: ShopTx, sha256: bytes) -> ImportRow | None:
    """The import of exactly this file that is still booked; None if there is none."""
    row = tx.row(
        "SELECT id, file_name, format, version, status, result, created_at, channel FROM imports"
        " WHERE shop_id = $1 AND sha256 = $2 AND status = 'BOOKED' ORDER BY created_at LIMIT 1",
        tx.shop_id,
        sha256,
    )
    return _import(row) if row else None


def find_import(tx: ShopTx, import_id: str) -> ImportRow | None:
    """An import by its id."""
    row = tx.row(
        "SELECT id, file_name, format, version, status, result, created_at, channel FROM imports"
        " WHERE shop_id = $1 AND id = $2 FOR UPDATE",
        tx.shop_id,
        import_id,
    )
    return _import(row) if row else None


def shown_import(tx: ShopTx, import_id: str) -> ImportRow | None:
    """An import by its id, for display only."""
    row = tx.row(
        "SELECT id, file_name, format, version, status, result, created_at, channel FROM imports"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        import_id,
    )
    return _import(row) if row else None


def imports(tx: ShopTx) -> list[ImportRow]:
    """The shop's imports, latest first."""
    rows = tx.rows(
        "SELECT id, file_name, format, version, status, result, created_at, channel FROM imports WHERE shop_id = $1"
        " ORDER BY created_at DESC, id DESC",
        tx.shop_id,
    )
    return [_import(row) for row in rows]


IMPORTS: Final = ListStatement(
    "SELECT id, file_name, format, status, result, created_at, channel FROM imports WHERE shop_id = $1"
    " AND ($2 = '' OR status = $2) AND strpos(lower(file_name), lower($3)) > 0",
    usual="-created_at",
    sorts={
        "created_at": by_moment("created_at", is_filled=True),
        "file_name": by_text("file_name"),
        "format": by_text("format"),
        "by": by_text("channel"),
        "entries": by_number("(listed.result::json->>'entries')::bigint"),
        "new": by_number("(listed.result::json->>'new')::bigint"),
        "known": by_number("(listed.result::json->>'known')::bigint"),
        "errors": by_number("(listed.result::json->>'errors')::bigint"),
        "fits": by_text("listed.result::json->>'balance'"),
        "state": by_text("status"),
    },
)


def imports_page(tx: ShopTx, *, status: str, name: str, asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Imports with this status and this in their name, latest first unless they are sorted."""
    return IMPORTS.page(tx, asked, tx.shop_id, status, name)


def add_import(tx: ShopTx, row: ImportRow, sha256: bytes, size_bytes: int) -> None:
    """Stores an import."""
    tx.run(
        "INSERT INTO imports (shop_id, id, file_name, sha256, format, version, size_bytes, status, result, created_at,"
        " channel) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        tx.shop_id, row.id, row.file_name, sha256, row.format, row.version, size_bytes, row.status, row.result,
        row.created_at, row.channel,
    )  # fmt: skip


def set_channel(tx: ShopTx, import_id: str, channel: StatementChannel) -> None:
    """Records that the same file arrived by a channel that vouches for it."""
    tx.run("UPDATE imports SET channel = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, import_id, channel)


def state_of_imports(tx: ShopTx) -> Row:
    """What changes with each import and each undo, and only with these."""
    found = tx.row(
        "SELECT count(*), count(undone_at), max(created_at), max(undone_at) FROM imports WHERE shop_id = $1", tx.shop_id
    )
    assert found is not None
    return found


_FORGET: Final = f"""
WITH day AS ({posting_snapshots.TODAY.format(now="$3")}),
gone AS (DELETE FROM statements WHERE shop_id = $1 AND import_id = $2 RETURNING *)
INSERT INTO statement_past (shop_id, id, since_date, until_date, account, currency, sequence, first_date, last_date,
                            opening_minor, closing_minor)
SELECT shop_id, id, since_date, day.today, account, currency, sequence, first_date, last_date, opening_minor,
       closing_minor
FROM gone, day
WHERE since_date < day.today AND source = 'FINAL' AND first_date IS NOT NULL AND last_date IS NOT NULL
RETURNING 1"""


def set_undone(tx: ShopTx, import_id: str, now: datetime) -> None:
    """Marks the import as undone."""
    tx.run(
        "UPDATE imports SET status = 'UNDONE', undone_at = $3 WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        import_id,
        now,
    )
    tx.run(_FORGET, tx.shop_id, import_id, now)
    forget_payer_accounts(tx, import_id)
    import_errors.forget(tx, import_id)


def add_statement(tx: ShopTx, row: StatementRow, now: datetime) -> None:
    """Stores a statement."""
    tx.run(
        "INSERT INTO statements SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,"
        f" day.today, $18 FROM ({posting_snapshots.TODAY.format(now='$16')}) day RETURNING 1",
        tx.shop_id, row.id, row.import_id, row.account, row.currency, row.format, row.source, row.statement_id,
        row.sequence, row.first_date, row.last_date, row.opening_minor, row.closing_minor, row.booked_minor,
        row.flags, now, row.page, _course_of(row.balances),
    )  # fmt: skip


def count_alike(tx: ShopTx, imports: Sequence[str], account: str, day: date, amount_minor: int) -> int:
    """How many postings that these imports brought have this account, booking date and amount."""
    found: int = tx.value(
        "SELECT count(*) FROM postings WHERE shop_id = $1 AND import_id = ANY($2) AND account = $3"
        " AND booking_date = $4 AND amount_minor = $5",
        tx.shop_id, list(imports), account, day, amount_minor,
    )  # fmt: skip
    return found


def statements(tx: ShopTx, account: str | None = None) -> list[StatementRow]:
    """The shop's statements by account and day."""
    rows = tx.rows(
        "SELECT id, import_id, account, currency, format, source, statement_id, sequence, first_date, last_date,"
        " opening_minor, closing_minor, booked_minor, flags, page, course FROM statements"
        " WHERE shop_id = $1 AND ($2::text IS NULL OR account = $2)"
        " ORDER BY account, currency, last_date, first_date, sequence, id",
        tx.shop_id,
        account,
    )
    return [_statement(row) for row in rows]


_NEAR: Final = """
WITH touched AS (SELECT least($4, min(first_date)) AS first, greatest($5, max(last_date)) AS last FROM statements
                 WHERE shop_id = $1 AND account = $2 AND currency = $3 AND last_date >= $4 AND first_date <= $5)
SELECT s.id, import_id, account, currency, format, source, statement_id, sequence, first_date, last_date,
       opening_minor, closing_minor, booked_minor, flags, page, course FROM statements s, touched
WHERE shop_id = $1 AND account = $2 AND currency = $3 AND source = 'FINAL'
  AND last_date >= date_trunc('year', touched.first)::date - 31
  AND first_date <= (date_trunc('year', touched.last) + interval '1 year')::date + 31
ORDER BY last_date, first_date, sequence, s.id"""


def near(tx: ShopTx, account: str, currency: str, first: date, last: date) -> list[StatementRow]:
    """The final statements of an account that show some of these days, and all of the years of these.

    Statements between two of them by number are included, no matter how many years the account has.
    """
    return [_statement(row) for row in tx.rows(_NEAR, tx.shop_id, account, currency, first, last)]


def of_import(tx: ShopTx, import_id: str) -> list[StatementRow]:
    """The statements that came with an import."""
    rows = tx.rows(
        "SELECT id, import_id, account, currency, format, source, statement_id, sequence, first_date, last_date,"
        " opening_minor, closing_minor, booked_minor, flags, page, course FROM statements"
        " WHERE shop_id = $1 AND import_id = $2",
        tx.shop_id,
        import_id,
    )
    return [_statement(row) for row in rows]


def nearest(tx: ShopTx, account: str, currency: str, first: date, last: date) -> tuple[date, date]:
    """The last day of the final statement before these days, and the first of the one after them; else these days."""
    row = tx.row(
        "SELECT coalesce((SELECT max(last_date) FROM statements WHERE shop_id = $1 AND account = $2 AND currency = $3"
        " AND source = 'FINAL' AND last_date < $4), $4),"
        " coalesce((SELECT min(first_date) FROM statements WHERE shop_id = $1 AND account = $2 AND currency = $3"
        " AND source = 'FINAL' AND first_date > $5), $5)",
        tx.shop_id, account, currency, first, last,
    )  # fmt: skip
    assert row is not None
    return row[0], row[1]


_NOT_ADDING_UP: Final = """
SELECT p.id FROM postings p JOIN statements s ON s.shop_id = $1 AND s.id = p.statement_id
WHERE p.shop_id = $1 AND p.id = ANY($2) AND 'balance-mismatch' = ANY(s.flags)
  AND NOT EXISTS (SELECT FROM statements w WHERE w.shop_id = $1 AND w.account = s.account AND w.currency = s.currency
                  AND w.flags = '{}' AND w.opening_minor IS NOT NULL AND w.closing_minor IS NOT NULL
                  AND w.first_date <= s.first_date AND w.last_date >= s.last_date)
  AND NOT EXISTS (SELECT FROM alerts a WHERE a.shop_id = $1 AND a.kind = 'balance-mismatch' AND a.resolved_by_hand
                  AND s.id = ANY(string_to_array(a.subject, ' ')))"""


def postings_not_adding_up(tx: ShopTx, posting_ids: Sequence[str]) -> frozenset[str]:
    """Those of the postings whose statement does not add up, unless a valid one shows the same days, or a person has
    closed its alert.
    """
    return frozenset(row[0] for row in tx.rows(_NOT_ADDING_UP, tx.shop_id, text_array(posting_ids)))


def mark_postings_of(tx: ShopTx, statement_ids: Sequence[str], now: datetime) -> None:
    """Schedules the undecided postings of these statements for matching."""
    tx.run(
        "UPDATE postings SET rematch_at = $3 WHERE shop_id = $1 AND statement_id = ANY($2) AND NOT by_hand"
        " AND status IN ('unmatched', 'suggested')",
        tx.shop_id,
        list(statement_ids),
        now,
    )


def own_accounts(tx: ShopTx) -> frozenset[str]:
    """The bank accounts that a person has confirmed as the shop's."""
    rows = tx.rows("SELECT account FROM bank_accounts WHERE shop_id = $1 AND confirmed", tx.shop_id)
    return frozenset(row[0] for row in rows)


def any_announced(tx: ShopTx, account: str, first: date, last: date) -> bool:
    """Whether a statement of the account announces something of these days."""
    found: bool = tx.value(
        "SELECT EXISTS (SELECT FROM statements WHERE shop_id = $1 AND account = $2 AND last_date >= $3"
        " AND first_date <= $4 AND source <> 'FINAL')",
        tx.shop_id,
        account,
        first,
        last,
    )
    return found
