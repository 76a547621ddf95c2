"""Enable Banking on 127.0.0.1, as its published API describes it: banks, authorisation, sessions, accounts, faults."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, quote, urlsplit
from uuid import UUID, uuid4

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from paymatch.domain.words.message import Message
from paymatch.outbound.account_information.provider import ProviderKey
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, NoAnswerReason
from tests.fakes.serving import serving

APPLICATION = "cf589be3-3755-465b-a8df-a90a16a31403"
BANK = {
    "name": "Hausbank", "country": "DE", "logo": "https://example.com/logo", "psu_types": ["business", "personal"],
    "auth_methods": [], "maximum_consent_validity": 180 * 86_400, "beta": False,
}  # fmt: skip
_PAGE = 3


@lru_cache
def application_key() -> rsa.RSAPrivateKey:
    """The key of the shop's application, made once."""
    return rsa.generate_private_key(65537, 2048)


def key_of_shop() -> ProviderKey:
    """What the shop enters."""
    pem = application_key().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return ProviderKey(APPLICATION, pem.decode())


@dataclass
class AccountAtBank:
    """An account with its bookings, as the API shows them."""

    iban: str
    currency: str = "EUR"
    transactions: list[dict[str, Any]] = field(default_factory=list)
    is_gone: bool = False

    def book(self, amount: str, day: date, text: str = "", *, reference: str = "-", **more: Any) -> dict[str, Any]:
        """A booking; "-": the bank numbers it, "": it gives no reference."""
        credit = not amount.startswith("-")
        other = {"name": more.pop("name", "Eva Muster")}
        side = "debtor" if credit else "creditor"
        made = {
            "entry_reference": f"E{len(self.transactions) + 1:05d}" if reference == "-" else reference or None,
            "transaction_amount": {"currency": self.currency, "amount": amount.lstrip("-")},
            "credit_debit_indicator": "CRDT" if credit else "DBIT",
            "status": "BOOK",
            "booking_date": day.isoformat(),
            "value_date": day.isoformat(),
            side: other,
            f"{side}_account": {"iban": more.pop("iban", "DE75512108001245126199")},
            "remittance_information": [text] if text else [],
            **more,
        }
        self.transactions.append(made)
        return made


@dataclass
class EnableBankingFake:
    """The provider and the bank behind it. `clock` is the provider's own."""

    clock: Callable[[], datetime]
    accounts: list[AccountAtBank] = field(default_factory=list)
    returns_to: set[str] = field(default_factory=set)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)
    begun: list[dict[str, Any]] = field(default_factory=list)
    reads: list[tuple[str, date]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    fault: str = ""  # limit, closed, broken, repeats, loops, silent
    _handles: dict[str, tuple[str, AccountAtBank]] = field(default_factory=dict)

    def call(self, call: HttpCall) -> HttpAnswer:
        """The answer, for a way out that leads here."""
        parts = urlsplit(call.url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        headers = {name.lower(): value for name, value in call.headers}
        said = self.answer(call.method, target, headers.get("authorization", ""), call.body)
        if said is None:
            raise CallFailed(NoAnswerReason.BROKEN, Message("call-broken"))
        status, body, more = said
        return HttpAnswer(status, body, False, more.get("retry-after"), 0.1, "192.0.2.1", more)

    def close(self) -> None:
        """Nothing is kept."""

    def answer(self, method: str, target: str, token: str, body: bytes) -> tuple[int, bytes, dict[str, str]] | None:
        """Status, body and headers; None: the line breaks."""
        self.asked.append(f"{method} {target.partition('?')[0]}")
        if self.fault == "closed":
            return None
        headers = {"date": format_datetime(self.clock().astimezone(UTC), usegmt=True)}
        try:
            self._check(token)
            said = self._route(method, urlsplit(target), json.loads(body or b"{}"))
        except _Refused as refused:
            if refused.status == 429:
                headers["retry-after"] = "3600"
            status, said = refused.status, {"message": refused.code, "code": refused.status, "error": refused.code}
        else:
            status = 200
        content = (
            b'{"transactions": [' if self.fault == "broken" and "transactions" in target else json.dumps(said).encode()
        )
        return status, content, headers

    def give(self, url: str, *, accounts: list[AccountAtBank] | None = None) -> str:
        """What the person does at the bank's page: the address to which they are sent back."""
        begun = next(each for each in self.begun if each["url"] == url)
        code = uuid4().hex
        self.codes[code] = {**begun, "accounts": self.accounts if accounts is None else accounts}
        return f"{begun['redirect_url']}?code={code}&state={quote(begun['state'])}"

    def deny(self, url: str) -> str:
        """The person says no at the bank's page."""
        begun = next(each for each in self.begun if each["url"] == url)
        return f"{begun['redirect_url']}?error=access_denied&error_description=Denied&state={quote(begun['state'])}"

    def revoke(self) -> None:
        """The account's owner revokes all consents in their online banking."""
        for session in self.sessions.values():
            session["status"] = "REVOKED"

    def _check(self, token: str) -> None:
        head, said, signature = (token.removeprefix("Bearer ") + "..").split(".")[:3]
        try:
            application_key().public_key().verify(
                _bytes(signature), f"{head}.{said}".encode(), padding.PKCS1v15(), hashes.SHA256()
            )
        except (InvalidSignature, ValueError):
            raise _Refused(401, "UNAUTHORIZED_ACCESS") from None
        header, claims = json.loads(_bytes(head)), json.loads(_bytes(said))
        now = self.clock().timestamp()
        if header != {"typ": "JWT", "alg": "RS256", "kid": APPLICATION}:
            raise _Refused(401, "UNAUTHORIZED_ACCESS")
        if claims["iss"] != "enablebanking.com" or claims["aud"] != "api.enablebanking.com":
            raise _Refused(401, "UNAUTHORIZED_ACCESS")
        if claims["iat"] > now + 5 or claims["exp"] <= now or claims["exp"] - claims["iat"] > 86_400:
            raise _Refused(401, "UNAUTHORIZED_ACCESS")

    def _route(self, method: str, target: Any, body: dict[str, Any]) -> dict[str, Any]:
        asked = {name: values[0] for name, values in parse_qs(target.query).items()}
        match method, *target.path.strip("/").split("/"):
            case "GET", "aspsps":
                return {"aspsps": [BANK] if asked.get("country") == "DE" else []}
            case "POST", "auth":
                return self._begin(body)
            case "POST", "sessions":
                return self._authorise(body)
            case "GET", "sessions", name:
                return self._session(name) | {"accounts": []}
            case "DELETE", "sessions", name:
                self._session(name)["status"] = "CLOSED"
                return {"message": "OK"}
            case "GET", "accounts", handle, "balances":
                self._account(handle)
                return {"balances": []}
            case "GET", "accounts", handle, "transactions":
                return self._transactions(self._account(handle), asked)
        raise _Refused(404, "WRONG_REQUEST_PARAMETERS")

    def _begin(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["aspsp"] != {"name": BANK["name"], "country": BANK["country"]}:
            raise _Refused(422, "WRONG_ASPSP_PROVIDED")
        if self.returns_to and body["redirect_url"] not in self.returns_to:
            raise _Refused(422, "REDIRECT_URI_NOT_ALLOWED")
        until = datetime.fromisoformat(body["access"]["valid_until"])
        if until > self.clock() + timedelta(seconds=180 * 86_400 + 60):
            raise _Refused(422, "WRONG_REQUEST_PARAMETERS")
        url = f"https://bank.example/welcome?sessionid={uuid4()}"
        self.begun.append({**body, "url": url, "until": until})
        return {"url": url, "authorization_id": str(uuid4()), "psu_id_hash": "x"}

    def _authorise(self, body: dict[str, Any]) -> dict[str, Any]:
        given = self.codes.pop(body.get("code", ""), None)
        if given is None:
            raise _Refused(422, "WRONG_AUTHORIZATION_CODE")
        name = str(uuid4())
        self.sessions[name] = {"status": "AUTHORIZED", "until": given["until"].isoformat()}
        shown = []
        for account in given["accounts"]:
            handle = str(UUID(int=uuid4().int))
            self._handles[handle] = name, account
            shown.append(
                {"uid": handle, "account_id": {"iban": account.iban}, "currency": account.currency, "name": "Shop GmbH"}
            )
        access = {"valid_until": given["until"].isoformat()}
        return {
            "session_id": name,
            "accounts": shown,
            "aspsp": given["aspsp"],
            "psu_type": "business",
            "access": access,
        }

    def _session(self, name: str) -> dict[str, Any]:
        found = self.sessions.get(name)
        if found is None:
            raise _Refused(404, "SESSION_DOES_NOT_EXIST")
        if found["status"] == "AUTHORIZED" and datetime.fromisoformat(found["until"]) <= self.clock():
            found["status"] = "EXPIRED"
        return found

    def _account(self, handle: str) -> AccountAtBank:
        name, account = self._handles.get(handle, ("", AccountAtBank("")))
        status = self._session(name)["status"]
        if status != "AUTHORIZED":
            raise _Refused(401, f"{status}_SESSION")
        if account.is_gone:
            raise _Refused(400, "ACCOUNT_DOES_NOT_EXIST")
        if self.fault == "limit":
            raise _Refused(429, "ASPSP_RATE_LIMIT_EXCEEDED")
        return account

    def _transactions(self, account: AccountAtBank, asked: dict[str, str]) -> dict[str, Any]:
        since, place = date.fromisoformat(asked["date_from"]), int(asked.get("continuation_key", "0"))
        if not place:
            self.reads.append((account.iban, since))
        shown = [each for each in account.transactions if date.fromisoformat(each["booking_date"]) >= since]
        page = shown[place : place + _PAGE]
        following = str(place + _PAGE) if place + _PAGE < len(shown) else None
        if self.fault == "repeats" and place == 0 and following:
            return {"transactions": page + page, "continuation_key": following}
        if self.fault == "loops" and following is None:
            following = str(max(place - _PAGE, 0))
        return {"transactions": page, "continuation_key": following}


class _Refused(Exception):
    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class _Handler(BaseHTTPRequestHandler):
    fake: ClassVar[EnableBankingFake]

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        said = self.fake.answer(self.command, self.path, self.headers.get("Authorization", ""), body)
        if said is None:
            self.close_connection = True
            return
        status, content, headers = said
        self.send_response_only(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def serve(fake: EnableBankingFake) -> Iterator[str]:
    """The provider behind its address."""
    handler = type("_FakeHandler", (_Handler,), {"fake": fake})
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield address
