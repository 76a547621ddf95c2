"""A payer's remittance information changes the text and nothing else (D-80)."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import fields
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.postings import Posting
from paymatch.domain.witnesses import FACTS
from tests.formats.corpus_files import corpus_folder
from tests.formats.typed_tokens import TOKENS, TypedFile, facts_of, typed_file
from tests.length import share

SOAK: Final = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
_LARGEST: Final = 400_000  # bytes of a file of the corpus that is read so often


def _mt940(*lines: str) -> bytes:
    head = (":20:S", ":25:NL91ABNA0417164300", ":28C:7/1", ":60F:C261123EUR0,00", ":61:2611241124C50,00NTRFNONREF//B1")
    return "\r\n".join((*head, *lines, ":62F:C261124EUR50,00", "-", "")).encode("cp1252")


_CAMT: Final = (
    b'<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
    b"<BkToCstmrStmt><GrpHdr><MsgId>M</MsgId></GrpHdr><Stmt><Id>S</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id>"
    b'</Acct><Ntry><Amt Ccy="EUR">50.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt>'
    b"<Dt>2026-11-24</Dt></BookgDt><NtryDtls><TxDtls><Refs><EndToEndId>E-1</EndToEndId></Refs><RltdPties><Dbtr><Pty>"
    b"<Nm>Erika Muster</Nm></Pty></Dbtr></RltdPties><RmtInf><Ustrd>Bestellung SW-10001 danke</Ustrd></RmtInf></TxDtls>"
    b"</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>"
)
_OFX: Final = (
    b"OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM>"
    b"<BANKTRANLIST><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261124<TRNAMT>50.00<FITID>1<NAME>Erika Muster"
    b"<MEMO>Bestellung SW-10001 danke</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
)
_TABLE: Final = (
    "Buchungstag;Valuta;Name;IBAN;Verwendungszweck;Betrag;Währung\r\n"
    "24.11.2026;24.11.2026;Erika Muster;;{};50,00;EUR\r\n23.11.2026;23.11.2026;Max Muster;;Miete;-20,00;EUR\r\n"
)
_TEXT: Final = "Bestellung SW-10001 danke"

SAMPLES: Final = {
    "German tags": _mt940(
        f":86:166?00GUTSCHRIFT?109301?20EREF+E-1?21SVWZ+{_TEXT}?30COBADEFFXXX?31DE02120300000000202051?32Erika Muster"
    ),
    "German tags without account": _mt940(f":86:166?00GUTSCHRIFT?20SVWZ+{_TEXT}?32Erika Muster"),
    "German text": _mt940(f":86:051?00UEBERWEISUNG?20{_TEXT}?32Erika Muster"),
    "German return": _mt940(f":86:159?00RETOURE?20EREF+R-1?21{_TEXT}?32Erika Muster?34901"),
    "German tags in lines": _mt940(f":86:EREF+E-1 SVWZ+{_TEXT}"),
    "Dutch, ABN AMRO": _mt940(
        ":86:/TRTP/SEPA OVERBOEKING/IBAN/NL75INGB0001234567/BIC/INGBNL2A/NAME/E",
        f"RIKA MUSTER/REMI/{_TEXT}/EREF/NOTPROVIDED",
    ),
    "Dutch, ING": _mt940(f":86:/EREF/E-1//CNTP/NL88INGB0999999999/INGBNL2A/E MUSTER///REMI/USTD//{_TEXT}/"),
    "Dutch, Rabobank": _mt940(f":86:/EREF/E-1/ORDP//NAME/E MUSTER/REMI/{_TEXT}/ISDT/2026-11-24"),
    "Dutch, columns": _mt940(
        ":86:SEPA OVERBOEKING                 IBAN: NL86INGB0002445588", "BIC: INGBNL2A      NAAM: E MUSTER",
        f"OMSCHRIJVING: {_TEXT}",
    ),
    "free text": _mt940(f":86:{_TEXT}"),
    "camt": _CAMT,
    "OFX": _OFX,
    "table": _TABLE.format(_TEXT).encode("cp1252"),
    "table with tags": _TABLE.format(f"EREF+E-1 SVWZ+{_TEXT}").encode("cp1252"),
    "table with slash words": _TABLE.format(f"/TRTP/SEPA/IBAN/NL75INGB0001234567/NAME/X/REMI/{_TEXT}/EREF/E-1").encode(
        "cp1252"
    ),
    "table with Dutch labels": _TABLE.format(
        f"Naam: E Muster Omschrijving: {_TEXT} IBAN: NL75INGB0001234567 Kenmerk: E-1"
    ).encode("cp1252"),
}  # fmt: skip


def _file_of(name: str) -> TypedFile:
    data = SAMPLES[name]
    begin = data.decode("latin-1").index(_TEXT)
    return TypedFile(name, data, ((begin, begin + len(_TEXT)),))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_typed_token_changes_only_the_text(name: str) -> None:
    file = _file_of(name)
    before = facts_of(file.data)
    for token in share(TOKENS, list(SAMPLES).index(name), 6):
        for at in (0.0, 0.45, 1.0):
            assert facts_of(file.with_typed(token, 0, at)) == before, (token, at)


@given(st.sampled_from(sorted(SAMPLES)), st.lists(st.sampled_from(TOKENS), min_size=1, max_size=4), st.floats(0, 1))
def test_typed_tokens_change_only_the_text(name: str, tokens: list[str], at: float) -> None:
    file = _file_of(name)
    assert facts_of(file.with_typed(" ".join(tokens), 0, at)) == facts_of(file.data)


def test_what_is_read_from_the_samples() -> None:
    """They have the facts that a payer would like to forge."""
    read = {name: facts_of(data) for name, data in SAMPLES.items()}
    assert all(isinstance(facts, list) and facts[0]["amount_minor"] == 5000 for facts in read.values())
    with_id = {name for name, facts in read.items() if isinstance(facts, list) and facts[0]["end_to_end_id"]}
    assert with_id == {
        "German tags", "German return", "German tags in lines", "Dutch, ING", "Dutch, Rabobank", "camt",
        "table with tags", "table with slash words",
    }  # fmt: skip


def test_every_field_of_a_posting_has_its_witness() -> None:
    assert [fact.field for fact in FACTS if fact.field not in {field.name for field in fields(Posting)}] == []
    assert sorted(fact.field for fact in FACTS) == sorted(field.name for field in fields(Posting))


def _corpus() -> list[str]:
    root = corpus_folder()
    if root is None:
        return []
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and path.stat().st_size < _LARGEST)
    return [str(path.relative_to(root)) for path in files if path.suffix not in {".csv.gz", ".xsd", ".md", ".zip"}]


@pytest.mark.corpus
@pytest.mark.parametrize("name", _corpus())
def test_a_typed_token_changes_only_the_text_of_a_public_file(name: str) -> None:
    root = corpus_folder()
    assert root is not None
    file = typed_file(name, (root / name).read_bytes())
    if file is None:
        return
    chance = random.Random(None if SOAK else name)
    before = facts_of(file.data)
    for token in TOKENS if SOAK else chance.sample(TOKENS, 12):
        place, at = chance.randrange(len(file.places)), chance.choice([0.0, chance.random(), 1.0])
        typed = file.with_typed(token, place, at)
        where = (token, file.places[place % len(file.places)], at)
        assert _differs_by_doubt_alone(before, facts_of(typed)), where


def _differs_by_doubt_alone(before: list[dict[str, Any]] | str, typed: list[dict[str, Any]] | str) -> bool:
    """Whether the facts are the same, but for entries behind a line whose length the token has changed.

    An entry behind a full line comes last, or not at all where neither balances nor sums prove it.
    """
    if isinstance(before, str) or isinstance(typed, str):
        return before == typed
    one, other = Counter(map(repr, before)), Counter(map(repr, typed))
    return not one - other or not other - one
