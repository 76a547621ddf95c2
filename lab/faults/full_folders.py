"""A disk that is full for a while: that of transfer files, print runs, exports and the drop folder."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from lab.failover.load import IBAN, Shop, statement
from lab.faults.disk_full import full, small_disk
from lab.faults.installation import Installation
from lab.faults.outcome import Outcome
from paymatch.clock import utc_now
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt

_MB: Final = 12
_ORDERS: Final = 10
_ATTEMPTS: Final = 3
_PAYER: Final = "DE75512108001245126199"
_BILLING: Final = {
    "firstName": "Erika", "lastName": "Mustermann", "street": "Heidestr. 17", "postCode": "51147", "city": "Köln",
    "countryCode": "DE",
}  # fmt: skip
_SETTINGS: Final = (
    "letters=on", "street=Beispielweg", "house-number=12", "postcode=10115", "city=Berlin", "payment-information=on",
    "mail-from=pay@shop.example", "refund-limit=100000", "refund-day-limit=100000",
)  # fmt: skip
_LEAVES: Final = ("letter-print-hour=0", "exports=postings,orders", "export-every=day", "export-to=folder")
"""Set on the full disk: the worker of the service shall not be faster."""


class _Folders:
    """The shop and the disk on which all that leaves by folders lies."""

    def __init__(self, installation: Installation, disk: Path) -> None:
        self._installation = installation
        self.disk = disk
        self.shop: Shop = installation.new_shop("Folders", *_SETTINGS, callbacks=False)
        self.planned = f"{utc_now() + timedelta(days=2):%d-%m-%Y}"
        self.due = f"{utc_now() + timedelta(days=2):%Y-%m-%d}"

    def fill(self) -> None:
        """Orders of customers without mail, paid and partly refunded, with letters that wait for the printer."""
        self._installation.done("reminders", "plan", self.shop.id, "letters-without-mail=on")
        day = f"{utc_now():%d-%m-%Y}"
        bodies = [
            {"number": f"F-{7000 + each}", "date": day, "type": "PREPAYMENT", "amount": 50 + each, "currency": "EUR",
             "billing": _BILLING} for each in range(2 * _ORDERS)
        ]  # fmt: skip
        self._post("orders", bodies)
        self._import([(str(body["number"]), (50 + place) * 100) for place, body in enumerate(bodies[:_ORDERS])])
        for body in bodies[:_ORDERS]:
            refund = {"externalReference": body["number"], "amount": 10, "currency": "EUR", "plannedDate": self.planned}
            self._post(f"order/{body['number']}/refund", refund)
        self.job("mail")
        self.job("letters")

    def drop(self, name: str, number: str) -> None:
        """A statement into the drop folder, complete and long enough ago."""
        inbox = self.disk / "drop" / self.shop.id / "inbox"
        inbox.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.disk.parent / name
        path.write_text(statement([(number, 5000)]), "utf-8")
        old = (utc_now() - timedelta(minutes=5)).timestamp()
        os.utime(path, (old, old))
        shutil.copy2(path, inbox / name)

    def leave(self) -> None:
        """From now on print runs and exports leave by themselves."""
        self._installation.done("shop", "set", self.shop.id, *_LEAVES, "--yes")

    def job(self, kind: str) -> tuple[int, str]:
        """Runs a job now: exit code, and what is said."""
        done = self._installation.command("jobs", "run", self.shop.id, kind)
        return done.returncode, done.stderr.strip().splitlines()[-1] if done.returncode else done.stdout.strip()

    def transfers(self) -> tuple[int, str]:
        """Runs the refunds that are due tomorrow."""
        done = self._installation.command("refunds", "run", self.shop.id, "--date", self.due, "--json")
        return done.returncode, done.stderr.strip() if done.returncode else done.stdout

    def refunds(self) -> list[dict[str, Any]]:
        """All refunds, as the list shows them."""
        found: list[dict[str, Any]] = json.loads(self._installation.done("refunds", "list", self.shop.id, "--json"))
        return found

    def files(self, of: str, pattern: str) -> list[Path]:
        """What lies in a folder of the shop."""
        return sorted((self.disk / of / self.shop.id).glob(pattern))

    def drafts(self) -> list[str]:
        """Files that nobody finished."""
        return sorted(str(path.relative_to(self.disk)) for path in self.disk.rglob(".*") if path.is_file())

    def watch(self) -> None:
        """Imports what lies in the drop folder."""
        self._installation.done("watch", "--once")

    def _post(self, path: str, value: Any) -> None:
        status, said = self.shop.ask(
            self.shop.ports[0], "POST", path, json.dumps(value).encode(), "application/json", 60
        )
        assert status == 200, said

    def _import(self, payments: list[tuple[str, int]]) -> None:
        """A statement of today whose payers' accounts are known, so that refunds go back to them."""
        day = utc_now().date()
        bookings = tuple(
            WrittenEntry(
                (
                    Posting(
                        IBAN, EUR, minor, day, value_date=day, remittance_lines=(f"Bestellung {number}",),
                        counterparty_name="Erika Mustermann", counterparty_iban=_PAYER, bank_reference=number,
                    ),
                )
            )
            for number, minor in payments
        )  # fmt: skip
        file = self.disk.parent / "payments.xml"
        file.write_bytes(write_camt([CamtStatement(IBAN, EUR, 0, day, day, "S1", 1, bookings)], utc_now()))
        self._installation.done("statement", "import", self.shop.id, str(file))


def play(folder: Path, port: int) -> Outcome:
    """Everything that leaves by a folder, before, while and after its disk is full."""
    outcome = Outcome(
        "disk full: transfer files, print runs, exports, drop folder",
        "What cannot be written fails in words and leaves no half file; a transfer file, a print run and an export are"
        " written once there is room, each once; a statement that was dropped before is imported once.",
    )
    folder.mkdir(mode=0o711)
    disk = folder / "disk"
    names = {"TRANSFER": "transfers", "LETTERS": "letters", "EXPORTS": "exports", "DROP": "drop"}
    environment = {f"PAYMATCH_{name}_DIR": str(disk / place) for name, place in names.items()}
    with ExitStack() as stack:
        stack.enter_context(small_disk(disk, _MB))
        installation = Installation(folder, port, environment=environment)
        stack.enter_context(installation.running())
        folders = _Folders(installation, disk)
        folders.fill()
        folders.drop("before.xml", f"F-{7000 + _ORDERS}")
        for place in names.values():
            (disk / place / folders.shop.id).mkdir(mode=0o700, parents=True, exist_ok=True)
        with full(disk):
            folders.leave()
            failed = [folders.transfers(), folders.job("print-run"), folders.job("exports")]
            failed += [folders.job(kind) for kind in ("print-run", "exports") for _ in range(_ATTEMPTS - 1)]
            folders.watch()
            drafts = folders.drafts()
            left = [*folders.files("transfers", "*"), *folders.files("letters", "*"), *folders.files("exports", "*")]
        _judge_while_full(outcome, failed, drafts, [path.name for path in left])
        _judge_afterwards(outcome, folders)
    return outcome


def _judge_while_full(outcome: Outcome, failed: list[tuple[int, str]], drafts: list[str], left: list[str]) -> None:
    outcome.seen |= {"failed": [said for _, said in failed], "half_files": len(drafts), "files_while_full": len(left)}
    outcome.hold(all(code == 1 and "Traceback" not in said for code, said in failed), f"while full: {failed}")
    outcome.hold(not drafts, f"half files are left: {drafts}")
    outcome.hold(not left, f"were written onto a full disk: {left}")


def _judge_afterwards(outcome: Outcome, folders: _Folders) -> None:
    again = [folders.transfers(), folders.job("print-run"), folders.job("exports")]
    outcome.hold(all(code == 0 for code, _ in again), f"with room: {again}")
    transfers, runs = folders.files("transfers", "*.xml"), folders.files("letters", "run_*.pdf")
    exports = folders.files("exports", "*.csv")
    sent = sum(path.read_text("utf-8").count("<CdtTrfTxInf>") for path in transfers)
    in_process = [each for each in folders.refunds() if each["status"] == "IN_PROCESS"]
    outcome.hold((sent, len(in_process)) == (_ORDERS, _ORDERS), f"{sent} transfers, {len(in_process)} in process")
    lines = sum(len(path.read_text("utf-8-sig").splitlines()) - 1 for path in folders.files("letters", "run_*.csv"))
    outcome.hold((len(runs), lines) == (1, _ORDERS), f"{len(runs)} print runs with {lines} letters")
    outcome.hold(len(exports) == 2, f"exports: {[path.name for path in exports]}")
    before = [path.stat().st_mtime_ns for path in (*transfers, *runs, *exports)]
    for _ in range(2):
        folders.transfers()
        folders.job("print-run")
        folders.job("exports")
        folders.watch()
    files = [
        *folders.files("transfers", "*.xml"),
        *folders.files("letters", "run_*.pdf"),
        *folders.files("exports", "*.csv"),
    ]
    outcome.hold([path.stat().st_mtime_ns for path in files] == before, "something was written a second time")
    imported = [path.name for path in (folders.disk / "drop" / folders.shop.id / "done").rglob("*.xml")]
    outcome.hold(len(imported) == 1, f"imported from the drop folder: {imported}")
    outcome.hold(not folders.drafts(), f"half files are left: {folders.drafts()}")
    outcome.seen |= {
        "transfers": sent, "print_runs": len(runs), "letters": lines, "exports": len(exports), "dropped": len(imported),
    }  # fmt: skip
