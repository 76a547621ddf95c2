"""Exchange with the collection agency: each parcel and each report once (D-54).

No transaction is open while a parcel is handed over. A killed process hands it over again under the same id and file
name, so both sides recognise a repetition.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from paymatch.domain.calendar import today_in
from paymatch.domain.collection.agency import Agency, Channel
from paymatch.domain.collection.cases import CollectionRefused
from paymatch.domain.collection.default_interest import periods
from paymatch.domain.money import Currency, minor_to_decimal
from paymatch.domain.refusal import Refused
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.formats.collection.cover import cover_of, subject_of
from paymatch.formats.collection.dossier import AgencyMessage, papers_of, write_message
from paymatch.formats.collection.reports import AgencyReport, read_reports
from paymatch.formats.invoice_file import FileType
from paymatch.formats.languages.texts import SOURCE, language_among, words
from paymatch.outbound.collection_agency import (
    MAX_REPORT_BYTES,
    AgencyDoor,
    FolderAgency,
    HttpAgency,
    MailAgency,
    NullAgency,
    Parcel,
)
from paymatch.outbound.files import FileNotKept, Files
from paymatch.outbound.http import HttpDoor
from paymatch.outbound.mail.outgoing import MailDoor
from paymatch.store.collection import cases as store
from paymatch.store.collection import messages
from paymatch.store.collection.cases import ListedCase
from paymatch.store.collection.messages import MessageKind, MessageRow
from paymatch.store.database import Database
from paymatch.store.orders import invoices
from paymatch.store.orders.invoices import InvoiceRow
from paymatch.store.reminders import mails
from paymatch.store.transactions import ShopId, ShopTx, passes
from paymatch.usecases.bisection import tell_alone
from paymatch.usecases.collection.base_rates import rates_of
from paymatch.usecases.collection.cases import report

_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class AgencyGateways:
    """This installation's gateways to agencies; None: there is no such gateway here."""

    folder: Path | None = None  # a folder per shop in it
    mail: MailDoor | None = None
    http: HttpDoor | None = None
    files: Files | None = None  # where invoices lie


def door_of(tx: ShopTx, agency: Agency, ways: AgencyGateways) -> AgencyDoor:
    """The gateway to the shop's agency; CollectionRefused if there is none here. Sandbox shops notify no one."""
    if tx.shop.sandbox:
        return NullAgency()
    if agency.channel is Channel.FOLDER and ways.folder is not None:
        return FolderAgency(ways.folder / str(tx.shop.id))
    if agency.channel is Channel.MAIL and ways.mail is not None:
        sender = mails.sender(tx)
        if not sender.address:
            raise CollectionRefused(Message("collection-agency-cannot-reached-mail"))
        return MailAgency(ways.mail, sender.address, sender.name, agency.address)
    if agency.channel is Channel.HTTP and ways.http is not None:
        token = store.agency_token(tx)
        return HttpAgency(ways.http, agency.address, tx.shop.callback_ports, token)
    raise CollectionRefused(Message("collection-agency-cannot-reached-installation", channel=agency.channel))


def tell_agency(database: Database, shop: Shop, ways: AgencyGateways, clock: datetime) -> int:
    """Hands every waiting message to the agency, oldest first; how many. AgencyNotReached, CollectionRefused.

    A case that raises an unexpected error keeps its messages and gets an alert; the others go on.
    """
    shop_id, count = ShopId(shop.id), 0
    failed: set[str] = set()
    while True:
        with database.of_shop(shop, at=clock) as tx:
            waiting = messages.waiting_messages(tx, failed, _AT_ONCE)
            if not waiting:
                return count
            agency = store.agency(tx)
            door = door_of(tx, agency, ways)
        for message in waiting:
            if message.case_id in failed:
                continue
            try:
                parcel = _parcel(database, shop, agency, message, ways.files)
            except Exception as error:
                if passes(error):
                    raise
                failed.add(message.case_id)
                tell_alone(database, shop_id, Message("item-collection", order=message.order_number), error, clock)
                continue
            door.deliver(parcel)
            with database.of_shop(shop, at=clock) as tx:
                messages.set_delivered(tx, message, shop.now(clock))
            count += 1


def _parcel(database: Database, shop: Shop, agency: Agency, message: MessageRow, files: Files | None) -> Parcel:
    """The message in the agency's form, with its invoices."""
    with database.of_shop(shop) as tx:
        content, rows = _content(tx, agency, message)
    language = language_among(shop.language)
    content = replace(content, papers=_papers(rows, files), language=language, country=shop.country)
    about = (message.kind, shop.name, message.order_number)
    subject, cover = subject_of(words(SOURCE), *about), cover_of(words(language, shop.country), *about)
    return Parcel(message.id, str(shop.id), subject, cover, write_message(content))


def take_reports(database: Database, shop: Shop, ways: AgencyGateways, clock: datetime) -> int:
    """Reads the agency's reports; returns the number of rows with changes.

    CollectionRefused for the first unreadable one, after all others.
    """
    count = 0
    with database.of_shop(shop, at=clock) as tx:
        agency = store.agency(tx)
        door = door_of(tx, agency, ways) if agency.is_set else NullAgency()
    refused: CollectionRefused | None = None
    for name, content in door.reports():
        try:
            count += import_report(database, shop, name, content, clock).taken
        except CollectionRefused as refusal:
            refused = refused or refusal
            door.taken(name, readable=False)
        else:
            door.taken(name, readable=True)
    if refused is not None:
        raise refused
    return count


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of a report: accepted rows, and (row, reason) of the others."""

    taken: int
    refused: Sequence[tuple[int, str]] = ()
    known: bool = False  # the same file was read before


def import_report(database: Database, shop: Shop, name: str, content: bytes, clock: datetime) -> Imported:
    """Applies as much of a report as possible, in one transaction. CollectionRefused if it cannot be read."""
    if len(content) > MAX_REPORT_BYTES:
        raise CollectionRefused(Message("collection-report-more-than-mb", name=name, most=MAX_REPORT_BYTES // 1000000))
    rows = read_reports(content)
    name = name.encode("utf-8", "backslashreplace").decode()  # a file may have any name
    with database.of_shop(shop, at=clock) as tx:
        digest = hashlib.sha256(content).digest()
        if not messages.take_report(tx, digest, name, shop.now(clock)):
            return Imported(0, known=True)
        return _take_message(tx, rows)


def take(tx: ShopTx, rows: Sequence[AgencyReport]) -> Imported:
    """Accepts reports that the agency sends by the API."""
    return _take_message(tx, rows)


def _take_message(tx: ShopTx, rows: Sequence[AgencyReport]) -> Imported:
    taken, refused = 0, []
    for place, row in enumerate(rows, start=1):
        try:
            with tx.savepoint():
                report(tx, row)
        except Refused as error:
            refused.append((place, str(error)))
        else:
            taken += 1
    return Imported(taken, tuple(refused))


def _content(tx: ShopTx, agency: Agency, message: MessageRow) -> tuple[AgencyMessage, list[InvoiceRow]]:
    """The content of the message, and its invoices."""
    found = store.find(tx, message.order_number)
    assert found is not None, "a message is about a case"
    facts = _facts(tx.shop, agency, message, found)
    if message.kind is not MessageKind.HANDOVER:
        return AgencyMessage(facts), []
    return _handover(tx, found, facts), invoices.of_order(tx, message.order_number)


def _facts(shop: Shop, agency: Agency, message: MessageRow, found: ListedCase) -> dict[str, Any]:
    return {
        "id": message.id,
        "kind": message.kind,
        "at": message.at.isoformat(),
        "case": message.case_id,
        "file": found.case.file,
        "shop": shop.name,
        "agency": agency.name,
        "customerNumberAtAgency": agency.customer_number,
        "orderNumber": message.order_number,
        "currency": found.currency,
        "open": _amount(message.open_minor, found.currency),
    }


def _handover(tx: ShopTx, found: ListedCase, facts: dict[str, Any]) -> AgencyMessage:
    case = found.case
    order = store.customer(tx, case.order_number)
    document, currency = order["document"], found.currency
    handed = today_in(tx.shop.timezone, case.handed_over_at)
    until = case.interest_until or handed  # unknown of cases from before base rates could be missing
    total = case.claim_minor + case.fees_minor + case.interest_minor + case.lump_minor
    more = {
        "open": _amount(case.claim_minor, currency),
        "fees": _amount(case.fees_minor, currency),
        "interest": _amount(case.interest_minor, currency),
        "interestUntil": _day(until) if case.interest_minor else "",
        "lumpSum": _amount(case.lump_minor, currency),
        "total": _amount(total, currency),
        "orderDate": _day(order["order_date"]),
        "dueDate": _day(case.due_on),
        "warnedOn": _day(case.warned_on),
        "handedOver": _day(handed),
        "reference": order["reference"],
        "customer": _customer(document),
        "order": document,
    }
    tables = {
        "reminders": [
            {"date": each["date"], "level": str(each["level"]), "fee": _amount(each["feeMinor"], currency)}
            for each in order["reminders"] or ()
        ],
        "postings": [
            {"date": each["date"], "amount": _amount(each["creditedMinor"], currency), "name": each["name"] or "",
             "text": each["text"] or ""}
            for each in order["postings"] or ()
        ],
    }  # fmt: skip
    if case.interest_minor and case.due_on is not None:
        rates = rates_of(tx)
        company = bool((document.get("billing") or {}).get("company"))
        tables["interest"] = [
            {"from": _day(each.first), "to": _day(each.last), "percent": str(each.percent)}
            for each in periods(rates, case.claim_minor, case.due_on, until, company=company)
        ]
    return AgencyMessage(facts | more, tables)


def _customer(document: dict[str, Any]) -> dict[str, str]:
    billing = document.get("billing") or {}
    town = f"{billing.get('postCode') or ''} {billing.get('city') or ''}".strip()
    address = ", ".join(filter(None, [billing.get("street"), town, billing.get("countryCode")]))
    return {
        "name": " ".join(filter(None, [billing.get("firstName"), billing.get("lastName")])),
        "company": billing.get("company") or "",
        "address": address,
        "email": document.get("customerEmail") or "",
        "phone": billing.get("phone") or "",
        "number": document.get("customerNumber") or "",
    }


def _papers(rows: Sequence[InvoiceRow], files: Files | None) -> dict[str, bytes]:
    """The invoices by file name; one whose file is gone is left out."""
    if files is None:
        return {}
    found = []
    for row in rows:
        if row.media_type == FileType.XML.media_type:
            continue  # the papers are for people
        with suppress(FileNotKept), files.open(row.file_key) as file:
            found.append((row.invoice_number, file.read(), row.media_type.rpartition("/")[2]))
    return papers_of(found)


def _amount(minor: int, currency: str) -> str:
    return str(minor_to_decimal(minor, Currency(currency)))


def _day(day: date | None) -> str:
    return day.isoformat() if day is not None else ""
