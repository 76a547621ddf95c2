"""Demo orders after their payment: refunds of every kind, marks, lost orders, trouble."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from paymatch.cli.demo.life import CLERK, OWNER, Life
from paymatch.cli.demo.receiver import ReceiverRefusal
from paymatch.cli.demo.settlements import receive_announced, receive_payouts, submit_orders
from paymatch.clock import utc_now
from paymatch.domain.calendar import date_text
from paymatch.usecases.refunds import refund_runs
from paymatch.usecases.reminders import stops

_RELEASED_ABOVE: Final = "40.00"

StoryEvent = Callable[[Life], None]
_BROKEN: Final = ReceiverRefusal(500, "Internal Server Error: cannot connect to the shop's database", 3)
_UNKNOWN: Final = ReceiverRefusal(404, "order not found", 24)
_MAINTENANCE: Final = ReceiverRefusal(503, "Down for maintenance", 4)


def events_by_day(days: Sequence[date]) -> Mapping[date, Sequence[StoryEvent]]:
    """Bank day -> its events; `days` are all days of the story."""
    story: dict[date, list[StoryEvent]] = defaultdict(list)
    for days_before_the_end, event in _STORY:
        story[days[-1 - days_before_the_end]].append(event)
    return story


def send_refund_now(life: Life) -> None:
    """A refund that is due is put into a transfer file, which the bank has not taken yet; larger ones wait.

    The owner has lowered the limit above which a person must release them, as in a live shop.
    """
    life.change(refund_limit=_RELEASED_ABOVE)
    for reference in ("RET-6114", "RET-6116"):
        _refund(reference, planned_in=1, least="45")(life)
    _refund("RET-6112", share="0.5", planned_in=1)(life)
    day = life.shop.today(utc_now()) + timedelta(days=1)
    refund_runs.run(life.as_person(OWNER), life.shop, utc_now(), day=day)


def _orders(life: Life, status: str, kind: str = "", within: int = 60) -> list[dict[str, Any]]:
    """The shop's orders of a status as a read shows them, the oldest first; those in euros that nothing refunds yet."""
    found = life.ask(f"orders?paymentStatus={status}&maxAge={within}&includeRefunds=true")
    return [
        each
        for each in found
        if kind in ("", each["type"]) and each["currency"] == life.shop.currency and not each.get("refunds")
    ]


def _refund(
    reference: str, *, share: str = "1", planned_in: int = 1, status: str = "PAID", kind: str = "", outcome: str = "",
    least: str = "0",
) -> StoryEvent:  # fmt: skip
    """The shop asks for a part of the latest order of this status, type and `least` amount to be paid back."""

    def do(life: Life) -> None:
        found = [each for each in _orders(life, status, kind) if kind or each["type"] != "COD"]
        if status == "PAID":
            found = [each for each in found if each["amountPaid"] >= each["amount"]]  # not those marked by hand
        found = [each for each in found if Decimal(str(each["amount"])) >= Decimal(least)]
        if not found:
            return
        order = found[-1]
        amount = (Decimal(str(order["amount"])) * Decimal(share)).quantize(Decimal("0.01"))
        day = life.shop.today(utc_now()) + timedelta(days=planned_in)
        body = {
            "externalReference": reference, "amount": str(amount), "currency": order["currency"],
            "plannedDate": date_text(day),
        }  # fmt: skip
        life.client.post(f"order/{order['number']}/refund", body)
        if outcome:
            outcome_body = {"externalReference": reference, "outcome": outcome, "reason": "AC04"}
            life.client.post("sandbox/refunds", outcome_body)

    return do


def _cancel_refund(life: Life) -> None:
    """The customer keeps the goods: the refund is cancelled before it is sent."""
    _refund("RET-6071", share="0.4", planned_in=6)(life)
    latest = [each for each in life.ask("refunds?status=NEW") if each["externalReference"] == "RET-6071"]
    life.client.post(f"refund/{latest[0]['id']}/cancel", {})


def _mark(verb: str) -> StoryEvent:
    """The shop cancels the latest open order, or says that it is paid."""

    def do(life: Life) -> None:
        found = _orders(life, "UNPAID", "PREPAYMENT")
        if found:
            life.client.post(f"order/{found[-1]['number']}/{verb}", {})

    return do


def _remove(life: Life) -> None:
    """The latest open order vanishes from the shop."""
    found = _orders(life, "UNPAID", "PREPAYMENT")
    if found:
        life.client.post(f"order/remove/{found[-1]['number']}", {})


def _synchronise(life: Life) -> None:
    """The shop's complete list of open orders lacks two."""
    open_ones = [each["number"] for each in life.ask("orders?paymentStatus=UNPAID,PAID_PARTIAL&maxAge=200")]
    life.client.post("ordersync", open_ones[2:])


def _outage(refusal: ReceiverRefusal | None) -> StoryEvent:
    def do(life: Life) -> None:
        life.receiver.outage = refusal

    return do


def _refuse(count: int, refusal: ReceiverRefusal) -> StoryEvent:
    """From now on the shop's receiver refuses callbacks of some open orders, which then change."""

    def do(life: Life) -> None:
        found = [each["number"] for each in _orders(life, "UNPAID", "PREPAYMENT", within=25)][-count - 2 : -2]
        life.receiver.refused |= dict.fromkeys(found, refusal)
        for number in found:
            life.client.post(f"order/{number}/setpaid", {})

    return do


def _stop_reminders(life: Life) -> None:
    """The clerk stops the reminders of an order whose customer called."""
    found = _orders(life, "UNPAID", "PREPAYMENT")
    with life.as_person(CLERK).of_shop(life.shop) as tx:
        stops.stop(tx, found[0]["number"])


_STORY: Final[Sequence[tuple[int, StoryEvent]]] = (
    (46, _refund("RET-6012")),
    (43, _outage(_MAINTENANCE)),
    (42, _outage(None)),
    (40, _refund("RET-6019", share="0.4")),
    (37, _refund("RET-6023", share="0.5", outcome="returned")),
    (34, _synchronise),
    (31, _mark("cancel")),
    (29, _refund("RET-6034", share="0.3")),
    (27, _refund("RET-6041", share="0.5", outcome="rejected")),
    (25, _refund("RET-6047")),
    (22, _remove),
    (20, _mark("setpaid")),
    (18, _cancel_refund),
    (15, _refund("RET-6078", kind="COD")),
    (13, _refund("RET-6083", share="0.6")),
    (11, _refuse(1, _UNKNOWN)),
    (9, _stop_reminders),
    (9, submit_orders),
    (8, _refund("RET-6089", share="0.25")),
    (6, _refund("RET-6094", share="0.5", outcome="returned")),
    (5, _mark("cancel")),
    (5, receive_payouts),
    (4, receive_announced),
    (4, _refund("RET-6101", share="0.5", kind="COD")),
    (3, _refund("RET-6104")),
    (1, _refund("RET-6107", share="0.3", planned_in=9)),
    (1, _refund("RET-6109", status="UNPAID", planned_in=2)),
    (0, _refuse(2, _BROKEN)),
)
"""How many bank days before the end of the story what happens."""
