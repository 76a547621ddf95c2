"""Every operation that the API declares is called by both clients, and both are answered the same."""

from __future__ import annotations

import asyncio
import inspect
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import msgspec

from paymatch.api.openapi.document import document
from paymatch.api.router import ROUTES
from paymatch_client import File
from paymatch_client.models import Import, Order, PaymentStatus, PostingsReport, RefundStatus, SyncResult
from tests.client.story import STORY, Step
from tests.client.world import World

OWN = frozenset({"id", "import_id", "reference_number", "event_id", "decision", "version"})
"""Fields whose values are of one shop alone."""
WORKED_ON = frozenset({"audit_log", "import_runs"})
"""Tables in which a repeated call leaves a trace."""


def declared() -> set[str]:
    """The operations of the API's description."""
    return {told["operationId"] for operations in document()["paths"].values() for told in operations.values()}


def play(world: World) -> dict[str, Any]:
    """The story with blocking clients; what each operation answered."""
    known: dict[str, Any] = {}
    for step in STORY:
        world.pass_time()
        with world.client(step.who) as client:
            known[step.operation] = step.call(client, known)
    return known


async def play_async(world: World) -> dict[str, Any]:
    """The story with clients for asyncio."""
    known: dict[str, Any] = {}
    for step in STORY:
        world.pass_time()
        async with world.async_client(step.who) as client:
            known[step.operation] = await step.call(client, known)
    return known


def plain(value: Any) -> Any:
    """The answer without what is of one shop alone."""
    if isinstance(value, msgspec.Struct):
        names = type(value).__struct_fields__
        fields = {name: plain(getattr(value, name)) for name in names if name not in OWN}
        return type(value).__name__, fields
    if isinstance(value, File):
        return "File", value.media_type, value.name
    if isinstance(value, bytes):
        return value[:8]
    return [plain(each) for each in value] if isinstance(value, list) else value


def test_the_story_has_every_operation_that_is_declared() -> None:
    assert {step.operation for step in STORY} == declared()
    assert len(declared()) == len(ROUTES) == 45


def test_both_clients_are_answered_the_same(world: World) -> None:
    known = play(world)
    awaited = asyncio.run(play_async(world.another()))
    assert known.keys() == awaited.keys()
    for operation, answer in known.items():
        assert plain(answer) == plain(awaited[operation]), operation
    _check_values(known)


def _check_values(known: dict[str, Any]) -> None:
    """Types and values of what was answered."""
    first = known["submitOrder"]
    assert isinstance(first, Order)
    assert (first.number, first.date, first.amount) == ("C/1", date(2026, 3, 1), Decimal("19.90"))
    assert (type(first.date), str(first.amount), first.postings, first.due_date) == (date, "19.90", [], None)
    assert first.payment_status is PaymentStatus.UNPAID
    assert [each.number for each in known["listOrders"]] == ["C/1", "C/2", "C/3"]
    assert known["uploadInvoice"] is None
    assert known["readInvoice"].content.startswith(b"%PDF-")
    assert (known["readInvoice"].media_type, known["readInvoice"].name) == ("application/pdf", "RE_1.pdf")
    assert known["readImage"].startswith(b"\x89PNG")
    imported = known["uploadStatement"]
    assert isinstance(imported, Import)
    assert (imported.file, imported.new, imported.matched, imported.sum_credit) == ("may.xml", 1, 1, "20.50")
    assert known["readImport"].state == "done"
    [posting] = known["listPostings"]
    assert (posting.amount, posting.posting_date, posting.allocations[0].order_number) == (
        Decimal("20.50"), date(2026, 3, 2), "C/2",
    )  # fmt: skip
    assert posting.orders[0].postings[0].amount == Decimal("20.50")
    assert (known["cancelRefund"].status, known["cancelRefund"].execution_date) == (RefundStatus.CANCELLED, None)
    assert (known["takeReports"].taken, known["listCases"][0].handed_over) == (1, datetime(2026, 3, 2, 10, 30))  # noqa: DTZ001
    assert isinstance(known["syncOrders"], SyncResult)
    assert (known["syncOrders"].legacy_orders, known["undoSynchronisation"].restored) == (["C/7"], 1)
    assert [each.id for each in known["listEvents"]] == [1, 2]
    assert known["resendFailed"] == 0
    assert isinstance(known["readReport"], PostingsReport)
    assert known["readExport"].content.startswith(b"\xef\xbb\xbf") or b"C/1" in known["readExport"].content
    assert known["moveClock"].now == datetime(2026, 3, 3, 10, 30)  # noqa: DTZ001
    assert known["listPayments"][0].amount == Decimal("19.90")
    assert known["speak"].silent is True


def test_both_clients_take_the_same_arguments(world: World) -> None:
    blocking, waiting = world.client(), world.async_client()
    sections = [name for name in vars(blocking) if not name.startswith("_")]
    assert sections == ["orders", "refunds", "collection", "invoices", "postings", "events", "reports", "sandbox"]
    for section in sections:
        one, other = getattr(blocking, section), getattr(waiting, section)
        names = [name for name in dir(one) if not name.startswith("_")]
        assert names == [name for name in dir(other) if not name.startswith("_")]
        for name in names:
            mine, theirs = (inspect.signature(getattr(each, name)) for each in (one, other))
            assert mine.parameters == theirs.parameters, name
            assert theirs.return_annotation.removeprefix("Async") == mine.return_annotation, name
            assert getattr(one, name).__doc__ == getattr(other, name).__doc__
    blocking.close()
    asyncio.run(waiting.aclose())


REPEATABLE = frozenset(
    told["operationId"]
    for operations in document()["paths"].values()
    for method, told in operations.items()
    if method == "post" and "x-idempotent" in told
)


def test_what_may_be_repeated_changes_nothing_the_second_time(world: World) -> None:
    known: dict[str, Any] = {}
    repeated = set()
    for step in STORY:
        world.pass_time()
        with world.client(step.who) as client:
            known[step.operation] = step.call(client, known)
            if step.operation in REPEATABLE:
                before = _rows(world, step)
                step.call(client, known)
                assert _rows(world, step) == before, step.operation
                repeated.add(step.operation)
    assert repeated == REPEATABLE
    assert len(repeated) == 11


def _rows(world: World, step: Step) -> list[tuple[Any, ...]]:
    shop = world.sandbox if step.who == "sandbox" else world.shop
    return [row for row in shop.contents() if row[0] not in WORKED_ON]
