"""The door to providers of account information: signing, the words of the API, pages, and what each failure means."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta

import pytest

from paymatch.formats.account_information import ReportedParty
from paymatch.outbound.account_information.enable_banking import EnableBanking
from paymatch.outbound.account_information.gateway import AccountInformationGateway
from paymatch.outbound.account_information.paging import all_transactions
from paymatch.outbound.account_information.provider import (
    AccountGone,
    AccountInformationFailed,
    ConsentGone,
    ConsentNotGiven,
    ConsentWish,
    GivenConsent,
    ProviderAccessRefused,
    ProviderKey,
    ReadLimitReached,
    TransactionPage,
)
from paymatch.outbound.http import HttpAnswer, HttpCall, HttpClient
from tests.contract.client import START
from tests.fakes.enable_banking import AccountAtBank, EnableBankingFake, key_of_shop, serve

IBAN = "DE89370400440532013000"
RETURN = "https://pay.example.com/shops/1/bank/account-information/return"
DAY = date(2026, 3, 2)


@pytest.fixture
def fake() -> EnableBankingFake:
    return EnableBankingFake(lambda: START, [AccountAtBank(IBAN)])


def provider_of(fake: EnableBankingFake, now: datetime = START) -> EnableBanking:
    return EnableBanking(fake, key_of_shop(), lambda: now)


def consent(fake: EnableBankingFake, provider: EnableBanking) -> GivenConsent:
    wish = ConsentWish("Hausbank", "DE", True, START + timedelta(days=180), RETURN, "s1", "de")
    back = fake.give(provider.begin(wish))
    assert back.startswith(f"{RETURN}?code=")
    return provider.finish(back.partition("code=")[2].partition("&")[0])


def test_a_consent_over_the_wire(fake: EnableBankingFake) -> None:
    fake.accounts[0].book("12.30", DAY, "Bestellung 1", reference_number="RF18539007547034")
    fake.accounts[0].book(
        "-4.00",
        DAY,
        "Rückgabe",
        bank_transaction_code={"code": "ICDT", "sub_code": "ESCT", "description": "Überweisung"},
    )
    fake.accounts[0].book("9.99", DAY, "vorgemerkt", status="PDNG")
    http = HttpClient(allow_private=True)
    with serve(fake) as address:
        gateway = AccountInformationGateway(http, {"enable-banking": address})
        provider = gateway.provider("enable-banking", key_of_shop(), lambda: START)
        assert [(each.name, each.for_companies, each.longest.days) for each in provider.banks("DE")] == [
            ("Hausbank", True, 180)
        ]
        assert provider.banks("AT") == []
        given = consent(fake, provider)  # type: ignore[arg-type]
        assert (given.valid_until, [(each.number, each.currency) for each in given.accounts]) == (
            START + timedelta(days=180), [(IBAN, "EUR")],
        )  # fmt: skip
        provider.check(given.session)
        first, second = all_transactions(provider, given.accounts[0].handle, DAY)
        provider.end(given.session)
        with pytest.raises(ConsentGone):
            provider.check(given.session)
    http.close()
    assert first.reference == "E00001"
    assert (first.amount, first.is_credit, first.remittance) == ("12.30", True, ("Bestellung 1",))
    assert first.debtor == ReportedParty("Eva Muster", "DE75512108001245126199")
    assert (first.creditor_reference, first.code) == ("RF18539007547034", "")
    assert (second.is_credit, second.code, second.booking_text) == (False, "PMNT/ICDT/ESCT", "Überweisung")


def test_a_code_works_once_and_a_denial_is_none(fake: EnableBankingFake) -> None:
    provider = provider_of(fake)
    consent(fake, provider)
    with pytest.raises(ConsentNotGiven):
        provider.finish("used")


@pytest.mark.parametrize("minutes", [-30, 30])
def test_the_provider_s_clock_decides_where_ours_is_wrong(fake: EnableBankingFake, minutes: int) -> None:
    assert len(provider_of(fake, START + timedelta(minutes=minutes)).banks("DE")) == 1
    assert fake.asked == ["GET /aspsps", "GET /aspsps"]


def test_a_wrong_key_is_not_tried_twice(fake: EnableBankingFake) -> None:
    key = key_of_shop()
    with pytest.raises(ProviderAccessRefused, match="401 UNAUTHORIZED_ACCESS"):
        EnableBanking(fake, ProviderKey("another", key.private_key), lambda: START).banks("DE")
    assert fake.asked == ["GET /aspsps"]
    for wrong in ("", "x", key.private_key.replace("M", "N")):
        with pytest.raises(ProviderAccessRefused, match="not a private RSA key"):
            EnableBanking(fake, ProviderKey("a", wrong), lambda: START)


def test_what_each_failure_says(fake: EnableBankingFake) -> None:
    provider = provider_of(fake)
    given = consent(fake, provider)
    handle = given.accounts[0].handle
    fake.fault = "limit"
    with pytest.raises(ReadLimitReached) as limited:
        all_transactions(provider, handle, DAY)
    assert limited.value.wait == timedelta(hours=1)
    fake.fault = "closed"
    with pytest.raises(AccountInformationFailed, match="gave no answer"):
        provider.check(given.session)
    fake.fault = "broken"
    with pytest.raises(AccountInformationFailed, match="cannot be read"):
        all_transactions(provider, handle, DAY)
    fake.fault = ""
    fake.accounts[0].is_gone = True
    with pytest.raises(AccountGone):
        all_transactions(provider, handle, DAY)
    fake.revoke()
    with pytest.raises(ConsentGone, match="REVOKED_SESSION"):
        all_transactions(provider, handle, DAY)
    with pytest.raises(AccountInformationFailed, match="not set up"):
        AccountInformationGateway().provider("enable-banking", key_of_shop(), lambda: START)


def test_pages_that_repeat_show_each_transaction_once(fake: EnableBankingFake) -> None:
    provider = provider_of(fake)
    handle = consent(fake, provider).accounts[0].handle
    for number in range(7):
        fake.accounts[0].book("10.00", DAY, f"Bestellung {number}")
    fake.accounts[0].book("5.00", DAY, "gleich", reference="")
    fake.accounts[0].book("5.00", DAY, "gleich", reference="")
    fake.fault = "repeats"
    assert len(all_transactions(provider, handle, DAY)) == 9
    fake.fault = "loops"
    with pytest.raises(AccountInformationFailed, match="contradict"):
        all_transactions(provider, handle, DAY)


def test_equal_pages_without_references_are_not_guessed(fake: EnableBankingFake) -> None:
    provider = provider_of(fake)
    handle = consent(fake, provider).accounts[0].handle
    for number in range(4):
        fake.accounts[0].book("10.00", DAY, f"Bestellung {number}", reference="")
    assert len(all_transactions(provider, handle, DAY)) == 4
    for _ in range(3):
        fake.accounts[0].transactions += fake.accounts[0].transactions[:3]
    with pytest.raises(AccountInformationFailed, match="contradict"):
        all_transactions(provider, handle, DAY)


def test_placeholders_are_no_references_and_twins_under_them_count_twice(fake: EnableBankingFake) -> None:
    provider = provider_of(fake)
    handle = consent(fake, provider).accounts[0].handle
    for _ in range(2):
        fake.accounts[0].book("10.00", DAY, "gleich", reference="NOTPROVIDED")
    fake.accounts[0].book("10.00", DAY, "gleich", reference="E1")
    found = all_transactions(provider, handle, DAY)
    assert sorted(each.reference for each in found) == ["", "", "E1"]


class _Endless:
    """A provider of which each page names another one."""

    def __init__(self) -> None:
        self.pages = 0

    def transactions(self, _handle: str, _since: date, _following: str) -> TransactionPage:
        self.pages += 1
        return TransactionPage((), str(self.pages), 8 * 1024 * 1024)


def test_an_account_without_an_end_fails_the_read_before_the_memory_is_full() -> None:
    endless = _Endless()
    with pytest.raises(AccountInformationFailed, match="length"):
        all_transactions(endless, "a", DAY)  # type: ignore[arg-type]
    assert endless.pages < 10


def test_hostile_answers_are_refused_in_short_words(fake: EnableBankingFake) -> None:
    class _Says:
        def __init__(self, status: int, said: object, date: str = "") -> None:
            self.answer = HttpAnswer(status, json.dumps(said).encode(), False, None, 0.1, "192.0.2.1", {"date": date})

        def call(self, _call: HttpCall) -> HttpAnswer:
            return self.answer

        def close(self) -> None:
            """Nothing is kept."""

    def said(status: int, answer: object, date: str = "") -> EnableBanking:
        return EnableBanking(_Says(status, answer, date), key_of_shop(), lambda: START)

    with pytest.raises(ProviderAccessRefused) as refused:
        said(403, {"error": "E" * 100_000}).banks("DE")
    assert len(str(refused.value)) < 600
    with pytest.raises(ProviderAccessRefused):
        said(401, {"error": "X"}, "Fri, 31 Dec 9999 23:59:59 GMT").banks("DE")
    with pytest.raises(AccountInformationFailed):
        said(200, {"session_id": "s", "access": {"valid_until": "9999-12-31T23:59:59-14:00"}}).finish("code")
    banks = {"aspsps": [{"name": "Haus\nbank"}, {"name": "B" * 999}, {"name": "Bank <b>"}, {"name": 3}]}
    assert [each.name for each in said(200, banks).banks("DE")] == ["Bank <b>"]
