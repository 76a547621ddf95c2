"""Status reports: what is said about one payment, by itself, its batch or its file."""

from __future__ import annotations

import io

import pytest

from paymatch.formats.sepa.pain002 import ReportDoubt, StatusReason, read_pain002
from paymatch.formats.statement import FileRefused
from tests.formats.corpus_files import corpus_files, corpus_folder


def _report(group: str = "", batches: str = "") -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10">'
        "<CstmrPmtStsRpt><GrpHdr><MsgId>S1</MsgId><CreDtTm>2026-08-05T10:00:00</CreDtTm></GrpHdr><OrgnlGrpInfAndSts>"
        f"<OrgnlMsgId>M1</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>{group}</OrgnlGrpInfAndSts>"
        f"{batches}</CstmrPmtStsRpt></Document>"
    ).encode()


def _batch(status: str, *payments: str) -> str:
    own = f"<PmtInfSts>{status}</PmtInfSts>" if status else ""
    return f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>B1</OrgnlPmtInfId>{own}{''.join(payments)}</OrgnlPmtInfAndSts>"


def _payment(reference: str, status: str = "", reason: str = "") -> str:
    own = f"<TxSts>{status}</TxSts>" if status else ""
    why = f"<StsRsnInf><Rsn><Cd>{reason}</Cd></Rsn><AddtlInf>no</AddtlInf></StsRsnInf>" if reason else ""
    return f"<TxInfAndSts><OrgnlEndToEndId>{reference}</OrgnlEndToEndId>{own}{why}</TxInfAndSts>"


_GROUP_REASON = "<GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>AM05</Cd></Rsn></StsRsnInf>"


@pytest.mark.parametrize(
    ("group", "batches", "status", "reasons"),
    [
        ("", "", "", ()),
        ("<GrpSts>ACTC</GrpSts>", "", "ACTC", ()),
        (_GROUP_REASON, "", "RJCT", (StatusReason("AM05"),)),
        (_GROUP_REASON, _batch(""), "RJCT", (StatusReason("AM05"),)),
        ("<GrpSts>PART</GrpSts>", "", "", ()),
        ("<GrpSts>PART</GrpSts>", _batch("RJCT"), "RJCT", ()),
        ("<GrpSts>PART</GrpSts>", _batch("PART", _payment("R-2", "RJCT", "AC01")), "", ()),
        (
            "<GrpSts>PART</GrpSts>",
            _batch("PART", _payment("R-1", "RJCT", "AC04")),
            "RJCT",
            (StatusReason("AC04", "no"),),
        ),
        ("<GrpSts>RVMC</GrpSts>", _batch("RVMC", _payment("R-1", "RVNM")), "RVNM", ()),
        ("<GrpSts>RVCM</GrpSts>", _batch(""), "", ()),
        ("", _batch("ACSP", _payment("R-1")), "ACSP", ()),
        ("<GrpSts>ACCP</GrpSts>", _batch("").replace("B1", "B2"), "ACCP", ()),
    ],
)
def test_status_of_a_payment(group: str, batches: str, status: str, reasons: tuple[StatusReason, ...]) -> None:
    report = read_pain002(io.BytesIO(_report(group, batches)))
    assert (report.version, report.message_id, report.original_message_id) == ("001.10", "S1", "M1")
    answer = report.of_batch("B1").answer("R-1")
    assert (answer.status, answer.reasons, answer.doubt) == (status, reasons, None)


_MEANINGS = "<StsRsnInf><AddtlInf>RVMC The name matches closely</AddtlInf></StsRsnInf>"
_OURS = "<OrgnlTxRef><Cdtr><Pty><Nm>Erika Mueller</Nm></Pty></Cdtr></OrgnlTxRef>"


@pytest.mark.parametrize(
    ("group", "texts", "name"),
    [
        ("", ["Erika Müller-Meier"], "Erika Müller-Meier"),
        ("", ["“Erika Müller-Meier”"], "Erika Müller-Meier"),
        ("", ["X" * 105, "“Y"], "X" * 105 + "Y"),
        (f"<GrpSts>RVMC</GrpSts>{_MEANINGS}", [], ""),  # what the code means is no name, nor is what we wrote
        ("", ["RVMC The name matches closely"], ""),
        ("", ["Z" * 80, "Z" * 80], ""),
    ],
)
def test_the_banks_name_stands_in_the_reason_of_the_transaction(group: str, texts: list[str], name: str) -> None:
    """DFÜ annex 3, chapter 2.2.6: the payee of OrgnlTxRef is ours, in the letters of the bank."""
    told = "".join(f"<AddtlInf>{each}</AddtlInf>" for each in texts)
    payment = f"<TxInfAndSts><OrgnlEndToEndId>R-1</OrgnlEndToEndId><TxSts>RVMC</TxSts><StsRsnInf>{told}</StsRsnInf>"
    report = read_pain002(io.BytesIO(_report(group, _batch("", f"{payment}{_OURS}</TxInfAndSts>"))))
    assert report.of_batch("B1").answer("R-1").known_payee == name


def test_a_payee_check_in_blocks_shows_each_answer() -> None:
    """A block per transaction, each with the batch's id: the second name does not match, whatever the first says."""
    blocks = _batch("RCVC", _payment("R-1", "RCVC")) + _batch("RVNM", _payment("R-2", "RVNM"))
    answers = read_pain002(io.BytesIO(_report("<GrpSts>RVCM</GrpSts>", blocks))).of_batch("B1")
    assert [answers.answer(name).status for name in ("R-1", "R-2", "R-3")] == ["RCVC", "RVNM", ""]


def test_two_answers_on_one_payee_are_a_doubt() -> None:
    listed = _batch("", _payment("R-1", "RCVC"), _payment("R-1", "RVNM"), _payment("R-2", "RCVC"))
    answers = read_pain002(io.BytesIO(_report("", listed))).of_batch("B1")
    assert [answers.answer(name).doubt for name in ("R-1", "R-2")] == [ReportDoubt.CONTRADICTS, None]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not well-formed XML"),
        (b"<a/>", "<a> is not a payment status report"),
        (_report()[:200], "not well-formed XML"),
        (b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "DOCTYPE"),
        ('<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a><a/>'.encode("utf-16"), "DOCTYPE"),
    ],
)
def test_what_is_no_report_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(FileRefused, match=reason):
        read_pain002(io.BytesIO(data))


@pytest.mark.corpus
@pytest.mark.skipif(corpus_folder() is None, reason="the corpus is not beside the repository")
def test_reports_of_the_corpus() -> None:
    found = {}
    for file in corpus_files("pain.002"):
        report = read_pain002(io.BytesIO(file.data))
        batches = [(batch.status, [payment.status for payment in batch.payments]) for batch in report.batches]
        found[file.name.rsplit("/", 1)[-1]] = (report.status, [reason.code for reason in report.reasons], batches)
    assert found == {
        "invalid_pain_v11.xml": ("", [], []),
        "valid_pain_v11.xml": ("", [], []),
        "pain002-chdd-cor1_p_ch2909000000250094239_1110097483_0_2018031317221082.xml": ("", [], [("ACCP", [])]),
        "pain002-epo_p_0_0_0_2018031510491259.xml": ("ACTC", [], []),
        "pain002-epo_p_0_0_0_2018032614401842.xml": ("RJCT", ["AM10"], []),
        "pain_002_batch_rejected.xml": ("RJCT", ["NARR"], []),
        "pain_002_debit_accepted.xml": ("ACTC", [], [("ACTC", ["ACSP", "ACSP", "ACSP"])]),
        "pain_002_v3_accepted.xml": ("", [], [("", ["ACCP"])]),
        "pain_002_v3_payment_accepted.xml": ("", [], [("ACCP", [])]),
        "pain_002_v3_group_reject.xml": ("RJCT", ["DU01"], []),
    }
