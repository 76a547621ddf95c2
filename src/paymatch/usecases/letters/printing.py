"""Print runs on the shop's own printer: each takes the waiting letters, and a person confirms the printing (D-52).

A letter is in one run. The run's file is generated on each request, always with the same letters, so an interrupted
download loses nothing and prints nothing twice.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from paymatch.domain.refusal import Refused, Unknown
from paymatch.domain.reminders.letters import LETTER_LIFECYCLE, LetterEvent, LetterStatus
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.formats.letters.bundle import IndexLine, index_csv, join_letters
from paymatch.outbound import transfer_folder
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.letters import letters as store
from paymatch.store.letters.letters import PrintRunRow
from paymatch.store.orders import orders as order_store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.letters.writing import may_be_sent, record_out
from paymatch.usecases.reminders.reminders import terms_of

RUN_AT_MOST: Final = 500
"""The most letters of one print run: they fit in a tray and merge in seconds."""


class RunUnknown(Unknown):
    """There is no such print run."""

    def __init__(self, run_id: str) -> None:
        super().__init__(Message("print-run-unknown", run_id=repr(run_id)))


class RunRefused(Refused):
    """The run is printed or undone already."""


@dataclass(frozen=True, slots=True)
class PrintRun:
    """A print run as its file and its index."""

    id: str
    letters: int
    pages: int
    pdf: bytes
    index: bytes


def begin_run(tx: ShopTx, *, daily: bool = False) -> str | None:
    """Takes the waiting letters into a run; its id, or None if there are none. Letters without a reason are withdrawn.

    `daily`: the worker begins it, and must write its files to the folder.
    """
    now = tx.now
    numbers = store.spooled_orders(tx, RUN_AT_MOST)
    order_store.lock(tx, numbers)
    terms = terms_of(tx)
    going = [
        letter for letter in store.spooled_letters(tx, numbers, tx.wall_time) if may_be_sent(tx, letter, terms, now)
    ]
    if not going:
        return None
    run_id = new_id("run", now)
    store.add_run(tx, run_id, len(going), sum(letter.pages for letter in going), now, daily=daily)
    for letter in going:
        status = LETTER_LIFECYCLE.move(letter.status, LetterEvent.TAKEN)
        moved = store.move(tx, letter, status, now=now, run_id=run_id)
        assert moved, "the letter is locked"
    return run_id


def print_daily(database: Database, shop: Shop, folder: Path, clock: datetime) -> int:
    """Takes the waiting letters into print runs and writes each as PDF and index; how many runs. OSError.

    A run with incomplete files is finished first: a dead process may have left one. Complete files are never written
    again, as a person may have taken them to the printer.
    """
    written = 0
    tidy(database, shop, folder)
    while True:
        with database.of_shop(shop, at=clock) as tx:
            waiting = store.runs_to_write(tx)
        for run_id in waiting:
            _write_out(database, shop, run_id, folder, clock)
            written += 1
        with database.of_shop(shop, at=clock) as tx:
            by_printer = shop.letters and store.settings(tx).by == "printer"
            if not by_printer or begin_run(tx, daily=True) is None:
                return written


def _write_out(database: Database, shop: Shop, run_id: str, folder: Path, clock: datetime) -> None:
    """The index first: once the PDF is there, the run is complete."""
    with database.of_shop(shop, at=clock) as tx:
        files = run_files(tx, run_id)
    transfer_folder.put(folder, f"{run_id}.csv", files.index)
    transfer_folder.put(folder, f"{run_id}.pdf", files.pdf)
    with database.of_shop(shop, at=clock) as tx:
        store.set_written(tx, run_id, shop.now(clock))


def tidy(database: Database, shop: Shop, folder: Path) -> None:
    """Removes the files of printed or undone runs: the folder has only what is still to be printed. OSError."""
    if not folder.is_dir():
        return
    lying = [path for path in folder.iterdir() if path.stem.startswith("run_") and path.suffix in (".pdf", ".csv")]
    with database.of_shop(shop) as tx:
        still = store.open_runs(tx, [path.stem for path in lying])
    for path in lying:
        if path.stem not in still:
            transfer_folder.remove(folder, path.name)


def run_files(tx: ShopTx, run_id: str) -> PrintRun:
    """The run's letters in one PDF, and their index. RunUnknown."""
    run = _run(tx, run_id)
    rows = [row for row in store.of_run(tx, run_id) if row.status is not LetterStatus.DISCARDED]
    pdfs = [io.BytesIO(content) for row in rows if (content := store.content(tx, row.id))]
    if len(pdfs) < len(rows):
        raise RunRefused(Message("print-run-letters-deleted", run_id=run_id))
    merged, counts = join_letters(pdfs, duplex=store.settings(tx).duplex)
    lines, first = [], 1
    for place, (row, count) in enumerate(zip(rows, counts, strict=True), 1):
        address = row.recipient.rpartition("\n")[0]
        lines.append(IndexLine(place, row.id, row.order_number, row.kind, first, count, row.country, address))
        first += count
    return PrintRun(run.id, len(rows), first - 1, merged, index_csv(lines))


def mark_printed(tx: ShopTx, run_id: str) -> int:
    """Marks the run as printed: its reminders count from today. How many letters. RunUnknown; RunRefused."""
    now = tx.now
    run = _open_run(tx, run_id)
    rows = [row for row in store.of_run(tx, run_id) if row.status is LetterStatus.PRINTING]
    order_store.lock(tx, sorted({row.order_number for row in rows}))
    for row in rows:
        if store.move(tx, row, LETTER_LIFECYCLE.move(row.status, LetterEvent.PRINTED), now=now):
            record_out(tx, row, now)
    store.end_run(tx, run.id, printed=True, now=now)
    record(tx, tx.shop, AuditAction.LETTERS_PRINTED, run_id, after={"letters": len(rows)})
    return len(rows)


def undo_run(tx: ShopTx, run_id: str) -> int:
    """Undoes the run: its letters wait again. Returns their number. RunUnknown; RunRefused."""
    now = tx.now
    run = _open_run(tx, run_id)
    rows = [row for row in store.of_run(tx, run_id) if row.status is LetterStatus.PRINTING]
    for row in rows:
        store.move(tx, row, LETTER_LIFECYCLE.move(row.status, LetterEvent.PUT_BACK), now=now)
    store.end_run(tx, run.id, printed=False, now=now)
    record(tx, tx.shop, AuditAction.LETTERS_UNDONE, run_id, after={"letters": len(rows)})
    return len(rows)


def list_runs(tx: ShopTx, limit: int = 20) -> list[dict[str, Any]]:
    """The latest print runs, latest first."""
    return [
        {
            "run": row.id, "createdAt": row.created_at, "letters": row.letters, "pages": row.pages,
            "printedAt": row.printed_at, "undoneAt": row.undone_at,
            "state": "printed" if row.printed_at else "undone" if row.undone_at else "open",
        }
        for row in store.runs(tx, limit)
    ]  # fmt: skip


def _run(tx: ShopTx, run_id: str) -> PrintRunRow:
    found = store.run(tx, run_id)
    if found is None:
        raise RunUnknown(run_id)
    return found


def _open_run(tx: ShopTx, run_id: str) -> PrintRunRow:
    run = _run(tx, run_id)
    if run.printed_at or run.undone_at:
        raise RunRefused(Message("print-run-already", run_id=run_id, status="printed" if run.printed_at else "undone"))
    return run
