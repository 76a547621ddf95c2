"""Scenario steps for customers who do not pay: their notices, returned mail, the agency."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from paymatch.cli.scenario.world import ApiReply, World
from paymatch.clock import utc_now
from paymatch.domain.money import Currency, digits_of, text_to_minor
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.domain.reminders.mails import MailStatus
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.words.message import Message
from paymatch.formats.collection.reports import read_reports
from paymatch.formats.mail.delivery_report import Bounce
from paymatch.usecases.collection import cases, exchange
from paymatch.usecases.customers import notices
from paymatch.usecases.refunds import legacy
from paymatch.usecases.reminders import bounces, stops
from paymatch.usecases.reminders.reminder_lists import list_mails


def agency(world: World, value: Any) -> ApiReply:
    """`agency: {name: Agency Ltd, after-days: "14"}`: as `paymatch collection agency`."""
    with world.database.of_shop(world.shop) as tx:
        cases.set_agency(tx, dict(_mapping(value, "agency")))
    return ApiReply(200, None)


def agency_reports(world: World, value: Any) -> ApiReply:
    """`agency-reports: {orderNumber: A-1, file: IN-1, status: ACCEPTED}`: POST /collection/reports."""
    rows = read_reports(json.dumps([dict(_mapping(value, "agency-reports"))]).encode())
    with world.database.of_shop(world.shop) as tx:
        done = exchange.take(tx, rows)
    return ApiReply(400, {"error": done.refused[0][1]}) if done.refused else ApiReply(200, {"taken": done.taken})


def says(world: World, value: Any) -> ApiReply:
    """`says: {A-1: paid}` or `wrong-person`: the customer, on the order's page."""
    said = {"paid": notices.say_paid, "wrong-person": notices.say_wrong_person}
    for number, word in _mapping(value, "says").items():
        if word not in said:
            raise SandboxRefused(Message("sandbox-says-paid-wrong-person"))
        with world.database.of_shop(world.shop_id) as tx:
            said[word](tx, number)
    return ApiReply(200, None)


def comes_back(world: World, number: Any) -> ApiReply:
    """`bounces: A-1`: the latest mail about the order did not arrive."""
    with world.database.of_shop(world.shop) as tx:
        found = list_mails(tx, number=number, status=MailStatus.KEPT, limit=1)
    if not found:
        raise SandboxRefused(Message("sandbox-bounces-no-mail-about", number=number))
    came_back = Bounce(found[0]["to"], "5.1.1 unknown", found[0]["messageId"], confirmed=True)
    bounces.take(world.database, came_back, utc_now())
    return ApiReply(200, None)


def stop(world: World, number: Any) -> ApiReply:
    """`stop: A-1`: a person stops the order's reminders."""
    with world.database.of_shop(world.shop) as tx:
        stops.stop(tx, number)
    return ApiReply(200, None)


def legacy_refund(world: World, value: Any) -> ApiReply:
    """`legacy-refund: {order: A-1, reference: R-1, amount: 10.00}`: as `paymatch refunds import`."""
    given = _mapping(value, "legacy-refund")
    currency = Currency(given.get("currency", "EUR"))
    planned = date.fromisoformat(given.get("planned", "2026-01-31"))
    minor = text_to_minor(given["amount"], currency)
    refund = SubmittedRefund(given["reference"], minor, currency, digits_of(currency), planned)
    with world.database.of_shop(world.shop) as tx:
        legacy.take_over(tx, given["order"], refund)
    return ApiReply(200, None)


def _mapping(value: Any, verb: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise SandboxRefused(Message("sandbox-mapping-expected", verb=verb))
    return value
