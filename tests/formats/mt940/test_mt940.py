"""MT940 and MT942: one case per quirk of a bank."""

from __future__ import annotations

import io
from datetime import date

import pytest

from paymatch.domain.money import AmountUnreadable
from paymatch.domain.witnesses import BankWord
from paymatch.domain.words.message import Message
from paymatch.formats.bank_values import account_of, swift_amount
from paymatch.formats.mt940.fields import LineUnreadable, parse_sequence, parse_statement_line
from paymatch.formats.mt940.reader import read_mt940
from paymatch.formats.statement import (
    Balance,
    Charge,
    Entry,
    EntryStatus,
    FileRefused,
    Party,
    StatementEnd,
    StatementHead,
    UnreadableEntry,
)


def statement(*lines: str, currency: str = "EUR") -> bytes:
    head = (":20:STARTUMSE", ":25:DE53677979049691425502", ":28C:7/1", f":60F:C260804{currency}0,")
    return "\r\n".join((*head, *lines, f":62F:C260805{currency}0,", "-", "")).encode("cp1252")


def entries(data: bytes) -> list[Entry | UnreadableEntry]:
    return [event for event in read_mt940(io.BytesIO(data)) if isinstance(event, Entry | UnreadableEntry)]


def entry(*lines: str, currency: str = "EUR") -> Entry:
    (read,) = entries(statement(*lines, currency=currency))
    assert isinstance(read, Entry), read
    return read


@pytest.mark.parametrize(
    ("line", "value", "booking", "minor", "reversal"),
    [
        ("2608040804C44,90NTRFNONREF", (2026, 8, 4), (2026, 8, 4), 4490, False),
        ("2608040804CR44,90NTRFNONREF", (2026, 8, 4), (2026, 8, 4), 4490, False),
        ("260804D44,9NTRFNONREF", (2026, 8, 4), (2026, 8, 4), -4490, False),
        ("2608040804RC44,90NTRFNONREF", (2026, 8, 4), (2026, 8, 4), -4490, True),
        ("2608040804RCR44,90NTRFNONREF", (2026, 8, 4), (2026, 8, 4), -4490, True),
        ("2608040804RD44,90NTRFNONREF", (2026, 8, 4), (2026, 8, 4), 4490, True),
        ("2608040804RDR44,NTRFNONREF", (2026, 8, 4), (2026, 8, 4), 4400, True),
        ("2612310102C,50NTRFNONREF", (2026, 12, 31), (2027, 1, 2), 50, False),
        ("2701021231C1NTRFNONREF", (2027, 1, 2), (2026, 12, 31), 100, False),
        ("20260804C1,00NTRFNONREF", (2026, 8, 4), (2026, 8, 4), 100, False),
        ("202608040805C1,00NTRFNONREF", (2026, 8, 4), (2026, 8, 5), 100, False),
        ("260804260805C1,00NTRFNONREF", (2026, 8, 4), (2026, 8, 5), 100, False),
        ("2608040804C000000000012,28N0440121470966", (2026, 8, 4), (2026, 8, 4), 1228, False),
        ("2608040804C1.234,56NTRFNONREF", (2026, 8, 4), (2026, 8, 4), 123456, False),
        ("2608040804C1234.56NTRFNONREF", (2026, 8, 4), (2026, 8, 4), 123456, False),
        ("2602300301DR6,00N024NONREF", (2026, 2, 28), (2026, 3, 1), -600, False),
        ("2402300301DR6,00N024NONREF", (2024, 2, 29), (2024, 3, 1), -600, False),
    ],
)
def test_statement_line(
    line: str, value: tuple[int, int, int], booking: tuple[int, int, int], minor: int, reversal: bool
) -> None:
    read = parse_statement_line((line,), "EUR")
    assert (read.value_date, read.booking_date) == (date(*value), date(*booking))
    assert (read.amount_minor, read.reversal) == (minor, reversal)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "2608040804C44,90",
        "2608040804C44,90NTR",
        "2608040804X44,90NTRFNONREF",
        "2613040804C44,90NTRFNONREF",
        "2608040832C44,90NTRFNONREF",
        "2608040804C44,905NTRFNONREF",
        "2608040804C4,4,90NTRFNONREF",
        "2608040804C12..34NTRFNONREF",
        "2608040804C-44,90NTRFNONREF",
        "2608040804C10000000000000000,00NTRFNONREF",
        "3622687806CR1368378,92NMSC37935531",
    ],
)
def test_unreadable_statement_line_is_never_guessed(line: str) -> None:
    with pytest.raises(LineUnreadable):
        parse_statement_line((line,), "EUR")


def test_unreadable_entry_is_kept_between_the_others() -> None:
    one, bad, two = entries(
        statement(
            ":61:260804C1,00NTRFNONREF//A", ":61:260804C1x,00NTRFNONREF//B", ":86:SW-1", ":61:260804C2,00NTRFNONREF//C"
        )
    )
    assert isinstance(one, Entry)
    assert isinstance(two, Entry)
    assert (one.position, two.position, two.bank_reference) == (0, 2, "C")
    assert bad == UnreadableEntry(
        1,
        6,
        Message("file-line", line="6", what=Message("mt940-line")),
        ":61:260804C1x,00NTRFNONREF//B\nSW-1",
    )


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [("100,", "JPY", 100), ("2145,00", "JPY", 2145), ("1,5", "KWD", 1500), ("1,505", "KWD", 1505), ("7,", "DEM", 700)],
)
def test_amount_has_the_digits_of_its_currency(text: str, currency: str, minor: int) -> None:
    assert swift_amount(text, currency) == minor


@pytest.mark.parametrize(("text", "currency"), [("1,5", "JPY"), ("1,005", "EUR"), ("1,0005", "KWD"), ("1,00", "XXQ")])
def test_amount_that_does_not_fit_its_currency_is_unreadable(text: str, currency: str) -> None:
    with pytest.raises(AmountUnreadable):
        swift_amount(text, currency)


def test_german_fields_whose_lines_break_inside_a_subfield() -> None:
    read = entry(
        ":61:2608050805C33,70NTRFKREF+//P00000002",
        ":86:166?00GUTSCHRIFT?109301?20EREF+RG-2026-000000000000018?2137?22KREF+K 1?23M",
        "REF+M-1?24ABWA+Erika Muster?25SVWZ+Bestellungen  1837/SW-?2610840?30C",
        "OBADEFFXXX?31DE89993868758819600373?32Jacob AG & Co. KGaA, Nieder?33lassung Ulm",
    )
    detail = read.details[0]
    assert (read.gvc, read.booking_text, read.proprietary_code) == ("166", "GUTSCHRIFT", "NTRF+166+9301")
    assert (read.bank_reference, read.customer_reference) == ("P00000002", "")
    assert detail.end_to_end_id == "RG-2026-00000000000001837"
    assert (detail.instruction_id, detail.mandate_id) == ("K 1", "M-1")
    assert detail.remittance_lines == ("Bestellungen  1837/SW-", "10840")
    assert detail.debtor == Party(
        "Jacob AG & Co. KGaA, Niederlassung Ulm", BankWord("DE89993868758819600373"), "COBADEFFXXX", "Erika Muster"
    )
    assert detail.creditor == Party()


def test_tag_that_is_broken_by_a_subfield() -> None:
    read = entry(
        ":61:260804D1,00NDDTNONREF", ":86:105?20EREF+1 PAYPAL MREF+12AB CR?21ED+LU96ZZZ S?22VWZ+Ihr Einkauf?32PayPal"
    )
    detail = read.details[0]
    assert (detail.end_to_end_id, detail.mandate_id) == ("1 PAYPAL", "12AB")
    assert detail.additional_info == "CRED LU96ZZZ"
    assert detail.remittance_lines == ("Ihr Einkauf",)
    assert detail.creditor.name == "PayPal"


def test_text_without_tags_is_the_remittance() -> None:
    read = entry(":61:260804C1,00NMSCNONREF", ":86:051?00UEBERWEISUNG?20Rechnung 4711?21 vom 3.8.?32MUELLER")
    assert read.details[0].remittance_lines == ("Rechnung 4711", " vom 3.8.")  # its own blank parts the words


def test_short_reference_ends_with_its_subfield() -> None:
    read = entry(":61:260804C1,00NTRFNONREF", ":86:159?20EREF+R-77?21MTLG:Konto gesperrt?34903?00RETOURE")
    detail = read.details[0]
    assert (detail.end_to_end_id, detail.original_end_to_end_id) == ("R-77", "R-77")
    assert (detail.return_reason, detail.return_text) == ("AC06", "RETOURE")
    assert detail.remittance_lines == ("MTLG:Konto gesperrt",)


def test_returned_direct_debit_has_its_original_amount_and_charges() -> None:
    read = entry(
        ":61:2606080608D12,35NRTIKREF+//2016",
        "/OCMT/EUR11,85//CHGS/EUR0,50/",
        ":86:109?00RETOURE CORE?20EREF+A1 MREF+2 OAMT+11,85 SVWZ+?21SONSTIGE GRUENDE?32TESTER",
    )
    detail = read.details[0]
    assert (read.amount_minor, read.charges) == (-1235, (Charge(50, "EUR", included=True),))
    assert (detail.original_amount_minor, detail.instructed_amount_minor) == (1185, 1185)
    assert (detail.return_text, detail.debtor.name) == ("RETOURE CORE", "TESTER")
    assert detail.remittance_lines == ("SONSTIGE GRUENDE",)


@pytest.mark.parametrize(
    ("lines", "account", "name", "text", "reference"),
    [
        (
            (
                ":86:/TRTP/SEPA OVERBOEKING/IBAN/NL75INGB0001234567/BIC/INGBNL2A/NAME/",
                "HR K JANSEN EN/OF MW H JANSEN/REMI/RES.NR 00042/EREF/NOTPROV",
                "IDED",
            ),
            "NL75INGB0001234567",
            "HR K JANSEN EN/OF MW H JANSEN",
            ("RES.NR 00042",),
            "NOTPROVIDED",
        ),
        (
            (":86:/EREF/000-1//MARF/44-1//CNTP/NL88INGB0999999999/INGBNL2A/RAAMEN NV/ULM//REMI/USTD//KASSA 2 ABC-1/",),
            "NL88INGB0999999999",
            "RAAMEN NV",
            ("KASSA 2 ABC-1",),
            "000-1",
        ),
        (
            (":86:FACTUUR 201403110", "REK: NL65INGB0123456789/NAAM: PICQER"),
            "",
            "",
            ("FACTUUR 201403110 ", "REK: NL65INGB0123456789/NAAM: PICQER"),
            "",
        ),
        (
            (
                ":86:SEPA OVERBOEKING                 IBAN: NL86INGB0002445588",
                "BIC: INGBNL2A      NAAM: BELASTINGDIENST",
            ),
            "NL86INGB0002445588",
            "BELASTINGDIENST",
            ("SEPA OVERBOEKING                 IBAN: NL86INGB0002445588 ", "BIC: INGBNL2A      NAAM: BELASTINGDIENST"),
            "",
        ),
        (
            (":86:000>100000000000", ">20RABONL2U", ">21NL12RABO0888888888", ">22ZAAK NR 40", ">23000>310454545454"),
            "NL12RABO0888888888",
            "",
            ("ZAAK NR 40 ", "000"),
            "",
        ),
        (
            (
                ":86:/EREF/1/BENM//NAME/Dienst/REMI//CDTRREFTP//CD/SC",
                "OR/ISSR/CUR/CDTRREF/1234567899874563/ISDT/2013-12-27",
            ),
            "",
            "Dienst",
            (),
            "1",
        ),
        (
            (":86:020?20FAKTURA?21 333/2003?31PL08106000760000?32HUTA",),
            "PL08106000760000",
            "HUTA",
            ("FAKTURA", " 333/2003"),
            "",
        ),
        ((":86:020~20FAKTURA~3108106000760000~32HUTA",), "08106000760000", "HUTA", ("FAKTURA",), ""),
        ((":86:<20FAKTURA<21333/2003<32HUTA",), "", "HUTA", ("FAKTURA ", "333/2003"), ""),
        ((":86:999PN5477SCHECK-NR. 1",), "", "", ("999PN5477SCHECK-NR. 1",), ""),
    ],
)
def test_descriptions_of_other_banks(
    lines: tuple[str, ...], account: str, name: str, text: tuple[str, ...], reference: str
) -> None:
    detail = entry(":61:2608040804C1,00NTRFNONREF//X", *lines).details[0]
    assert (detail.debtor.account, detail.debtor.name) == (account, name)
    assert (detail.remittance_lines, detail.end_to_end_id) == (text, reference)


def test_dutch_structured_reference() -> None:
    detail = entry(":61:2608040804C1,00NTRFNONREF", ":86:/CNTP/NL1/B/N///REMI/STRD/CUR/9001234567/").details[0]
    assert detail.structured_references == (("CUR", "9001234567"),)


def test_classic_rabobank_line_holds_account_and_name() -> None:
    data = b":940:\r\n:20:940A110615\r\n:25:1291.99.348EUR\r\n:28:00000/00\r\n:60F:C110614EUR000000000473,17\r\n"
    data += (
        b":61:110527D000000001213,28N0440121470966      W.P. Jansen\r\n:86:Terugboeking      \r\n:86:NIET AKKOORD\r\n"
    )
    data += b":61:110527D000000000001,00N0440121470966      W.P. Jansen\r\n:62F:C110615EUR000000000395,82\r\n"
    head, one, two, end = read_mt940(io.BytesIO(data))
    assert isinstance(head, StatementHead)
    assert (head.account, head.currency, head.legal_sequence, head.page) == ("1291.99.348", "EUR", "", None)
    assert isinstance(one, Entry)
    assert isinstance(two, Entry)
    assert one.details[0].creditor == Party("W.P. Jansen", BankWord("0121470966"))
    assert one.details[0].remittance_lines == ("Terugboeking ", "NIET AKKOORD")
    assert (one.amount_minor, two.amount_minor) == (-121328, -100)
    assert isinstance(end, StatementEnd)


@pytest.mark.parametrize("ending", ["\r\n", "\n", "\r", "@@"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "cp850"])
def test_line_ends_and_encodings(ending: str, encoding: str) -> None:
    if ending == "@@" and encoding == "utf-8-sig":
        return  # FinTS, which uses @@, knows no byte order mark
    text = statement(":61:260804C1,00NTRFNONREF", ":86:166?20Grüße für Jörg?32Müller").decode("cp1252")
    (read,) = entries(text.replace("\r\n", ending).encode(encoding))
    assert isinstance(read, Entry)
    assert (read.details[0].remittance_lines, read.details[0].debtor.name) == (("Grüße für Jörg",), "Müller")


def test_time_that_is_broken_before_its_minutes_is_no_tag() -> None:
    head = ":86:106?20EREF+VZ0000000000000000?21SVWZ+AB?22/PL 12-09-2014T16"
    assert len(head) == 63
    read = entry(":61:260804D1,00NTRFNONREF", head, ":20:37 Folgenr. 007")
    assert "".join(read.details[0].remittance_lines) == "AB /PL 12-09-2014T16:20:37 Folgenr. 007"


def test_lone_dash_inside_of_a_text_is_no_end() -> None:
    line = ":86:166?20SVWZ+A?21BCDEFGHIJKLMNOPQRSTUVWXYZ01?32Projektgemeinscha"
    read = entry(
        ":61:260804C1,00NTRFNONREF", line, "-", "ft Sued der vereinigten Kommanditgesellschaften mbH und Co. KG"
    )
    assert read.details[0].debtor.name.startswith("Projektgemeinscha-ft Sued")


def test_several_statements_in_envelopes() -> None:
    body = ":20:A\n:25:NL92KNAB0123123123\n:28C:{n}/1\n:60F:C260804EUR0,\n"
    body += ":61:2608040804C1,00NTRFNONREF//R{n}\n:62F:C260804EUR1,\n"
    envelope = "{{1:F01KNABNL2HAXXX0000000000}}{{2:I940KNABNL2HXXXXN3020}}{{4:\n" + body + "-}}{{5:{{MAC:1}}}}\n"
    data = "".join(envelope.format(n=number) for number in (998, 999)).encode()
    events = list(read_mt940(io.BytesIO(data)))
    heads = [event for event in events if isinstance(event, StatementHead)]
    assert [(head.account, head.legal_sequence, head.page) for head in heads] == [
        ("NL92KNAB0123123123", "998", 1),
        ("NL92KNAB0123123123", "999", 1),
    ]
    assert [event.bank_reference for event in events if isinstance(event, Entry)] == ["R998", "R999"]


def test_balances_of_every_kind() -> None:
    data = (
        b":20:A\r\n:25:1\r\n:28C:1\r\n:60M:D260804EUR5,\r\n:61:260804C6,00NTRFNONREF\r\n:62M:C260805EUR1,\r\n"
        b":64:C260805EUR1,\r\n:65:C260806EUR2,00\r\n:65:Dnullnull7414,3\r\n-\r\n"
    )
    *_, end = read_mt940(io.BytesIO(data))
    assert end == StatementEnd(
        (
            Balance("ITBD", -500, "EUR", date(2026, 8, 4)),
            Balance("ITBD", 100, "EUR", date(2026, 8, 5)),
            Balance("CLAV", 100, "EUR", date(2026, 8, 5)),
            Balance("FWAV", 200, "EUR", date(2026, 8, 6)),
        )
    )


def test_interim_report_and_expected_entries() -> None:
    data = (
        b":20:A\r\n:25:50880050/194774600\r\n:28C:1\r\n:34F:USDD0,\r\n:34F:USDC0,\r\n:13D:2608041730+0100\r\n"
        b":61:260804C6,00NTRFNONREF\r\n:61:260804EC7,00NTRFNONREF\r\n:61:260804ED8,00NTRFNONREF\r\n"
        b":90D:1USD8,\r\n:90C:2USD13,00\r\n-\r\n"
    )
    head, *read, end = read_mt940(io.BytesIO(data))
    assert isinstance(head, StatementHead)
    assert (head.format, head.currency) == ("MT942", "USD")
    assert [(one.amount_minor, one.status) for one in read if isinstance(one, Entry)] == [
        (600, EntryStatus.BOOKED),
        (700, EntryStatus.PENDING),
        (-800, EntryStatus.PENDING),
    ]
    assert end == StatementEnd((), 3, 1300, 800)


def test_statement_without_currency_takes_the_accounts() -> None:
    data = b":20:A\r\n:25:1\r\n:61:260804C6,00NTRFNONREF\r\n-\r\n"
    head, read, _ = read_mt940(io.BytesIO(data), default_currency="CHF")
    assert isinstance(head, StatementHead)
    assert isinstance(read, Entry)
    assert (head.currency, read.currency) == ("", "CHF")


def test_memory_does_not_grow_with_the_file() -> None:
    class Endless(io.RawIOBase):
        """Two million entries would be in it; only what is asked for is made."""

        def __init__(self) -> None:
            self.parts = 0

        def read(self, size: int = -1) -> bytes:
            self.parts += 1
            head = b":20:A\r\n:25:1\r\n:60F:C260804EUR0,\r\n" if self.parts == 1 else b""
            return head + b":61:260804C6,00NTRFNONREF\r\n:86:166?20SVWZ+SW-1\r\n" * 100

    source = Endless()
    events = read_mt940(source)  # type: ignore[arg-type]  # only read() is used
    for _ in range(1000):
        next(events)
    assert source.parts <= 12


@pytest.mark.parametrize("blanks", [" ", "    ", "\t"])
def test_a_file_that_is_indented_as_a_whole_is_read(blanks: str) -> None:
    lines = [":61:260804C6,00NTRFNONREF", ":86:166?00GUTSCHRIFT?20SVWZ+Danke f", "uer alles?32Eva Muster"]
    plain = statement(*lines)
    indented = b"".join(blanks.encode() + line for line in plain.splitlines(keepends=True))
    assert entries(indented) == entries(plain)
    assert [type(each) for each in entries(b"\r\n" + indented)] == [Entry]


def test_overlong_line_is_refused() -> None:
    with pytest.raises(FileRefused, match="line 6: longer than 65536 bytes"):
        entries(statement(":61:260804C6,00NTRFNONREF", ":86:" + "A" * 70_000))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("00004/00001", ("4", 1)),
        ("0", ("", None)),
        ("00000/00", ("", None)),
        ("00001", ("1", None)),
        ("35001/1", ("35001", 1)),
        ("", ("", None)),
    ],
)
def test_sequence(text: str, expected: tuple[str, int | None]) -> None:
    assert parse_sequence(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NL47INGB0001212121EUR", ("NL47INGB0001212121", "EUR")),
        ("3462.483.153 EUR", ("3462.483.153", "EUR")),
        ("NL92 KNAB 0123 4567 89", ("NL92KNAB0123456789", "")),
        ("COBADEFFXXX/DE89370400440532013000", ("DE89370400440532013000", "")),
        ("COBADEFF/DE89370400440532013000EUR", ("DE89370400440532013000", "EUR")),
        ("DE89370400440532013000/EUR", ("DE89370400440532013000", "EUR")),
        ("COBADEFF/0532013000", ("COBADEFF/0532013000", "")),
        ("50880050/0194774600888", ("50880050/0194774600888", "")),
        ("MT84MALT011000012345MTLCAST001S", ("MT84MALT011000012345MTLCAST001S", "")),
    ],
)
def test_account(text: str, expected: tuple[str, str]) -> None:
    assert account_of(text) == expected


@pytest.mark.parametrize(
    ("subfields", "name"),
    [
        ("?32MAX?33MUSTER", "MAX MUSTER"),
        ("?32Donaudampfschifffahrtsgesel?33lschaft mbH", "Donaudampfschifffahrtsgesellschaft mbH"),
        ("?32MAXIMILIAN VON UND ZU DEM ?33BERGE", "MAXIMILIAN VON UND ZU DEM BERGE"),
    ],
)
def test_a_name_goes_on_without_a_blank_only_behind_a_filled_subfield(subfields: str, name: str) -> None:
    read = entry(":61:2608050805C50,00N166NONREF//x", f":86:166?00GUTSCHRIFT?20DANKE{subfields}")
    assert read.details[0].debtor.name == name


def test_the_ordering_party_may_stand_behind_its_word() -> None:
    said = ":86:/OCMT/SEK499,00/ORDP/ANNA SVENSSON/BENM/SHOP AB/REMI/2026001"
    paid_in, paid_out = (entry(f":61:2608050805{mark}499,00NTRFNONREF//x", said).details[0] for mark in "CD")
    assert (paid_in.debtor.name, paid_out.creditor.name) == ("ANNA SVENSSON", "SHOP AB")
    assert paid_in.remittance_lines == ("2026001",)


def test_one_slash_may_close_a_word_and_open_the_next() -> None:
    said = ":86:/EREF/E2E-1/ORDP/NAME/HUBER FRANZ/IBAN/AT611904300234573201/REMI/SO-5"
    detail = entry(":61:2608050805C499,00NTRFNONREF//x", said).details[0]
    assert (detail.end_to_end_id, detail.debtor.name) == ("E2E-1", "HUBER FRANZ")
    assert (detail.debtor.account, detail.remittance_lines) == ("AT611904300234573201", ("SO-5",))


def test_polish_accounts() -> None:
    numbers = "<3010100071<310223147244000000<32JAN KOWALSKI<33UL. DLUGA 1<38PL37109024020000000610000434"
    polish = f"034<00PRZELEW<20Faktura 12{numbers}"
    read = entry(":61:2608050805C50,00S034NONREF//x", f":86:{polish}")
    assert read.details[0].debtor == Party(
        name="JAN KOWALSKI UL. DLUGA 1", account=BankWord("PL37109024020000000610000434"), bic="10100071"
    )
    assert account_of("/PL37109024020000000610000434") == ("PL37109024020000000610000434", "")


@pytest.mark.parametrize(
    ("lines", "reference", "text", "ultimate"),
    [
        ((":86:166?20EREF+NOTPROVIDEDSVWZ+Rechnu?21ng 4711?32Max",), "NOTPROVIDED", "Rechnung 4711", ""),
        ((":86:166?20EREF+A1KREF+XYABWA+ErnaSVWZ+?21Rechnung 4711?32Max",), "A1", "Rechnung 4711", "Erna"),
        ((":86:166?20EREF+A123456789012345S?21VWZ+Rechnung 4711?32Max",), "A123456789012345", "Rechnung 4711", ""),
        ((":86:166?20Rechnung ASVWZ+4711?32Max",), "", "Rechnung ASVWZ+4711", ""),
        ((":86:EREF+A1 SVWZ+Rechnung 4711", "Danke ABWA+Erna"), "A1", "Rechnung 4711 Danke ABWA+Erna", ""),
    ],
)  # fmt: skip
def test_tags_that_are_glued_or_stand_in_plain_lines(
    lines: tuple[str, ...], reference: str, text: str, ultimate: str
) -> None:
    detail = entry(":61:2608040804C1,00NTRFNONREF", *lines).details[0]
    assert (detail.end_to_end_id, "".join(detail.remittance_lines)) == (reference, text)
    assert detail.debtor.ultimate_name == ultimate


def test_short_lines_of_free_text_end_a_word_and_full_ones_do_not() -> None:
    full = "x" * 64 + "Rech"
    detail = entry(":61:2608040804C1,00NTRFNONREF", ":86:GUTSCHRIFT", "MUSTER AG", full, "nung 4711").details[0]
    assert "".join(detail.remittance_lines) == f"GUTSCHRIFT MUSTER AG {full}nung 4711"


def test_a_creditor_reference_is_no_account() -> None:
    read = entry(":61:2608040804C1,00NTRFRF18539007547034//B1", ":86:x")
    assert (read.details[0].debtor.account, read.customer_reference) == ("", "RF18539007547034")


def test_ing_name_with_a_slash() -> None:
    text = "/EREF/NOTPROVIDED//CNTP/NL32INGB0000012345/INGBNL2A/J.JANSEN EN/OF P.PUK/AMSTERDAM//REMI/USTD//Factuur 1///"
    detail = entry(":61:2608040804C1,00NTRFEREF//1", f":86:{text}").details[0]
    assert detail.debtor == Party("J.JANSEN EN/OF P.PUK", BankWord("NL32INGB0000012345"), "INGBNL2A")
    assert detail.remittance_lines == ("Factuur 1",)


def test_polish_letters_and_account_digits() -> None:
    lines = (":61:2608040804C1,00NTRFNONREF", ":86:020~20Tytuły~32MICHAŁ ŁĘCKI~3861109010140000071219812874")
    data = statement().decode().replace(":62F:", "\r\n".join((*lines, ":62F:")))
    (read,) = entries(data.encode("cp1250"))
    assert isinstance(read, Entry)
    assert read.details[0].debtor == Party("MICHAŁ ŁĘCKI", BankWord("PL61109010140000071219812874"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16(encoding: str) -> None:
    text = statement(":61:2608040804C1,00NTRFNONREF", ":86:Müller").decode("cp1252")
    mark = "" if encoding == "utf-16" else "\ufeff"
    (read,) = entries((mark + text).encode(encoding))
    assert isinstance(read, Entry)
    assert read.details[0].remittance_lines == ("Müller",)
    with pytest.raises(FileRefused, match="UTF-16"):
        entries((mark + text).encode(encoding)[:-1])


def test_remarks_and_marks_of_files_that_were_put_together() -> None:
    one = statement(":61:2608040804C1,00NTRFNONREF").replace(b"-\r\n", b"*** END ***\r\n")
    events = list(read_mt940(io.BytesIO(b"\xef\xbb\xbf" + one + b"\xef\xbb\xbf" + one)))
    ends = [event for event in events if isinstance(event, StatementEnd)]
    assert [[balance.code for balance in end.balances] for end in ends] == [["OPBD", "CLBD"]] * 2
    assert [event.statement_id for event in events if isinstance(event, StatementHead)] == ["STARTUMSE"] * 2


def test_a_currency_that_only_the_closing_balance_names_is_the_accounts_or_refused() -> None:
    data = statement(":61:2608040804C1,00NTRFNONREF").replace(b":60F:C260804EUR0,\r\n", b"")
    assert [event.currency for event in entries(data) if isinstance(event, Entry)] == ["EUR"]
    with pytest.raises(FileRefused, match="line 5: :62F: is in USD; no balance precedes the entries"):
        entries(data.replace(b"EUR", b"USD"))
    dollars = list(read_mt940(io.BytesIO(data.replace(b"EUR", b"USD")), default_currency="USD"))
    assert [event.currency for event in dollars if isinstance(event, Entry)] == ["USD"]
