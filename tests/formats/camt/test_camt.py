"""What camt says, in its dialects and versions."""
# ruff: noqa: E501  # a case per line

from __future__ import annotations

import random
from datetime import date, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.message import Message
from paymatch.formats.statement import (
    Balance,
    Charge,
    Entry,
    EntryStatus,
    Party,
    StatementEnd,
    StatementHead,
    UnreadableEntry,
)
from tests.formats.camt.camt_samples import (
    GERMAN,
    RETURN,
    SWISS_BATCH,
    camt053,
    end_of,
    entries_of,
    entry_of,
    events_of,
    head_of,
    simple_entry,
)


def test_a_german_entry_is_read_with_all_its_fields() -> None:
    """Version .02: status as text, names without Pty, BIC, the amount of the detail in AmtDtls."""
    entry = entry_of(camt053(GERMAN))
    (detail,) = entry.details
    assert replace(entry, details=()) == Entry(
        1990, "EUR", EntryStatus.BOOKED, date(2026, 3, 2), date(2026, 3, 3), 0, 1,
        bank_reference="2026030212345", domain_code="PMNT/RCDT/ESCT", proprietary_code="NTRF+166+9248/123", gvc=BankWord("166"),
        booking_text="GUTSCHRIFT", additional_info="GUTSCHRIFT",
    )  # fmt: skip
    assert (detail.amount_minor, detail.currency) == (1990, "EUR")
    assert (detail.end_to_end_id, detail.mandate_id) == ("NOTPROVIDED", "M-1")
    assert detail.debtor == Party("Erika Muster", BankWord("DE02120300000000202051"), "BYLADEM1001", "Max Muster")
    assert detail.creditor == Party("Shop GmbH")
    assert detail.remittance_lines == ("Rechnung R-1 Bestel", "lung B-2")


def test_a_swiss_batch_is_read_with_all_its_details() -> None:
    """Version .08: status code, Pty, a date-time whose day is the bank's, QR reference, charges of one detail."""
    entry = entry_of(camt053(SWISS_BATCH))
    assert (entry.amount_minor, entry.currency, entry.entry_reference) == (3050, "CHF", "CH2909000000250094239")
    assert (entry.booking_date, entry.value_date) == (date(2026, 3, 2), date(2026, 3, 3))
    batch = (entry.batch_message_id, entry.batch_payment_information_id, entry.batch_count, entry.batch_total_minor)
    assert batch == ("BM", "BP", 2, 3050)
    first, second = entry.details
    assert first.debtor.name == "Rutschmann Pia"
    assert first.structured_references == (("QRR", "210000000003139471430009017"),)
    assert (first.additional_remittance, first.uetr) == (("?REJECT?0",), "8a562c67-ca16-48ba-b074-65581be6f001")
    assert (second.amount_minor, second.charges) == (2050, (Charge(90, "CHF", included=True),))


def test_a_return_is_read_with_reason_and_original_amount() -> None:
    (detail,) = entry_of(camt053(RETURN)).details
    assert (detail.returned, detail.return_reason, detail.return_text) == (True, "MD06", "Widerspruch")
    assert (detail.original_bank_code, detail.instructed_amount_minor) == ("NDDT+105", 2200)
    assert detail.charges == (Charge(300, "EUR", included=False),)


@pytest.mark.parametrize("reversal", ["true", "1", "false", ""])
@pytest.mark.parametrize(("sign", "minor"), [("CRDT", 1000), ("DBIT", -1000)])
def test_the_sign_is_that_of_the_entry_whatever_the_reversal_mark(reversal: str, sign: str, minor: int) -> None:
    """ISO 20022: CdtDbtInd is the direction of the entry; RvslInd says that it undoes one of the other direction."""
    mark = f"<RvslInd>{reversal}</RvslInd>" if reversal else ""
    entry = entry_of(camt053(simple_entry(sign=f"{sign}</CdtDbtInd>{mark}<X>").replace("<X></CdtDbtInd>", "")))
    assert (entry.amount_minor, entry.reversal) == (minor, reversal in {"true", "1"})


HEAD = """<StmtPgntn><PgNb>2</PgNb><LastPgInd>false</LastPgInd></StmtPgntn><ElctrncSeqNb>42</ElctrncSeqNb><LglSeqNb>7</LglSeqNb>
<CreDtTm>2026-03-03T05:00:00+01:00</CreDtTm><FrToDt><FrDtTm>2026-03-02T00:00:00</FrDtTm><ToDtTm>2026-03-02T23:59:59</ToDtTm></FrToDt>
<CpyDplctInd>DUPL</CpyDplctInd><RptgSrc><Prtry>C53F</Prtry></RptgSrc>"""


def _balance(code: str, amount: str, sign: str = "CRDT", day: str = "2026-03-02") -> str:
    return (
        f'<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">{amount}</Amt><CdtDbtInd>{sign}</CdtDbtInd>'
        f"<Dt><Dt>{day}</Dt></Dt></Bal>"
    )


def test_head_and_end_of_a_statement() -> None:
    summary = (
        "<TxsSummry><TtlNtries><NbOfNtries>3</NbOfNtries></TtlNtries><TtlCdtNtries><NbOfNtries>2</NbOfNtries><Sum>20.00"
        "</Sum></TtlCdtNtries><TtlDbtNtries><NbOfNtries>1</NbOfNtries><Sum>-5.10</Sum></TtlDbtNtries></TxsSummry>"
    )
    content = camt053(head=HEAD, balances=_balance("OPBD", "1.50", "DBIT") + _balance("CLBD", "13.40") + summary)
    assert head_of(content) == StatementHead(
        "camt.053", "001.02", "DE89370400440532013000", "EUR", "MSG", "S1", "42", "7", 2, False,
        datetime(2026, 3, 3, 5, 0, tzinfo=timezone(timedelta(hours=1))), date(2026, 3, 2), date(2026, 3, 2), "DUPL",
        owner_name="Shop GmbH", reporting_source="C53F",
    )  # fmt: skip
    assert end_of(content) == StatementEnd(
        (Balance("OPBD", -150, "EUR", date(2026, 3, 2)), Balance("CLBD", 1340, "EUR", date(2026, 3, 2))),
        summary_count=3, summary_credit_minor=2000, summary_debit_minor=510, summary_credit_count=2,
        summary_debit_count=1,
    )  # fmt: skip


def test_an_unreadable_balance_is_told_not_guessed() -> None:
    end = end_of(
        camt053(balances=_balance("OPBD", "1,50") + _balance("CLBD", "2.00", "C") + _balance("CLAV", "3.00", day="x"))
    )
    assert end.balances == ()
    assert end.unreadable == (
        "Bal OPBD: Amt: '1,50' is not an amount",
        "Bal CLBD: CdtDbtInd 'C' is neither CRDT nor DBIT",
        "Bal CLAV: 'x' is not a date",
    )


@pytest.mark.parametrize("written", ["2026-03-02T10:00:00", "2026-03-02 10:00:00", "2026-03-02T23:30:00-05:00"])
def test_the_day_of_a_moment_is_the_one_that_is_written(written: str) -> None:
    """Whatever its time zone; with a blank in place of the T, too, as some banks write it."""
    (entry,) = entries_of(camt053(simple_entry(day=f"<DtTm>{written}</DtTm>")))
    assert isinstance(entry, Entry)
    assert entry.booking_date == date(2026, 3, 2)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (simple_entry("12,50"), "Amt: '12,50' is not an amount"),
        (simple_entry(""), "Amt: '' is not an amount"),
        (simple_entry("1e3"), "Amt: '1e3' is not an amount"),
        (simple_entry("NaN"), "Amt: 'NaN' is not an amount"),
        (simple_entry("１.00"), "Amt: '１.00' is not an amount"),
        (simple_entry("-5.00"), "Amt: '-5.00' has a sign of its own"),
        (simple_entry("1.005"), "Amt: 1.005 has more decimals than EUR has"),
        (simple_entry("1.5", "JPY"), "Amt: 1.5 has more decimals than JPY has"),
        (simple_entry("1.0005", "KWD"), "Amt: 1.0005 has more decimals than KWD has"),
        (simple_entry("10000000000000.00"), "Amt: 10000000000000.00 is out of range"),
        (simple_entry("9" * 400), f"Amt: {'9' * 400} is out of range"),
        (simple_entry(currency="XXX"), "Amt: unknown currency 'XXX'"),
        (simple_entry().replace(' Ccy="EUR"', ""), "Amt: no currency"),
        (simple_entry(sign="C"), "CdtDbtInd: 'C' is neither CRDT nor DBIT"),
        (simple_entry(status="NEW"), "Sts: 'NEW' is not known"),
        (simple_entry(day="<Dt>2026-02-30</Dt>"), "'2026-02-30' is not a date"),
        (simple_entry(day="<Dt>02.03.2026</Dt>"), "'02.03.2026' is not a date"),
        (simple_entry(more="<RvslInd>maybe</RvslInd>"), "RvslInd: 'maybe' is neither true nor false"),
        (simple_entry(more='<NtryDtls><TxDtls><Amt Ccy="EUR">1,0</Amt></TxDtls></NtryDtls>'), "TxDtls/Amt: '1,0' is not an amount"),
        (simple_entry(more="<NtryDtls><TxDtls><CdtDbtInd>X</CdtDbtInd></TxDtls></NtryDtls>"), "TxDtls/CdtDbtInd: 'X' is neither CRDT nor DBIT"),
    ],
)  # fmt: skip
def test_an_unreadable_entry_is_kept_for_a_person(entry: str, reason: str) -> None:
    """With its place and source; its neighbours are read."""
    before, unreadable, after = entries_of(camt053(simple_entry(), f"\n{entry}\n", simple_entry()))
    assert unreadable == UnreadableEntry(1, 2, Message("text", value=reason), entry.replace("></Amt>", "/>"))
    assert isinstance(before, Entry)
    assert isinstance(after, Entry)
    assert (before.position, after.position, after.line) == (0, 2, 3)


@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [
        ("0", "EUR", 0), ("8.85000", "EUR", 885), (".5", "EUR", 50), ("+7", "EUR", 700), ("1500", "JPY", 1500),
        ("1500.00", "JPY", 1500), ("1.234", "KWD", 1234), ("9999999999999.99", "EUR", 999_999_999_999_999),
        (" 12.30\n", "EUR", 1230),
    ],
)  # fmt: skip
def test_amounts_have_the_digits_of_their_currency(amount: str, currency: str, minor: int) -> None:
    entry = entry_of(camt053(simple_entry(amount, currency)))
    assert (entry.amount_minor, entry.currency) == (minor, currency)


@pytest.mark.parametrize("version", [f"001.{number:02d}" for number in range(1, 14)])
@pytest.mark.parametrize(
    ("kind", "message", "statement"),
    [
        ("camt.052", "BkToCstmrAcctRpt", "Rpt"),
        ("camt.053", "BkToCstmrStmt", "Stmt"),
        ("camt.054", "BkToCstmrDbtCdtNtfctn", "Ntfctn"),
    ],
)
def test_every_message_and_version_is_read(kind: str, message: str, statement: str, version: str) -> None:
    content = camt053(simple_entry(), namespace=f"urn:iso:std:iso:20022:tech:xsd:{kind}.{version}")
    content = content.replace("BkToCstmrStmt", message).replace("Stmt>", f"{statement}>")
    head, entry, end = events_of(content)
    assert isinstance(head, StatementHead)
    assert (head.format, head.version, head.account) == (kind, version, "DE89370400440532013000")
    assert isinstance(entry, Entry)
    assert end == StatementEnd()


def test_namespaces_and_prefixes_do_not_matter() -> None:
    plain = events_of(camt053(GERMAN, SWISS_BATCH))
    bare = events_of(camt053(GERMAN, SWISS_BATCH, namespace=""))
    prefixed = camt053(GERMAN, SWISS_BATCH).replace("</", "</c:").replace("<", "<c:").replace("<c:/c:", "</c:")
    assert events_of(prefixed.replace("c:Document xmlns", "c:Document xmlns:c")) == plain
    assert bare[1:] == plain[1:]
    assert head_of(camt053(namespace="").replace("BkToCstmrStmt", "BkToCstmrStmtV01")).version == "001.01"
    undeclared = camt053(GERMAN, SWISS_BATCH).replace(
        "<Document", '<Document xsi:schemaLocation="x" xmlns:y="not a URI"'
    )
    assert events_of(undeclared) == plain
    wrapped = f"<Envelope><AppHdr><Fr/></AppHdr>{camt053(GERMAN, SWISS_BATCH)}</Envelope>"
    assert events_of(wrapped) == plain


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "windows-1252"]
)
def test_encodings_are_those_of_the_file(encoding: str) -> None:
    declared = f'  \n<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    content = declared + camt053(simple_entry(more="<AddtlNtryInf>Müller &amp; Söhne</AddtlNtryInf>"))
    entry = entry_of(content.encode(encoding))
    assert (entry.additional_info, entry.line) == ("Müller & Söhne", 2)


def test_a_file_that_claims_utf_16_but_is_not_is_read() -> None:
    content = f'<?xml version="1.0" encoding="UTF-16"?>{camt053(GERMAN)}'
    assert events_of(content) == events_of(camt053(GERMAN))


def claimed(encoding: str, *texts: str) -> str:
    """A statement that claims this encoding, with an entry for each text."""
    entries = [simple_entry(more=f"<AddtlNtryInf>{text}</AddtlNtryInf>") for text in texts]
    return f'<?xml version="1.0" encoding="{encoding}"?>{camt053(*entries)}'


@pytest.mark.parametrize(
    ("claims", "written", "texts"),
    [
        ("UTF-8", "windows-1252", ("Müller", "50 € von Groß", "CAFÉ’S")),
        ("UTF-8", "iso-8859-1", ("Gärtnerei", "à bientôt")),
        ("UTF-8", "windows-1250", ("Wiśniewski", "SPÓŁKA z o.o.", "Łódź")),
        ("UTF-8", "windows-1252", (*["nothing"] * 3000, "Müller")),
        ("ISO-8859-1", "utf-8", ("Müller", "Łódź")),
        ("windows-1252", "utf-8", ("Straße 5 – links",)),
    ],
)
def test_a_file_in_another_encoding_than_it_claims_is_read(claims: str, written: str, texts: tuple[str, ...]) -> None:
    events = events_of(claimed(claims, *texts).encode(written))
    end = events.pop()
    assert [event.additional_info for event in events if isinstance(event, Entry)] == list(texts)
    assert isinstance(end, StatementEnd)
    (guess,) = end.guesses
    assert guess.startswith("the file claims the encoding ")


def test_letters_of_both_encodings_in_one_file_are_read() -> None:
    before, after = claimed("UTF-8", "Müller", "Söhne").split("Söhne")
    content = before.encode() + "Söhne".encode("latin-1") + after.encode()
    assert [event.additional_info for event in events_of(content) if isinstance(event, Entry)] == ["Müller", "Söhne"]
    assert all(not event.guesses for event in events_of(claimed("UTF-8", "Müller")) if isinstance(event, StatementEnd))


def test_comments_cdata_and_empty_elements_change_nothing() -> None:
    plain = simple_entry(more="<NtryDtls><TxDtls></TxDtls></NtryDtls><AddtlNtryInf>a &lt;b&gt; c</AddtlNtryInf>")
    dressed = plain.replace("a &lt;b&gt;", "<!-- <Ntry> -->a <![CDATA[<b>]]>").replace(
        "<TxDtls></TxDtls>", "<TxDtls />"
    )
    assert entries_of(camt053(dressed)) == entries_of(camt053(plain))
    assert entry_of(camt053(dressed)).additional_info == "a <b> c"


def test_several_statements_and_one_without_entries() -> None:
    content = camt053(simple_entry(), simple_entry())
    second = content[content.index("<Stmt>") : content.index("</BkToCstmrStmt>")]
    empty = "<Stmt><Id>S3</Id></Stmt>"
    events = events_of(content.replace("</BkToCstmrStmt>", f"{second}{empty}</BkToCstmrStmt>"))
    kinds = [type(event).__name__ for event in events]
    assert kinds == ["StatementHead", "Entry", "Entry", "StatementEnd"] * 2 + ["StatementHead", "StatementEnd"]
    assert [event.position for event in events if isinstance(event, Entry)] == [0, 1, 0, 1]


def test_an_entry_is_read_the_same_wherever_it_stands() -> None:
    """Among many others, at the edge of a piece of the file, before and behind one that cannot be read."""
    rng = random.Random(7)
    samples = [
        GERMAN, SWISS_BATCH, RETURN, simple_entry(), simple_entry(more="<AddtlNtryInf>x &amp; y</AddtlNtryInf>"),
        GERMAN.replace("lung B-2", " lung &#10; B-2 "), GERMAN.replace("GUTSCHRIFT", " "), simple_entry("1,0"),
        GERMAN.replace("lung B-2", "lung > B-2"), GERMAN.replace("<Nm>Erika", "<Nm>\n  Erika"), simple_entry(" 5.00 "),
        GERMAN.replace("<Ustrd>lung B-2</Ustrd>", ""), GERMAN.replace("lung B-2", ""), simple_entry(status=""),
    ]  # fmt: skip
    chosen = [rng.choice(samples) for _ in range(1500)]
    together = entries_of(camt053(*chosen))
    alone = {sample: entries_of(camt053(sample))[0] for sample in samples}
    line = 1
    for position, (sample, entry) in enumerate(zip(chosen, together, strict=True)):
        assert entry == replace(alone[sample], position=position, line=line)
        line += sample.count("\n")


def test_an_entry_larger_than_a_piece_of_the_file_is_read() -> None:
    """A batch of two thousand details; its end lies several reads away."""
    detail = (
        '<TxDtls><Refs><EndToEndId>{}</EndToEndId></Refs><Amt Ccy="EUR">0.01</Amt><AddtlTxInf>{}</AddtlTxInf></TxDtls>'
    )
    details = "".join(detail.format(number, "x" * 400) for number in range(2000))
    entry = simple_entry("20.00", more=f"<NtryDtls>{details}</NtryDtls>")
    first, second = entries_of(camt053(entry, simple_entry()))
    assert isinstance(first, Entry)
    assert [one.end_to_end_id for one in first.details] == [str(number) for number in range(2000)]
    assert {one.amount_minor for one in first.details} == {1}
    assert isinstance(second, Entry)


def test_foreign_currency_details() -> None:
    amounts = (
        '<AmtDtls><InstdAmt><Amt Ccy="USD">21.50</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">20.00</Amt><CcyXchg><SrcCcy>USD</SrcCcy>'
        '<XchgRate>1.075</XchgRate></CcyXchg></TxAmt><CntrValAmt><Amt Ccy="CHF">19.00</Amt></CntrValAmt></AmtDtls>'
    )
    entry = entry_of(camt053(simple_entry("20.00", more=f"{amounts}<NtryDtls><TxDtls>{amounts}</TxDtls></NtryDtls>")))
    (detail,) = entry.details
    for one in (entry, detail):
        assert (one.instructed_amount_minor, one.instructed_currency, one.exchange_rate) == (2150, "USD", "1.075")
        assert (one.counter_value_minor, one.counter_value_currency) == (1900, "CHF")
    assert (detail.amount_minor, detail.currency) == (2000, "EUR")


def test_details_of_version_01_stand_in_the_entry_itself() -> None:
    details = "".join(
        f'<TxDtls><Refs><EndToEndId>E{number}</EndToEndId></Refs><Amt Ccy="EUR">5.00</Amt><RmtInf><Ustrd>a </Ustrd></RmtInf></TxDtls>'
        for number in (1, 2)
    )
    entry = simple_entry(more=f"<Btch><MsgId>M</MsgId><NbOfTxs>2</NbOfTxs></Btch>{details}")
    for read in entries_of(camt053(*[entry] * 120)):
        assert isinstance(read, Entry)
        assert (read.batch_message_id, read.batch_count) == ("M", 2)
        assert [(one.end_to_end_id, one.amount_minor) for one in read.details] == [("E1", 500), ("E2", 500)]
        assert {one.remittance_lines for one in read.details} == {("a ",)}


def test_several_messages_in_one_envelope() -> None:
    first, second = camt053(simple_entry("1.00")), camt053(simple_entry("2.00"), simple_entry("3.00"))
    intraday = (
        second.replace("BkToCstmrStmt", "BkToCstmrAcctRpt").replace("Stmt>", "Rpt>").replace("camt.053", "camt.052")
    )
    events = events_of(f"<Envelope>{first}<Next/>{intraday}</Envelope>")
    heads = [(event.format, event.version) for event in events if isinstance(event, StatementHead)]
    assert heads == [("camt.053", "001.02"), ("camt.052", "001.02")]
    assert [type(event).__name__ for event in events] == [
        "StatementHead", "Entry", "StatementEnd", "StatementHead", "Entry", "Entry", "StatementEnd"
    ]  # fmt: skip
    assert [event.amount_minor for event in events if isinstance(event, Entry)] == [100, 200, 300]


def test_a_line_break_in_a_remittance_text_is_a_blank() -> None:
    indented = "<RmtInf>\n <Ustrd>\n   Rechnung\n   4711\n </Ustrd>\n <Ustrd>\n\n</Ustrd></RmtInf>"
    entry = entry_of(camt053(simple_entry(more=f"<NtryDtls><TxDtls>{indented}</TxDtls></NtryDtls>")))
    assert entry.details[0].remittance_lines == ("Rechnung 4711",)


PERIOD = "<FrToDt><FrDtTm>2026-02-27T00:00:00</FrDtTm><ToDtTm>2026-02-28T23:59:59</ToDtTm></FrToDt>"
CLOSING = (
    '<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">10.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>'
    "<Dt><Dt>2026-03-01</Dt></Dt></Bal>"
)


@pytest.mark.parametrize(
    ("head", "balances", "day"),
    [
        (PERIOD, CLOSING, date(2026, 2, 28)),
        ("", CLOSING, date(2026, 3, 1)),
        ("", "", date(2026, 3, 3)),  # on which the message was made
    ],
)
def test_an_entry_without_a_date_takes_that_of_its_statement(head: str, balances: str, day: date) -> None:
    content = camt053(simple_entry(), "\n", simple_entry(day=""), head=head, balances=balances)
    first, second = entries_of(content)
    assert isinstance(first, Entry)
    assert isinstance(second, Entry)
    assert (first.booking_date, second.booking_date, second.value_date) == (date(2026, 3, 2), day, None)
    assert end_of(content).guesses == ("entries without a date were booked on the statement's day: line 2",)


def test_an_entry_without_a_date_in_a_statement_without_one_is_unreadable() -> None:
    content = camt053(simple_entry(day="")).replace("<CreDtTm>2026-03-03T06:00:00</CreDtTm>", "")
    (entry,) = entries_of(content)
    assert isinstance(entry, UnreadableEntry)
    assert entry.reason == "BookgDt, ValDt: neither a booked entry nor its statement has a date"
    assert end_of(content).guesses == ()
