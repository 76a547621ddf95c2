"""Scenario steps: one function per verb, in the words of the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import quote

from paymatch.cli.scenario import customer_steps
from paymatch.cli.scenario.world import ApiReply, World
from paymatch.clock import utc_now
from paymatch.domain.calendar import date_text
from paymatch.domain.money import Currency, minor_to_text, text_to_minor
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.domain.words.message import Message
from paymatch.store.statements.posting_report import report
from paymatch.usecases.callbacks import resume
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part, Withheld
from paymatch.usecases.refunds import refunds
from paymatch.usecases.sandbox import simulated_bank
from paymatch.usecases.shops import shops
from paymatch.usecases.shops.dunning_plans import change_plan

_ORDER_DEFAULTS: Final = {"type": "PREPAYMENT", "currency": "EUR"}
_OUR_WORDS: Final = frozenset({"name", "company", "due", "ago", "invoice", "tracking"})


def _order_body(world: World, value: Any) -> dict[str, Any]:
    """An Order of the API: fields as the document names them, and short words for the usual ones."""
    given = _mapping(value, "order")
    today = world.shop.today(utc_now())
    first, _, last = given.get("name", "Erika Mustermann").rpartition(" ")
    who = {"company": given["company"]} if "company" in given else {"firstName": first, "lastName": last}
    body: dict[str, Any] = {
        **_ORDER_DEFAULTS,
        "date": date_text(today - timedelta(days=int(given.get("ago", "0")))),
        "billing": who | {"countryCode": "DE"},
    }
    if "due" in given:
        body["dueDate"] = date_text(today + timedelta(days=int(given["due"])))
    if "invoice" in given:
        body["invoiceNumbers"] = [given["invoice"]]
    if "tracking" in given:
        body["shippingNumbers"] = [given["tracking"]]
    for name, each in given.items():
        if name not in _OUR_WORDS:
            body[name] = each == "true" if each in ("true", "false") else each
    if "exchangeRate" in body or "initialDunningLevel" in body:
        body |= {name: _number(body[name]) for name in ("exchangeRate", "initialDunningLevel") if name in body}
    return body


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def submit(world: World, value: Any) -> ApiReply:
    """`order: {number: A-1, amount: 49.90}`: POST /order/{orderNumber}, new or again."""
    body = _order_body(world, value)
    return world.call("POST", f"order/{_path(body.get('number', ''))}", body)


def submit_many(world: World, value: Any) -> ApiReply:
    """`orders: [{number: A-1, ...}, ...]`: POST /orders."""
    return world.call("POST", "orders", [_order_body(world, each) for each in _list(value)])


def synchronise(world: World, value: Any) -> ApiReply:
    """`ordersync: [A-1, A-2]` or `{orders: [...], force: true}`: POST /ordersync."""
    given = value if isinstance(value, dict) else {"orders": value}
    flags = "&".join(f"{name}={given[name]}" for name in ("force", "dryRun", "detail") if name in given)
    return world.call("POST", f"ordersync?{flags}", _list(given["orders"]))


def _mark(action: str) -> Callable[[World, Any], ApiReply]:
    def act(world: World, value: Any) -> ApiReply:
        replies = [world.call("POST", f"order/{_path(number)}/{action}") for number in _list(value)]
        return replies[-1]

    return act


def remove(world: World, value: Any) -> ApiReply:
    """`remove: A-1`: POST /order/remove/{orderNumber}."""
    replies = [world.call("POST", f"order/remove/{_path(number)}") for number in _list(value)]
    return replies[-1]


def refund(world: World, value: Any) -> ApiReply:
    """`refund: {order: A-1, reference: R-1, amount: 10.00, in: 3}`: POST /order/{orderNumber}/refund."""
    given = _mapping(value, "refund")
    day = world.shop.today(utc_now()) + timedelta(days=int(given.get("in", "1")))
    body = {
        "externalReference": given.get("reference", "R-1"),
        "amount": given.get("amount", ""),
        "currency": given.get("currency", "EUR"),
        "plannedDate": date_text(day),
    }
    return world.call("POST", f"order/{_path(given['order'])}/refund", body)


def outcome(world: World, value: Any) -> ApiReply:
    """`bank: silent`, `bank: delivers`, or `bank: {refund: R-1, outcome: returned}`: POST /sandbox/bank, /refunds."""
    if value in ("silent", "delivers"):
        return world.call("POST", "sandbox/bank", {"silent": value == "silent"})
    given = dict(_mapping(value, "bank"))
    return world.call("POST", "sandbox/refunds", {"externalReference": given.pop("refund"), **given})


def plan(world: World, value: Any) -> ApiReply:
    """`plan: {levels: "7,21:2.50", grace-days: 5}`: as `paymatch reminders plan`."""
    with world.database.of_shop(world.shop) as tx:
        change_plan(tx, dict(_mapping(value, "plan")))
    return ApiReply(200, None)


def switch(world: World, value: Any) -> ApiReply:
    """`set: {reminders: "off"}`: as `paymatch shop set`."""
    with world.database.of_shop(world.shop) as tx:
        shops.change(tx, dict(_mapping(value, "set")))
    return ApiReply(200, None)


def give_iban(world: World, value: Any) -> ApiReply:
    """`iban: {order: A-1, refund: R-1, iban: DE..., holder: Erika}`: the customer names an account for the refund."""
    given = _mapping(value, "iban")
    found = world.order(given["order"]).json.get("refunds", [])
    refund_id = next((each["id"] for each in found if each["externalReference"] == given["refund"]), "")
    with world.database.of_shop(world.shop) as tx:
        refunds.set_iban(tx, refund_id, given["iban"], given.get("holder", ""))
    return ApiReply(200, None)


def pays(world: World, value: Any) -> ApiReply:
    """`pays: {order: A-1, amount: 20.00, reference: typo}`: POST /sandbox/payments; `share: 1/2` of what is open."""
    given = dict(_mapping(value, "pays")) if isinstance(value, dict) else {"order": value}
    body: dict[str, Any] = {
        "orderNumbers": _list(given.pop("orders", None) or given.pop("order")),
        "formats": _list(given.pop("formats", "camt.053")),
    }
    if "share" in given:
        given["amount"] = _share(world, body["orderNumbers"][0], given.pop("share"))
    if "times" in given:
        body["times"] = int(given.pop("times"))
    if "deliveredTwice" in given:
        body["deliveredTwice"] = given.pop("deliveredTwice") == "true"
    return world.call("POST", "sandbox/payments", body | given)


def _share(world: World, number: str, share: str) -> str:
    """A part of the order's amount, the odd cent left out."""
    part, _, whole = share.partition("/")
    order = world.order(number).json
    minor = text_to_minor(str(order["amount"]), Currency(order["currency"]))
    return minor_to_text(minor * int(part) // int(whole), Currency(order["currency"]))


def comes_back(world: World, value: Any) -> ApiReply:
    """`returns: {order: A-1, reason: AC04}`: POST /sandbox/returns for the order's latest payment."""
    given = dict(value) if isinstance(value, dict) else {"order": value}
    given["orderNumber"] = given.pop("order")
    return world.call("POST", "sandbox/returns", given)


def payout(world: World, value: Any) -> ApiReply:
    """`payout: {orders: [A-1, A-2], fee: 5.00}`: POST /sandbox/payouts."""
    given = dict(_mapping(value, "payout"))
    return world.call("POST", "sandbox/payouts", {"orderNumbers": _list(given.pop("orders")), **given})


def books(world: World, value: Any) -> ApiReply:
    """`books: {amount: -4.50, name: Bank, text: Entgelt}`: POST /sandbox/bookings."""
    return world.call("POST", "sandbox/bookings", dict(_mapping(value, "books")))


def receiver(world: World, value: Any) -> ApiReply:
    """`receiver: down`, `up`, or a status such as `500`."""
    if value not in ("up", "down") and not (str(value).isdigit() and len(str(value)) == 3):
        raise SandboxRefused(Message("sandbox-receiver-up-down-http"))
    world.receiver.mode = value
    return ApiReply(200, None)


def resumes(world: World, value: Any) -> ApiReply:
    """`callbacks: resume`: lets callbacks flow again after the receiver said 410."""
    if value != "resume":
        raise SandboxRefused(Message("sandbox-callbacks-resume-expected"))
    with world.database.of_shop(world.shop) as tx:
        resume(tx)
    return ApiReply(200, None)


def import_again(world: World, value: Any) -> ApiReply:
    """`import: again`: the bank's latest file goes through the import once more."""
    if value != "again":
        raise SandboxRefused(Message("sandbox-import-again-expected"))
    found = simulated_bank.import_again(world.database, world.shop, utc_now())
    return ApiReply(200, found.as_dict())


def assign(world: World, value: Any) -> ApiReply:
    """`match: A-1`: a clerk assigns the oldest posting that waits for a decision, as the queue would show it.

    `{orders: [A-1], kept: COMMISSION}`: what the orders have open beyond the posting was kept by its payer.
    """
    given = value if isinstance(value, dict) else {"orders": value}
    kept = Withheld(None, FeeKind(given["kept"])) if "kept" in given else assigning.NOTHING
    with world.database.of_shop(world.shop_id) as tx:
        waiting = [row for row in report(tx, ("suggested", "unmatched")) if "reason" not in row]
    if not waiting:
        raise SandboxRefused(Message("sandbox-match-no-posting-waits"))
    parts = [Part(number) for number in _list(given["orders"])]
    assigning.match(world.database, world.shop, waiting[0]["id"], parts, utc_now(), kept)
    return ApiReply(200, None)


STEPS: Final[Mapping[str, Callable[[World, Any], ApiReply]]] = {
    "order": submit,
    "orders": submit_many,
    "ordersync": synchronise,
    "cancel": _mark("cancel"),
    "setpaid": _mark("setpaid"),
    "setunpaid": _mark("setunpaid"),
    "remove": remove,
    "refund": refund,
    "bank": outcome,
    "plan": plan,
    "set": switch,
    "iban": give_iban,
    "pays": pays,
    "returns": comes_back,
    "payout": payout,
    "books": books,
    "receiver": receiver,
    "callbacks": resumes,
    "import": import_again,
    "match": assign,
    "collection": _mark("collection"),
    "withdraw": _mark("collection/withdraw"),
    "agency": customer_steps.agency,
    "agency-reports": customer_steps.agency_reports,
    "says": customer_steps.says,
    "bounces": customer_steps.comes_back,
    "stop": customer_steps.stop,
    "legacy-refund": customer_steps.legacy_refund,
}


def _path(number: str) -> str:
    return quote(number, safe="")


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _mapping(value: Any, verb: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise SandboxRefused(Message("sandbox-mapping-expected-such-order", verb=verb, verb2=verb))
    return value
