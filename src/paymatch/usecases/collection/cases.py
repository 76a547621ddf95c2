"""Handing orders over to the collection agency and withdrawing them; the agency's reports (D-20, D-54)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from paymatch.domain.collection.agency import Agency, as_texts, change_agency
from paymatch.domain.collection.cases import (
    AT_AGENCY,
    CASE_LIFECYCLE,
    EVENT_OF,
    INITIAL,
    CaseEvent,
    CaseStatus,
    CaseUnknown,
    CollectionRefused,
)
from paymatch.domain.collection.default_interest import LUMP_SUM_MINOR, Rates, interest_minor, last_known
from paymatch.domain.collection.handover import HandoverTerms, handover
from paymatch.domain.money import EUR, Currency, minor_to_decimal
from paymatch.domain.orders.settlement import OPEN_STATUSES, Mark
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.reminders.payment_date import last_warning
from paymatch.domain.reminders.policy import MANAGED_TYPES, PlannedReminder
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import Shop, ShopStatus
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.formats.collection.reports import AgencyReport
from paymatch.store.collection import cases as store
from paymatch.store.collection import messages
from paymatch.store.collection.cases import CaseRow, ListedCase
from paymatch.store.collection.messages import MessageKind
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.orders import orders as order_store
from paymatch.store.reminders import reminders
from paymatch.store.reminders.reminders import ReminderOrderRow
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.collection.base_rates import rates_of
from paymatch.usecases.collection.batches import BATCH, in_batches
from paymatch.usecases.reminders.reminders import terms_of
from paymatch.usecases.settlement import order_keys
from paymatch.usecases.settlement.ledger import settle


def set_agency(tx: ShopTx, settings: dict[str, str]) -> dict[str, str]:
    """Changes the shop's agency; all its settings as texts. SettingRefused for the first invalid one."""
    before = store.agency(tx)
    if not settings:
        return as_texts(before)
    after = change_agency(before, settings)
    store.set_agency(tx, after)
    previous = as_texts(before) if before.is_set else None
    record(tx, tx.shop, AuditAction.COLLECTION_AGENCY_SET, "agency", before=previous, after=as_texts(after))
    return as_texts(after)


def hand_over(tx: ShopTx, number: str) -> None:
    """Hands the order over because a person says so. OrderUnknown; CollectionRefused, with the reason.

    A posting that may be its payment prevents it even then, and so does a refund of the open amount: customers who have
    paid or owe nothing are never handed over.
    """
    now = tx.now
    order_store.lock(tx, [number])
    found = reminders.load(tx, [number], tx.shop.tolerance_minor, now)
    if not found:
        raise OrderUnknown(number)
    facts, agency = found[0].facts, store.agency(tx)
    if not agency.is_set:
        raise CollectionRefused(Message("collection-shop-no-agency-set"))
    if facts.type not in MANAGED_TYPES:
        raise CollectionRefused(Message("collection-could-not-hand-over", type=facts.type))
    if facts.status not in OPEN_STATUSES:
        raise CollectionRefused(Message("collection-could-not-hand-over-order", status=facts.status))
    if facts.is_negligible:
        raise CollectionRefused(Message("handover-negligible"))
    if facts.is_given_back:
        raise CollectionRefused(Message("handover-given-back"))
    if facts.suggested_posting:
        raise CollectionRefused(
            Message("collection-could-not-hand-over-order-posting", suggested_posting=facts.suggested_posting)
        )
    _begin(tx, agency, found[0], now)


def hand_over_due(database: Database, shop: Shop, clock: datetime) -> int:
    """Hands over every order whose last reminder brought no payment within the shop's waiting time; how many (D-54)."""

    def page(tx: ShopTx, after: str) -> list[str]:
        agency = store.agency(tx)
        if not agency.is_set or agency.after_days is None:
            return []
        return store.ready(tx, len(terms_of(tx).plan.levels), after, BATCH)

    def decide(tx: ShopTx, numbers: Sequence[str]) -> int:
        return _hand_over_some(tx, numbers)

    return in_batches(database, shop, page, decide, "item-handover", clock)


def _hand_over_some(tx: ShopTx, numbers: Sequence[str]) -> int:
    """Decides again under the orders' locks, by the present settings."""
    order_store.lock(tx, numbers)
    shop, agency = shop_store.present(tx), store.agency(tx)
    if shop.status is not ShopStatus.ACTIVE or not agency.is_set:
        return 0
    common, now = terms_of(tx), tx.now
    terms = HandoverTerms(common.plan, agency.after_days, common.bank, now, shop.timezone)
    found = [(order, handover(order.facts, terms)) for order in reminders.load(tx, numbers, shop.tolerance_minor, now)]
    due = [order for order, when in found if isinstance(when, PlannedReminder) and when.at <= now]
    for order in due:
        _begin(tx, agency, order, now)
    return len(due)


def _begin(tx: ShopTx, agency: Agency, order: ReminderOrderRow, now: datetime) -> None:
    """Records the handover: case, history, status and callback, and the message to the agency."""
    facts = order.facts
    before = store.find(tx, facts.number)
    status = INITIAL
    if before is not None:
        status = CASE_LIFECYCLE.move(before.case.status, CaseEvent.HANDED_OVER, number=facts.number)
    plan = terms_of(tx).plan
    rates, today = rates_of(tx), tx.shop.today(now)
    interest, lump = _beside(agency, rates, order, facts.base_date(plan), today)
    case = CaseRow(
        order_number=facts.number, id=new_id("co", now), partner=agency.name, file="", status=status, active=True,
        handed_over_at=now, due_on=facts.base_date(plan),
        interest_until=min(today, last_known(rates)), warned_on=last_warning(facts, plan), claim_minor=facts.open_minor,
        fees_minor=0 if lump else order.fees_minor, interest_minor=interest, lump_minor=lump,
        told_open_minor=facts.open_minor,
    )  # fmt: skip
    store.save(tx, case)
    store.add_event(tx, facts.number, now, f"Handed over to {agency.name}")
    _tell_agency(tx, case, MessageKind.HANDOVER, facts.open_minor, now)
    details = {"agency": agency.name, "case": case.id, "open": _amount(facts.open_minor, facts.currency)}
    record(tx, tx.shop, AuditAction.ORDER_HANDED_OVER, facts.number, after=details)
    order_store.set_mark(tx, [facts.number], Mark.COLLECTION, now)
    settle(tx, [facts.number], cause="handed over to collection", now=now)


def _beside(agency: Agency, rates: Rates, order: ReminderOrderRow, due: date, today: date) -> tuple[int, int]:
    """(statutory interest, lump sum) in minor units: German law, so for orders in EUR only.

    Reminder fees are set against the lump sum, so a company that owes it owes no fees (BGB section 288, paragraph 5).
    """
    if order.facts.currency != EUR:
        return 0, 0
    company = order.is_company
    interest = 0
    if agency.interest:
        interest = interest_minor(rates, order.facts.open_minor, due, today, company=company)
    return interest, LUMP_SUM_MINOR if agency.lump_sum and company else 0


def withdraw(tx: ShopTx, number: str) -> None:
    """Withdraws the order from the agency; the books decide its status. OrderUnknown; CollectionRefused."""
    now = tx.now
    order_store.lock(tx, [number])
    if not order_store.exists(tx, number):
        raise OrderUnknown(number)
    found = store.find(tx, number)
    if found is None or not found.case.active:
        raise CollectionRefused(Message("collection-could-not-withdraw-order", number=number))
    _end(tx, found, "Withdrawn by the shop", now)
    if found.mark == Mark.COLLECTION:
        order_store.set_mark(tx, [number], None, now)
        settle(tx, [number], cause="withdrawn from collection", now=now)


def _end(tx: ShopTx, found: ListedCase, words: str, now: datetime) -> None:
    number = found.case.order_number
    status = found.case.status
    if status in AT_AGENCY:
        status = CASE_LIFECYCLE.move(status, CaseEvent.WITHDRAWN, number=number)
    case = replace(found.case, status=status, active=False)
    store.save(tx, case)
    store.add_event(tx, number, now, words)
    _tell_agency(tx, case, MessageKind.WITHDRAWAL, found.open_minor, now)
    record(tx, tx.shop, AuditAction.ORDER_WITHDRAWN, number, after={"case": case.id, "reason": words})


def report(tx: ShopTx, received: AgencyReport) -> CaseStatus:
    """Applies the agency's report on a case; returns the case's new state. CaseUnknown; CaseMoveRefused.

    CollectionRefused for a file number that is another order's number: payments of that order name it (D-80).

    A report on a case that is no longer with the agency is recorded in the history and changes nothing. If the named
    order is unknown, its file number is not tried instead: that may belong to another order.
    """
    now = tx.now
    found = store.find(tx, received.number or received.file)
    if found is None:
        raise CaseUnknown(received.number or received.file)
    number = found.case.order_number
    if received.file not in ("", number, found.case.file) and order_store.exists(tx, received.file):
        raise CollectionRefused(Message("collection-file-is-order", file=received.file))
    order_store.lock(tx, [number])
    found = store.find(tx, number)
    assert found is not None, "a case is never deleted while its order is there"
    case, status = found.case, found.case.status
    if received.status is not None and received.status is not status and case.active:
        status = CASE_LIFECYCLE.move(status, EVENT_OF[received.status], number=number)
    case = replace(case, status=status, file=received.file or case.file)
    store.save(tx, case)
    words = received.description or (str(received.status) if received.status else f"File number {received.file}")
    store.add_event(tx, number, now, words)
    if case.file != found.case.file:  # the agency's payouts name the order by it
        order_keys.renew(tx, number, now)
    if status is not found.case.status or case.file != found.case.file:
        before = {"status": found.case.status, "file": found.case.file}
        after = {"status": status, "file": case.file}
        record(tx, tx.shop, AuditAction.COLLECTION_REPORTED, number, before=before, after=after)
    shop_jobs.wake(tx, ALERTS, now)
    return status


def keep_up(tx: ShopTx) -> int:
    """Sends the agency what has changed since the last message; returns the number of cases.

    A direct payment or its return changes the open amount; an order that was cancelled, removed or set paid is
    withdrawn.
    """
    now, count = tx.now, 0
    listed = [each for each in store.cases(tx, active_only=True) if _has_changed(each)]
    order_store.lock(tx, [each.case.order_number for each in listed])
    for known in listed:
        found = store.find(tx, known.case.order_number)
        if found is None or not _has_changed(found):
            continue
        count += 1
        if found.mark != Mark.COLLECTION:
            _end(tx, found, f"Withdrawn: the order is {found.order_status}", now)
        else:
            _tell_open(tx, found, now)
    return count


def _has_changed(found: ListedCase) -> bool:
    return found.mark != Mark.COLLECTION or found.open_minor != found.case.told_open_minor


def _tell_open(tx: ShopTx, found: ListedCase, now: datetime) -> None:
    case, number = found.case, found.case.order_number
    paid = found.order_status not in (*OPEN_STATUSES, "COLLECTION")
    status = case.status
    if paid and status is not CaseStatus.PAID:
        status = CASE_LIFECYCLE.move(status, CaseEvent.PAID, number=number)
    elif not paid and status is CaseStatus.PAID:
        status = CASE_LIFECYCLE.move(status, CaseEvent.PART_PAID, number=number)
    case = replace(case, status=status, told_open_minor=found.open_minor)
    store.save(tx, case)
    moved = known_amount(found.case.told_open_minor - found.open_minor, found.currency)
    kept_minor = store.commission(tx, number)
    kept = f", of which the agency has kept {known_amount(kept_minor, found.currency)} as its fee" if kept_minor else ""
    store.add_event(tx, number, now, f"Payment {moved}, open {known_amount(found.open_minor, found.currency)}{kept}")
    _tell_agency(tx, case, MessageKind.PAYMENT, found.open_minor, now)


def _tell_agency(tx: ShopTx, case: CaseRow, kind: MessageKind, open_minor: int, now: datetime) -> None:
    messages.add(tx, case.id, case.order_number, kind, open_minor=open_minor, now=now)


def stuck_cases(tx: ShopTx) -> Iterator[Alert]:
    """An alert per case that the agency has rejected or given up, until a person has decided how to continue."""
    for each in store.cases(tx, active_only=True):
        case = each.case
        if case.status in (CaseStatus.REJECTED, CaseStatus.UNCOLLECTIBLE):
            names = {"partner": case.partner, "order": case.order_number}
            rejected = case.status is CaseStatus.REJECTED
            said = Message("alert-case-rejected", **names) if rejected else Message("alert-case-given-up", **names)
            yield Alert(AlertKind.COLLECTION, f"{case.id} {case.status}", said)


def list_cases(tx: ShopTx, *, active_only: bool = False) -> list[dict[str, Any]]:
    """The shop's cases, latest first, as a list shows them."""
    return [_case_fields(each) for each in store.cases(tx, active_only=active_only)]


def page(tx: ShopTx, *, status: str = "", search: str = "", asked: AskedPage) -> PageOfRows[ListedCase]:
    """Cases, the last handed over first unless sorted; `search` is an order's number or the agency's."""
    return store.page(tx, status, search, asked)


def details(tx: ShopTx, number: str) -> dict[str, Any]:
    """A case with its history, by the order's number or the agency's; CaseUnknown."""
    found = store.find(tx, number)
    if found is None:
        raise CaseUnknown(number)
    history = store.events(tx, found.case.order_number)
    return _case_fields(found) | {"history": [{"at": at, "description": words} for at, words in history]}


def _case_fields(found: ListedCase) -> dict[str, Any]:
    case, currency = found.case, found.currency
    return {
        "orderNumber": case.order_number,
        "partner": case.partner,
        "file": case.file,
        "status": case.status,
        "active": case.active,
        "handedOver": case.handed_over_at,
        "warnedOn": case.warned_on,
        "currency": currency,
        "claim": _amount(case.claim_minor, currency),
        "fees": _amount(case.fees_minor, currency),
        "interest": _amount(case.interest_minor, currency),
        "interestUntil": case.interest_until if case.interest_minor else None,
        "lumpSum": _amount(case.lump_minor, currency),
        "open": _amount(found.open_minor, currency),
        "orderStatus": found.order_status,
    }


def known_amount(minor: int, currency: str) -> str:
    """An amount in words for the history: `12.50 EUR`."""
    return f"{_amount(minor, currency)} {currency}"


def _amount(minor: int, currency: str) -> Any:
    return minor_to_decimal(minor, Currency(currency))
