"""Transfer files: exact content, refusals, and validity by the schemas of ISO 20022."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from lxml import etree

from paymatch.domain.money import Currency
from paymatch.domain.refunds.transfers import TransferKind, kind_of_transfer
from paymatch.formats.sepa.pain001 import (
    CreditTransfer,
    Pain001Version,
    PayerAddress,
    TransferFile,
    TransferRefused,
    sendable,
    write_pain001,
)
from tests.formats.corpus_files import corpus_folder

FILE = TransferFile(
    message_id="PM-20260805-1",
    payment_information_id="PM-20260805-1-A",
    created_at=datetime(2026, 8, 5, 8, 30, tzinfo=UTC),
    execution_date=date(2026, 8, 6),
    debtor_name="Müller & Söhne GmbH",
    debtor_iban="DE53677979049691425502",
    transfers=(
        CreditTransfer(
            "RF-1001", 1230, "Jörg Łukasz Čapek", "DE89370400440532013000", "COBADEFFXXX", "Erstattung SW-10843"
        ),
        CreditTransfer("RF-1002", 99, "Erika Muster", "AT611904300234573201"),
    ),
)


def _texts(data: bytes) -> list[tuple[str, str]]:
    root = etree.fromstring(data)
    return [
        (etree.QName(element).localname, element.text or "")
        for element in root.iter("*")
        if (element.text or "").strip()
    ]


def test_content_of_the_file() -> None:
    assert _texts(write_pain001(FILE)) == [
        ("MsgId", "PM-20260805-1"),
        ("CreDtTm", "2026-08-05T08:30:00Z"),
        ("NbOfTxs", "2"),
        ("CtrlSum", "13.29"),
        ("Nm", "Müller & Söhne GmbH"),
        ("PmtInfId", "PM-20260805-1-A"),
        ("PmtMtd", "TRF"),
        ("BtchBookg", "true"),
        ("NbOfTxs", "2"),
        ("CtrlSum", "13.29"),
        ("Cd", "SEPA"),
        ("Dt", "2026-08-06"),
        ("Nm", "Müller & Söhne GmbH"),
        ("IBAN", "DE53677979049691425502"),
        ("Id", "NOTPROVIDED"),
        ("ChrgBr", "SLEV"),
        ("EndToEndId", "RF-1001"),
        ("InstdAmt", "12.30"),
        ("BICFI", "COBADEFFXXX"),
        ("Nm", "Jörg Lukasz Capek"),
        ("IBAN", "DE89370400440532013000"),
        ("Ustrd", "Erstattung SW-10843"),
        ("EndToEndId", "RF-1002"),
        ("InstdAmt", "0.99"),
        ("Nm", "Erika Muster"),
        ("IBAN", "AT611904300234573201"),
    ]


def test_instant_transfers_say_so() -> None:
    root = etree.fromstring(write_pain001(replace(FILE, instant=True)))
    assert [each.text for each in root.iterfind(".//{*}PmtTpInf/{*}LclInstrm/{*}Cd")] == ["INST"]


@pytest.mark.corpus
@pytest.mark.parametrize("version", Pain001Version)
@pytest.mark.parametrize(("bic", "instant"), [("", False), ("GENODEF1ABC", True)])
def test_file_is_valid_by_its_schema(version: Pain001Version, bic: str, instant: bool) -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("the corpus is not beside the repository")
    schema = etree.XMLSchema(etree.parse(str(folder / "xsd" / f"{version}.xsd")))
    schema.assertValid(etree.fromstring(write_pain001(replace(FILE, debtor_bic=bic, instant=instant), version)))


PAYER = PayerAddress("Köln", "DE", "Domstraße", "1 a", "50667")


def test_the_payers_address_is_written_outside_of_sepa_only() -> None:
    assert write_pain001(replace(FILE, payer=PAYER)) == write_pain001(FILE)
    root = etree.fromstring(write_pain001(replace(FOREIGN, payer=PAYER)))
    (address,) = root.iterfind(".//{*}Dbtr/{*}PstlAdr")
    assert [(etree.QName(part).localname, part.text) for part in address] == [
        ("StrtNm", "Domstraße"), ("BldgNb", "1 a"), ("PstCd", "50667"), ("TwnNm", "Köln"), ("Ctry", "DE"),
    ]  # fmt: skip
    nowhere = replace(FOREIGN, payer=replace(PAYER, town=""))
    assert write_pain001(nowhere) == write_pain001(FOREIGN)


def _with(**changes: object) -> TransferFile:
    return replace(FILE, transfers=(replace(FILE.transfers[0], **changes), FILE.transfers[1]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (replace(FILE, transfers=()), "at least one transfer"),
        (replace(FILE, message_id="x" * 36), "message id"),
        (replace(FILE, payment_information_id=""), "payment information id"),
        (replace(FILE, debtor_iban="DE53677979049691425503"), "debtor: 'DE53677979049691425503' is not an IBAN"),
        (_with(end_to_end_id="RF-1002"), "transfer 'RF-1002': the reference is used twice"),
        (_with(end_to_end_id="/RF"), "the reference needs 1 to 35 characters"),
        (_with(end_to_end_id="RÜ-1"), "the reference needs 1 to 35 characters"),
        (_with(amount_minor=0), "the amount must be between"),
        (_with(amount_minor=-1), "the amount must be between"),
        (_with(amount_minor=10**11), "the amount must be between"),
        (_with(creditor_name=" "), "the name is missing"),
        (_with(creditor_iban="DE00"), "'DE00' is not an IBAN"),
        (_with(creditor_bic="COBA"), "'COBA' is not a BIC"),
    ],
)
def test_what_a_bank_would_reject_is_refused(file: TransferFile, reason: str) -> None:
    with pytest.raises(TransferRefused, match=reason):
        write_pain001(file)


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Müßig & Co.", "Müßig & Co."),
        ("Łódź–Č", "Lódz-C".replace("ó", "o")),
        ("Yıldız İnönü Đurić", "Yildiz Inönü Duric"),
        ("a\n\tb  c", "a b c"),
        ("Иван", "Ivan"),
        ("x" * 80, "x" * 70),
        ("Mu\u0308ller", "Müller"),
    ],
)
def test_sendable(text: str, sent: str) -> None:
    assert sendable(text, 70) == sent


SWISS = replace(
    FILE,
    currency=Currency("CHF"),
    kind=TransferKind.SWISS,
    debtor_iban="CH9300762011623852957",
    transfers=(
        CreditTransfer(
            "RF-1", 1230, "Vreni Meier", "CH5604835012345678009", creditor_town="Bern", creditor_country="CH"
        ),
    ),
)
FOREIGN = replace(
    FILE,
    currency=Currency("PLN"),
    kind=TransferKind.FOREIGN,
    transfers=(
        CreditTransfer(
            "RF-1", 1230, "Jan Nowak", "PL61109010140000071219812874", "WBKPPLPP", creditor_town="Poznań",
            creditor_country="PL",
        ),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (SWISS, {"Ccy": ["CHF"], "ChrgBr": [], "MmbId": ["762"], "TwnNm": ["Bern"], "Ctry": ["CH"]}),
        (FOREIGN, {"Ccy": ["PLN"], "ChrgBr": ["SHAR"], "MmbId": [], "TwnNm": ["Poznan"], "Ctry": ["PL"]}),
    ],
)
def test_transfers_outside_of_sepa(file: TransferFile, content: dict[str, list[str]]) -> None:
    texts = _texts(write_pain001(file))
    assert {name: [text for tag, text in texts if tag == name] for name in content} == content
    assert ("Cd", "SEPA") not in texts


@pytest.mark.parametrize(("bic", "town"), [("", "Poznań"), ("WBKPPLPP", " ")])
def test_foreign_transfer_without_bank_or_town_is_refused(bic: str, town: str) -> None:
    transfer = replace(FOREIGN.transfers[0], creditor_bic=bic, creditor_town=town)
    with pytest.raises(TransferRefused, match="BIC and town of the payee are needed"):
        write_pain001(replace(FOREIGN, transfers=(transfer,)))


@pytest.mark.parametrize(
    ("currency", "debtor", "creditor", "kind"),
    [
        ("EUR", "DE", "AT", TransferKind.SEPA),
        ("EUR", "CH", "CH", TransferKind.SEPA),
        ("CHF", "CH", "LI", TransferKind.SWISS),
        ("CHF", "CH", "DE", TransferKind.FOREIGN),
        ("CHF", "DE", "CH", TransferKind.FOREIGN),
        ("PLN", "PL", "PL", TransferKind.FOREIGN),
    ],
)
def test_kind_of_transfer(currency: str, debtor: str, creditor: str, kind: TransferKind) -> None:
    assert kind_of_transfer(currency, f"{debtor}00", f"{creditor}00") is kind


@pytest.mark.corpus
@pytest.mark.parametrize("file", [SWISS, FOREIGN, replace(SWISS, payer=PAYER), replace(FOREIGN, payer=PAYER)])
def test_other_transfers_are_valid_by_the_schema(file: TransferFile) -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("the corpus is not beside the repository")
    schema = etree.XMLSchema(etree.parse(str(folder / "xsd" / "pain.001.001.09.xsd")))
    schema.assertValid(etree.fromstring(write_pain001(file)))
