"""Expectations of a scenario: compared with the API's answers, differences reported in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from paymatch.cli.scenario.world import World
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.reminders.letters import LetterStatus
from paymatch.domain.reminders.mails import MailStatus
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.words.message import Message
from paymatch.store.collection import messages
from paymatch.store.customers import refund_requests
from paymatch.store.reminders.reminders import postponement_reasons
from paymatch.store.statements.posting_report import report
from paymatch.usecases.letters.letter_lists import list_letters
from paymatch.usecases.reminders.reminder_lists import list_mails
from paymatch.usecases.work.alerts import list_alerts


@dataclass(frozen=True, slots=True)
class ExpectationDifference:
    """What was expected of `subject`, and what was found."""

    subject: str
    expected: str
    actual: str


def differences(world: World, expected: Any) -> list[ExpectationDifference]:
    """Where the world is not as expected; an empty list if it is."""
    if not isinstance(expected, dict):
        raise SandboxRefused(Message("sandbox-expect-mapping-expected-such"))
    found: list[ExpectationDifference] = []
    for name, value in expected.items():
        check = _SECTIONS.get(name)
        found += check(world, value) if check else _order(world, name, value)
    return found


def _order(world: World, number: str, expected: Any) -> Iterator[ExpectationDifference]:
    """`A-1: PAID`, or `A-1: {paymentStatus: PAID, amountPaid: 49.90, refunds: {R-1: NEW}, postings: 2}`.

    `paymentReminders: {1: 0.00, 2: 2.50}` are levels with their fees, `fees: {commission: 5.00}` what payers kept.
    """
    wanted: Mapping[str, Any] = expected if isinstance(expected, dict) else {"paymentStatus": expected}
    reply = world.order(number)
    if reply.status != 200:
        yield ExpectationDifference(number, str(dict(wanted)), reply.json["error"])
        return
    for name, value in wanted.items():
        actual: Any = reply.json.get(name, "unset")
        if name == "refunds":
            actual = {each["externalReference"]: each["status"] for each in reply.json.get("refunds", [])}
        elif name == "paymentReminders":
            actual = {str(each["dunningLevel"]): each["reminderFee"] for each in actual}
        elif name == "fees":
            actual = {each["feeKind"]: each["fee"] for each in reply.json.get("postings", []) if "fee" in each}
        elif name == "postings" and isinstance(value, str):
            actual = len(reply.json.get("postings", []))
        yield from _compare(f"{number} {name}", value, actual)


def _compare(subject: str, expected: Any, actual: Any) -> Iterator[ExpectationDifference]:
    if isinstance(actual, bool):
        actual = "true" if actual else "false"
    plain = actual if isinstance(actual, dict | list) else str(actual)
    if isinstance(plain, dict) and isinstance(expected, dict):
        for name, value in expected.items():
            yield from _compare(f"{subject} {name}", value, plain.get(name, "unset"))
    elif plain != expected:
        yield ExpectationDifference(subject, _words(expected), _words(plain))


def _words(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return str(value)


def _callbacks(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`callbacks: {A-1: [PAID, UNPAID]}`: what the receiver has acknowledged, in sequence."""
    for number, statuses in expected.items():
        yield from _compare(f"callbacks of {number}", statuses, world.receiver.acknowledged_statuses(number))


def _attempts(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`attempts: {A-1: 673}`: how often the receiver was called."""
    for number, count in expected.items():
        yield from _compare(f"attempts for {number}", count, world.receiver.attempts(number))


def _postings(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`postings: {matched: 2, suggested: 0, unmatched: 1, all: 3}`."""
    with world.database.of_shop(world.shop_id) as tx:
        counted = Counter(row["status"] for row in report(tx))
    for status, count in expected.items():
        actual = counted.total() if status == "all" else counted[status]
        yield from _compare(f"postings {status}", count, actual)


def _clock(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`clock: 29-03-2026 10:00:00`: what the shop's clock says, in its time zone."""
    yield from _compare("clock", expected, world.call("GET", "sandbox/clock").json["now"])


def _mails(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`mails: {A-1: [payment information, reminder 1]}`: what customers were sent about an order, in sequence."""
    for number, names in expected.items():
        found = _mails_of(world, number)
        yield from _compare(f"mails about {number}", names, [mail["mail"] for mail in found])


def _mail(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`mail: {A-1: [To be paid, 52.40]}`: words in the last mail about an order, regardless of line breaks."""
    for number, words in expected.items():
        found = _mails_of(world, number)
        text = f"{found[-1]['subject']}\n{found[-1]['text']}" if found else "(no mail)"
        for each in words if isinstance(words, list) else [words]:
            if " ".join(str(each).split()) not in " ".join(text.split()):
                yield ExpectationDifference(f"mail about {number}", each, text)


def _mails_of(world: World, number: str) -> list[dict[str, Any]]:
    with world.database.of_shop(world.shop) as tx:
        found = list_mails(tx, number=number, status=MailStatus.KEPT)
    return found[::-1]


def _letters(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`letters: {A-1: [reminder 2]}`: what customers were sent about an order by post, in sequence."""
    for number, names in expected.items():
        with world.database.of_shop(world.shop) as tx:
            found = list_letters(tx, number=number, status=LetterStatus.KEPT)
        yield from _compare(f"letters about {number}", names, [letter["letter"] for letter in found[::-1]])


def _compare_postponed(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`held: {A-1: statements}`: why an order got no mail when it was last looked at; `none` if one is planned."""
    for number, reason in expected.items():
        with world.database.of_shop(world.shop_id) as tx:
            found = postponement_reasons(tx, [number]).get(number, "")
        yield from _compare(f"{number} held", reason, found.partition(":")[0] or "none")


def _compare_bank_details_mails(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`asked: {A-1: 2}`: how often the customer was asked by mail for the bank details of refunds of the order."""
    for number, count in expected.items():
        with world.database.of_shop(world.shop_id) as tx:
            found = refund_requests.of_order(tx, number)
        kept = [row for row in found if row.status is MailStatus.KEPT]
        yield from _compare(f"asked for bank details of {number}", count, len(kept))


def _agency_messages(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`agency-messages: {A-1: [handover 49.90, payment 29.90]}`: messages to the agency about an order."""
    for number, words in expected.items():
        currency = Currency(world.order(number).json["currency"])
        with world.database.of_shop(world.shop_id) as tx:
            found = messages.delivered_messages(tx, number)
        delivered = [f"{each.kind} {minor_to_text(each.open_minor, currency)}" for each in found]
        yield from _compare(f"messages to the agency about {number}", words, delivered)


def _alerts(world: World, expected: Any) -> Iterator[ExpectationDifference]:
    """`alerts: {bank-details: 1}`: how many alerts of a kind are open."""
    counted = Counter(str(each["kind"]) for each in list_alerts(world.database, world.shop))
    for kind, count in expected.items():
        yield from _compare(f"alerts {kind}", count, counted[kind])


_SECTIONS: Final = {
    "asked": _compare_bank_details_mails,
    "agency-messages": _agency_messages,
    "alerts": _alerts,
    "callbacks": _callbacks,
    "attempts": _attempts,
    "postings": _postings,
    "clock": _clock,
    "mails": _mails,
    "mail": _mail,
    "letters": _letters,
    "held": _compare_postponed,
}
