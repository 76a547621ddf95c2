"""FinTS against a bank of our own on 127.0.0.1: files as they are, TANs, refusals that say why."""

from __future__ import annotations

import base64
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import date

import pytest

from paymatch.domain.bank_feeds.fints import BankQuestion, BankQuestionKind
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.bank_channel import FetchedFile, FintsChannel, NullBankChannel
from paymatch.outbound.fints.access import BankRefused, FintsAccess, check_server_url
from paymatch.outbound.http import HttpClient, HttpLimits
from tests.fakes.fints_bank import FintsBank, fints_server
from tests.usecases.conftest import ACCOUNT, camt, paid

pytest.importorskip("fints")
connection = importlib.import_module("paymatch.outbound.fints.connection")

SINCE = date(2026, 3, 1)
FIRST = camt(CamtMessage.INTRADAY, paid(1990, "A'1+B:2?"))
SECOND = camt(CamtMessage.INTRADAY, paid(500, "B"), number=2)
Open = Callable[..., FintsChannel]


AskTan = Callable[[str, bool], str]
DOOR = HttpClient(
    allow_private=True, limits=HttpLimits(total_seconds=1.0, answer_bytes=100_000, wire_bytes=200_000)
)  # fmt: skip


def no_tan(challenge: str, decoupled: bool) -> str:
    raise AssertionError(challenge)


class Person:
    """Answers the bank as the test says, and keeps what it was asked."""

    def __init__(self, ask: AskTan = no_tan, pin: str = "12345", chooses: str = "") -> None:
        self._ask, self._pin, self._chooses = ask, pin, chooses
        self.questions: list[BankQuestion] = []
        self.offered: list[dict[str, str]] = []

    def pin(self) -> str:
        return self._pin

    def tan(self, question: BankQuestion, wait_seconds: int) -> str:
        self.questions.append(question)
        return self._ask(question.text, question.kind is BankQuestionKind.APP)

    def choose(self, kind: BankQuestionKind, options: Mapping[str, str]) -> str:
        self.offered.append(dict(options))
        return self._chooses


@pytest.fixture
def open_channel() -> Iterator[Open]:
    with ExitStack() as stack:

        def build(
            bank: FintsBank, ask: AskTan = no_tan, pin: str = "12345", person: Person | None = None, **more: str
        ) -> FintsChannel:
            url = stack.enter_context(fints_server(bank))
            access = FintsAccess("37040044", url, "user", **more)
            return FintsChannel(access, person or Person(ask, pin), "PRODUCT", DOOR)

        yield build


def test_camt_files_arrive_as_the_bank_wrote_them(open_channel: Open) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST, SECOND], pending=SECOND)
    channel = open_channel(bank)
    assert channel.fetch(ACCOUNT, SINCE) == [
        FetchedFile(f"fints-{ACCOUNT}-2026-03-01-1.xml", FIRST),
        FetchedFile(f"fints-{ACCOUNT}-2026-03-01-2.xml", SECOND),
        FetchedFile(f"fints-{ACCOUNT}-2026-03-01-3-pending.xml", SECOND, pending=True),
    ]
    assert (channel.system_id, channel.tan_given, bank.open_dialogs) == ("SYSTEM-7", False, 0)
    assert bank.asked.count("HKSYN") == 1
    assert bank.asked.count("HKCAZ") == 2


def test_a_known_system_id_is_shown_again(open_channel: Open) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST])
    assert len(open_channel(bank, system_id="SYSTEM-7").fetch(ACCOUNT, SINCE)) == 1
    assert "HKSYN" not in bank.asked


def test_mt940_where_the_bank_has_no_camt(open_channel: Open) -> None:
    bank = FintsBank(ACCOUNT, mt940=[b"\r\n:20:A\r\n:25:3704", b"0044/532013000\r\n-"])
    [file] = open_channel(bank).fetch(ACCOUNT, SINCE)
    assert file == FetchedFile(
        f"fints-{ACCOUNT}-2026-03-01-1.sta", b"\r\n:20:A\r\n:25:37040044/532013000\r\n-", pending=False
    )


def test_a_wrong_pin_is_tried_once(open_channel: Open) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST])
    with pytest.raises(BankRefused, match=r"^The bank refuses the PIN; it was not tried again$"):
        open_channel(bank, pin="99999").fetch(ACCOUNT, SINCE)
    assert (bank.asked.count("HKIDN"), bank.open_dialogs) == (1, 0)


@pytest.mark.parametrize("login_tan", [False, True])
def test_the_tan_is_asked_for(open_channel: Open, *, login_tan: bool) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST, SECOND], tan="123456", login_tan=login_tan)
    asked: list[tuple[str, bool]] = []

    def ask(challenge: str, decoupled: bool) -> str:
        asked.append((challenge, decoupled))
        return "123456"

    channel = open_channel(bank, ask, tan_mechanism="910")
    assert [file.content for file in channel.fetch(ACCOUNT, SINCE)] == [FIRST, SECOND]
    assert asked == [("Bitte den Abruf der Umsaetze freigeben", False)]
    assert channel.tan_given


def test_confirmation_in_the_app_is_waited_for(open_channel: Open) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST], tan="-", decoupled=True)
    asked: list[bool] = []

    def ask(challenge: str, decoupled: bool) -> str:
        asked.append(decoupled)
        return ""

    assert len(open_channel(bank, ask).fetch(ACCOUNT, SINCE)) == 1
    assert asked == [True, True]


def test_a_wrong_tan_is_refused(open_channel: Open) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST], tan="123456")
    channel = open_channel(bank, lambda challenge, decoupled: "1")
    with pytest.raises(BankRefused, match="9941 TAN ungueltig"):
        channel.fetch(ACCOUNT, SINCE)
    assert not channel.tan_given


def test_a_tan_mechanism_that_the_bank_does_not_offer(open_channel: Open) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST], tan="123456")
    with pytest.raises(BankRefused, match=r"^The bank offers no TAN mechanism '999', but: 910 \(chipTAN\)$"):
        open_channel(bank, tan_mechanism="999").fetch(ACCOUNT, SINCE)


def test_a_refused_order_is_not_an_empty_one(open_channel: Open) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST], refuses="9210::Zeitraum nicht erlaubt")
    with pytest.raises(BankRefused, match="9210 Zeitraum nicht erlaubt"):
        open_channel(bank).fetch(ACCOUNT, SINCE)


def test_what_the_bank_does_not_have(open_channel: Open) -> None:
    with pytest.raises(BankRefused, match="no account DE02120300000000202051"):
        open_channel(FintsBank(ACCOUNT, camt=[FIRST])).fetch("DE02120300000000202051", SINCE)
    with pytest.raises(BankRefused, match=r"neither camt \(HKCAZ\) nor MT940 \(HKKAZ\)"):
        open_channel(FintsBank(ACCOUNT)).fetch(ACCOUNT, SINCE)


def test_a_bank_that_is_not_there() -> None:
    channel = FintsChannel(FintsAccess("37040044", "http://127.0.0.1:1/", "user"), Person(), "PRODUCT", DOOR)
    with pytest.raises(BankRefused, match="gave no answer"):
        channel.fetch(ACCOUNT, SINCE)


@pytest.mark.parametrize("url", ["http://bank.example/", "ftp://127.0.0.1/", "bank.example", ""])
def test_the_pin_goes_over_tls_only(url: str) -> None:
    with pytest.raises(BankRefused, match="must be an https:// URL"):
        check_server_url(url)


def test_without_the_extra_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = FintsChannel(FintsAccess("37040044", "https://bank.example/", "user"), Person(), "PRODUCT", DOOR)
    monkeypatch.setitem(sys.modules, "fints.client", None)
    with pytest.raises(BankRefused, match=r"^FinTS needs the extra: pip install 'paymatch\[fints\]'$"):
        channel.fetch(ACCOUNT, SINCE)
    with pytest.raises(BankRefused, match="PAYMATCH_FINTS_PRODUCT_ID"):
        FintsChannel(FintsAccess("37040044", "https://bank.example/", "user"), Person(), "", DOOR)


def test_a_picture_for_the_tan_is_shown_and_an_unknown_one_is_not(open_channel: Open) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(300)
    person = Person(lambda challenge, decoupled: "123456")
    bank = FintsBank(ACCOUNT, camt=[FIRST], tan="123456", picture=picture)
    assert len(open_channel(bank, person=person).fetch(ACCOUNT, SINCE)) == 1
    assert [(each.kind, each.picture) for each in person.questions] == [(BankQuestionKind.TAN, picture)]
    with pytest.raises(BankRefused, match="picture for the TAN cannot be shown"):
        open_channel(FintsBank(ACCOUNT, camt=[FIRST], tan="1", picture=b"<svg>" + bytes(300))).fetch(ACCOUNT, SINCE)


def test_the_way_to_get_tans_is_chosen_once(open_channel: Open) -> None:
    person = Person(lambda challenge, decoupled: "123456", chooses="911")
    bank = FintsBank(ACCOUNT, camt=[FIRST], tan="123456", ways=("pushTAN",))
    channel = open_channel(bank, person=person)
    assert len(channel.fetch(ACCOUNT, SINCE)) == 1
    assert (person.offered, channel.tan_mechanism) == ([{"910": "chipTAN", "911": "pushTAN"}], "911")
    assert (
        len(open_channel(bank, lambda challenge, decoupled: "123456", tan_mechanism="911").fetch(ACCOUNT, SINCE)) == 1
    )


def test_the_device_is_chosen_where_the_bank_wants_its_name(open_channel: Open) -> None:
    person = Person(lambda challenge, decoupled: "123456", chooses="Tablet")
    bank = FintsBank(ACCOUNT, camt=[FIRST], tan="123456", media=("Phone", "Tablet"))
    channel = open_channel(bank, person=person)
    assert len(channel.fetch(ACCOUNT, SINCE)) == 1
    assert (person.offered[-1], channel.tan_medium) == ({"Phone": "Phone", "Tablet": "Tablet"}, "Tablet")
    assert bank.named_media[-1] == "Tablet"


def test_a_locked_user_and_a_closed_dialogue(open_channel: Open) -> None:
    with pytest.raises(BankRefused, match="has locked this user"):
        open_channel(FintsBank(ACCOUNT, camt=[FIRST], locked=True)).fetch(ACCOUNT, SINCE)
    with pytest.raises(BankRefused, match="has ended the dialogue"):
        open_channel(FintsBank(ACCOUNT, camt=[FIRST], closes_at="HKCAZ")).fetch(ACCOUNT, SINCE)


@pytest.mark.parametrize(
    "body, said",
    [
        (b"<html><title>503</title></html>", "is not FinTS"),
        (base64.b64encode(b"Hello"), "is not FinTS"),
        (base64.b64encode(b"HNHBK:1:3+000000000100+300+D1+1'HNVSD:999:1+@99999999@x'"), "is not FinTS"),
        (base64.b64encode(b"HNHBK:1:3+000000000100+300+D1+1'HIRMG:2:2+x'"), "did not answer|not FinTS"),
        (b"A" * 150_000, "too long"),
    ],
)
def test_hostile_answers_are_one_sentence(open_channel: Open, body: bytes, said: str) -> None:
    bank = FintsBank(ACCOUNT, camt=[FIRST], hostile=lambda asked: body)
    with pytest.raises(BankRefused, match=said):
        open_channel(bank).fetch(ACCOUNT, SINCE)
    late = FintsBank(ACCOUNT, camt=[FIRST], hostile=lambda asked: body if "HKCAZ" in asked else None)
    with pytest.raises(BankRefused, match=said):
        open_channel(late).fetch(ACCOUNT, SINCE)


class Endless(list[bytes]):
    """Files without end: to each request the bank answers that there is one more."""

    def __len__(self) -> int:
        return 10**9

    def __getitem__(self, _place: object) -> bytes:  # type: ignore[override]
        return FIRST


@pytest.mark.parametrize("limit", ["MESSAGES_AT_MOST", "BYTES_AT_MOST"])
def test_a_bank_that_always_has_more_is_left(open_channel: Open, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(connection, limit, 30 if limit == "MESSAGES_AT_MOST" else 50_000)
    bank = FintsBank(ACCOUNT, camt=Endless([FIRST]))
    with pytest.raises(BankRefused, match="The bank always has more to send"):
        open_channel(bank).fetch(ACCOUNT, SINCE)
    assert 10 < len(bank.asked) < 200


def test_a_bank_with_many_files_is_read_to_the_end(open_channel: Open) -> None:
    files = [camt(CamtMessage.INTRADAY, paid(100 + day, "B"), number=day) for day in range(1, 91)]
    assert len(open_channel(FintsBank(ACCOUNT, camt=files)).fetch(ACCOUNT, SINCE)) == 90


@pytest.mark.parametrize("where", ["refuses", "challenge"])
def test_a_bank_that_repeats_the_pin_has_it_blotted_out(open_channel: Open, where: str) -> None:
    """A faulty bank writes what it got into its texts: they are shown, kept and logged."""
    if where == "refuses":
        bank = FintsBank(ACCOUNT, camt=[FIRST], pin="geheim-4711", refuses="9010::HKCAZ geheim-4711 abgelehnt")
        with pytest.raises(BankRefused) as refused:
            open_channel(bank, pin="geheim-4711").fetch(ACCOUNT, SINCE)
        assert str(refused.value).endswith("9010 HKCAZ ••• abgelehnt")
        return
    person = Person(lambda _text, _app: "654321", pin="Abruf")
    bank = FintsBank(ACCOUNT, camt=[FIRST], pin="Abruf", tan="654321")
    assert len(open_channel(bank, person=person).fetch(ACCOUNT, SINCE)) == 1
    assert [each.text for each in person.questions] == ["Bitte den ••• der Umsaetze freigeben"]


def test_a_slow_bank_is_not_waited_for(open_channel: Open) -> None:
    with pytest.raises(BankRefused, match="gave no answer"):
        open_channel(FintsBank(ACCOUNT, camt=[FIRST], slow_seconds=1.2)).fetch(ACCOUNT, SINCE)


def test_null_channel_has_nothing() -> None:
    assert NullBankChannel().fetch(ACCOUNT, SINCE) == []
