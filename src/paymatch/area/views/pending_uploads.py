"""Files that a person offers: kept sealed for a day, rehearsed at once, and booked when the person says so."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any, Final

import msgspec
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from paymatch.area.page import Visit
from paymatch.area.people.models import STATEMENT, OfferedFile
from paymatch.domain.refusal import Refused
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message, from_json, to_json
from paymatch.formats.statement import TableQuestion
from paymatch.store.transactions import ShopTx
from paymatch.usecases.statements import import_runs
from paymatch.usecases.statements.import_process import INTERRUPTED, WAITING, ImportFailed
from paymatch.usecases.statements.import_report import with_codes, with_messages
from paymatch.usecases.statements.import_runs import FAILED, ImportRun, ImportUnknown

KEPT: Final = timedelta(days=1)
AT_ONCE: Final = WAITING
"""Files that are read or booked by one form: more of them would wait for each other longer than a person does."""

WAIT_SECONDS: Final = 5.0
"""How long a form waits for its files; later the page shows them."""
_ANSWERED_BY_COLUMNS: Final = frozenset(
    f"table-{what}"
    for what in (
        "no-direction", "unknown-marks", "unsigned-out", "two-orders", "turned-order", "two-amounts", "many-amounts",
        "no-column", "no-dates",
    )
)  # fmt: skip
"""Refusals of a table that a person answers by saying what its columns hold."""
_COLUMN: Final = "offered_file.content"

BookedMessage = tuple[str, dict[str, Any]]
"""The name of a file and what its import said."""


def offer(visit: Visit, uploads: Sequence[UploadedFile]) -> None:
    """Keeps files and rehearses each; longer ones continue, and `offered` shows them."""
    begun = []
    for upload in uploads:
        content = upload.read()
        file = keep(visit, upload.name or "", content, STATEMENT)
        begun.append((file, _begin(visit, file, content, dry_run=True)))
    _wait(begun, _rehearse_import)


def keep(visit: Visit, name: str, content: bytes, purpose: str) -> OfferedFile:
    """Keeps what a person uploaded, sealed, and forgets what was uploaded more than a day ago."""
    OfferedFile.objects.filter(offered_at__lt=visit.service.clock() - KEPT).delete()
    return OfferedFile.objects.create(
        shop_id=visit.shop.id, user=visit.user, name=name[:255], size=len(content), purpose=purpose,
        content=_vault(visit).seal_bytes(_COLUMN, content), offered_at=visit.service.clock(),
    )  # fmt: skip


def rehearse(visit: Visit, ids: Collection[str]) -> None:
    """Reads files again: what they meet has changed, or how their columns are read."""
    files = [file for file in _files(visit, ids) if not file.run_id][:AT_ONCE]
    _wait([(file, _begin(visit, file, content_of(visit, file), dry_run=True)) for file in files], _rehearse_import)


def book(visit: Visit, ids: Collection[str]) -> list[BookedMessage]:
    """Books files; reports those that took no longer than a few seconds, the others continue."""
    done: list[BookedMessage] = []

    def on_booked(file: OfferedFile, report: dict[str, Any]) -> None:
        done.append((file.name, report))
        file.delete()

    ready = [file for file in _files(visit, ids) if file.state == "ready"][:AT_ONCE]
    _wait([(file, _begin(visit, file, content_of(visit, file), dry_run=False)) for file in ready], on_booked)
    return done


def remove(visit: Visit, ids: Collection[str]) -> int:
    """Forgets files that are not being booked; how many."""
    files = [file.pk for file in _files(visit, ids) if file.state != "booking"]
    return OfferedFile.objects.filter(pk__in=files).delete()[0]


def pending_files(visit: Visit) -> list[OfferedFile]:
    """The files of the shop that wait, without their content; imports that have ended since then are looked up."""
    files = list(
        OfferedFile.objects.filter(shop_id=visit.shop.id, purpose=STATEMENT)
        .defer("content")
        .order_by("offered_at", "pk")
    )
    running = [file for file in files if file.run_id]
    if running:
        with visit.transaction() as tx:
            for file in running:
                _look(file, _import_outcome(tx, visit, file))
    waiting = [file for file in files if file.pk is not None]
    for file in waiting:
        if file.report and "notes" in file.report:
            file.report = with_messages(file.report)
        elif file.report and file.report.get("message"):
            file.error = from_json(file.error, **file.report["message"])
    return waiting


def _import_outcome(tx: ShopTx, visit: Visit, file: OfferedFile) -> dict[str, Any]:
    """The status of the import. An unknown one was begun a moment ago, or its process is gone."""
    now = visit.service.clock()
    try:
        return import_runs.find(tx, file.run_id)
    except ImportUnknown:
        if file.begun_at is not None and now - file.begun_at < import_runs.LEASE:
            return {"state": "running"}
        return {"state": "refused", "error": INTERRUPTED}


def content_of(visit: Visit, file: OfferedFile) -> bytes:
    """What the person uploaded."""
    return _vault(visit).open_bytes(_COLUMN, bytes(file.content))


def file_of(visit: Visit, file_id: str, purpose: str = STATEMENT) -> OfferedFile | None:
    """A file of the shop that waits."""
    return next(iter(_files(visit, [file_id], purpose)), None)


def files_for(visit: Visit, purpose: str) -> list[OfferedFile]:
    """The files of the shop that wait for a person, of one purpose, without their content."""
    return list(
        OfferedFile.objects.filter(shop_id=visit.shop.id, purpose=purpose).defer("content").order_by("offered_at")
    )


def _files(visit: Visit, ids: Collection[str], purpose: str = STATEMENT) -> list[OfferedFile]:
    wanted = {text for text in ids if len(text) == 36}
    files = OfferedFile.objects.filter(shop_id=visit.shop.id, purpose=purpose).order_by("offered_at", "pk")
    return [file for file in files.defer("content") if str(file.pk) in wanted]


def _vault(visit: Visit) -> Any:
    return visit.database.keyring.vault(visit.shop_id)


def _begin(visit: Visit, file: OfferedFile, content: bytes, *, dry_run: bool) -> ImportRun:
    run = ImportRun(
        visit.database, visit.shop, io.BytesIO(content), file.name, visit.service.clock,
        channel=StatementChannel.AREA, dry_run=dry_run,
    )  # fmt: skip
    file.run_id, file.begun_at, file.is_booking, file.error = run.id, visit.service.clock(), not dry_run, ""
    file.save(update_fields=["run_id", "begun_at", "is_booking", "error"])
    return run


def _wait(begun: Iterable[tuple[OfferedFile, ImportRun]], ended: Callable[[OfferedFile, dict[str, Any]], None]) -> None:
    """Looks at each import once it has ended, for a few seconds altogether."""
    until = time.monotonic() + WAIT_SECONDS
    for file, run in begun:
        try:
            report = run.wait(max(until - time.monotonic(), 0))
        except (Refused, ImportFailed) as refusal:
            error = FAILED if isinstance(refusal, ImportFailed) else refusal.message
            _refuse(file, error, asks=isinstance(refusal, TableQuestion))
            continue
        if report is not None:
            ended(file, report.as_dict())


def _rehearse_import(file: OfferedFile, report: dict[str, Any]) -> None:
    file.run_id, file.report = "", msgspec.to_builtins(with_codes(report))
    file.save(update_fields=["run_id", "report"])


def _codes_in(said: object) -> Iterator[str]:
    """The codes of a sentence and of the sentences within it."""
    if isinstance(said, Message):
        yield said.code
        for value in said.values.values():
            yield from _codes_in(value)


def _refuse(file: OfferedFile, error: str, *, asks: bool = False) -> None:
    """Notes why a file is refused; with `asks` a person says whether it is a statement, and of which account."""
    mappable = not _ANSWERED_BY_COLUMNS.isdisjoint(_codes_in(error))
    kept = {"asks": asks, "message": to_json(error), "mappable": mappable}
    file.run_id, file.is_booking, file.error, file.report = "", False, str(error), kept
    file.save(update_fields=["run_id", "is_booking", "error", "report"])


def _look(file: OfferedFile, found: dict[str, Any]) -> None:
    """The result of a continued import."""
    if found["state"] == "running":
        return
    if found["state"] == "refused":
        error = found.get("error", "")
        asks = isinstance(error, Message) and error.code == "table-question"
        _refuse(file, error or _("The import was refused"), asks=asks)
    elif file.is_booking:
        file.delete()
    else:
        _rehearse_import(file, found)
