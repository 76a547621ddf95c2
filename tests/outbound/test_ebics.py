"""The EBICS client against a bank that has the faults of banks and lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from paymatch.domain.words.message import Message
from paymatch.outbound.ebics import ciphers, signed_xml
from paymatch.outbound.ebics.client import EbicsClient
from paymatch.outbound.ebics.failures import (
    EbicsAnswerUnreadable,
    EbicsKeysChanged,
    EbicsOrderRefused,
    EbicsUncertain,
    EbicsUnreachable,
)
from paymatch.outbound.ebics.http_transport import HttpTransport
from paymatch.outbound.ebics.keys import BankKeys, SubscriberKeys, key_fingerprint, same_fingerprint
from paymatch.outbound.ebics.offers import read_available, read_offer
from paymatch.outbound.ebics.order_files import files_in
from paymatch.outbound.ebics.protocol import ProtocolVerdict, read_protocol, verdict
from paymatch.outbound.ebics.requests import Subscriber
from paymatch.outbound.ebics.services import OrderSubject, usual_service
from paymatch.outbound.ebics.uploads import UploadPhase, UploadState
from paymatch.outbound.http import HttpClient
from tests.fakes.ebics_bank import EbicsBank, serve

NOW = datetime(2026, 7, 1, 8, 0, tzinfo=UTC)
STATEMENTS = usual_service(OrderSubject.STATEMENTS, "DE")
TRANSFERS = usual_service(OrderSubject.TRANSFERS, "DE")
WHO = Subscriber("PMBANK", "KUNDE01", "USER01")


@lru_cache
def own_keys(name: str = "shop") -> SubscriberKeys:
    return SubscriberKeys.generate(name, NOW, 2048)


@lru_cache
def bank_keys() -> SubscriberKeys:
    return SubscriberKeys.generate("PMBANK", NOW, 2048)


@dataclass
class Line:
    """Hands messages to the bank as HTTP would; None of the bank is a broken line."""

    bank: EbicsBank

    def post(self, message: bytes) -> bytes:
        answer = self.bank.answer(message)
        if answer is None:
            raise EbicsUnreachable(Message("text", value="the line broke"))
        return answer


@dataclass
class Journal:
    """What a caller records of an upload."""

    states: list[UploadState] = field(default_factory=lambda: [UploadState(bytes(16))])

    def record(self, state: UploadState) -> None:
        self.states.append(state)

    @property
    def last(self) -> UploadState:
        return self.states[-1]


def a_bank(*, active: bool = True, **settings: object) -> EbicsBank:
    bank = EbicsBank(bank_keys(), clock=lambda: NOW, **settings)  # type: ignore[arg-type]
    if active:
        keys = own_keys()
        bank.subscriber = {
            "A006": keys.signature.certificate, "X002": keys.authentication.certificate,
            "E002": keys.encryption.certificate,
        }  # fmt: skip
        bank.active = True
    return bank


def a_client(
    bank: EbicsBank, *, known: BankKeys | None = None, clock: Callable[[], datetime] = lambda: NOW, segment: int = 100
) -> EbicsClient:
    return EbicsClient(WHO, own_keys(), known or bank.public, Line(bank), clock, segment)


def upload(client: EbicsClient, journal: Journal, data: bytes = b"pain.001" * 200) -> object:
    return client.upload(TRANSFERS, data, journal.last, journal.record, file_name="PM1.xml")


def test_a_subscriber_is_initialised_and_fetches_and_sends_by_http() -> None:
    bank = a_bank(active=False)
    with serve(bank) as url:
        door = HttpClient(allow_private=True)
        transport = HttpTransport(door, url)
        client = EbicsClient(WHO, own_keys(), None, transport, lambda: NOW)
        assert client.versions() == {"H004": "02.50", "H005": "03.00"}
        client.send_signature_key()
        client.send_other_keys()
        with pytest.raises(EbicsOrderRefused, match="Send the signed letter"):
            client.fetch_bank_keys()
        with pytest.raises(EbicsOrderRefused, match="Compare the fingerprints"):
            client.fetch(STATEMENTS, lambda _data: None)
        bank.active = True
        known = client.fetch_bank_keys()
        assert known.fingerprints == bank.public.fingerprints
        client = EbicsClient(WHO, own_keys(), known, transport, lambda: NOW)
        bank.put("camt.053", ("one.xml", b"<one/>"), ("two.xml", b"<two/>"))
        got: list[bytes] = []
        assert client.fetch(STATEMENTS, got.append)
        assert not client.fetch(STATEMENTS, got.append)
        assert files_in(got[0], "x") == [("x-one.xml", b"<one/>"), ("x-two.xml", b"<two/>")]
        journal = Journal()
        assert client.upload(TRANSFERS, b"<pain/>", journal.last, journal.record).order_id == "N001"
        door.close()
    assert [(each.data, each.service, each.approval) for each in bank.orders] == [(b"<pain/>", "pain.001", False)]


def test_a_bank_that_wants_certificates_takes_all_keys_at_once() -> None:
    bank = a_bank(active=False, requires_certificates=True)
    client = a_client(bank)
    with pytest.raises(EbicsOrderRefused):
        client.send_signature_key()
    client.send_certificates()
    bank.active = True
    assert client.fetch_bank_keys().fingerprints == bank.public.fingerprints


def test_what_the_bank_offers_says_accounts_services_and_the_class_of_signature() -> None:
    bank = a_bank(level="T")
    client = a_client(bank)
    for order_type in ("HTD", "HKD"):
        data = client.fetch_administrative(order_type)
        assert data is not None
        offer = read_offer(data, "USER01")
        assert (offer.accounts, offer.transfer_level) == (("DE89370400440532013000",), "T")
        assert usual_service(OrderSubject.STATEMENTS, "DE", offer.services) == STATEMENTS
    bank.put("camt.053", ("a.xml", b"<a/>"))
    data = client.fetch_administrative("HAA")
    assert data is not None
    assert read_available(data) == (STATEMENTS,)


def test_class_t_waits_for_the_approval_at_the_bank() -> None:
    bank = a_bank(level="T")
    client, journal = a_client(bank), Journal()
    with pytest.raises(EbicsOrderRefused, match="permit this order type"):
        upload(client, journal)
    outcome = client.upload(TRANSFERS, b"<p/>", Journal().last, journal.record, needs_approval=True)
    protocol = client.fetch_administrative("HAC")
    assert protocol is not None
    assert verdict(read_protocol(protocol), outcome.order_id, "") is ProtocolVerdict.WAITS_FOR_APPROVAL


def test_an_upload_of_many_segments_is_one_order_that_the_protocol_knows() -> None:
    bank = a_bank()
    client, journal = a_client(bank, segment=20), Journal()
    upload(client, journal)
    assert [each.data for each in bank.orders] == [b"pain.001" * 200]
    assert journal.last.phase is UploadPhase.ACCEPTED
    protocol = client.fetch_administrative("HAC")
    assert protocol is not None
    assert verdict(read_protocol(protocol), "N001", "") is ProtocolVerdict.ACCEPTED
    assert verdict(read_protocol(protocol), "N002", "") is ProtocolVerdict.UNKNOWN


@pytest.mark.parametrize("stop_at", range(8))
def test_after_a_kill_at_any_message_the_upload_goes_on_and_the_bank_has_it_once(stop_at: int) -> None:
    """What is killed after a message left knows only the state that it recorded before it."""
    bank = a_bank()
    journal, sent = Journal(), 0

    class Killed(Exception):
        pass

    class KilledLine(Line):
        def post(self, message: bytes) -> bytes:
            nonlocal sent
            answer = super().post(message)
            sent += 1
            if sent == stop_at + 1:
                raise Killed
            return answer

    first = EbicsClient(WHO, own_keys(), bank.public, KilledLine(bank), lambda: NOW, 20)
    try:
        upload(first, journal)
    except Killed:
        if journal.last.may_be_given_up:
            upload(a_client(bank, segment=20), journal)
        else:
            with pytest.raises(EbicsUncertain):
                upload(a_client(bank, segment=20), journal)
    assert [each.data for each in bank.orders] == [b"pain.001" * 200]


def test_a_line_that_breaks_after_the_last_segment_leaves_the_upload_uncertain() -> None:
    bank = a_bank()
    journal = Journal()
    bank.drops["Transfer"] = 2
    with pytest.raises(EbicsUncertain, match="not sent again"):
        upload(a_client(bank, segment=10_000), journal)
    assert (journal.last.phase, journal.last.may_be_given_up, len(bank.orders)) == (UploadPhase.SENT, False, 1)


def test_a_line_that_breaks_before_the_last_segment_lets_the_upload_go_on() -> None:
    bank = a_bank()
    journal = Journal()
    bank.loses["Transfer"] = 2
    with pytest.raises(EbicsUnreachable):
        upload(a_client(bank, segment=20), journal)
    assert journal.last.may_be_given_up
    upload(a_client(bank, segment=20), journal)
    assert len(bank.orders) == 1


def test_an_answer_that_was_changed_on_the_way_is_not_believed() -> None:
    bank = a_bank()
    bank.put("camt.053", ("a.xml", b"<a/>"))
    bank.corrupts["Initialisation"] = 1
    with pytest.raises(EbicsAnswerUnreadable, match="not signed by the key"):
        a_client(bank).fetch(STATEMENTS, lambda _data: None)
    journal = Journal()
    bank.corrupts["Transfer"] = 1
    with pytest.raises(EbicsUncertain):
        upload(a_client(bank, segment=10_000), journal)


def test_an_upload_goes_on_where_the_bank_says_that_it_stopped() -> None:
    bank, journal = a_bank(), Journal()
    bank.drops["Transfer"] = 1  # the bank has the segment, and we do not know
    upload(a_client(bank, segment=20), journal)
    assert [each.data for each in bank.orders] == [b"pain.001" * 200]


def test_a_refused_order_may_be_sent_again_and_an_unclear_one_may_not() -> None:
    bank = a_bank(refuses="090004")
    with pytest.raises(EbicsOrderRefused, match="transfer-version"):
        upload(a_client(bank, segment=10_000), Journal())
    bank.refuses = "061099"
    with pytest.raises(EbicsUncertain):
        upload(a_client(bank, segment=10_000), Journal())


def test_a_download_in_segments_survives_a_broken_line_and_is_acknowledged_once_it_is_kept() -> None:
    bank = a_bank(segment_bytes=40)
    bank.put("camt.053", ("a.xml", b"<a/>"))
    bank.loses["Transfer"] = 2
    client = a_client(bank)

    def keep_not(_data: bytes) -> None:
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError):
        client.fetch(STATEMENTS, keep_not)
    got: list[bytes] = []
    assert client.fetch(STATEMENTS, got.append)
    assert files_in(got[0], "x") == [("x-a.xml", b"<a/>")]
    assert bank.receipts == ["camt.053 1", "camt.053 0"]


def test_new_keys_of_the_bank_stop_everything_until_they_are_compared() -> None:
    bank = a_bank()
    client = a_client(bank)
    bank.keys = SubscriberKeys.generate("PMBANK", NOW, 2048)
    journal = Journal()
    with pytest.raises(EbicsKeysChanged, match="compare their fingerprints"):
        upload(client, journal)
    assert (bank.orders, journal.last.may_be_given_up) == ([], True)
    new = client.fetch_bank_keys()
    upload(a_client(bank, known=new), journal)
    assert len(bank.orders) == 1


def test_a_wrong_clock_and_a_repeated_message_are_refused_by_the_bank() -> None:
    bank = a_bank()
    with pytest.raises(EbicsOrderRefused, match="clock of this machine"):
        a_client(bank, clock=lambda: NOW - timedelta(hours=1)).fetch_administrative("HTD")
    a_client(bank).fetch_administrative("HTD")
    begun = next(sent for sent, _ in bank.messages if b"Initialisation" in sent and b"HTD" in sent)
    again = bank.answer(begun)
    assert again is not None
    assert b"091103" in again


def test_keys_of_another_subscriber_are_refused() -> None:
    bank = a_bank()
    stranger = EbicsClient(WHO, own_keys("stranger"), bank.public, Line(bank), lambda: NOW)
    with pytest.raises(EbicsOrderRefused, match="refuses the access data"):
        stranger.fetch_administrative("HTD")


def test_keys_are_changed_and_the_subscriber_is_suspended() -> None:
    bank = a_bank()
    new = own_keys("next")
    a_client(bank).change_keys(new)
    with pytest.raises(EbicsOrderRefused):
        a_client(bank).fetch_administrative("HTD")
    client = EbicsClient(WHO, new, bank.public, Line(bank), lambda: NOW)
    assert client.fetch_administrative("HTD") is not None
    client.suspend()
    with pytest.raises(EbicsOrderRefused, match="suspended"):
        client.fetch_administrative("HTD")


def test_fingerprints_are_compared_as_people_type_them() -> None:
    certificate = own_keys().encryption.certificate
    for shown in bank_keys().authentication.certificate, certificate:
        assert same_fingerprint(key_fingerprint(certificate).lower(), certificate) is True
        assert same_fingerprint(key_fingerprint(shown).replace(" ", ":"), shown) is True
    assert not same_fingerprint("", certificate)
    assert not same_fingerprint(key_fingerprint(certificate)[:-3], certificate)


def test_keys_are_read_as_they_were_written() -> None:
    read = SubscriberKeys.from_text(own_keys().to_text())
    assert read.to_text() == own_keys().to_text()
    known = a_bank().public
    assert BankKeys.from_text(known.to_text()) == known


@given(st.binary(max_size=300), st.integers(1, 40))
def test_order_data_is_opened_as_it_was_sealed(data: bytes, size: int) -> None:
    key = bytes(range(16))
    assert ciphers.opened_order("".join(ciphers.segments_of(ciphers.sealed_order(data, key), size)), key) == data


@given(st.binary(max_size=80))
def test_broken_order_data_is_refused_and_nothing_else_is_raised(data: bytes) -> None:
    with pytest.raises(ciphers.OrderDataBroken):
        ciphers.opened_order(data.decode("latin-1"), bytes(16))


def test_order_data_that_unpacks_without_end_is_refused() -> None:
    with pytest.raises(ciphers.OrderDataBroken, match="longer than 1000"):
        ciphers.decompress(ciphers.compress(bytes(1001)), 1000)


@pytest.mark.parametrize("message", [b"", b"<a/>", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", b"\xff"])
def test_what_is_no_ebics_message_is_refused(message: bytes) -> None:
    class Strange:
        def post(self, _message: bytes) -> bytes:
            return message

    client = EbicsClient(WHO, own_keys(), a_bank().public, Strange(), lambda: NOW)
    with pytest.raises(EbicsAnswerUnreadable):
        client.fetch_administrative("HTD")


def test_canonical_xml_has_what_an_element_inherits() -> None:
    root = etree.fromstring('<a xmlns="urn:u" xmlns:x="urn:v" xml:lang="de"><b z="1" c="2">t<!-- no --><x:d/>e</b></a>')
    expected = b'<b xmlns="urn:u" xmlns:x="urn:v" c="2" z="1" xml:lang="de">t<x:d></x:d>e</b>'
    assert signed_xml.canonical(root[0]) == expected


@pytest.mark.skipif(find_spec("painfree") is None, reason="the published schemas are not installed")
def test_all_messages_follow_the_published_schemas() -> None:
    found = find_spec("painfree")
    assert found is not None and found.origin is not None
    schema = etree.XMLSchema(file=str(Path(found.origin).parent / "schemas" / "H005" / "ebics_H005.xsd"))
    bank = a_bank(active=False, segment_bytes=40)
    client = a_client(bank, segment=20)
    client.send_signature_key()
    client.send_other_keys()
    bank.active = True
    client.fetch_bank_keys()
    bank.put("camt.053", ("a.xml", b"<a/>"))
    client.fetch(STATEMENTS, lambda _data: None, NOW.date(), NOW.date())
    for order_type in ("HTD", "HKD", "HAA", "HAC"):
        client.fetch_administrative(order_type)
    upload(client, Journal())
    client.change_keys(own_keys("next"))
    EbicsClient(WHO, own_keys("next"), bank.public, Line(bank), lambda: NOW).suspend()
    assert len(bank.messages) > 20
    for message in (each for pair in bank.messages for each in pair):
        schema.assertValid(etree.fromstring(message))
