"""A shop whose orders are paid by statements, and whose refunds go to its bank and come back from it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from lxml import etree

from paymatch.api import Api, ApiConfig
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.formats.statement import EntryStatus
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.store.sealing import TRANSFER_FILE
from paymatch.usecases.refunds import bank_reports, refund_runs, refunds, releases
from paymatch.usecases.refunds.bank_reports import ReportedRefund
from paymatch.usecases.refunds.refund_runs import Run
from paymatch.usecases.refunds.releases import Released
from paymatch.usecases.statements.import_report import ImportReport
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from tests.contract.bank import ACCOUNT, PAYER, book, entry, pay
from tests.contract.client import LONG_WAIT, Clock, ShopClient, new_shop
from tests.contract.test_endpoints import refund as body_of

ERIKA = "AT611904300234573201"
TOMORROW = date(2026, 3, 3)
"""The day after the clock's start, on which refunds are planned unless a test says otherwise: a Tuesday."""


class RefundWorld:
    """A shop in Berlin with one account, its clock, and its bank."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        *,
        ibans: Sequence[str] = (ACCOUNT,),
        clock: Clock | None = None,
        **more: Any,
    ) -> None:
        self.clock = clock or Clock()
        config = ApiConfig(("x-service-api-key",), self.clock, 1000, import_wait_seconds=LONG_WAIT)
        self.client: ShopClient = new_shop(
            Api(database, DirectoryFiles(folder), config), database, self.clock, ibans=ibans, **more
        )
        self.database = database
        self.channel = StatementChannel.COMMAND_LINE

    def pass_days(self, days: int) -> None:
        """The clock goes on."""
        self.clock.pass_time(days=days)

    def paid(self, number: str, minor: int = 10_000, amount: float = 100, **more: Any) -> None:
        """An order of EUR 100.00 and a payment that is matched to it."""
        self.client.submit(number, amount=amount)
        pay(self.client, number, minor, **more)

    def file(self, number: str, amount: float, reference: str = "", **more: Any) -> str:
        """Files a refund for tomorrow; its id."""
        reply = self.client.post(f"order/{number}/refund", body_of(reference or f"R-{number}", amount=amount, **more))
        assert reply.status == 200, reply.body
        self.clock.pass_time(seconds=1)
        return str(reply.json["id"])

    def run(self, **more: Any) -> Run:
        """A refund run of today."""
        self.clock.pass_time(seconds=1)
        return refund_runs.run(self.database, self.client.shop, self.clock.now, **more)

    def refund(self, refund_id: str) -> dict[str, Any]:
        """The refund as the API's list shows it."""
        rows = self.client.get("refunds?limit=1000").json
        return next(row for row in rows if row["id"] == refund_id)

    def status(self, refund_id: str) -> str:
        """The refund's status."""
        return str(self.refund(refund_id)["status"])

    def end_to_end(self, refund_id: str) -> str:
        """The EndToEndId of the refund's latest transfer."""
        rows = self.client.rows(
            "SELECT end_to_end_id FROM transfers WHERE shop_id = $1 AND refund_id = $2 ORDER BY attempt DESC", refund_id
        )
        return str(rows[0][0])

    def contents(self) -> list[bytes]:
        """The transfer files, oldest first."""
        return [
            self.client.vault.open_bytes(TRANSFER_FILE, row[0])
            for row in self.client.rows("SELECT content FROM transfer_files WHERE shop_id = $1 ORDER BY id")
        ]

    def debit(self, minor: int, end_to_end_id: str = "", **more: Any) -> ImportReport:
        """Imports an MT940 statement with a debit of today."""
        more = {"booking_date": self.clock.now.date(), "end_to_end_id": end_to_end_id, **more}
        return book(self.client, entry("Erstattung", -minor, **more))

    def give_back(self, minor: int, end_to_end_id: str, reason: str = "AC04") -> ImportReport:
        """Imports an MT940 statement with a credit that brings a refund back."""
        more = {"booking_date": self.clock.now.date(), "end_to_end_id": end_to_end_id, "return_reason": reason}
        return book(self.client, entry("Retoure", minor, gvc="159", **more))

    def camt(self, *bookings: WrittenEntry, again: bool = False) -> ImportReport:
        """Imports a camt.053 of today with these bookings; `again` shows what the statement before it showed."""
        self.client.paid += 1
        number, day = self.client.paid, self.clock.now.date()
        booked = [each for each in bookings if each.status is EntryStatus.BOOKED]
        total = sum(part.amount_minor for each in booked for part in each.postings)
        if again:
            self.client.passed(ACCOUNT, EUR, -total)
        opening = self.client.passed(ACCOUNT, EUR, total)
        statement = CamtStatement(ACCOUNT, EUR, opening, day - timedelta(days=1), day, f"ST{number}", number, bookings)
        data = write_camt([statement], self.clock.now, message_id=f"M{number}")
        return import_file(
            self.database, self.client.shop, io.BytesIO(data), f"{number}.xml", self.clock.now, channel=self.channel
        )

    def posting(self, minor: int, **more: Any) -> Posting:
        """A posting of today for `camt`."""
        return Posting(ACCOUNT, EUR, minor, self.clock.now.date(), value_date=self.clock.now.date(), **more)

    def report(self, data: bytes) -> list[ReportedRefund]:
        """Imports a status report."""
        return bank_reports.import_report(self.database, self.client.shop, io.BytesIO(data), self.clock.now)

    def cancel(self, refund_id: str) -> None:
        """The merchant takes the refund back."""
        with self.database.of_shop(self.client.shop, at=self.clock.now) as tx:
            refunds.cancel(tx, refund_id)

    def set_iban(self, refund_id: str, iban: str = ERIKA, holder: str = "Erika Müller") -> None:
        """The customer has named an account."""
        with self.database.of_shop(self.client.shop, at=self.clock.now) as tx:
            refunds.set_iban(tx, refund_id, iban, holder)

    def release(self, *refund_ids: str, person: str = "cli:eva") -> list[Released]:
        """A person looks at refunds and lets them go."""
        return releases.release(self.database, self.client.shop, self.seen(*refund_ids), person, self.clock.now)

    def seen(self, *refund_ids: str) -> dict[str, int]:
        """What a person looks at: the refunds with the versions of their accounts."""
        rows = releases.brought_up_to_date(self.database, self.client.shop, refund_ids, self.clock.now)
        return {row.id: row.account_version for row in rows}

    def check(self) -> None:
        """All invariants of the books hold."""
        assert check_shop(self.database, self.client.shop) == []

    def events(self, number: str) -> list[tuple[str, str]]:
        """(from, to) of the order's status changes."""
        return [
            (row[0], row[1])
            for row in self.client.rows(
                "SELECT from_status, to_status FROM events WHERE shop_id = $1 AND order_number = $2 ORDER BY order_seq",
                number,
            )
        ]


def texts(content: bytes, path: str) -> list[str]:
    """Texts of the elements at the end of `path`, whatever the namespace."""
    found = etree.fromstring(content).iterfind(".//" + "/".join(f"{{*}}{name}" for name in path.split("/")))
    return [element.text or "" for element in found]


def status_report(content: bytes, *payments: tuple[str, str, str], group: str = "", batch: str = "") -> bytes:
    """A pain.002 on a transfer file of ours; payments as (EndToEndId, status, reason code)."""
    message, information = texts(content, "GrpHdr/MsgId")[0], texts(content, "PmtInf/PmtInfId")[0]
    rows = "".join(
        f"<TxInfAndSts><OrgnlEndToEndId>{name}</OrgnlEndToEndId><TxSts>{status}</TxSts>"
        + (f"<StsRsnInf><Rsn><Cd>{code}</Cd></Rsn></StsRsnInf>" if code else "")
        + "</TxInfAndSts>"
        for name, status, code in payments
    )
    reason = "<StsRsnInf><Rsn><Cd>FF01</Cd></Rsn></StsRsnInf>"
    return (
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>B1</MsgId>'
        f"</GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>{message}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>"
        + (f"<GrpSts>{group}</GrpSts>{reason if group == 'RJCT' else ''}" if group else "")
        + f"</OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>{information}</OrgnlPmtInfId>"
        + (f"<PmtInfSts>{batch}</PmtInfSts>{reason if batch == 'RJCT' else ''}" if batch else "")
        + f"{rows}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>"
    ).encode()


__all__ = ["ACCOUNT", "ERIKA", "PAYER", "TOMORROW", "RefundWorld", "status_report", "texts"]
