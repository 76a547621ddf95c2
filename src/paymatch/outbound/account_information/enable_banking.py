"""Enable Banking by its published API (enablebanking.com/docs/api/reference): the only module that knows its words.

An application signs in with a token that its RSA key signs (RS256). Amounts, codes and parties are those of ISO 20022.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from paymatch.domain.callbacks.deliveries import retry_after_of
from paymatch.domain.words.message import Message
from paymatch.formats.account_information import ReportedBalance, ReportedParty, ReportedTransaction
from paymatch.outbound.account_information.provider import (
    AccountGone,
    AccountInformationFailed,
    ConsentGone,
    ConsentNotGiven,
    ConsentWish,
    GivenConsent,
    OfferedAccount,
    PeriodRefused,
    ProviderAccessRefused,
    ProviderBank,
    ProviderKey,
    ReadLimitReached,
    TransactionPage,
)
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, HttpDoor, HttpLimits

NAME: Final = "enable-banking"
URL: Final = "https://api.enablebanking.com"

LIMITS: Final = HttpLimits(total_seconds=60.0, answer_bytes=8 * 1024 * 1024, wire_bytes=9 * 1024 * 1024)
"""The provider asks the bank while we wait; a page of a large shop has some hundred transactions."""

_TOKEN_LIVES: Final = timedelta(minutes=10)
_CLOCKS_DIFFER: Final = timedelta(seconds=30)
_SHORTEST_KEY: Final = 2048
_LONGEST_SKEW: Final = timedelta(days=2)
"""A clock that is further away is not corrected by what an answer says."""

_SHOWN: Final = 200
_LONGEST_NUMBER: Final = 64
_LONGEST_HANDLE: Final = 1000
_NO_REFERENCE: Final = frozenset({"NONREF", "NOTPROVIDED", "NOT PROVIDED"})
_FAMILY: Final = re.compile(r"[A-Z]{4}")
_CURRENCY: Final = re.compile(r"(?:[A-Z]{3})?")
_GONE: Final = frozenset(
    {"EXPIRED_SESSION", "REVOKED_SESSION", "CLOSED_SESSION", "SESSION_DOES_NOT_EXIST", "ASPSP_PSU_ACTION_REQUIRED"}
)
_ACCOUNT_GONE: Final = frozenset({"ACCOUNT_DOES_NOT_EXIST", "ASPSP_ACCOUNT_NOT_ACCESSIBLE", "INVALID_ACCOUNT_ID"})
_NOT_GIVEN: Final = frozenset({"WRONG_AUTHORIZATION_CODE", "EXPIRED_AUTHORIZATION_CODE", "ALREADY_AUTHORIZED"})
_PERIOD: Final = frozenset({"WRONG_TRANSACTIONS_PERIOD", "WRONG_DATE_INTERVAL"})
_IN_FORCE: Final = "AUTHORIZED"


def read_key(key: ProviderKey) -> RSAPrivateKey:
    """The application's key. ProviderAccessRefused unless it is an RSA key of 2,048 bits or more without a password."""
    try:
        found = serialization.load_pem_private_key(key.private_key.encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, RSAPrivateKey) or found.key_size < _SHORTEST_KEY:
        raise ProviderAccessRefused(Message("consent-key-unreadable", bits=_SHORTEST_KEY))
    return found


class EnableBanking:
    """The provider, by the application of one shop."""

    def __init__(self, http: HttpDoor, key: ProviderKey, clock: Callable[[], datetime], url: str = URL) -> None:
        self._http = http
        self._application_id = key.application_id
        self._key = read_key(key)
        self._clock = clock
        self._url = url
        self._skew = timedelta()

    def banks(self, country: str) -> list[ProviderBank]:
        """The banks of a country that hand out account information."""
        said = self._get(f"/aspsps?{urlencode({'country': country, 'service': 'AIS'})}")
        return [_bank(each) for each in _objects(said, "aspsps") if _is_name(_text(each, "name"))]

    def begin(self, wish: ConsentWish) -> str:
        """Starts the authorisation; the address of the provider's page, which leads to the bank's."""
        said = self._send(
            "POST",
            "/auth",
            {
                "access": {"valid_until": wish.valid_until.astimezone(UTC).isoformat(timespec="microseconds")},
                "aspsp": {"name": wish.bank, "country": wish.country},
                "psu_type": "business" if wish.for_company else "personal",
                "redirect_url": wish.return_url,
                "state": wish.state,
                "language": wish.language,
            },
        )
        address = _text(said, "url")
        if urlsplit(address).scheme not in ("https", urlsplit(self._url).scheme) or not urlsplit(address).hostname:
            raise _strange("url")
        return address

    def finish(self, code: str) -> GivenConsent:
        """The session of the code."""
        said = self._send("POST", "/sessions", {"code": code})
        session, until = _text(said, "session_id"), _moment(_object(said, "access"), "valid_until")
        if not 0 < len(session) <= _LONGEST_HANDLE or until is None:
            raise _strange("session")
        return GivenConsent(session, until, tuple(filter(None, map(_account, _objects(said, "accounts")))))

    def check(self, session: str) -> None:
        """ConsentGone unless the session is authorised; its state is the provider's, no bank is asked."""
        status = _text(self._get(f"/sessions/{quote(session, safe='')}"), "status")
        if status != _IN_FORCE:
            raise ConsentGone(Message("consent-gone", code=_short(status) or "-"))

    def balances(self, handle: str) -> list[ReportedBalance]:
        """The account's balances, as the bank says them."""
        said = self._get(f"/accounts/{quote(handle, safe='')}/balances")
        return [
            ReportedBalance(
                _text(each, "balance_type"), _text(_object(each, "balance_amount"), "amount"),
                _text(_object(each, "balance_amount"), "currency"), _text(each, "reference_date"),
            )
            for each in _objects(said, "balances")
        ]  # fmt: skip

    def transactions(self, handle: str, since: date, following: str) -> TransactionPage:
        """A page; what is not booked is left out."""
        asked = {"date_from": since.isoformat(), "transaction_status": "BOOK"}
        if following:
            asked["continuation_key"] = following
        answer = self._answer("GET", f"/accounts/{quote(handle, safe='')}/transactions?{urlencode(asked)}")
        said = _decode(answer.body)
        if not isinstance(said.get("transactions"), list):
            raise _strange("transactions")
        booked = [each for each in _objects(said, "transactions") if _text(each, "status") == "BOOK"]
        return TransactionPage(tuple(map(_transaction, booked)), _text(said, "continuation_key"), len(answer.body))

    def end(self, session: str) -> None:
        """Closes the session."""
        self._send("DELETE", f"/sessions/{quote(session, safe='')}")

    def _get(self, path: str) -> dict[str, Any]:
        return self._send("GET", path)

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return _decode(self._answer(method, path, body).body)

    def _answer(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> HttpAnswer:
        """The whole answer. A token that is refused while the clocks differ is made again by the provider's clock."""
        answer = self._call(method, path, body)
        if answer.status == 401 and _error_code(answer) not in _GONE and self._clocks_differ(answer):
            answer = self._call(method, path, body)
        if not 200 <= answer.status < 300:
            raise _failure(answer, self._now())
        if answer.truncated:
            raise _strange("length")
        return answer

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None) -> HttpAnswer:
        content = b"" if body is None else json.dumps(body).encode()
        headers = (
            ("Authorization", f"Bearer {self._token()}"),
            ("Accept", "application/json"),
            ("User-Agent", "paymatch"),
            *((("Content-Type", "application/json"),) if content else ()),
        )
        call = HttpCall(self._url + path, content, headers, method, repeatable=method == "GET")
        try:
            return self._http.call(call)
        except CallFailed as error:
            raise AccountInformationFailed(Message("consent-no-answer", why=str(error))) from None

    def _token(self) -> str:
        now = self._now()
        head = {"typ": "JWT", "alg": "RS256", "kid": self._application_id}
        said = {
            "iss": "enablebanking.com", "aud": "api.enablebanking.com",
            "iat": int(now.timestamp()), "exp": int((now + _TOKEN_LIVES).timestamp()),
        }  # fmt: skip
        signed = f"{_base64(json.dumps(head).encode())}.{_base64(json.dumps(said).encode())}"
        return f"{signed}.{_base64(self._key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def _now(self) -> datetime:
        return self._clock() + self._skew

    def _clocks_differ(self, answer: HttpAnswer) -> bool:
        try:
            theirs = parsedate_to_datetime(answer.headers.get("date", ""))
            skew = theirs.astimezone(UTC) - self._clock()
        except (ValueError, TypeError, OverflowError):
            return False
        if abs(skew) > _LONGEST_SKEW or abs(skew - self._skew) < _CLOCKS_DIFFER:
            return False
        self._skew = skew
        return True


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(body: bytes) -> dict[str, Any]:
    """The object; invalid Unicode (half of a surrogate pair) could not be stored."""
    try:
        said = msgspec.json.decode(body or b"{}")
    except (ValueError, RecursionError):
        raise _strange("JSON") from None
    if not isinstance(said, dict):
        raise _strange("JSON")
    return said


def _error_code(answer: HttpAnswer) -> str:
    try:
        return _short(_text(_decode(answer.body), "error"))
    except AccountInformationFailed:
        return ""


def _failure(answer: HttpAnswer, now: datetime) -> AccountInformationFailed:
    code, said = _error_code(answer), f"{answer.status} {_error_code(answer) or '-'}"
    if code in _GONE:
        return ConsentGone(Message("consent-gone", code=code))
    if code in _ACCOUNT_GONE:
        return AccountGone(Message("consent-account-gone", code=code))
    if code in _NOT_GIVEN:
        return ConsentNotGiven(Message("consent-not-given", why=code))
    if code in _PERIOD:
        return PeriodRefused(Message("consent-period", code=code))
    if answer.status == 429 or code == "ASPSP_RATE_LIMIT_EXCEEDED":
        return ReadLimitReached(Message("consent-limit"), retry_after_of(answer.retry_after, now))
    if code == "REDIRECT_URI_NOT_ALLOWED":
        return ProviderAccessRefused(Message("consent-return-not-allowed"))
    if answer.status in (401, 403):
        return ProviderAccessRefused(Message("consent-access-refused", said=said))
    return AccountInformationFailed(Message("consent-no-answer", why=f"HTTP {said}"))


def _strange(what: str) -> AccountInformationFailed:
    return AccountInformationFailed(Message("consent-answer-unreadable", what=what))


def _short(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_SHOWN]


def _text(said: Mapping[str, Any], name: str) -> str:
    found = said.get(name)
    return found.replace("\0", "") if isinstance(found, str) else ""


def _is_name(text: str) -> bool:
    """Whether a bank can be shown and chosen by it: it is sent back as it came."""
    return 0 < len(text) <= _SHOWN and text.isprintable()


def _object(said: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = said.get(name)
    return found if isinstance(found, dict) else {}


def _objects(said: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = said.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _moment(said: Mapping[str, Any], name: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(_text(said, name))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _bank(said: Mapping[str, Any]) -> ProviderBank:
    kinds, longest = said.get("psu_types"), said.get("maximum_consent_validity")
    seconds = longest if isinstance(longest, int) and longest > 0 else 90 * 86_400
    known = kinds if isinstance(kinds, list) else []
    return ProviderBank(
        _text(said, "name"), _text(said, "country"), "business" in known, "personal" in known,
        timedelta(seconds=min(seconds, 10**9)),
    )  # fmt: skip


def _account(said: Mapping[str, Any]) -> OfferedAccount | None:
    """An account with a number that it can be read with; None for cards and the like."""
    number, handle, currency = _number(_object(said, "account_id")), _text(said, "uid"), _text(said, "currency")
    named = 0 < len(number) <= _LONGEST_NUMBER and number.isascii() and number.isprintable()
    if not named or not 0 < len(handle) <= _LONGEST_HANDLE or not _CURRENCY.fullmatch(currency):
        return None
    return OfferedAccount(number, currency, _short(_text(said, "name")), handle)


def _number(said: Mapping[str, Any]) -> str:
    return re.sub(r"\s", "", _text(said, "iban") or _text(_object(said, "other"), "identification"))


def _party(said: Mapping[str, Any], side: str) -> ReportedParty:
    return ReportedParty(
        _text(_object(said, side), "name"), _number(_object(said, f"{side}_account")),
        _text(_object(said, f"{side}_agent"), "bic_fi"),
    )  # fmt: skip


def _transaction(said: Mapping[str, Any]) -> ReportedTransaction:
    amount, code = _object(said, "transaction_amount"), _object(said, "bank_transaction_code")
    direction = _text(said, "credit_debit_indicator")
    if direction not in ("CRDT", "DBIT"):
        raise _strange("credit_debit_indicator")
    return ReportedTransaction(
        amount=_text(amount, "amount"),
        currency=_text(amount, "currency"),
        is_credit=direction == "CRDT",
        reference="" if _text(said, "entry_reference").upper() in _NO_REFERENCE else _text(said, "entry_reference"),
        booking_date=_text(said, "booking_date"),
        value_date=_text(said, "value_date"),
        debtor=_party(said, "debtor"),
        creditor=_party(said, "creditor"),
        remittance=tuple(_texts(said.get("remittance_information"))),
        creditor_reference=_text(said, "reference_number"),
        code=_iso_code(_text(code, "code"), _text(code, "sub_code")),
        booking_text=_text(code, "description"),
    )


def _iso_code(family: str, sub_family: str) -> str:
    """The code of ISO 20022 where the bank uses it; banks put numbers of their own there as well."""
    if not (_FAMILY.fullmatch(family) and _FAMILY.fullmatch(sub_family)):
        return ""
    return f"PMNT/{sub_family}" if family == "PMNT" else f"PMNT/{family}/{sub_family}"


def _texts(said: object) -> Iterable[str]:
    return [each.replace("\0", "") for each in said if isinstance(each, str)] if isinstance(said, list) else []
