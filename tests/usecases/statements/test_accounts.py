"""Which account a file means, and how its tables are read (D-24)."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from paymatch.confined import ProcessBudget
from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.mt940.writer import StatementToWrite, entry_of, write_mt940
from paymatch.formats.statement import FileRefused
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.usecases.statements import accounts, bank_connections
from paymatch.usecases.statements.csv_mapping import mapping
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.usecases.conftest import ACCOUNT, DAY, Books, camt, paid

OTHER = "DE02120300000000202051"
ING = "Buchung;Auftraggeber/Empfänger;Verwendungszweck;Buchungstext;Betrag"
"""The layout of a bank that does not name the account."""

ONLY = f"the file does not name its account: taken as the only confirmed one, {ACCOUNT}"
TABLE = """Tag;Wer;Wofür;Saldo neu;Summe
10.03.2026;Eva Müller;Rechnung 4711;100,00;19,90
10.03.2026;Max;Miete;80,10;-19,90
"""


def other_account() -> bytes:
    return camt(CamtMessage.STATEMENT, replace(paid(700, "B"), account=OTHER), account=OTHER)


def listed(books: Books) -> list[tuple[str, bool]]:
    return [(row["account"], row["confirmed"]) for row in accounts.list_accounts(books.database, books.shop)]


def test_an_unknown_account_is_added_and_waits_to_be_confirmed(books: Books) -> None:
    assert books.bring(other_account(), dry_run=True).new_accounts == [OTHER]
    assert listed(books) == [(ACCOUNT, True)]
    assert books.bring(other_account()).new_accounts == [OTHER]
    assert listed(books) == [(ACCOUNT, True), (OTHER, False)]
    accounts.confirm(books.database, books.shop, "DE02 1203 0000 0000 2020 51")
    assert listed(books) == [(ACCOUNT, True), (OTHER, True)]
    with pytest.raises(SettingRefused, match="The shop has no account 'DE99'"):
        accounts.confirm(books.database, books.shop, "DE99")


def test_an_account_that_came_with_an_import_goes_with_it(books: Books) -> None:
    first = books.bring(other_account())
    assert undo_import(books.database, books.shop, first.import_id, books.now)["accountsRemoved"] == [OTHER]
    assert listed(books) == [(ACCOUNT, True)]


def test_an_account_that_is_confirmed_or_used_stays_when_its_import_goes(books: Books) -> None:
    first = books.bring(other_account())
    accounts.confirm(books.database, books.shop, OTHER)
    assert undo_import(books.database, books.shop, first.import_id, books.now)["accountsRemoved"] == []
    assert listed(books) == [(ACCOUNT, True), (OTHER, True)]
    accounts.remove(books.database, books.shop, OTHER)
    again = books.bring(other_account())
    books.bring(camt(CamtMessage.STATEMENT, replace(paid(800, "C"), account=OTHER), account=OTHER, number=2))
    assert undo_import(books.database, books.shop, again.import_id, books.now)["accountsRemoved"] == []
    assert listed(books) == [(ACCOUNT, True), (OTHER, False)]


def test_an_account_is_removed_and_what_it_brought_stays(books: Books) -> None:
    books.bring(other_account())
    removed = accounts.remove(books.database, books.shop, "DE02 1203 0000 0000 2020 51")
    assert removed == {"account": OTHER, "removed": True}
    assert (listed(books), len(books.postings())) == ([(ACCOUNT, True)], 1)
    with pytest.raises(SettingRefused, match=f"The shop has no account '{OTHER}'"):
        accounts.remove(books.database, books.shop, OTHER)


def test_an_account_with_a_connection_is_not_removed(books: Books) -> None:
    row = ConnectionRow(ACCOUNT, "37040044", "https://bank.example/fints", "user")
    bank_connections.add(books.database, books.shop, row)
    with pytest.raises(SettingRefused, match=f"account '{ACCOUNT}' are fetched from its bank: remove that connection"):
        accounts.remove(books.database, books.shop, ACCOUNT)
    assert listed(books) == [(ACCOUNT, True)]


def test_an_unknown_account_is_noted_and_raises_an_alert_until_it_is_confirmed(books: Books) -> None:
    def alerts() -> list[tuple[str, str]]:
        with books.database.of_shop(books.shop, at=books.now) as tx:
            keep_alerts(tx)
        return [(row["kind"], row["subject"]) for row in list_alerts(books.database, books.shop)]

    report = books.bring(other_account())
    assert report.notes == [f"account {OTHER} is not among the shop's accounts: confirm it, or undo the import"]
    assert alerts() == [("account-unconfirmed", f"{OTHER} EUR")]
    accounts.confirm(books.database, books.shop, OTHER)
    assert alerts() == []


def test_a_locked_list_refuses_unknown_accounts_but_not_a_rehearsal(books: Books) -> None:
    with books.database.of_shop(books.shop) as tx:
        shop_store.change(tx, {"accounts_locked": True})
    books.shop = replace(books.shop, accounts_locked=True)
    assert books.bring(other_account(), dry_run=True).new == 1
    with pytest.raises(
        FileRefused, match=f"account {OTHER} EUR is not among the shop's accounts, whose list is locked"
    ):
        books.bring(other_account())
    assert (books.postings(), listed(books)) == ([], [(ACCOUNT, True)])
    accounts.add(books.database, books.shop, OTHER, "", books.now)
    assert books.bring(other_account()).new == 1


def test_bank_code_and_number_mean_the_registered_iban(books: Books) -> None:
    day = DAY - timedelta(days=1)
    swift = StatementToWrite("37040044/532013000", "EUR", 0, day, DAY, 1, (entry_of(paid(700, "B")),))  # type: ignore[arg-type]
    assert books.bring(write_mt940([swift])).new_accounts == []
    assert books.bring(camt(CamtMessage.STATEMENT, paid(700, "B"))).new == 0


def test_an_account_number_of_ofx_means_the_registered_iban_of_its_bank(books: Books) -> None:
    text = (
        "<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>37040044<ACCTID>0532013000</BANKACCTFROM><STMTTRN>"
        "<TRNTYPE>CREDIT<DTPOSTED>20260310<TRNAMT>1.00<FITID>1</STMTTRN></STMTRS></OFX>"
    )
    report = books.bring(text.encode())
    assert (report.accounts, report.new_accounts) == ([ACCOUNT], [])
    assert books.bring(text.replace("37040044", "37040045").encode()).new_accounts == ["0532013000"]


NO_ACCOUNT = "the file does not name its account: undo the import, and name the account when you import it again"


def test_a_table_of_no_account_is_not_given_to_one_that_nobody_confirmed(books: Books) -> None:
    known = TABLE.replace("Tag;Wer;Wofür;Saldo neu;Summe", ING)
    books.bring(other_account())
    report = books.bring(known.encode("cp1252"))
    assert (report.accounts, report.notes) == ([ACCOUNT], [ONLY])
    accounts.add(books.database, books.shop, OTHER, "", books.now)
    later = books.bring(known.replace("10.03.", "11.03.").encode("cp1252"))
    assert (later.accounts, later.notes) == ([], [NO_ACCOUNT])
    named = books.bring(known.replace("10.03.", "12.03.").encode("cp1252"), account=OTHER)
    assert (named.accounts, NO_ACCOUNT in named.notes) == ([OTHER], False)


def test_a_table_belongs_to_the_only_account_or_the_one_named(books: Books) -> None:
    known = TABLE.replace("Tag;Wer;Wofür;Saldo neu;Summe", ING)
    books.bring(known.encode("cp1252"))
    assert {row[0] for row in books.rows("SELECT account FROM postings WHERE shop_id = $1")} == {ACCOUNT}
    books.bring(other_account())
    later = known.replace("10.03.", "11.03.").encode("cp1252")
    books.bring(later, account=OTHER)
    found = books.rows("SELECT DISTINCT account FROM postings WHERE shop_id = $1 AND booking_date = '2026-03-11'")
    assert found == [(OTHER,)]


def shown(books: Books, **more: Any) -> dict[str, Any]:
    return mapping(books.database, books.shop, io.BytesIO(TABLE.encode("cp1252")), **more)


def test_a_mapping_is_proposed_corrected_and_remembered(books: Books) -> None:
    changes = {"amount": "Summe", "booking_date": "Tag", "name": "Wer", "text": "Wofür", "balance": "Saldo neu"}
    found = shown(books, changes=changes)
    assert found["remembered"] is False
    assert [(each["amount"], each["name"], each["text"]) for each in found["entries"]] == [
        ("19.90", "Eva Müller", "Rechnung 4711"), ("-19.90", "Max", "Miete"),
    ]  # fmt: skip
    assert found["preview"][0] == ["Tag", "Wer", "Wofür", "Saldo neu", "Summe"]
    with pytest.raises(SettingRefused, match="Name the account with --account"):
        shown(books, changes=changes, save=True)
    saved = shown(books, changes={**changes, "encoding": "cp1252"}, save=True, account=ACCOUNT)
    assert (saved["remembered"], saved["account"]) == (True, ACCOUNT)
    again = shown(books)
    assert (again["remembered"], again["columns"]["name"], again["options"]["encoding"]) == (True, ["Wer"], "cp1252")
    report = books.bring(TABLE.encode("cp1252"))
    assert (report.version, report.new) == (saved["profile"], 2)
    assert re.search("corrected$", report.version)
    assert listed(books) == [(ACCOUNT, True)]


def test_a_table_that_takes_too_long_is_not_shown(books: Books) -> None:
    with pytest.raises(FileRefused, match="reading it needs more than 0 s of time"):
        shown(books, budget=ProcessBudget(1 << 28, cpu_seconds=1, wall_seconds=0.0001))


def test_what_cannot_be_mapped(books: Books) -> None:
    with pytest.raises(SettingRefused, match="There is no field 'colour'"):
        shown(books, changes={"colour": "Wer"})
    with pytest.raises(FileRefused, match="only tables"):
        mapping(books.database, books.shop, io.BytesIO(other_account()))
    books.bring(other_account())
    with pytest.raises(SettingRefused, match="Name the account with --account"):
        shown(books, save=True)
