"""Transfers by FinTS against a bank of our own on 127.0.0.1: once, with the payee check, and with what may go wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import pytest

from paymatch.domain.bank_feeds.fints import BankQuestion, BankQuestionKind, SendPhase
from paymatch.domain.refunds.payee_check import PayeeAnswer, PayeeMatch
from paymatch.outbound.fints import session as session_module
from paymatch.outbound.fints.access import BankRefused, FintsAccess, FintsOrderRefused
from paymatch.outbound.fints.session import FintsSession
from paymatch.outbound.fints.transfers import FintsOrder, FintsSender, FintsTransfer
from paymatch.outbound.http import HttpClient, HttpLimits
from tests.fakes.fints_bank import FintsBank, fints_server
from tests.usecases.conftest import ACCOUNT

pytest.importorskip("fints")

S = SendPhase
ANNA = FintsTransfer("E2E-1", "DE02120300000000202051", "Anna Beispiel")
BERT = FintsTransfer("E2E-2", "DE02500105170137075030", "Bert Beispiel")
FILE = b'<?xml version="1.0"?><Document><ReqdExctnDt><Dt>2026-03-02</Dt></ReqdExctnDt></Document>'
AS_SENT = FILE.replace(b"2026-03-02", b"1999-01-01")
ORDER = FintsOrder(ACCOUNT, "PM1-1", FILE, "pain.001.001.09", (ANNA,), 1250)
DOOR = HttpClient(allow_private=True, limits=HttpLimits(total_seconds=2.0))
REPORT = b"""<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>R</MsgId>
<CreDtTm>2026-03-01T08:00:00</CreDtTm></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>PM1</OrgnlMsgId>
<OrgnlMsgNmId>pain.001</OrgnlMsgNmId><GrpSts>RVCM</GrpSts></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts>
<OrgnlPmtInfId>PM1-1</OrgnlPmtInfId><TxInfAndSts><OrgnlEndToEndId>E2E-1</OrgnlEndToEndId><TxSts>RCVC</TxSts></TxInfAndSts>
<TxInfAndSts><OrgnlEndToEndId>E2E-2</OrgnlEndToEndId><TxSts>RVMC</TxSts><StsRsnInf><AddtlInf>Berta Beispiel</AddtlInf>
</StsRsnInf></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>"""


@dataclass
class Payer:
    """Answers the bank, and keeps what it was asked and which phases were recorded."""

    tan_typed: str = "123456"
    agrees: bool = True
    questions: list[BankQuestion] = field(default_factory=list)
    seen: list[PayeeAnswer] = field(default_factory=list)
    phases: list[SendPhase] = field(default_factory=list)

    def pin(self) -> str:
        return "12345"

    def tan(self, question: BankQuestion, wait_seconds: int) -> str:
        self.questions.append(question)
        return self.tan_typed

    def choose(self, kind: BankQuestionKind, options: Mapping[str, str]) -> str:
        raise AssertionError

    def accepts(self, payees: Sequence[PayeeAnswer], notice: str) -> bool:
        self.seen += payees
        return self.agrees


Send = Callable[..., str]


@pytest.fixture
def send() -> Iterator[Send]:
    with ExitStack() as stack:

        def do(bank: FintsBank, payer: Payer, order: FintsOrder = ORDER) -> str:
            url = stack.enter_context(fints_server(bank))
            session = FintsSession(FintsAccess("37040044", url, "user"), payer, "PRODUCT", DOOR)
            return FintsSender(session, order, payer.phases.append, payer.accepts).send()

        yield do


def test_a_transfer_with_a_tan_leaves_once(send: Send) -> None:
    bank, payer = FintsBank(ACCOUNT, tan="123456"), Payer()
    assert send(bank, payer) == "0020 Auftrag ausgefuehrt"
    assert bank.executed == [AS_SENT]
    assert payer.phases == [S.SENT, S.ASKED, S.SENT]
    assert "HKVPP" not in bank.asked


def test_without_a_tan_it_is_executed_by_its_first_message(send: Send) -> None:
    bank, payer = FintsBank(ACCOUNT), Payer()
    send(bank, payer)
    assert (bank.executed, payer.phases) == ([AS_SENT], [S.SENT])


def test_several_transfers_have_a_sum(send: Send) -> None:
    bank, order = FintsBank(ACCOUNT, tan="123456"), replace(ORDER, transfers=(ANNA, BERT))
    send(bank, Payer(), order)
    assert (bank.executed, bank.asked.count("HKCCM")) == ([AS_SENT], 1)


@pytest.mark.parametrize(
    "result, named", [("RVMC", "Anna Beispiel-Muster"), ("RVNM", ""), ("RVNA", ""), ("XXXX", "")]
)  # fmt: skip
def test_what_is_no_full_match_is_shown_before_it_is_sent(send: Send, result: str, named: str) -> None:
    bank, payer = FintsBank(ACCOUNT, tan="123456", payee=result, payee_name=named), Payer()
    send(bank, payer)
    match = PayeeMatch.NOT_POSSIBLE if result == "XXXX" else PayeeMatch(result)
    assert payer.seen == [PayeeAnswer(ANNA.iban, ANNA.name, match, named)]
    assert (bank.executed, bank.asked.count("HKVPA")) == ([AS_SENT], 1)
    assert payer.phases == [S.SENT, S.ASKED, S.SENT, S.ASKED, S.SENT]


def test_a_person_who_does_not_agree_stops_it(send: Send) -> None:
    bank, payer = FintsBank(ACCOUNT, tan="123456", payee="RVNM"), Payer(agrees=False)
    with pytest.raises(FintsOrderRefused, match="Nothing was sent"):
        send(bank, payer)
    assert (bank.executed, payer.questions, bank.open_dialogs) == ([], [], 0)


def test_a_full_match_asks_nobody(send: Send) -> None:
    bank, payer = FintsBank(ACCOUNT, tan="123456", payee="RCVC"), Payer()
    send(bank, payer)
    assert (payer.seen, bank.executed) == ([], [AS_SENT])


def test_a_result_that_comes_later_is_waited_for(send: Send) -> None:
    bank, payer = FintsBank(ACCOUNT, tan="123456", payee="RVMC", payee_name="A. B.", payee_pending=1), Payer()
    send(bank, payer)
    assert [each.bank_name for each in payer.seen] == ["A. B."]
    assert (bank.executed, bank.asked.count("HKVPP")) == ([AS_SENT], 2)


def test_a_report_on_several_payees_is_read(send: Send) -> None:
    order = replace(ORDER, transfers=(ANNA, BERT))
    bank, payer = FintsBank(ACCOUNT, tan="123456", payee_report=REPORT), Payer()
    send(bank, payer, order)
    assert payer.seen == [
        PayeeAnswer(ANNA.iban, ANNA.name, PayeeMatch.MATCH),
        PayeeAnswer(BERT.iban, BERT.name, PayeeMatch.CLOSE, "Berta Beispiel", "Berta Beispiel"),
    ]
    assert bank.executed == [AS_SENT]
    broken = FintsBank(ACCOUNT, tan="123456", payee_report=b"<!DOCTYPE x><x/>")
    with pytest.raises(BankRefused, match="did not answer the payee check"):
        send(broken, Payer(), order)
    assert broken.executed == []


def test_a_refused_tan_is_a_refused_order(send: Send) -> None:
    bank, payer = FintsBank(ACCOUNT, tan="123456"), Payer(tan_typed="1")
    with pytest.raises(FintsOrderRefused, match="refuses the TAN"):
        send(bank, payer)
    assert (bank.executed, payer.phases[-1]) == ([], S.SENT)


def test_a_break_is_no_refusal(send: Send) -> None:
    bank, payer = FintsBank(ACCOUNT, breaks_at="HKCCS"), Payer()
    with pytest.raises(BankRefused) as refused:
        send(bank, payer)
    assert not isinstance(refused.value, FintsOrderRefused)
    assert (payer.phases, bank.asked.count("HKCCS"), bank.executed) == ([S.SENT], 1, [AS_SENT])


def test_an_app_that_is_never_used_leaves_it_open(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "_APP_ASKED_AT_MOST", 4)
    bank, payer = FintsBank(ACCOUNT, tan="-", decoupled=True, app_approves_after=1000), Payer()
    with pytest.raises(BankRefused, match="still waits") as refused:
        send(bank, payer)
    assert not isinstance(refused.value, FintsOrderRefused)
    assert (payer.phases, bank.executed) == ([S.SENT], [])


def test_an_app_that_is_used(send: Send) -> None:
    bank, payer = FintsBank(ACCOUNT, tan="-", decoupled=True), Payer()
    send(bank, payer)
    assert (payer.phases, bank.executed) == ([S.SENT], [AS_SENT])


def test_what_the_bank_does_not_take_is_not_sent(send: Send) -> None:
    payer = Payer()
    with pytest.raises(BankRefused, match=r"takes no such transfers by FinTS from this user \(HKCCS\)"):
        send(FintsBank(ACCOUNT, takes_transfers=False), payer)
    with pytest.raises(BankRefused, match=r"does not take pain.001.001.09 by FinTS, but: pain.001.001.03"):
        send(FintsBank(ACCOUNT, formats=("pain.001.001.03",)), payer)
    with pytest.raises(BankRefused, match=r"\(HKIPZ\)"):
        send(FintsBank(ACCOUNT), payer, replace(ORDER, instant=True))
    assert payer.phases == []
