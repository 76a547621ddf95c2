"""The way to one bank for one subscriber: keys exchanged, files fetched and sent, each order with its own answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Protocol

from paymatch.domain.words.message import Message
from paymatch.outbound.ebics import ciphers, requests, return_codes
from paymatch.outbound.ebics.answers import BankAnswer, read_answer, read_bank_keys, read_versions
from paymatch.outbound.ebics.failures import (
    EbicsAnswerUnreadable,
    EbicsFailed,
    EbicsKeysChanged,
    EbicsOrderRefused,
    EbicsUncertain,
    EbicsUnreachable,
)
from paymatch.outbound.ebics.keys import BankKeys, SubscriberKeys
from paymatch.outbound.ebics.requests import OrderRequest, SignedUpload, Subscriber
from paymatch.outbound.ebics.services import BankService
from paymatch.outbound.ebics.uploads import UploadPhase, UploadState

TRIES: Final = 3
"""How often a segment is asked for again before the download is given up for this time."""

_MAX_SEGMENTS: Final = 400


class EbicsTransport(Protocol):
    """Carries one message to the bank's server."""

    def post(self, message: bytes) -> bytes:
        """The answer. EbicsUnreachable if none came whole."""
        ...


@dataclass(frozen=True, slots=True)
class UploadOutcome:
    """The bank's answer on an order that it has."""

    order_id: str
    code: str
    text: str


class EbicsClient:
    """Speaks for a subscriber. `bank` None: its keys are not compared yet, only HEV, INI, HIA, H3K and HPB work."""

    def __init__(
        self,
        subscriber: Subscriber,
        keys: SubscriberKeys,
        bank: BankKeys | None,
        transport: EbicsTransport,
        clock: Callable[[], datetime],
        segment_bytes: int = ciphers.SEGMENT_BYTES,
    ) -> None:
        self._subscriber = subscriber
        self._keys = keys
        self._bank = bank
        self._transport = transport
        self._clock = clock
        self._segment_bytes = segment_bytes
        self.order_number = ""
        """The bank's number of the last order: its order id, or that of the transaction where it gives none."""

    @property
    def now(self) -> datetime:
        """The moment by the client's clock, which goes on while it works."""
        return self._clock()

    def versions(self) -> dict[str, str]:
        """HEV: protocol version -> EBICS version. EbicsFailed."""
        return read_versions(self._transport.post(requests.hev(self._subscriber.host_id)))

    def send_signature_key(self) -> str:
        """INI; the order id. EbicsOrderRefused."""
        return self._send_keys("INI", requests.ini_order(self._subscriber, self._keys))

    def send_other_keys(self) -> str:
        """HIA; the order id. EbicsOrderRefused."""
        return self._send_keys("HIA", requests.hia_order(self._subscriber, self._keys))

    def send_certificates(self) -> str:
        """H3K, instead of INI and HIA; returns the order id. EbicsOrderRefused."""
        return self._send_keys("H3K", requests.h3k_order(self._subscriber, self._keys))

    def fetch_bank_keys(self) -> BankKeys:
        """HPB: the bank's keys, which count only once a person has compared their fingerprints. EbicsFailed."""
        message = requests.hpb(self._subscriber, self._keys, self._clock())
        answer = read_answer(self._transport.post(message), None)
        if answer.code != return_codes.OK:
            raise return_codes.failure(answer.code, answer.report_text)
        return read_bank_keys(self._open_order_data(answer.wrapped_key, answer.order_data), self._subscriber.host_id)

    def fetch(
        self, service: BankService, keep: Callable[[bytes], None], since: date | None = None, until: date | None = None
    ) -> bool:
        """BTD: passes the order data to `keep`, and only then sends the bank a receipt. False: there was none.

        Without days the bank gives what was never fetched. What `keep` raises is raised, and the bank keeps its data.
        """
        return self._download(OrderRequest("BTD", service, since, until), keep)

    def fetch_administrative(self, order_type: str) -> bytes | None:
        """HAA, HTD, HKD, HAC: the order data; None if there is none."""
        kept: list[bytes] = []
        self._download(OrderRequest(order_type), kept.append)
        return kept[0] if kept else None

    def fetch_protocol(self, keep: Callable[[bytes], None]) -> bool:
        """HAC as `fetch` fetches statements: many banks hand out each line of the protocol only once."""
        return self._download(OrderRequest("HAC"), keep)

    def upload(
        self,
        service: BankService,
        data: bytes,
        state: UploadState,
        record: Callable[[UploadState], None],
        *,
        file_name: str = "",
        needs_approval: bool = False,
    ) -> UploadOutcome:
        """BTU: begins or continues an upload; `record` stores each state before the message that follows from it.

        EbicsOrderRefused: the bank does not have it. EbicsUnreachable: call again with the recorded state.
        EbicsUncertain: the last segment left and its result is not known; it must not be uploaded again.
        """
        order = OrderRequest("BTU", service, file_name=file_name, needs_approval=needs_approval)
        return self._upload(order, data, state, record)

    def change_keys(self, new: SubscriberKeys) -> UploadOutcome:
        """HCS: the bank knows the new keys from its answer on. EbicsUncertain: it may know either."""
        data = requests.hcs_order(self._subscriber, new)
        return self._upload(OrderRequest("HCS"), data, _new_state(), _no_upload)

    def suspend(self) -> UploadOutcome:
        """SPR: the bank takes nothing more of this subscriber until it is initialised again."""
        return self._upload(OrderRequest("SPR"), b" ", _new_state(), _no_upload)

    def _send_keys(self, order_type: str, order_data: bytes) -> str:
        answer = read_answer(
            self._transport.post(requests.unsecured_request(self._subscriber, order_type, order_data)), None
        )
        if answer.code != return_codes.OK:
            raise return_codes.failure(answer.code, answer.report_text)
        self.order_number = answer.order_id
        return answer.order_id

    def _download(self, order: OrderRequest, keep: Callable[[bytes], None]) -> bool:
        message = requests.first_request(self._subscriber, self._keys, self._bank_keys(), order, None, self._clock())
        first = self._exchange(message)
        if first.code == return_codes.NO_DATA:
            return False
        if first.code not in return_codes.RECEIVED:
            raise return_codes.failure(first.code, first.report_text)
        if not 1 <= first.segments <= _MAX_SEGMENTS or not first.transaction:
            raise EbicsAnswerUnreadable(Message("ebics-unreadable", what=f"NumSegments {first.segments}"))
        parts = [first.order_data]
        parts.extend(self._segment(first, number) for number in range(2, first.segments + 1))
        try:
            keep(self._open_order_data(first.wrapped_key, "".join(parts)))
        except Exception:
            self._acknowledge(first.transaction, kept=False)
            raise
        self._acknowledge(first.transaction, kept=True)
        return True

    def _segment(self, first: BankAnswer, number: int) -> str:
        """A further segment of a download, asked for again where the line broke."""
        message = requests.segment_request(
            self._subscriber, self._keys, first.transaction, number, number == first.segments, None
        )
        for attempt in range(1, TRIES + 1):
            try:
                answer = self._exchange(message)
            except EbicsUnreachable:
                if attempt == TRIES:
                    raise
                continue
            if answer.code in return_codes.RECEIVED and answer.segment == number:
                return answer.order_data
            if answer.code != return_codes.RESUME:
                raise return_codes.failure(answer.code, answer.report_text)
        raise EbicsAnswerUnreadable(Message("ebics-unreadable", what=f"segment {number}"))

    def _acknowledge(self, transaction: str, *, kept: bool) -> None:
        """Sends the receipt; if it is lost, the bank delivers the same data again, which is booked only once."""
        message = requests.receipt_request(self._subscriber, self._keys, transaction, kept=kept)
        try:
            self._exchange(message)
        except EbicsFailed:
            return

    def _upload(
        self, order: OrderRequest, data: bytes, state: UploadState, record: Callable[[UploadState], None]
    ) -> UploadOutcome:
        segments = ciphers.segments_of(ciphers.sealed_order(data, state.transaction_key), self._segment_bytes)
        if state.phase in {UploadPhase.PREPARED, UploadPhase.OPENING}:
            state = self._open(order, data, len(segments), state, record)
        number = state.next_segment
        for _ in range(len(segments) * TRIES + TRIES):
            last = number == len(segments)
            state = state.before_segment(number, last=last)
            record(state)
            answer = self._send_segment(state, number, segments)
            if answer.code == return_codes.RESUME:
                number = self._resumed_at(answer, len(segments), state)
            elif answer.code not in return_codes.RECEIVED:
                raise return_codes.failure(answer.code, answer.report_text, last_segment_left=not state.may_be_given_up)
            elif last:
                state = state.in_phase(UploadPhase.ACCEPTED, answer.order_id)
                record(state)
                return UploadOutcome(state.order_id, answer.code, answer.report_text)
            else:
                number += 1
        raise EbicsUncertain(Message("ebics-uncertain"))

    def _open(
        self, order: OrderRequest, data: bytes, segments: int, state: UploadState, record: Callable[[UploadState], None]
    ) -> UploadState:
        """The first message; an interrupted one is restarted, since it contained no order data."""
        bank = self._bank_keys()
        record(state.in_phase(UploadPhase.OPENING))
        upload = SignedUpload(state.transaction_key, data, segments)
        message = requests.first_request(self._subscriber, self._keys, bank, order, upload, self._clock())
        answer = self._exchange(message)
        if answer.code not in return_codes.RECEIVED:
            raise return_codes.failure(answer.code, answer.report_text)
        if not answer.transaction:
            raise EbicsAnswerUnreadable(Message("ebics-unreadable", what="TransactionID"))
        opened = state.after_opening(answer.transaction, answer.order_id)
        record(opened)
        return opened

    def _send_segment(self, state: UploadState, number: int, segments: list[str]) -> BankAnswer:
        message = requests.segment_request(
            self._subscriber, self._keys, state.transaction, number, number == len(segments), segments[number - 1]
        )
        try:
            return self._exchange(message)
        except EbicsUnreachable:
            # The same segment of the same transaction may be sent again: the bank takes it once.
            return self._send_again(message, state)
        except (EbicsAnswerUnreadable, EbicsKeysChanged) as error:
            if state.may_be_given_up:
                raise
            raise EbicsUncertain(Message("ebics-uncertain")) from error

    def _send_again(self, message: bytes, state: UploadState) -> BankAnswer:
        """The answer to a segment that was sent before; a refusal of the last one says nothing of its first sending."""
        try:
            answer = self._exchange(message)
        except EbicsFailed as error:
            if state.may_be_given_up:
                raise
            raise EbicsUncertain(Message("ebics-uncertain")) from error
        if not state.may_be_given_up and answer.code not in return_codes.RECEIVED | {return_codes.RESUME}:
            raise EbicsUncertain(Message("ebics-uncertain"))
        return answer

    @staticmethod
    def _resumed_at(answer: BankAnswer, segments: int, state: UploadState) -> int:
        """The segment after the last one that the bank has."""
        following = 1 if answer.phase == "Initialisation" else answer.segment + 1
        if following > segments:
            raise EbicsUncertain(Message("ebics-uncertain"))
        if following < 1:
            raise return_codes.failure(answer.code, answer.report_text, last_segment_left=not state.may_be_given_up)
        return following

    def _exchange(self, message: bytes) -> BankAnswer:
        """The bank's answer, signed by the key that a person compared. EbicsKeysChanged, EbicsAnswerUnreadable."""
        answer = read_answer(self._transport.post(message), self._bank_keys())
        if answer.code == return_codes.KEYS_CHANGED:
            raise EbicsKeysChanged(return_codes.sentence(answer.code, answer.report_text))
        if not answer.genuine:
            raise EbicsAnswerUnreadable(Message("ebics-not-genuine", code=answer.code))
        self.order_number = answer.order_id or answer.transaction or self.order_number
        return answer

    def _bank_keys(self) -> BankKeys:
        if self._bank is None:
            raise EbicsOrderRefused(Message("ebics-keys-not-compared"), "")
        return self._bank

    def _open_order_data(self, wrapped_key: bytes, order_data: str) -> bytes:
        try:
            return ciphers.opened_order(order_data, ciphers.unwrap_key(wrapped_key, self._keys.encryption.private))
        except ciphers.OrderDataBroken as error:
            raise EbicsAnswerUnreadable(Message("ebics-unreadable", what=str(error))) from None


def _new_state() -> UploadState:
    return UploadState(ciphers.new_transaction_key())


def _no_upload(_state: UploadState) -> None:
    """Changes of keys are not continued: they are asked for again."""
