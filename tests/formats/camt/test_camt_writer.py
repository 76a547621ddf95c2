"""What we write as a bank is valid, and is read back as it was."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from paymatch.domain.money import EUR, Currency
from paymatch.domain.postings import Posting
from paymatch.formats.camt.reader import read_camt
from paymatch.formats.camt.writer import VERSIONS, CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.formats.postings_of import postings_of
from paymatch.formats.statement import Balance, Entry, StatementEnd, StatementHead
from tests.formats.corpus_files import corpus_folder

AT = datetime(2026, 3, 3, 6, 0, tzinfo=UTC)
IBAN = "DE89370400440532013000"


def _texts(limit: int) -> st.SearchStrategy[str]:
    """Texts as they leave a reader: no white space at the ends, none that is a line break."""
    letters = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs"))
    return st.text(letters | st.sampled_from(" <>&'\"]"), max_size=limit).map(str.strip)


_IDS = st.from_regex(r"[A-Z0-9/\-]{0,20}", fullmatch=True).filter(lambda text: text != "-")


@st.composite
def _postings(draw: st.DrawFn, sign: int) -> Posting:
    returned = draw(st.booleans())
    instructed = draw(st.none() | st.integers(1, 10**9))
    end_to_end = draw(_IDS)
    name = draw(_texts(70))
    return Posting(
        account=IBAN,
        currency=EUR,
        amount_minor=sign * draw(st.integers(1, 10**12)),
        booking_date=date(2026, 3, 2),
        value_date=draw(st.none() | st.dates(date(2026, 1, 1), date(2026, 12, 31))),
        bank_reference=draw(_IDS),
        counterparty_name=name,
        counterparty_iban=draw(st.sampled_from(["", "AT611904300234573201", "123-4567"])) if name else "",
        counterparty_bic=draw(st.sampled_from(["", "BYLADEM1001"])),
        ultimate_name=draw(_texts(70)) if name else "",
        end_to_end_id=end_to_end,
        mandate_id=draw(_IDS),
        batch_id=draw(_IDS),
        message_id=draw(_IDS),
        transaction_id=draw(_IDS),
        remittance_lines=tuple(draw(st.lists(_texts(140).filter(bool), max_size=3))),
        structured_references=tuple(draw(st.lists(st.sampled_from(["RF18539007547034", "2" * 27]), max_size=2))),
        referred_documents=tuple(draw(st.lists(_IDS.filter(bool), max_size=2))),
        purpose=draw(st.sampled_from(["", "GDDS"])),
        bank_code=draw(st.sampled_from(["PMNT/RCDT/ESCT", "PMNT/ICDT/ESCT", "166", "116"])),
        booking_text=draw(_texts(100)),
        is_return=returned,
        return_reason=draw(st.sampled_from(["", "AC01", "MD06"])) if returned else "",
        return_text=draw(_texts(100)) if returned else "",
        original_end_to_end_id=end_to_end if returned else "",
        original_amount_minor=instructed if returned else None,
        instructed_amount_minor=instructed,
        instructed_currency="EUR" if instructed else "",
        exchange_rate=draw(st.sampled_from(["", "1.0834"])),
    )


@st.composite
def _bookings(draw: st.DrawFn) -> WrittenEntry:
    sign = draw(st.sampled_from([1, -1]))
    size = draw(st.sampled_from([1, 1, 1, 2, 3]))
    first = draw(_postings(sign))
    # A batch shares the fields of its entry.
    shared = {
        name: getattr(first, name) for name in ("value_date", "bank_code", "booking_text", "batch_id", "message_id")
    }
    others = [replace(draw(_postings(sign)), **shared) for _ in range(size - 1)]
    entry_reference = draw(_IDS) if size > 1 else ""
    postings = tuple(
        replace(
            posting,
            detail_index=index,
            batch_size=size,
            entry_reference=entry_reference,
            bank_reference=posting.bank_reference or entry_reference,
            extra_texts=()
            if posting.remittance_lines or posting.structured_references or not posting.booking_text
            else (posting.booking_text,),
        )
        for index, posting in enumerate((first, *others))
    )
    return WrittenEntry(postings, bank_reference=entry_reference)


def _statement(*bookings: WrittenEntry, opening: int = 0) -> CamtStatement:
    day = date(2026, 3, 2)
    return CamtStatement(
        IBAN, EUR, opening, day, day, "2026-042", 42, bookings, owner_name="Shop GmbH", servicer_bic="COBADEFFXXX"
    )


def _read(content: bytes) -> tuple[StatementHead, list[Entry], StatementEnd]:
    head, *entries, end = read_camt(io.BytesIO(content))
    assert isinstance(head, StatementHead)
    assert isinstance(end, StatementEnd)
    return head, [entry for entry in entries if isinstance(entry, Entry)], end


@given(
    st.lists(_bookings(), max_size=8),
    st.sampled_from(VERSIONS),
    st.sampled_from(list(CamtMessage)),
    st.integers(-(10**9), 10**9),
)
def test_what_is_written_is_read_as_it_was(
    bookings: list[WrittenEntry], version: str, message: CamtMessage, opening: int
) -> None:
    """Postings, balances and order survive, whatever characters the texts hold."""
    head, entries, end = _read(write_camt([_statement(*bookings, opening=opening)], AT, message, version))
    assert (head.format, head.version, head.account, head.electronic_sequence) == (message.value, version, IBAN, "42")
    read = [posting for entry in entries for posting in postings_of(head, entry)]
    assert read == [posting for booking in bookings for posting in booking.postings]
    total = sum(posting.amount_minor for booking in bookings for posting in booking.postings)
    assert sum(entry.amount_minor for entry in entries) == total
    assert end.summary_count == len(bookings)
    if message is CamtMessage.STATEMENT:
        day = date(2026, 3, 2)
        assert end.balances == (Balance("OPBD", opening, "EUR", day), Balance("CLBD", opening + total, "EUR", day))


def _rich_bookings() -> tuple[WrittenEntry, ...]:
    paid = Posting(
        IBAN, EUR, 1990, date(2026, 3, 2), date(2026, 3, 2), "REF1", counterparty_name="Jürgen Müller & Söhne",
        counterparty_iban="DE02120300000000202051", counterparty_bic="BYLADEM1001", ultimate_name="Kind",
        end_to_end_id="E2E", mandate_id="M1", transaction_id="T1", remittance_lines=("R-1", "R-2"),
        structured_references=("RF18539007547034", "2" * 27), referred_documents=("D-1",), purpose="GDDS",
        bank_code="PMNT/RCDT/ESCT", booking_text="GUTSCHRIFT", instructed_amount_minor=2000,
        instructed_currency="EUR", charges_minor=10, exchange_rate="1.0",
    )  # fmt: skip
    returned = replace(
        paid, amount_minor=-2500, is_return=True, return_reason="MD06", return_text="Widerspruch", bank_code="109"
    )
    return (
        WrittenEntry((paid,), entry_reference="1"),
        WrittenEntry((returned,)),
        WrittenEntry((paid, replace(paid, amount_minor=5)), bank_reference="BATCH"),
        WrittenEntry((replace(paid, amount_minor=-1990),), reversal=True),
    )


@pytest.mark.corpus
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("message", list(CamtMessage))
def test_what_is_written_is_valid(message: CamtMessage, version: str) -> None:
    """Against the schemas of ISO 20022, where they lie beside the repository."""
    folder = corpus_folder()
    path = folder / f"xsd/{message}.{version}.xsd" if folder else None
    if path is None or not path.is_file():
        pytest.skip("no schema of this version")
    schema = etree.XMLSchema(etree.parse(path))
    content = write_camt([_statement(*_rich_bookings(), opening=-5)], AT, message, version)
    schema.assertValid(etree.fromstring(content))


@pytest.mark.parametrize("version", VERSIONS)
def test_charges_of_a_payment_survive(version: str) -> None:
    """The included charge of .04 on, and in .02 the one that explains the difference to the instructed amount."""
    booking = _rich_bookings()[0]
    head, entries, _ = _read(write_camt([_statement(booking)], AT, version=version))
    assert postings_of(head, entries[0])[0].charges_minor == 10


def test_a_reversal_is_marked_and_keeps_its_direction() -> None:
    head, entries, end = _read(write_camt([_statement(_rich_bookings()[3], opening=5000)], AT))
    assert (entries[0].amount_minor, entries[0].reversal) == (-1990, True)
    (posting,) = postings_of(head, entries[0])
    assert (posting.is_return, posting.counterparty_name) == (True, "Jürgen Müller & Söhne")
    assert end.balances[1].amount_minor == 3010


def test_currencies_have_their_own_digits() -> None:
    """JPY without, KWD with three decimals."""
    for currency, minor in ((Currency("JPY"), 1500), (Currency("KWD"), 1501)):
        posting = Posting(IBAN, currency, minor, date(2026, 3, 2))
        day = date(2026, 3, 2)
        statement = CamtStatement(IBAN, currency, 0, day, day, "S", 1, (WrittenEntry((posting,)),))
        _, entries, end = _read(write_camt([statement], AT))
        assert (entries[0].amount_minor, entries[0].currency) == (minor, currency)
        assert end.balances[1].amount_minor == minor
        assert end.summary_credit_minor == minor


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(ValueError, match=r"001\.99"):
        write_camt([], AT, version="001.99")
