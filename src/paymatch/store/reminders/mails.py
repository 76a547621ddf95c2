"""Mail to customers in PostgreSQL: to send, sent, how a shop words it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from paymatch.domain.reminders.mails import MailStatus
from paymatch.store.connection import Row, build
from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_id, by_moment, by_number, by_text
from paymatch.store.messages import coded, recall
from paymatch.store.transactions import ShopId, ShopTx, Tx


@dataclass(frozen=True, slots=True)
class MailRow:
    """A mail about an order; level 0 is payment information. Fee in minor units of the order's currency.

    `correction` counts the corrected payment informations of an order, 0 is any other mail; `told_minor` is the order's
    amount that the mail was written with, None where that was not noted.
    `order_seq` is how many events the order had when its sending was decided on, None where that was not noted.
    `forgotten`: recipient, subject and message are empty, they were kept long enough (D-32).
    """

    id: str
    order_number: str
    dunning_level: int
    status: MailStatus
    message_id: str
    recipient: str
    subject: str
    fee_minor: int
    attempts: int
    error: str
    created_at: datetime
    finished_at: datetime | None
    order_seq: int | None = None
    forgotten: bool = False
    correction: int = 0
    told_minor: int | None = None
    thanks: bool = False  # for a payment that has arrived


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of the shop's mail."""

    address: str
    name: str
    reply_to: str


_COLUMNS: Final = """id, order_number, dunning_level, status, message_id, recipient, subject, fee_minor, attempts,
    error, error_message, created_at, finished_at, order_seq, forgotten, correction, told_minor, thanks"""


def _mail(row: Row) -> MailRow:
    return _mail_of(row._asdict())


def _mail_of(columns: dict[str, Any]) -> MailRow:
    error = recall(columns["error"], columns.pop("error_message"))
    return MailRow(**columns | {"status": MailStatus(columns["status"]), "error": error})


def _mail_and_content(row: Row) -> tuple[MailRow, bytes]:
    columns = row._asdict()
    content = columns.pop("content")
    error = recall(row.error, columns.pop("error_message"))
    return MailRow(**columns | {"status": MailStatus(row.status), "error": error}), content


def pending_mails(tx: ShopTx, numbers: Sequence[str]) -> dict[str, MailRow]:
    """Order number -> the mail about it that is to be sent, or is being sent."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM mails WHERE shop_id = $1 AND order_number = ANY($2) AND status = 'PENDING'",
        tx.shop_id,
        list(numbers),
    )
    return {row.order_number: _mail(row) for row in rows}


def orders_of_message(tx: ShopTx, message_id: str) -> list[str]:
    """The orders that a mail which is to be sent is about."""
    rows = tx.rows(
        "SELECT order_number FROM mails WHERE shop_id = $1 AND message_id = $2 AND status = 'PENDING' ORDER BY 1",
        tx.shop_id,
        message_id,
    )
    return [row[0] for row in rows]


def next_correction(tx: ShopTx, number: str) -> int:
    """The number of the order's next corrected payment information, 1 for the first."""
    statement = "SELECT coalesce(max(correction), 0) + 1 FROM mails WHERE shop_id = $1 AND order_number = $2"
    return cast(int, tx.value(statement, tx.shop_id, number))


def add(tx: ShopTx, mail: MailRow) -> None:
    """Stores a mail before it is sent, so that a repetition carries the same id."""
    tx.put(
        "INSERT INTO mails (shop_id, id, order_number, dunning_level, status, message_id, recipient, fee_minor,"
        " created_at, order_seq, correction, thanks) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        tx.shop_id, mail.id, mail.order_number, mail.dunning_level, mail.status, mail.message_id, mail.recipient,
        mail.fee_minor, mail.created_at, mail.order_seq, mail.correction, mail.thanks,
    )  # fmt: skip


def finish(tx: ShopTx, mail_id: str, status: MailStatus, reason: str, now: datetime) -> None:
    """The mail is not sent any more: the status that this leads to, and why."""
    tx.run(
        "UPDATE mails SET status = $3, error = $4, error_message = $6, finished_at = $5 WHERE shop_id = $1 AND id = $2",
        tx.shop_id, mail_id, status, reason, now, coded(reason),
    )  # fmt: skip


def set_status(tx: ShopTx, mail_id: str, status: MailStatus, reason: str) -> None:
    """A mail that went out has come back, or is believed to have arrived after all."""
    tx.run(
        "UPDATE mails SET status = $3, error = $4, error_message = '' WHERE shop_id = $1 AND id = $2",
        tx.shop_id, mail_id, status, reason,
    )  # fmt: skip


_OF_MESSAGE: Final = """SELECT s.shop_id FROM shops s WHERE EXISTS (SELECT FROM {table} m WHERE m.shop_id = s.shop_id
    AND ($1 <> '' AND m.message_id = $1 OR $2 <> '' AND m.provider_id = $2))"""
_OWNERS: Final = f"{_OF_MESSAGE.format(table='mails')} UNION {_OF_MESSAGE.format(table='refund_requests')} ORDER BY 1"


def owners(tx: Tx, message_id: str, provider_id: str) -> list[ShopId]:
    """The shops whose mail has this Message-ID, or this name at the provider; needs the operator's view."""
    rows = tx.rows(_OWNERS, message_id, provider_id)
    return [ShopId(row[0]) for row in rows]


def message_of(tx: ShopTx, mail_id: str) -> str:
    """The Message-ID of a mail, of one that asks for bank details as well; "" if the shop has none of this id."""
    found: str | None = tx.value(
        "SELECT message_id FROM mails WHERE shop_id = $1 AND id = $2 UNION ALL"
        " SELECT message_id FROM refund_requests WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        mail_id,
    )
    return found or ""


def of_message(tx: ShopTx, message_id: str, provider_id: str) -> list[MailRow]:
    """The rows of a mail by its Message-ID or by its name at the provider, whichever is given."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM mails WHERE shop_id = $1"
        " AND (message_id = $2 AND $2 <> '' OR provider_id = $3 AND $3 <> '') ORDER BY id",
        tx.shop_id,
        message_id,
        provider_id,
    )
    return [_mail(row) for row in rows]


def record(
    tx: ShopTx,
    mail: MailRow,
    status: MailStatus,
    content: bytes,
    *,
    error: str,
    now: datetime,
    provider_id: str = "",
) -> bool:
    """What came of an attempt to send the mail; False if it is no longer pending: another process has recorded it."""
    return bool(
        tx.run(
            "UPDATE mails SET status = $3, subject = $4, content = $5, error = $6, error_message = '',"
            " attempts = attempts + 1,"
            " fee_minor = $8, order_seq = $9, told_minor = $10, provider_id = $11,"
            " finished_at = CASE WHEN $3 = 'PENDING' THEN NULL ELSE $7::timestamptz END"
            " WHERE shop_id = $1 AND id = $2 AND status = 'PENDING'",
            tx.shop_id, mail.id, status, mail.subject, content, error, now, mail.fee_minor, mail.order_seq,
            mail.told_minor, provider_id,
        )
    )  # fmt: skip


def find(tx: ShopTx, mail_id: str) -> tuple[MailRow, bytes] | None:
    """A mail and the message as it was sent; None if there is none of this id."""
    row = tx.row(f"SELECT {_COLUMNS}, content FROM mails WHERE shop_id = $1 AND id = $2", tx.shop_id, mail_id)
    return _mail_and_content(row) if row else None


_PAGE: Final = "($2 = '' OR order_number = $2) AND ($3 = '' OR status = $3) AND ($4 = '' OR id < $4)"


def page(
    tx: ShopTx, *, number: str = "", status: str = "", before: str = "", limit: int = 100
) -> list[tuple[MailRow, bytes]]:
    """Mails with their messages, latest first, beginning behind the mail `before`: all, of one order, of one status."""
    rows = tx.rows(
        f"SELECT {_COLUMNS}, content FROM mails WHERE shop_id = $1 AND {_PAGE} ORDER BY id DESC LIMIT $5",
        *(tx.shop_id, number, status, before, limit),
    )
    return [_mail_and_content(row) for row in rows]


MAILS: Final = ListStatement(
    f"SELECT {_COLUMNS} FROM mails WHERE shop_id = $1 AND ($2 = '' OR order_number = $2) AND ($3 = '' OR status = $3)",
    usual="-id",
    sorts={
        "id": by_id(),
        "created_at": by_moment("created_at"),
        "mail": by_number("dunning_level + listed.thanks::int"),
        "order": by_text("order_number"),
        "to": by_text("recipient"),
        "state": by_text("status"),
        "attempts": by_number("attempts"),
        "error": by_text("error"),
    },
)


def list_mails(tx: ShopTx, *, number: str = "", status: str = "", asked: AskedPage) -> PageOfRows[MailRow]:
    """Mails without their messages, latest first unless they are sorted: all, of one order, of one status."""
    return MAILS.page(tx, asked, tx.shop_id, number, status).map(_mail_of)


def unsettled_mails(tx: ShopTx, attempts: int) -> list[MailRow]:
    """Mails of open orders that did not arrive and are not forgotten, and those that failed so often; oldest first."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM mails m WHERE m.shop_id = $1"
        " AND (m.status IN ('REFUSED', 'BOUNCED') AND NOT m.forgotten"
        " AND EXISTS ("
        "SELECT FROM orders o WHERE o.shop_id = $1 AND o.number = m.order_number"
        " AND o.status IN ('UNPAID', 'PAID_PARTIAL'))"
        " OR m.status = 'PENDING' AND m.attempts >= $2) ORDER BY m.id LIMIT 200",
        tx.shop_id,
        attempts,
    )
    return [_mail(row) for row in rows]


def last_was_kept(tx: ShopTx) -> bool:
    """Whether the latest mail that went out was only kept."""
    found: str | None = tx.value(
        "SELECT status FROM mails WHERE shop_id = $1 AND status IN ('SENT', 'KEPT') ORDER BY id DESC LIMIT 1",
        tx.shop_id,
    )
    return found == MailStatus.KEPT


def sender(tx: ShopTx) -> Sender:
    """The sender of the shop's mail; the address is empty where none is set."""
    row = tx.row("SELECT mail_from AS address, mail_name AS name, reply_to FROM shops WHERE shop_id = $1", tx.shop_id)
    assert row is not None
    return build(Sender, row)


def plan(tx: ShopTx) -> str:
    """The shop's dunning plan as JSON; empty for the usual one."""
    return cast(str, tx.value("SELECT dunning_plan FROM shops WHERE shop_id = $1", tx.shop_id))


def save_plan(tx: ShopTx, text: str) -> None:
    """Keeps the shop's dunning plan."""
    tx.run("UPDATE shops SET dunning_plan = $2 WHERE shop_id = $1", tx.shop_id, text)


def texts(tx: ShopTx) -> dict[tuple[str, str], tuple[str, str]]:
    """(kind of mail, language) -> (subject, body) as the shop words them."""
    rows = tx.rows("SELECT kind, language, subject, body FROM mail_texts WHERE shop_id = $1", tx.shop_id)
    return {(kind, language): (subject, body) for kind, language, subject, body in rows}


def save_text(tx: ShopTx, kind: str, language: str, subject: str, body: str) -> None:
    """Keeps how the shop words a kind of mail in a language."""
    tx.run(
        "INSERT INTO mail_texts (shop_id, kind, language, subject, body) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (shop_id, kind, language) DO UPDATE SET subject = excluded.subject, body = excluded.body",
        tx.shop_id, kind, language, subject, body,
    )  # fmt: skip


def forget_text(tx: ShopTx, kind: str, language: str) -> None:
    """The mail is worded in the usual way again."""
    tx.run("DELETE FROM mail_texts WHERE shop_id = $1 AND kind = $2 AND language = $3", tx.shop_id, kind, language)
