"""Our addition to the API for sandbox shops: the shop's clock, and its simulated bank (docs/sandbox.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import Body, json_body, json_of
from paymatch.api.refusals import ours
from paymatch.api.router import endpoint
from paymatch.api.sections import SANDBOX
from paymatch.domain.calendar import date_text, moment_text
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.shops.sandbox import Reference, SandboxRefused, after_span, moment_of
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message, as_text
from paymatch.formats.contract import values
from paymatch.formats.contract.bodies import BodyMissing, InvalidJson, without_mark
from paymatch.formats.contract.json_schema import array, ref
from paymatch.store.sandbox import sandbox as store
from paymatch.store.sandbox.sandbox import BankBooking
from paymatch.store.transactions import ShopTx
from paymatch.usecases.reminders import reminder_lists
from paymatch.usecases.sandbox import simulated_bank, transfers
from paymatch.usecases.sandbox.simulated_bank import SimulatedTransfer
from paymatch.usecases.sandbox.transfers import SimulatedOutcome
from paymatch.usecases.work.sandbox_clock import hold_due_work, move

CLOCK_SECONDS: Final = 60.0
"""Real time that one call may take; a longer journey is answered with `done: false`, and the next call goes on."""

MAILS: Final = 200
"""Mails that one call lists."""

_BODY: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_REFERENCES: Final = frozenset(Reference)
_OUTCOMES: Final = frozenset(SimulatedOutcome)
_BOOKINGS: Final = json_of(array(ref("SandboxBooking")))
_REFUSED: Final = (
    ours(400, "<what the sandbox cannot do>", "The shop is not a sandbox, or its clock or bank cannot do this."),
)


@dataclass(frozen=True, slots=True)
class OrderQuery:
    """The order to filter by."""

    order_number: str = parameters.text("Of this order only.")


def _sandbox_shop(_tx: ShopTx, _params: Mapping[str, str]) -> None:
    if not _tx.shop.sandbox:
        raise SandboxRefused(Message("sandbox-only-shops-have-clock-bank"))


class SandboxBody:
    """The fields of a JSON object, checked one by one."""

    def __init__(self, call: ApiCall) -> None:
        body = without_mark(call.body)
        if not body.strip():
            raise BodyMissing
        try:
            body.decode("utf-8")
            self._fields = _BODY.decode(body)
        except msgspec.ValidationError:
            raise InvalidJson(Message("invalid-json-request-json-object-expected")) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise InvalidJson(Message("invalid-json")) from None
        self._currency = Currency(call.shop.currency)

    def has(self, name: str) -> bool:
        return name in self._fields

    def value(self, name: str) -> Any:
        raw = self._fields.get(name)
        try:
            return None if raw is None else msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError):
            raise InvalidJson(Message("invalid-json")) from None

    def text(self, name: str) -> str:
        return values.text(name, self.value(name), 1000) or ""

    def amount(self, name: str) -> int | None:
        raw = self._fields.get(name)
        if raw is None or bytes(raw).strip() in (b"null", b'""'):
            return None
        return values.amount_in(name, values.amount(name, bytes(raw)), self._currency)

    def numbers(self) -> tuple[str, ...]:
        several = values.identifiers("orderNumbers", self.value("orderNumbers"))
        one = values.order_number("orderNumber", self.value("orderNumber"))
        found = tuple(several or ([one] if one else []))
        if not found:
            raise values.missing_parameter("orderNumber")
        if len(set(found)) != len(found):
            raise OrderRefused(Message("order-parameter-ordernumbers-not-valid"), parameter="orderNumbers")
        return found

    def formats(self) -> tuple[str, ...]:
        return tuple(values.identifiers("formats", self.value("formats")) or ("camt.053",))


def _read_body(name: str, example: dict[str, Any]) -> Body:
    return json_body(SandboxBody, ref(name), example)


@endpoint(
    "GET",
    "sandbox/clock",
    SANDBOX,
    "Read the clock",
    "Sandbox shops only.",
    answer=json_of(ref("SandboxClock")),
    refusals=_REFUSED,
    needs=_sandbox_shop,
)
def read_clock(call: ApiCall) -> ApiAnswer:
    """The moment of a sandbox shop's clock, in its time zone; 400 for other shops."""
    return ApiAnswer(
        msgspec.json.encode({"now": moment_text(call.shop.now(call.clock), call.shop.timezone)}, enc_hook=as_text)
    )


@endpoint(
    "POST",
    "sandbox/clock",
    SANDBOX,
    "Move the clock",
    "Everything that becomes due on the way happens in order.",
    body=_read_body("SandboxJourney", {"advance": "3d"}),
    answer=json_of(ref("SandboxClock")),
    refusals=_REFUSED,
    needs=_sandbox_shop,
    detached=True,
)
def move_clock(call: ApiCall, body: SandboxBody) -> ApiAnswer:
    """Moves a sandbox shop's clock: `{"advance": "3d"}` or `{"set": "2026-12-01"}`. Everything due happens in order."""
    span, moment = body.text("advance"), body.text("set")
    if bool(span) == bool(moment):
        raise SandboxRefused(Message("sandbox-either-advance-set-expected"))
    with hold_due_work(call.database, call.shop, call.config.clock):
        with call.transaction() as tx:
            now = store.now(tx, call.config.clock())
        zone = call.shop.timezone
        until = after_span(now, span, zone) if span else moment_of(moment, zone)
        base, door = call.config.address(), call.config.open_door()
        moved = move(call.database, call.shop, until, door, call.config.clock, base=base, seconds=CLOCK_SECONDS)
    answer = {
        "now": moment_text(moved.reached, zone),
        "done": moved.done,
        "moments": moved.moments,
        "files": moved.files,
        "postings": moved.postings,
        "callbacksDelivered": moved.callbacks_delivered,
        "callbacksFailed": moved.callbacks_failed,
    }
    return ApiAnswer(msgspec.json.encode(answer, enc_hook=as_text))


@endpoint(
    "GET",
    "sandbox/payments",
    SANDBOX,
    "List the bank's bookings",
    "Latest first.",
    answer=_BOOKINGS,
    refusals=_REFUSED,
    needs=_sandbox_shop,
)
def list_payments(call: ApiCall, query: OrderQuery) -> ApiAnswer:
    """What the simulated bank has booked, latest first; `orderNumber` for those of one order."""
    found = store.bookings(call.tx, order_number=query.order_number)
    return _answer(call.shop, found)


@endpoint(
    "GET",
    "sandbox/mails",
    SANDBOX,
    "List the mail to customers",
    "Latest first. Mail of sandbox shops is kept and never sent.",
    answer=json_of(array(ref("SandboxMail"))),
    refusals=_REFUSED,
    needs=_sandbox_shop,
)
def list_mails(call: ApiCall, query: OrderQuery) -> ApiAnswer:
    """The mail that customers would have got, the latest 200; `orderNumber` for that about one order."""
    found = reminder_lists.list_mails(call.tx, number=query.order_number, limit=MAILS)
    return ApiAnswer(msgspec.json.encode([_mail(call.shop, mail) for mail in found], enc_hook=as_text))


@endpoint(
    "POST",
    "sandbox/bank",
    SANDBOX,
    "Hold back the bank's files",
    "Missing statements delay reminders.",
    body=_read_body("SandboxBank", {"silent": True}),
    answer=json_of(ref("SandboxBank")),
    refusals=_REFUSED,
    needs=_sandbox_shop,
    repeatable=True,
)
def speak(call: ApiCall, body: SandboxBody) -> ApiAnswer:
    """Whether the bank is silent: `{"silent": true}` holds its files back, false delivers all that have waited."""
    silent = values.flag("silent", body.value("silent"))
    if silent is None:
        raise values.missing_parameter("silent")
    store.set_silent(call.tx, silent=silent)
    return ApiAnswer(msgspec.json.encode({"silent": silent}, enc_hook=as_text))


@endpoint(
    "POST",
    "sandbox/payments",
    SANDBOX,
    "Simulate a payment",
    "The payment appears in the next file of the simulated bank.",
    body=_read_body("SandboxPayment", {"orderNumber": "2026/1001", "reference": str(Reference.EXACT)}),
    answer=_BOOKINGS,
    refusals=_REFUSED,
    needs=_sandbox_shop,
)
def pay(call: ApiCall, body: SandboxBody) -> ApiAnswer:
    """A customer's transfer at the simulated bank: orderNumber(s), amount, payer, reference, iban, text, formats ..."""
    transfer = SimulatedTransfer(
        order_numbers=body.numbers(),
        amount_minor=body.amount("amount"),
        payer=body.text("payer"),
        iban=body.text("iban").replace(" ", ""),
        reference=Reference(values.one_of("reference", body.value("reference"), _REFERENCES) or Reference.EXACT),
        text=body.text("text") if body.has("text") else None,
        formats=body.formats(),
        fee_minor=body.amount("fee") or 0,
        times=values.whole("times", body.value("times"), simulated_bank.MAX_TIMES) or 1,
        delivered_twice=values.flag("deliveredTwice", body.value("deliveredTwice")) or False,
    )
    return _answer(call.shop, simulated_bank.pay(call.tx, transfer))


@endpoint(
    "POST",
    "sandbox/returns",
    SANDBOX,
    "Simulate a returned payment",
    body=_read_body("SandboxReturn", {"orderNumber": "2026/1001", "reason": "AC04"}),
    answer=_BOOKINGS,
    refusals=_REFUSED,
    needs=_sandbox_shop,
)
def give_back(call: ApiCall, body: SandboxBody) -> ApiAnswer:
    """A payment comes back: `payment` (its id) or `orderNumber`, `reason` (ISO code, default FOCR), `charges`."""
    name = body.text("payment") or body.text("orderNumber")
    if not name:
        raise values.missing_parameter("payment")
    booking = simulated_bank.give_back(
        call.tx,
        name,
        reason=body.text("reason") or "FOCR",
        charges_minor=body.amount("charges") or 0,
        formats=body.formats(),
    )
    return _answer(call.shop, [booking])


@endpoint(
    "POST",
    "sandbox/payouts",
    SANDBOX,
    "Simulate a carrier's payout",
    "Several orders in one payment, less a fee.",
    body=_read_body("SandboxPayout", {"orderNumbers": ["2026/1001", "2026/1002"], "fee": 4.9}),
    answer=_BOOKINGS,
    refusals=_REFUSED,
    needs=_sandbox_shop,
)
def pay_out(call: ApiCall, body: SandboxBody) -> ApiAnswer:
    """A carrier pays out what it has collected: `orderNumbers`, `fee` in all, `carrier` (its name)."""
    carrier = body.text("carrier") or simulated_bank.CARRIER
    booking = simulated_bank.pay_out(call.tx, body.numbers(), fee_minor=body.amount("fee") or 0, carrier=carrier)
    return _answer(call.shop, [booking])


@endpoint(
    "POST",
    "sandbox/refunds",
    SANDBOX,
    "Choose the outcome of a refund",
    "At any time before the bank has it.",
    body=_read_body("SandboxRefund", {"externalReference": "R-2026-7", "outcome": "returned", "reason": "AC04"}),
    answer=json_of(ref("SandboxRefund")),
    refusals=_REFUSED,
    needs=_sandbox_shop,
    repeatable=True,
)
def decide_outcome(call: ApiCall, body: SandboxBody) -> ApiAnswer:
    """Sets a refund's outcome at the bank: `externalReference`, `outcome` booked, rejected or returned, `reason`."""
    reference, outcome = body.text("externalReference"), values.one_of("outcome", body.value("outcome"), _OUTCOMES)
    if not reference:
        raise values.missing_parameter("externalReference")
    if not outcome:
        raise values.missing_parameter("outcome")
    transfers.decide_outcome(call.tx, reference, SimulatedOutcome(outcome), body.text("reason"))
    return ApiAnswer(msgspec.json.encode({"externalReference": reference, "outcome": outcome}, enc_hook=as_text))


@endpoint(
    "POST",
    "sandbox/bookings",
    SANDBOX,
    "Simulate another booking",
    "A booking that belongs to no order.",
    body=_read_body("SandboxOther", {"amount": -12.5, "name": "Energie AG", "text": "Abschlag Maerz"}),
    answer=_BOOKINGS,
    refusals=_REFUSED,
    needs=_sandbox_shop,
)
def book_other(call: ApiCall, body: SandboxBody) -> ApiAnswer:
    """Something that belongs to no order: `amount` (negative: money out), `name`, `text`."""
    amount = body.amount("amount")
    if not amount:
        raise values.missing_parameter("amount")
    booking = simulated_bank.book_other(call.tx, amount, body.text("name"), body.text("text"))
    return _answer(call.shop, [booking])


def _mail(shop: Shop, mail: dict[str, Any]) -> dict[str, Any]:
    wanted = ("id", "orderNumber", "dunningLevel", "status", "to", "subject", "messageId", "text")
    return {"createdAt": moment_text(mail["createdAt"], shop.timezone)} | {name: mail[name] for name in wanted}


def _answer(shop: Shop, bookings: list[BankBooking]) -> ApiAnswer:
    return ApiAnswer(
        msgspec.json.encode([_as_dict(shop, booking, booking.deliver_at) for booking in bookings], enc_hook=as_text)
    )


def _as_dict(shop: Shop, booking: BankBooking, deliver_at: datetime) -> dict[str, Any]:
    posting = booking.posting
    amount = minor_to_text(posting.amount_minor, posting.currency)
    return {
        "id": booking.id,
        "orderNumbers": booking.order_numbers,
        "amount": msgspec.Raw(amount.encode()),
        "currency": posting.currency,
        "postingDate": date_text(posting.booking_date),
        "deliveredAt": moment_text(deliver_at, shop.timezone),
        "formats": booking.formats,
        "originator": posting.counterparty_name,
        "iban": posting.counterparty_iban,
        "reference": posting.bank_reference,
        "text": posting.text,
    }
