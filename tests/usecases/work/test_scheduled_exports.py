"""Automatic exports: the last whole period, once, to a folder, a bucket or by mail."""

from __future__ import annotations

import dataclasses
import errno
import io
import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from pydantic import SecretStr

from paymatch.domain.reports.schedule import Every, last_whole
from paymatch.domain.shops.brand import Brand
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.shops.shop_jobs import JobRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.mail.layout import Head
from paymatch.outbound.exports import Bucket, ExportFile, ExportNotDelivered, FolderExports, MailExports, NullExports
from paymatch.outbound.mail.folder import NullMail
from paymatch.settings import Settings
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.reports.scheduled import deliver_due
from paymatch.usecases.shops import shops
from paymatch.usecases.work.job_kinds import BY_NAME, JobGateways
from tests.fakes.s3 import s3_server
from tests.keys import KEYRING
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

APRIL = datetime(2026, 4, 2, 9, tzinfo=UTC)


@pytest.fixture
def books(module_url: str) -> Iterator[Books]:
    database = Database(module_url, size=2, keyring=KEYRING)
    found = Books(database, shops.create(database, "Exporting", Books.now, ibans=[ACCOUNT]).shop)
    found.order("A-1", "10.00")
    found.bring(camt(CamtMessage.STATEMENT, paid(1000, "order A-1")))
    found.bring(camt(CamtMessage.STATEMENT, opening=1000, number=2, days=(date(2026, 3, 11), date(2026, 5, 1))))
    yield found
    database.close()


def change(books: Books, **settings: str) -> None:
    named = {name.replace("_", "-"): text for name, text in settings.items()}
    with books.database.of_shop(books.shop) as tx:
        shops.change(tx, named)
        books.shop = shop_store.present(tx)


def run(books: Books, doors: JobGateways, clock: datetime = APRIL) -> str:
    return BY_NAME["exports"].do(books.database, doors, books.shop, clock).words


@pytest.mark.parametrize(
    ("every", "today", "days"),
    [
        (Every.DAY, date(2026, 3, 1), (date(2026, 2, 28), date(2026, 2, 28))),
        (Every.WEEK, date(2026, 3, 2), (date(2026, 2, 23), date(2026, 3, 1))),
        (Every.WEEK, date(2026, 3, 8), (date(2026, 2, 23), date(2026, 3, 1))),
        (Every.MONTH, date(2026, 1, 31), (date(2025, 12, 1), date(2025, 12, 31))),
        (Every.MONTH, date(2024, 3, 1), (date(2024, 2, 1), date(2024, 2, 29))),
    ],
)
def test_last_whole_period(every: Every, today: date, days: tuple[date, date]) -> None:
    assert last_whole(every, today) == days


class _Breaks(io.BytesIO):
    """The disk is full behind the first bytes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().read(10)


def test_an_export_that_breaks_off_leaves_no_half_file(tmp_path: Path) -> None:
    with pytest.raises(ExportNotDelivered, match="cannot be written: No space left on device"):
        FolderExports(tmp_path).deliver([ExportFile("orders.csv", _Breaks(bytes(100)))])
    assert list(tmp_path.iterdir()) == []


def test_files_leave_once_into_the_folder(books: Books, tmp_path: Path) -> None:
    doors, folder = JobGateways(exports=tmp_path), tmp_path / str(books.shop.id)
    assert run(books, doors) == "0 files delivered"
    change(books, exports="postings, beancount", export_every="month")
    assert run(books, doors) == "2 files delivered"
    names = ["paymatch-2026-03-01-2026-03-31.beancount", "postings-2026-03-01-2026-03-31.csv"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert "Eva Muster" in (folder / names[1]).read_text("utf-8-sig")
    assert run(books, doors, APRIL + timedelta(days=20)) == "0 files delivered"
    assert run(books, doors, APRIL + timedelta(days=30)) == "2 files delivered"


def test_what_the_door_refuses_goes_again(books: Books) -> None:
    class Broken:
        def deliver(self, files: list[ExportFile]) -> None:
            raise ExportNotDelivered("no")

    change(books, exports="orders", export_every="day")
    with pytest.raises(ExportNotDelivered):
        deliver_due(books.database, books.shop, lambda _wanted, _days: Broken(), APRIL)
    kept = NullExports()
    assert deliver_due(books.database, books.shop, lambda _wanted, _days: kept, APRIL) == 1
    assert list(kept.files) == ["orders-2026-04-01-2026-04-01.csv"]
    with pytest.raises(JobRefused, match="exports cannot be delivered to folder"):
        run(books, JobGateways(), APRIL + timedelta(days=1))


def test_files_leave_by_mail(books: Books) -> None:
    door = NullMail()
    change(books, exports="postings,fees", export_every="week", export_to="books@example.org",
           mail_from="shop@example.org")  # fmt: skip
    assert run(books, JobGateways(mail=door), datetime(2026, 3, 17, 9, tzinfo=UTC)) == "2 files delivered"
    (mail,) = door.sent
    message = message_from_bytes(mail.content, policy=default)
    assert (mail.recipient, message["Subject"]) == (
        "books@example.org", "Exporting: Exporte für 2026-03-09 – 2026-03-15",
    )  # fmt: skip
    names = [part.get_filename() for part in message.walk() if part.get_filename()]
    assert names == ["postings-2026-03-09-2026-03-15.csv", "fees-2026-03-09-2026-03-15.csv"]


def _head(language: str = "en") -> Head:
    at = datetime(2026, 3, 17, 9, tzinfo=UTC)
    return Head("<e@example.org>", at, "a@example.org", "", "b@example.org", "", language, "DE", Brand("Tea Ltd"))


@pytest.mark.parametrize(
    ("language", "subject", "button"),
    [
        ("en", "Tea Ltd: exports of 2026-02", "Open the exports"),
        ("de", "Tea Ltd: Exporte für 2026-02", "Exporte öffnen"),
    ],
)
def test_the_mail_is_written_in_both_languages_as_text_and_html(language: str, subject: str, button: str) -> None:
    door = NullMail()
    link = "https://pay.example/shops/1/settings/exports"
    exports = MailExports(door, "s", "e", _head(language), "2026-02", link)
    exports.deliver([ExportFile("orders.csv", io.BytesIO(b"a;b"))])
    message = message_from_bytes(door.sent[0].content, policy=default)
    parts = {part.get_content_type(): part.get_content() for part in message.walk() if not part.is_multipart()}
    assert message["Subject"] == subject
    assert sorted(parts) == ["text/csv", "text/html", "text/plain"]
    for kind in ("text/plain", "text/html"):
        assert button in parts[kind] and link in parts[kind] and "orders.csv" in parts[kind]


def test_large_files_do_not_leave_by_mail(tmp_path: Path) -> None:
    path = tmp_path / "big"
    path.write_bytes(b"x" * 15_000_001)
    door = MailExports(NullMail(), "s", "e", _head(), "2026-02", "")
    with path.open("rb") as content, pytest.raises(ExportNotDelivered, match="too large for a mail"):
        door.deliver([ExportFile("big.csv", content)])


def test_files_leave_into_the_bucket(books: Books) -> None:
    change(books, exports="orders", export_every="month", export_to="s3")
    with s3_server("user") as (endpoint, objects):
        bucket = Bucket(
            Settings(
                s3_bucket="house", s3_endpoint=endpoint, s3_region="eu-central-1", s3_prefix="own",
                s3_access_key=SecretStr("user"), s3_secret_key=SecretStr("s3cret"),
            )
        )  # fmt: skip
        assert run(books, JobGateways(bucket=bucket)) == "1 file delivered"
    (name,) = objects
    assert name == f"/house/own/exports/{books.shop.id}/orders-2026-03-01-2026-03-31.csv"
    assert b"A-1" in objects[name]


def test_schedule_is_a_setting(books: Books) -> None:
    for wrong in ({"exports": "everything"}, {"export_every": "year"}, {"export_to": "ftp"}):
        with pytest.raises(SettingRefused):
            change(books, **wrong)
    assert BY_NAME["exports"].next_at(books.shop, APRIL) is None
    change(books, export_every="day")
    due = BY_NAME["exports"].next_at(books.shop, APRIL)
    assert due is not None and due.replace(minute=0, second=0) == datetime(2026, 4, 3, 3, tzinfo=UTC)
    assert BY_NAME["exports"].next_at(dataclasses.replace(books.shop, sandbox=True), APRIL) is None
