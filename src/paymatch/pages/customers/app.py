"""The order's own page as a WSGI application: `/p/<token>`, what is posted to it, and the invoices behind it (D-51).

The holder of the link sees the order; others learn nothing: every address that leads nowhere gets the same 404.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO, Final
from urllib.parse import parse_qs, urlencode

from paymatch.domain.customers.allowances import neighbourhood
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.shops.shop import Shop
from paymatch.formats.invoice_file import file_stem
from paymatch.formats.languages.templates import render
from paymatch.formats.languages.texts import LANGUAGES, accepted_language, language_among, words
from paymatch.outbound.files import FileNotKept, Files, FilesUnavailable
from paymatch.pages.customers.limits import RateCounts
from paymatch.pages.customers.showing import BankDetailsForm, context_of, look_of
from paymatch.store.database import Database
from paymatch.store.transactions import LockNotAcquired
from paymatch.usecases.customers import allowances, bank_details, links, notices, order_pages
from paymatch.usecases.customers.bank_details import BankDetails, DetailsRefused
from paymatch.usecases.customers.order_pages import CustomerOrderPage
from paymatch.usecases.orders.images import code_png, slip_sheet

PREFIX: Final = "/p/"
FORM_BYTES: Final = 8_000
"""The longest form; each of its fields is far shorter."""

_CHUNK: Final = 64 * 1024
_MOST_FIELDS: Final = 20
_PACKAGE: Final = "paymatch.pages.customers"
StartResponse = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What is answered: HTML, or a file."""

    status: str
    body: Iterable[bytes]
    headers: tuple[tuple[str, str], ...] = ()
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request to the page of an order that its link led to."""

    shop: Shop
    number: str
    token: str
    path: str  # behind the token
    method: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    accepts: str  # languages
    actor: Actor
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(16))


class TooOften(Exception):
    """The address, or the link, has asked more often than a person does."""


class CustomerPages:
    """WSGI callable for everything below `/p/`."""

    def __init__(self, database: Database, files: Files, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._files = files
        self._clock = clock
        self._asks = RateCounts(allowances.ASKS)
        self._wrong_links = RateCounts(allowances.WRONG_LINKS)
        self._changes = RateCounts(allowances.CHANGES)

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        answer = self._answer(environ)
        headers = [
            ("Content-Security-Policy", _policy(answer.nonce)),
            ("Referrer-Policy", "no-referrer"),
            ("X-Robots-Tag", "noindex, nofollow"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
            ("Cache-Control", "no-store"),
            *answer.headers,
        ]
        start_response(answer.status, headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else answer.body

    def _answer(self, environ: Mapping[str, Any]) -> PageAnswer:
        token, _, path = environ.get("PATH_INFO", "").removeprefix(PREFIX).partition("/")
        address, accepts = neighbourhood(environ.get("REMOTE_ADDR", "")), environ.get("HTTP_ACCEPT_LANGUAGE", "")
        try:
            found = self._follow(token, address)
            if found is None:
                return _answer_not_found(accepts)
            shop, number = found
            actor = Actor(ActorKind.CUSTOMER, f"order {number}"[:255], environ.get("REMOTE_ADDR", ""))
            asked = PageRequest(
                shop, number, token, path, environ["REQUEST_METHOD"], _fields(environ.get("QUERY_STRING", "")),
                _form_fields(environ), accepts, actor,
            )  # fmt: skip
            return self._route(asked, environ.get("HTTP_SEC_FETCH_SITE", ""))
        except TooOften:
            return _notice("busy.html", "429 Too Many Requests", accepts, (("Retry-After", "60"),))
        except LockNotAcquired:
            return _notice("busy.html", "503 Service Unavailable", accepts, (("Retry-After", "5"),))
        except OrderUnknown:  # removed in this very moment
            return _answer_not_found(accepts)

    def _follow(self, token: str, address: str) -> tuple[Shop, str] | None:
        """(shop, order number) to which the token leads; None for any other token. TooOften."""
        if not (self._asks.take(address) and self._wrong_links.has(address)):
            raise TooOften
        found = links.follow(self._database, token, self._clock())
        here = self._wrong_links.take(address) if found is None else self._asks.take(token)
        if not (here and allowances.let_in(self._database, address, token if found else "", self._clock())):
            raise TooOften
        return found

    def _route(self, asked: PageRequest, fetched_from: str) -> PageAnswer:
        folder, _, name = asked.path.partition("/")
        if asked.method in ("GET", "HEAD"):
            if folder == "invoice" and name and asked.method == "GET":
                return self._invoice(asked, name)
            if asked.path in ("", "wrong-person"):
                return self._page(asked)
            if asked.path in ("payment-code", "payment-slip"):
                return self._picture(asked)
        elif asked.method == "POST" and fetched_from in ("", "same-origin", "none"):
            changes = {"paid": self._note_payment, "not-paid": self._not_paid, "wrong-person": self._wrong_person}
            change = (changes | {"account": self._account}).get(asked.path)
            if change is not None:
                if not (
                    self._changes.take(asked.token)
                    and allowances.let_change(self._database, asked.token, self._clock())
                ):
                    raise TooOften
                return change(asked)
        return _answer_not_found(asked.accepts)

    def _view(self, asked: PageRequest) -> CustomerOrderPage:
        with self._database.of_shop(asked.shop, at=self._clock()) as tx:
            return order_pages.view(tx, asked.number)

    def _page(self, asked: PageRequest, form: BankDetailsForm | None = None, status: str = "200 OK") -> PageAnswer:
        """The page; with a form that was refused, or that waits to be confirmed."""
        page, template = self._view(asked), "order.html"
        if asked.path == "wrong-person" and asked.method != "POST":
            template = "wrong_person.html"
        elif form is not None and form.bank is not None:
            template = "confirm.html"
        return self._show(asked, page, template, status, form=form)

    def _show(self, asked: PageRequest, page: CustomerOrderPage, template: str, status: str, **more: Any) -> PageAnswer:
        language = language_among(*_accepted_languages(asked, page))
        base = f"{PREFIX}{asked.token}"
        query = {"lang": language} if asked.query.get("lang") else {}
        context = context_of(page, asked.shop.today(self._clock())) | {
            "base": base, "query": f"?{urlencode(query)}" if query else "", "said": asked.query.get("said", ""),
            "nonce": asked.nonce, "form": BankDetailsForm(),
        } | {name: value for name, value in more.items() if value is not None}  # fmt: skip
        body = render(_PACKAGE, template, words(language, page.country), context)
        return _html(status, body, asked.nonce, (("Content-Language", language),))

    def _note_payment(self, asked: PageRequest) -> PageAnswer:
        with self._database.acting_as(asked.actor).of_shop(asked.shop, at=self._clock()) as tx:
            notices.say_paid(tx, asked.number)
        return _back(asked, "paid")

    def _not_paid(self, asked: PageRequest) -> PageAnswer:
        with self._database.acting_as(asked.actor).of_shop(asked.shop, at=self._clock()) as tx:
            notices.say_not_paid(tx, asked.number)
        return _back(asked, "not-paid")

    def _wrong_person(self, asked: PageRequest) -> PageAnswer:
        page = self._view(asked)
        with self._database.acting_as(asked.actor).of_shop(asked.shop, at=self._clock()) as tx:
            notices.say_wrong_person(tx, asked.number)
        return self._show(asked, page, "thanks_wrong_person.html", "200 OK")

    def _account(self, asked: PageRequest) -> PageAnswer:
        """Two steps: what was typed is shown with its bank, and once that is confirmed it is the refund's."""
        given = asked.form
        form = BankDetailsForm(given.get("holder", "")[:200], given.get("iban", "")[:100])
        page = self._view(asked)
        refund = page.asking
        if given.get("step") == "edit":
            return self._page(asked, form)
        with self._database.acting_as(asked.actor).of_shop(asked.shop, at=self._clock()) as tx:
            try:
                if refund is None or given.get("refund") != refund.id:
                    raise DetailsRefused(bank_details.Wrong.OUTDATED)
                if given.get("step") == "confirm":
                    bank_details.give(
                        tx, asked.number, refund.id, _whole(given.get("version", "")), form.holder,
                        form.iban,
                    )  # fmt: skip
                    return _back(asked, "account")
                details: BankDetails = bank_details.check(tx, refund, form.holder, form.iban)
            except DetailsRefused as refusal:
                outdated = bank_details.Wrong.OUTDATED in refusal.why
                return self._page(
                    asked, form.with_refusal(refusal.why), "409 Conflict" if outdated else "400 Bad Request"
                )
        return self._page(asked, BankDetailsForm(details.holder, details.iban, bank=details.bank))

    def _picture(self, asked: PageRequest) -> PageAnswer:
        """The payment code, or the Swiss payment slip, for saving: people cannot scan the phone in their hand."""
        page = self._view(asked)
        code = page.to_pay.code if page.to_pay is not None else None
        if asked.path == "payment-slip":
            media_type, suffix = "application/pdf", "pdf"
            picture = slip_sheet(code, language_among(*_accepted_languages(asked, page)))
        else:
            media_type, suffix, picture = "image/png", "png", code_png(code)
        if not picture:
            return _answer_not_found(asked.accepts)
        name = f"{asked.path}-{file_stem(asked.number)}.{suffix}"
        headers = (
            ("Content-Type", media_type),
            ("Content-Length", str(len(picture))),
            ("Content-Disposition", f'attachment; filename="{name}"'),
        )
        return PageAnswer("200 OK", [picture], headers)

    def _invoice(self, asked: PageRequest, mark: str) -> PageAnswer:
        """The file as an attachment: of this order, and of no other."""
        with self._database.of_shop(asked.shop) as tx:
            invoice = order_pages.invoice(tx, asked.number, mark)
        if invoice is None:
            return _answer_not_found(asked.accepts)
        try:
            file = self._files.open(invoice.file_key)
        except FileNotKept:
            return _answer_not_found(asked.accepts)
        except FilesUnavailable:
            return _notice("busy.html", "503 Service Unavailable", asked.accepts, (("Retry-After", "60"),))
        suffix = invoice.file_key.rpartition(".")[2]
        headers = (
            ("Content-Type", invoice.media_type),
            ("Content-Length", str(invoice.size_bytes)),
            ("Content-Disposition", f'attachment; filename="{file_stem(invoice.number)}.{suffix}"'),
        )
        return PageAnswer("200 OK", _chunks(file), headers)


def _policy(nonce: str) -> str:
    style = f" 'nonce-{nonce}'" if nonce else ""
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'{style}; img-src data:; font-src 'self';"
        " frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    )


def _accepted_languages(asked: PageRequest, page: CustomerOrderPage) -> tuple[str, ...]:
    """Languages in the order in which they are tried (D-51)."""
    chosen = asked.query.get("lang", "")
    found = (
        chosen if chosen in LANGUAGES else "",
        page.language,
        accepted_language(asked.accepts),
        asked.shop.language,
    )
    return tuple(each for each in found if each)


def _answer_not_found(accepts: str) -> PageAnswer:
    """The one answer to everything that leads nowhere."""
    return _notice("gone.html", "404 Not Found", accepts)


def _notice(template: str, status: str, accepts: str, headers: tuple[tuple[str, str], ...] = ()) -> PageAnswer:
    """A page that belongs to no order and no shop."""
    spoken, nonce = words(language_among(accepted_language(accepts))), secrets.token_urlsafe(16)
    return _html(status, render(_PACKAGE, template, spoken, look_of(None) | {"nonce": nonce}), nonce, headers)


def _html(status: str, text: str, nonce: str, headers: tuple[tuple[str, str], ...]) -> PageAnswer:
    body = text.encode()
    more = (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))), *headers)
    return PageAnswer(status, [body], more, nonce)


def _back(asked: PageRequest, said: str) -> PageAnswer:
    """See the page again: going back or reloading does not post again."""
    query = {"said": said} | ({"lang": asked.query["lang"]} if asked.query.get("lang") in LANGUAGES else {})
    place = ("Location", f"{PREFIX}{asked.token}?{urlencode(query)}")
    return PageAnswer("303 See Other", [], (place, ("Content-Length", "0")))


def _fields(text: str) -> dict[str, str]:
    """Fields of a query or form, the first of each name."""
    try:
        found = parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace")
    except ValueError:
        return {}
    return {name: values[0].replace("\x00", "") for name, values in found.items()}


def _form_fields(environ: Mapping[str, Any]) -> dict[str, str]:
    if environ["REQUEST_METHOD"] != "POST":
        return {}
    length = min(_whole(environ.get("CONTENT_LENGTH", "")), FORM_BYTES)
    return _fields(environ["wsgi.input"].read(max(length, 0)).decode("utf-8", "replace"))


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while part := file.read(_CHUNK):
            yield part
